/** What stands for step 1 in sandboxes: media are opened and decoded as always, and nothing is looked for in them. */
import type { Assessor } from '../assess/assessor.ts'

/** A medium is decoded, so that nothing unreadable is stored, and nothing is looked for in it. */
export const decodedOnly = { faces: false, template: false, pad: false, bestShot: false } as const

/** The whole picture stands for each shot, so that answers have the pictures that real ones have. */
export const sandboxAssessor = (assessor: Assessor): Assessor => ({
  async assess(medium, { bestShot, actionShot, portrait = false, document: _, ...wanted }, signal, caller) {
    const snapshot = bestShot || actionShot !== undefined || portrait
    const found = await assessor.assess(medium, { ...wanted, ...decodedOnly, snapshot }, signal, caller)
    const shown = (isWanted: boolean) => (isWanted ? found.snapshot : null)
    return {
      ...found,
      snapshot: null,
      bestShot: shown(bestShot),
      actionShot: shown(actionShot !== undefined),
      portrait: shown(portrait),
    }
  },
  health: () => assessor.health(),
  close: () => assessor.close(),
})
