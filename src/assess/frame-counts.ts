/** How many frames of a clip are looked at. */

/** A blink lasts about a fifth of a second. */
export const sampledPerSecond = 12
/** Longer clips are sampled at a lower rate. */
export const sampledMax = 100
/** Approximate number of frames that are analysed in full, spread evenly over the clip. */
export const keyFrames = 10
