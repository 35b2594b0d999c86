/** Waits for what the face finder is to see. */
import { pause } from '../../retry.ts'
import type { FoundFace } from '../finder-messages.ts'
import type { Scene } from './step-kind.ts'

/** Looks one after another that must agree. */
const looksWanted = 2
export const lookEveryMs = 80

type Looker = Pick<Scene, 'faces' | 'stage' | 'signal'>

/** @returns as the face finder; `undefined` if it takes too long, as on a slow phone */
export const lookWithin = (
  { faces, stage }: Omit<Looker, 'signal'>,
  longestMs: number,
): Promise<FoundFace | null | undefined> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, longestMs, undefined)
    faces
      .find(stage.view.video)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })

export interface Patience {
  longestMs: number
  /** What it takes where nobody sees the face. */
  blindMs: number
}

/**
 * Waits until the face is as wanted, or the time is over.
 * @returns whether it was seen so
 * @throws the reason of the signal if it aborts
 */
export async function waitForFace(
  looker: Looker,
  isWanted: (face: FoundFace) => boolean,
  { longestMs, blindMs }: Patience,
): Promise<boolean> {
  const startMs = performance.now()
  let agreed = 0
  let hasSeen = false
  while (agreed < looksWanted) {
    const spentMs = performance.now() - startMs
    const leftMs = (hasSeen ? longestMs : Math.min(longestMs, blindMs)) - spentMs
    if (leftMs <= 0) return false
    const face = await lookWithin(looker, leftMs)
    if (face) hasSeen = true
    agreed = face && isWanted(face) ? agreed + 1 : 0
    await pause(lookEveryMs, looker.signal)
  }
  return true
}
