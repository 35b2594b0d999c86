/** What the types of challenge steps share. */
import type { ChallengeStep, PerformedStep } from '../../../src/container/format.ts'
import type { FaceFinder } from '../face-finder.ts'
import type { FoundFace } from '../finder-messages.ts'
import type { Stage } from '../stage.ts'
import type { TextKey } from '../texts.ts'

/** What a step has while it is performed. */
export interface Scene {
  stage: Stage
  faces: FaceFinder
  /** The face before the first step; `null` if nobody saw it. */
  rest: FoundFace | null
  /** Time that steps have left over for later ones, which may change it. */
  spare: { ms: number }
  /** When the recording began, as `performance.now()` tells time. */
  startMs: number
  /** Tells the person what to do. */
  ask(text: TextKey): void
  /** False if the person asked for the way without light. */
  wantsLight: boolean
  signal: AbortSignal
}

/** One type of challenge steps. */
export interface StepKind<S extends ChallengeStep> {
  type: S['type']
  /** Milliseconds of the face at rest before the step, if it is the first. */
  restMs: number
  /** Whether this page can show the step. */
  isShown(step: S): boolean
  /** Usual time in milliseconds, for the progress. */
  usualMs(step: S, wantsLight: boolean): number
  /**
   * Asks the person for the step, and waits for it.
   * @throws the reason of the signal if it aborts
   */
  perform(step: S, scene: Scene): Promise<PerformedStep>
}

/** Milliseconds since the recording began, in whole numbers. */
export const timeIn = ({ startMs }: Pick<Scene, 'startMs'>, atMs = performance.now()): number =>
  Math.max(0, Math.round(atMs - startMs))
