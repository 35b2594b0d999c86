/** Limits for a machine without other load. */

/** No request may block the event loop for longer. */
export const loopHeldMaxMs = 50
/** The honest caller waits, in the median, at most this many times what it waits on the quiet server. */
const quietTimesMax = 2
/** On a busy machine times are less meaningful, so the limits are higher. */
const busyTimesMax = 3

/** @param loadPerProcessor what else the machine does, 1 where each processor has one thing to do */
export const busyTimes = (loadPerProcessor: number): number =>
  Math.min(busyTimesMax, Math.max(1, loadPerProcessor))

/**
 * The same beside eighty callers, which run on the machine under test and take its processors from the workers: 3.3 to 4.9
 * times were measured on two cores. The share of the queue alone, at most twice, is tested in `test/unit/assess/pool.test.ts`.
 */
const crowdedTimesMax = 6

export const honestMaxMs = (quietMs: number, loadPerProcessor: number): number =>
  quietTimesMax * quietMs * busyTimes(loadPerProcessor)

export const crowdedMaxMs = (quietMs: number, loadPerProcessor: number): number =>
  crowdedTimesMax * quietMs * busyTimes(loadPerProcessor)
