/** What stands for step 1 in sandboxes: media are opened and decoded as always, and nothing is looked for in them. */
import type { Assessor } from '../assess/assessor.ts'
import { decodedOnly } from './received-medium.ts'

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
