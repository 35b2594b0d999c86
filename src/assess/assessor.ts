import { backgroundCaller, type Caller } from '../queue/caller.ts'
import type { Assessment, AssessmentRequest } from './assessment.ts'

export interface AssessorHealth {
  /** Workers that are ready to work or working. */
  ready: number
  /** Workers there should be. */
  workers: number
  waiting: number
  waitingMax: number
  /** Workers that had to be replaced since the start. */
  replaced: number
}

/** Runs step 1 somewhere else than in the request's own turn: in worker threads, or queued in process. */
export interface Assessor {
  /**
   * @param signal ends the waiting of a caller who has gone; work that has begun is finished
   * @param caller whose share of the workers it takes; without one, nobody's
   * @throws {AppError} `overloaded` when the queue is full, `media_unsupported` or `media_unreadable` for what was sent,
   *   `engine_unavailable` when no worker can be started
   */
  assess(
    bytes: Uint8Array,
    wanted: AssessmentRequest,
    signal?: AbortSignal,
    caller?: Caller,
  ): Promise<Assessment>
  health(): AssessorHealth
  /** Takes no new work, finishes what was accepted, then ends all workers. */
  close(): Promise<void>
}

/** For whom media are assessed that nobody waits for. */
export const unattributed = backgroundCaller(null)

/** Why a medium was not taken. */
export const tooManyMedia = 'Too many media are waiting'
