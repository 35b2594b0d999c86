import { estimateCostMs } from '../media/media-cost.ts'
import { FairTurns } from '../queue/fair-turns.ts'
import type { ImageAssessor } from './assess-image.ts'
import { type Assessor, tooManyMedia, unattributed } from './assessor.ts'

export interface InProcessOptions {
  /** Media that may wait. */
  waitingMax: number
  /** How long a medium waits at most. */
  waitMaxMs: number
}

/**
 * Assesses in the caller's own thread, one medium after the other: for runtimes without threads. What runs cannot be
 * ended from here; the runtime's own limits apply.
 */
export function openInProcessAssessor(assess: ImageAssessor, options: InProcessOptions): Assessor {
  const turns = new FairTurns({ ...options, atOnceMax: 1, busy: tooManyMedia })
  return {
    assess: (bytes, wanted, signal, caller = unattributed) =>
      turns.run(caller, estimateCostMs(bytes), () => assess(bytes, wanted), signal),
    health: () => ({
      ready: 1,
      workers: 1,
      replaced: 0,
      waiting: turns.waiting,
      waitingMax: options.waitingMax,
    }),
    async close() {},
  }
}
