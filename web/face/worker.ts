/** `/client/vivace-face.js`: the worker of the face finder, with our own engine and BlazeFace. Nothing that it sees leaves it. */

import {
  type FinderAnswer,
  type FinderOrder,
  type FoundBox,
  inputSide,
} from '../../client/capture/finder-messages.ts'
import type { Engine } from '../../src/inference/engine.ts'
import { makePlan } from '../../src/inference/own/make-plan.ts'
import { openOwnEngine } from '../../src/inference/own-engine.ts'
import { findInWindow } from '../../src/vision/detectors/blazeface.ts'
import type { DetectedFace } from '../../src/vision/face.ts'
import { nonMaxSuppression } from '../../src/vision/non-max-suppression.ts'

/** The global of a worker, as far as this script uses it. */
interface WorkerScope {
  onmessage: ((event: { data: FinderOrder }) => void) | null
  postMessage(answer: FinderAnswer): void
}

const scope = globalThis as unknown as WorkerScope
const network = 'blazeface-back'
const overlapMax = 0.3
let engine: Engine | null = null

async function read(address: string): Promise<ArrayBuffer> {
  const response = await fetch(address)
  if (!response.ok) throw new TypeError(`${address} answers ${response.status}`)
  return response.arrayBuffer()
}

async function open(kernel: string, weights: string): Promise<void> {
  const [code, onnx] = await Promise.all([read(kernel), read(weights)])
  const plan = makePlan(new Uint8Array(onnx), { quantised: false })
  engine = openOwnEngine(await WebAssembly.compile(code), new Map([[network, plan]]))
  // The first run makes the browser compile the kernel for speed.
  await look(new ArrayBuffer(inputSide * inputSide * 4))
}

/** Planes of RGB −1…1, as the network reads them. */
function toPlanes(pixels: Uint8Array): Float32Array {
  const count = inputSide * inputSide
  const planes = new Float32Array(count * 3)
  for (let i = 0; i < count; i++)
    for (let channel = 0; channel < 3; channel++)
      planes[channel * count + i] = pixels[i * 4 + channel]! / 127.5 - 1
  return planes
}

/** Width of the face from ear to ear over that of its box: 0.86 to 0.89, the median of 48 faces of 40 to 130 pixels. */
const widthPerBox = 0.88

function describe({ box, keypoints: { rightEye, leftEye, nose } }: DetectedFace): FoundBox {
  const line = { x: leftEye.x - rightEye.x, y: leftEye.y - rightEye.y }
  const noseX = nose.x - (rightEye.x + leftEye.x) / 2
  const noseY = nose.y - (rightEye.y + leftEye.y) / 2
  const square = line.x ** 2 + line.y ** 2 || 1
  return {
    x: box.x + box.width / 2,
    y: box.y + box.height / 2,
    side: box.width * widthPerBox,
    turn: (noseX * line.x + noseY * line.y) / square,
    nod: (noseY * line.x - noseX * line.y) / square,
  }
}

async function look(pixels: ArrayBuffer): Promise<FoundBox[]> {
  const found = await findInWindow(engine!, toPlanes(new Uint8Array(pixels)))
  return nonMaxSuppression(found, overlapMax).map(describe)
}

async function answer(order: FinderOrder): Promise<FinderAnswer> {
  if ('pixels' in order) return look(order.pixels)
  await open(order.kernel, order.network)
  return 'ready'
}

scope.onmessage = ({ data }) => {
  answer(data).then(
    (told) => scope.postMessage(told),
    () => scope.postMessage('failed'),
  )
}
