/** What must hold on a machine that does little else. */

/** No request holds the loop for longer. */
export const loopHeldMaxMs = 50
/** The honest caller waits, in the median, at most this many times what it waits on the quiet server. */
export const quietTimesMax = 2
