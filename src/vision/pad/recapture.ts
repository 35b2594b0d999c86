import type { Engine } from '../../inference/engine.ts'
import { type Box, boxCentre, boxMap } from '../geometry.ts'
import type { Pyramid } from '../pyramid.ts'
import { warpToTensor } from '../resample.ts'
import { type ColourChange, changeColours } from './colour-change.ts'
import type { PadNetwork } from './pad-network.ts'

const side = 128
const cropScale = 1.3

/** Probabilities of the three classes; their sum is 1. */
interface RecaptureClasses {
  live: number
  print: number
  replay: number
}

/** A square of 1.3 × the longer side of the box, limited to the size of the picture and moved inside it. */
function cropSquare(image: { width: number; height: number }, face: Box): Box {
  const length = Math.min(Math.max(face.width, face.height) * cropScale, image.width, image.height)
  const centre = boxCentre(face)
  return {
    x: Math.min(Math.max(centre.x - length / 2, 0), image.width - length),
    y: Math.min(Math.max(centre.y - length / 2, 0), image.height - length),
    width: length,
    height: length,
  }
}

/**
 * Our own recapture network (`models/cards/recapture-1.md`): input `[1,3,128,128]` RGB 0…255, output `probabilities`
 * `[1,3]` in the order bona fide, print, replay.
 */
export async function classifyWithRecapture(
  engine: Engine,
  pyramid: Pyramid,
  face: Box,
  colours?: ColourChange,
): Promise<RecaptureClasses> {
  const planes = warpToTensor(pyramid, boxMap(cropSquare(pyramid, face), side, side), {
    width: side,
    height: side,
    order: 'rgb',
    sampling: 'averaged',
    outside: 'border',
  })
  changeColours(planes, 'rgb', colours)
  const outputs = await engine.run('recapture-1', { data: planes, shape: [1, 3, side, side] })
  const [live, print, replay] = outputs.probabilities!.data
  return { live: live!, print: print!, replay: replay! }
}

export const recapture: PadNetwork = {
  id: 'recapture-1',
  classify: async (engine, pyramid, { box }, colours) => [
    { view: 'recapture-1', ...(await classifyWithRecapture(engine, pyramid, box, colours)) },
  ],
}
