import type { Engine, ModelId } from '../../inference/engine.ts'
import type { DetectedFace } from '../face.ts'
import type { Pyramid } from '../pyramid.ts'

/** What is said of one view of a face: by a network of its usual crop, or of another. */
export interface ViewScore {
  /** The id of the network, or a name of its own for a further view. */
  view: string
  /** Probability of a live face, 0…1. */
  live: number
  /** Probability of a replayed screen, 0…1; `null` where the view does not tell. */
  replay: number | null
}

/** A network that tells attacks from bona fide samples, with its crops, its input and what its output means. */
export interface PadNetwork {
  id: ModelId
  /**
   * Scores the network's views of a face, at least one.
   * @param face in pixels of the pyramid's picture
   * @throws {AppError} `engine_unavailable`
   */
  classify(engine: Engine, pyramid: Pyramid, face: DetectedFace): Promise<ViewScore[]>
}
