import type { ImageAssessor } from './assess-image.ts'
import { type Assessor, callerGone } from './assessor.ts'
import { RunQueue } from './run-queue.ts'

/**
 * Assesses in the caller's own thread, one medium after the other: for runtimes without threads. What runs cannot be
 * ended from here; the runtime's own limits apply.
 */
export function inProcessAssessor(assess: ImageAssessor, waitingMax: number): Assessor {
  const queue = new RunQueue(waitingMax)
  return {
    async assess(bytes, wanted, signal) {
      return queue.run(async () => {
        if (signal?.aborted) throw callerGone()
        return assess(bytes, wanted)
      })
    },
    health: () => ({ ready: 1, workers: 1, waiting: queue.waiting, waitingMax, replaced: 0 }),
    async close() {},
  }
}
