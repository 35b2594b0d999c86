import type { Engine } from '../inference/engine.ts'
import { alignFace } from './align.ts'
import type { FaceMesh } from './facemesh.ts'
import type { Pyramid } from './pyramid.ts'

/** Names network, alignment and mirror averaging together; templates with another id are never compared with these. */
export const templateModelId = 'dlib-resnet29-1'

export const templateLength = 128
const side = 150

/** Stored features of one face; only ever compared with templates of the same `modelId`. */
export interface Template {
  modelId: string
  vector: Float32Array
}

/** Left and right swapped, plane by plane. */
function mirrorPlanes(planes: Float32Array): Float32Array {
  const out = new Float32Array(planes.length)
  for (let row = 0; row < planes.length; row += side) {
    for (let x = 0; x < side; x++) out[row + x] = planes[row + side - 1 - x]!
  }
  return out
}

/**
 * A quick look at who a face is: the 128-d vector without the mirror image. Two looks at one clip can be told apart by it; it
 * is no template, and compared with none.
 */
export async function lookAtIdentity(
  engine: Engine,
  pyramid: Pyramid,
  mesh: FaceMesh,
): Promise<Float32Array> {
  const data = alignFace(pyramid, mesh, side)
  const outputs = await engine.run('dlib-resnet29', { data, shape: [1, 3, side, side] })
  return outputs.template!.data.slice(0, templateLength)
}

/**
 * Makes the biometric template of a face: dlib's ResNet on the aligned face and on its mirror image, the two 128-d
 * vectors averaged (`docs/matching.md` says what the mirror image is worth).
 */
export async function extractTemplate(engine: Engine, pyramid: Pyramid, mesh: FaceMesh): Promise<Template> {
  const face = alignFace(pyramid, mesh, side)
  const both = new Float32Array(face.length * 2)
  both.set(face)
  both.set(mirrorPlanes(face), face.length)
  const outputs = await engine.run('dlib-resnet29', { data: both, shape: [2, 3, side, side] })
  const values = outputs.template!.data
  const vector = Float32Array.from(
    { length: templateLength },
    (_, i) => (values[i]! + values[i + templateLength]!) / 2,
  )
  return { modelId: templateModelId, vector }
}
