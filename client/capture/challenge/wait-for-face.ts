/** Waits for what the face finder is to see. */
import { pause } from '../../retry.ts'
import type { FoundFace } from '../finder-messages.ts'
import type { Scene } from './step-kind.ts'

/** Looks one after another that must agree. */
const looksWanted = 2
export const lookEveryMs = 80

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
  { faces, stage, signal }: Pick<Scene, 'faces' | 'stage' | 'signal'>,
  isWanted: (face: FoundFace) => boolean,
  { longestMs, blindMs }: Patience,
): Promise<boolean> {
  const startMs = performance.now()
  let agreed = 0
  let hasSeen = false
  while (agreed < looksWanted) {
    const spentMs = performance.now() - startMs
    if (spentMs >= (hasSeen ? longestMs : Math.min(longestMs, blindMs))) return false
    const face = await faces.find(stage.view.video)
    if (face) hasSeen = true
    agreed = face && isWanted(face) ? agreed + 1 : 0
    await pause(lookEveryMs, signal)
  }
  return true
}
