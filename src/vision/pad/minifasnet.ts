import type { Engine, ModelId } from '../../inference/engine.ts'
import { type Box, boxCentre, boxMap } from '../geometry.ts'
import type { Pyramid } from '../pyramid.ts'
import { enlargePlanes, warpToTensor } from '../resample.ts'
import { type ColourChange, changeColours } from './colour-change.ts'
import type { PadNetwork } from './pad-network.ts'

const side = 80

/** Crop from brows to lips: no outline, no hair, no surroundings. */
const innerFaceScale = 0.65
/** Side in pixels to which it is reduced: sharpening, noise and strong compression alter finer detail. */
const innerFaceSide = 56

/** Probabilities of the three classes; their sum is 1. */
interface MiniFasNetClasses {
  print: number
  live: number
  replay: number
}

/**
 * The box enlarged around its centre, limited to the size of the picture and moved inside it. Borders are whole pixels, last
 * row and column included, as in the training of the networks.
 */
function placeMinivisionCrop(image: { width: number; height: number }, face: Box, cropScale: number): Box {
  const [lastColumn, lastRow] = [image.width - 1, image.height - 1]
  const scale = Math.min(lastRow / face.height, lastColumn / face.width, cropScale)
  const [width, height] = [face.width * scale, face.height * scale]
  const centre = boxCentre(face)
  const left = Math.min(Math.max(centre.x - width / 2, 0), lastColumn - width)
  const top = Math.min(Math.max(centre.y - height / 2, 0), lastRow - height)
  const [x, y] = [Math.trunc(left), Math.trunc(top)]
  return { x, y, width: Math.trunc(left + width) - x + 1, height: Math.trunc(top + height) - y + 1 }
}

/** Input of these networks: the face with its surroundings, planes `[3,side,side]` BGR 0…255. */
export function cutMinivisionPlanes(
  pyramid: Pyramid,
  face: Box,
  cropScale: number,
  side: number,
  colours?: ColourChange,
): Float32Array {
  const planes = warpToTensor(pyramid, boxMap(placeMinivisionCrop(pyramid, face, cropScale), side, side), {
    width: side,
    height: side,
    order: 'bgr',
    sampling: 'plain',
    outside: 'border',
  })
  return changeColours(planes, 'bgr', colours)
}

export function softmax(logits: Float32Array): number[] {
  const max = Math.max(...logits)
  const powers = [...logits].map((value) => Math.exp(value - max))
  const sum = powers.reduce((total, power) => total + power, 0)
  return powers.map((power) => power / sum)
}

/**
 * Runs a MiniFASNet network (minivision Silent-Face-Anti-Spoofing, Apache-2.0).
 *
 * Input `[1,3,80,80]` BGR 0…255, the crop resized to a square with plain bilinear sampling; output `logits` `[1,3]` in the
 * order print, live, replay.
 * @param cropScale size of the crop, relative to the box of the face
 * @returns probabilities after the softmax
 */
const classifyFace = (
  engine: Engine,
  model: ModelId,
  pyramid: Pyramid,
  face: Box,
  cropScale: number,
  colours?: ColourChange,
): Promise<MiniFasNetClasses> =>
  classify(engine, model, cutMinivisionPlanes(pyramid, face, cropScale, side, colours))

/** Runs V1SE on the inner face alone. It was not trained on such crops, but surroundings cannot influence the result. */
function classifyInnerFace(
  engine: Engine,
  pyramid: Pyramid,
  face: Box,
  colours?: ColourChange,
): Promise<MiniFasNetClasses> {
  const crop = placeMinivisionCrop(pyramid, face, innerFaceScale)
  const planes = warpToTensor(pyramid, boxMap(crop, innerFaceSide, innerFaceSide), {
    width: innerFaceSide,
    height: innerFaceSide,
    order: 'bgr',
    sampling: 'averaged',
    outside: 'border',
  })
  changeColours(planes, 'bgr', colours)
  return classify(engine, 'minifasnet-v1se', enlargePlanes(planes, innerFaceSide, side))
}

async function classify(engine: Engine, model: ModelId, planes: Float32Array): Promise<MiniFasNetClasses> {
  const outputs = await engine.run(model, { data: planes, shape: [1, 3, side, side] })
  const [print, live, replay] = softmax(outputs.logits!.data)
  return { print: print!, live: live!, replay: replay! }
}

export const miniFasNetV2: PadNetwork = {
  id: 'minifasnet-v2',
  classify: async (engine, pyramid, { box }, colours) => [
    { view: 'minifasnet-v2', ...(await classifyFace(engine, 'minifasnet-v2', pyramid, box, 2.7, colours)) },
  ],
}

/** Runs twice: on the face with its surroundings, and on the inner face alone. */
export const miniFasNetV1se: PadNetwork = {
  id: 'minifasnet-v1se',
  async classify(engine, pyramid, { box }, colours) {
    const whole = await classifyFace(engine, 'minifasnet-v1se', pyramid, box, 4, colours)
    const { live } = await classifyInnerFace(engine, pyramid, box, colours)
    return [
      { view: 'minifasnet-v1se', ...whole },
      { view: 'inner face', live, replay: null },
    ]
  },
}
