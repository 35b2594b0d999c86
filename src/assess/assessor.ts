import { AppError } from '../errors.ts'
import type { Assessment, Wanted } from './assessment.ts'

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
   * @param caller whose share of the workers it takes; what nobody is named for shares one
   * @throws {AppError} `overloaded` when the queue is full, `media_unsupported` or `media_unreadable` for what was sent,
   *   `engine_unavailable` when no worker can be started
   */
  assess(bytes: Uint8Array, wanted: Wanted, signal?: AbortSignal, caller?: string): Promise<Assessment>
  health(): AssessorHealth
  /** Takes no new work, finishes what was accepted, then ends all workers. */
  close(): Promise<void>
}

/** Why a medium was not assessed whose caller waits no more; nobody hears it. */
export const callerGone = (): AppError => new AppError('overloaded', 'The caller has gone')
