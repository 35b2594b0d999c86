/** What liveness finds in sandboxes. */
import type { ReasonCode } from '../../decide/reasons.ts'
import type { MediumLiveness } from './decide.ts'

/** Evidence of media that look like no attack, and do not show what they were to show. */
const omissions: Partial<Record<ReasonCode, Partial<MediumLiveness>>> = {
  gesture_missing: { gesture: { name: 'smile', isPerformed: false, score: 0.01, timeS: null } },
  challenge_missed: { challenge: { status: 'missed', reasons: ['no_smile'] } },
  challenge_contradicted: { challenge: { status: 'contradicted', reasons: ['steps_out_of_order'] } },
}

/** A medium as it is decided for one reason; `null` for none. */
export function stageMedium(mediumId: string, code: ReasonCode | null): MediumLiveness {
  const omitted = code && omissions[code]
  const attack = code === null || omitted ? 0.01 : 0.99
  return {
    ...{ mediumId, attack, replay: attack, liveness: null, gesture: null },
    ...omitted,
    ...(code === null ? {} : { reasons: [code] }),
  }
}
