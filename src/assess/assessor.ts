import type { OpenedMedium } from '../media/opened-medium.ts'
import { backgroundCaller, type Caller } from '../queue/caller.ts'
import type { Assessment, AssessmentRequest } from './assessment.ts'

export interface AssessorHealth {
  /** Workers that are idle or busy. */
  ready: number
  /** Configured number of workers. */
  workers: number
  waiting: number
  waitingMax: number
  /** Workers replaced since the start. */
  replaced: number
}

/** Runs step 1 outside the request handler: in worker threads, or queued in the same process. */
export interface Assessor {
  /**
   * @param signal removes a waiting medium from the queue; a medium being assessed is finished
   * @param caller to whose share of the workers the cost is charged; default: background work without a company
   * @throws {AppError} `overloaded` if the queue is full, `media_unsupported` or `media_unreadable` for bad input,
   *   `media_unprocessable` for a medium that crashes workers or takes too long, `engine_unavailable` if no worker can be
   *   started
   */
  assess(
    medium: OpenedMedium,
    wanted: AssessmentRequest,
    signal?: AbortSignal,
    caller?: Caller,
  ): Promise<Assessment>
  health(): AssessorHealth
  /** Refuses new media, finishes accepted ones, then terminates all workers. */
  close(): Promise<void>
}

/** The caller of media that no request waits for. */
export const unattributed = backgroundCaller(null)

/** Message of the error `overloaded`. */
export const tooManyMedia = 'Too many media are waiting'
