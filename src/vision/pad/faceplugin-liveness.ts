import { cutMinivisionPlanes, softmax } from './minifasnet.ts'
import type { PadNetwork } from './pad-network.ts'

const side = 128
const cropScale = 2.7

/**
 * The package's `fr_liveness`, a network of the MiniFASNet family with squeeze and excitation: input `[1,3,128,128]` BGR
 * 0…255, cropped as for MiniFASNet; output `[1,3]` logits, the first class is a live face.
 */
export const facepluginLiveness: PadNetwork = {
  id: 'faceplugin-liveness',
  async classify(engine, pyramid, { box }, colours) {
    const data = cutMinivisionPlanes(pyramid, box, cropScale, side, colours)
    const outputs = await engine.run('faceplugin-liveness', { data, shape: [1, 3, side, side] })
    return [{ view: 'faceplugin-liveness', live: softmax(outputs.output!.data)[0]!, replay: null }]
  },
}
