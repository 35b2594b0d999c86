import type { Engine } from '../inference/engine.ts'
import type { Box } from './geometry.ts'
import { minivisionPlanes, softmax } from './minifasnet.ts'
import type { Pyramid } from './pyramid.ts'

const side = 128
const cropScale = 2.7

/**
 * The package's `fr_liveness`, a network of the MiniFASNet family with squeeze and excitation: input `[1,3,128,128]` BGR
 * 0…255, cropped as MiniFASNet; output `[1,3]`, of which the first class is a live face.
 * @returns probability of a live face
 */
export async function classifyWithFaceplugin(engine: Engine, pyramid: Pyramid, face: Box): Promise<number> {
  const planes = minivisionPlanes(pyramid, face, cropScale, side)
  const outputs = await engine.run('faceplugin-liveness', { data: planes, shape: [1, 3, side, side] })
  return softmax(outputs.output!.data)[0]!
}
