/** Limits for a machine without other load. */

/** No request may block the event loop for longer. */
export const loopHeldMaxMs = 50
/** The honest caller waits, in the median, at most this many times what it waits on the quiet server. */
const quietTimesMax = 2
/** On a busy machine times are less meaningful, so the limits are higher. */
const busyTimesMax = 3

/** @param loadPerProcessor what else the machine does, 1 where each processor has one thing to do */
export const honestMaxMs = (quietMs: number, loadPerProcessor: number): number =>
  quietTimesMax * quietMs * Math.min(busyTimesMax, Math.max(1, loadPerProcessor))
