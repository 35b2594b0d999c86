/** Limits for a machine without other load. */

/** No request may block the event loop for longer. */
export const loopHeldMaxMs = 50
/** The steps of many calls that come at once run in one turn of the loop: 33 to 82 ms were measured on two cores, 120 to 210 on two slow ones. */
export const crowdLoopHeldMaxMs = 250
/**
 * The honest caller waits, in the median, at most this many times what it waits on the quiet server: twice by the rule of the queue,
 * and something for the attackers, which run on the machine under test. Beside expensive media 2.0 to 2.3 times were measured on two cores.
 */
const quietTimesMax = 2.5
/** On a busy machine times are less meaningful, so the limits are higher. */
const busyTimesMax = 3

/** @param loadPerProcessor what else the machine does, 1 where each processor has one thing to do */
export const busyTimes = (loadPerProcessor: number): number =>
  Math.min(busyTimesMax, Math.max(1, loadPerProcessor))

/**
 * The same beside dozens of callers, or the largest bodies one after another, who take the processors from the workers: 1.2 to 9 times were measured beside eighty
 * greedy callers, 5 to 9 beside forty who send without waiting for answers, 2 to 7 beside four who send 24 MB as fast as the machine copies them. The share of the queue alone, at most twice, is tested in `test/unit/assess/pool.test.ts`.
 */
const crowdedTimesMax = 10

export const honestMaxMs = (quietMs: number, loadPerProcessor: number): number =>
  quietTimesMax * quietMs * busyTimes(loadPerProcessor)

export const crowdedMaxMs = (quietMs: number, loadPerProcessor: number): number =>
  crowdedTimesMax * quietMs * busyTimes(loadPerProcessor)
