import { FairSemaphore } from '../queue/fair-semaphore.ts'
import type { MediumAssessor } from './assess-medium.ts'
import { type Assessor, tooManyMedia, unattributed } from './assessor.ts'
import { type CostLimits, estimateCostMs } from './media-cost.ts'

export interface InProcessOptions extends CostLimits {
  /** Maximum number of waiting media. */
  waitingMax: number
  /** Maximum waiting time of a medium. */
  waitMaxMs: number
  /** Milliseconds after which an assessment counts as ended together with its request. */
  heldMaxMs: number
}

/**
 * Opens an assessor for runtimes without threads: it runs in the caller's thread, one medium at a time. A running assessment
 * cannot be aborted; the runtime's own limits apply.
 */
export function openInProcessAssessor(assess: MediumAssessor, options: InProcessOptions): Assessor {
  const turns = new FairSemaphore({ ...options, atOnceMax: 1, clockStandsStill: true, busy: tooManyMedia })
  return {
    assess: (medium, wanted, signal, caller = unattributed) =>
      turns.run(caller, estimateCostMs(medium, options), () => assess(medium, wanted), signal),
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
