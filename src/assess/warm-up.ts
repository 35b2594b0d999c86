import type { ImageCodecs } from '../media/image-codecs.ts'
import { type OpenedMedium, openMedium } from '../media/opened-medium.ts'
import type { MediumAssessor } from './assess-medium.ts'
import type { Assessment } from './assessment.ts'
import { drawFace } from './drawn-face.ts'

/** After so many photos, and one before the worker was ready, most of the code is optimised. */
const rounds = 4
/** A server that is started for a medium gets it within this time; then it is assessed at once. */
const settleMs = 1000
/** Time between two photos, in which a medium may come. */
const betweenMs = 20
const wanted = { faces: true, pad: true, template: true, bestShot: true, thumbnail: true }

/** A drawn portrait as a file. */
export const makePortrait = async (codecs: ImageCodecs): Promise<OpenedMedium> =>
  openMedium(await codecs.encodeJpeg({ image: drawFace(), quality: 90 }))

/** Assesses it with all that is assessed of photos. */
export const assessPortrait = (assess: MediumAssessor, portrait: OpenedMedium): Promise<Assessment> =>
  assess(portrait, wanted)

export interface WarmUp {
  assess: MediumAssessor
  portrait: OpenedMedium
  /** Waits, but not longer than until a medium comes. */
  pause: (ms: number) => Promise<void>
  /** Whether one has come. */
  isWaiting: () => boolean
}

/**
 * Assesses a drawn portrait several times, so that callers do not wait while code is compiled. Ends early once a medium waits.
 * @throws {AppError} the errors of the assessor
 */
export async function warmUp({ assess, portrait, pause, isWaiting }: WarmUp): Promise<void> {
  await pause(settleMs)
  if (isWaiting()) return
  for (let round = 0; round < rounds && !isWaiting(); round++) {
    await assessPortrait(assess, portrait)
    await pause(betweenMs)
  }
}
