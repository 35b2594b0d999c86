/** Finds the face in what the camera shows: our own engine with a small network, in a worker that is loaded when it is needed. */
import {
  type FinderAnswer,
  type FinderOrder,
  type FoundBox,
  type FoundFace,
  inputSide,
} from './finder-messages.ts'
import { type Part, stagePart } from './stage-part.ts'

/** Sides of faces that the network finds best, in pixels of its input. */
const sideMax = 115
const sideMin = 40

/** The page's policy for Trusted Types; a page may allow only the first policy of a name. */
let policy: { createScriptURL(address: string): string } | null = null

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(address: string): string }): typeof policy
}

/** Allows the address of the worker's script to pages that require Trusted Types. @throws {TypeError} if they do not allow the policy */
function trust(address: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  if (!trustedTypes) return address
  policy ??= trustedTypes.createPolicy('vivace-face', { createScriptURL: (own) => own })
  return policy!.createScriptURL(address)
}

/** Scripts of other origins start no worker, but one from here may load them. */
function startWorker(address: string): Worker {
  if (new URL(address).origin === location.origin) return new Worker(trust(address))
  const text = `importScripts(${JSON.stringify(address)})`
  const local = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }))
  try {
    return new Worker(trust(local))
  } finally {
    // The worker fetches it before the next task.
    setTimeout(() => URL.revokeObjectURL(local), 10_000)
  }
}

export class FaceFinder {
  readonly #context: CanvasRenderingContext2D
  #worker: Worker | null = null
  /** It is loaded, and this browser and the page's policy let it run. */
  #isReady = false
  #answer: ((boxes: readonly FoundBox[]) => void) | null = null
  /** Share of the input that the picture is drawn on: large faces are found in smaller pictures. */
  #scale = 1

  constructor() {
    const canvas = document.createElement('canvas')
    canvas.width = inputSide
    canvas.height = inputSide
    this.#context = canvas.getContext('2d', { willReadFrequently: true })!
  }

  /** Begins to load. Where it cannot run, faces stay unknown. @param origin the server that has its files */
  open(origin: string): void {
    if (this.#worker) return
    try {
      const worker = startWorker(`${origin}/client/vivace-face.js`)
      this.#worker = worker
      worker.onerror = (event) => {
        event.preventDefault()
        this.close()
      }
      worker.onmessage = ({ data }: MessageEvent<FinderAnswer>) => this.#hear(data)
      this.#tell({
        kernel: `${origin}/client/vivace-face.wasm`,
        network: `${origin}/client/vivace-face.onnx`,
      })
    } catch {
      this.close()
    }
  }

  close(): void {
    this.#worker?.terminate()
    this.#worker = null
    this.#isReady = false
    this.#answer?.([])
    this.#answer = null
  }

  #tell(order: FinderOrder, transfer: Transferable[] = []): void {
    this.#worker?.postMessage(order, transfer)
  }

  #hear(answer: FinderAnswer): void {
    if (answer === 'failed') this.close()
    else if (answer === 'ready') this.#isReady = true
    else {
      this.#answer?.(answer)
      this.#answer = null
    }
  }

  /**
   * Looks at the current frame.
   * @returns `null` if there is no face in it; `undefined` if that cannot be told
   */
  async find(video: HTMLVideoElement): Promise<FoundFace | null | undefined> {
    if (!this.#isReady || this.#answer || video.videoWidth === 0) return undefined
    const scale = this.#scale
    const part = stagePart(video)
    const pixels = this.#draw(video, part, scale)
    const boxes = await new Promise<readonly FoundBox[]>((resolve) => {
      this.#answer = resolve
      this.#tell({ pixels }, [pixels])
    })
    if (!this.#isReady) return undefined
    const [face] = [...boxes].sort((one, other) => other.side - one.side)
    this.#scale = nextScale(scale, face?.side ?? null)
    return face ? placeFace(face, part, scale) : null
  }

  #draw(video: HTMLVideoElement, part: Part, scale: number): ArrayBuffer {
    const context = this.#context
    const { width, height } = drawnSize(part, scale)
    const [left, top] = [(inputSide - width) / 2, (inputSide - height) / 2]
    context.fillRect(0, 0, inputSide, inputSide)
    context.drawImage(video, part.x, part.y, part.width, part.height, left, top, width, height)
    return context.getImageData(0, 0, inputSide, inputSide).data.buffer
  }
}

const drawnSize = (part: Part, scale: number) => ({
  width: ((inputSide * part.width) / part.height) * scale,
  height: inputSide * scale,
})

/** The scale of the next look: without a face the other one, else the one at which the face has a good size. */
function nextScale(scale: number, side: number | null): number {
  if (side === null) return scale === 1 ? 0.5 : 1
  if (side > sideMax) return 0.5
  return side < sideMin ? 1 : scale
}

function placeFace({ x, y, side, turn, nod }: FoundBox, part: Part, scale: number): FoundFace {
  const { width, height } = drawnSize(part, scale)
  return {
    x: (x - inputSide / 2) / width + 0.5,
    y: (y - inputSide / 2) / height + 0.5,
    width: side / width,
    turn,
    nod,
  }
}
