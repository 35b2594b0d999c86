import type { Engine, ModelId } from '../../inference/engine.ts'
import type { DetectedFace } from '../face.ts'
import type { Pyramid } from '../pyramid.ts'
import type { ColourChange } from './colour-change.ts'

/** Result for one view of a face: the usual crop of a network, or an additional one. */
export interface ViewScore {
  /** The id of the network, or the name of an additional view. */
  view: string
  /** Probability of a live face, 0…1. */
  live: number
  /** Probability of a replayed screen, 0…1; `null` if the view does not distinguish it. */
  replay: number | null
}

/** A network for presentation attack detection, with its crops, its input and the meaning of its output. */
export interface PadNetwork {
  id: ModelId
  /**
   * Scores the network's views of a face, at least one.
   * @param face in pixels of the pyramid's picture
   * @param colours what is done to the colours of the crops; default: nothing
   * @throws {AppError} `engine_unavailable`
   */
  classify(engine: Engine, pyramid: Pyramid, face: DetectedFace, colours?: ColourChange): Promise<ViewScore[]>
}
