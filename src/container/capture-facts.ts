/** Turns what a page reported about a capture into facts that are stored and decided on. */
import type { CaptureFacts, CaptureFrames } from '../decide/capture.ts'
import type { CaptureStep } from '../decide/challenge/step.ts'
import type { SessionClaims } from '../identity/session-token.ts'
import { readChallenge } from './challenge/challenge.ts'
import type { CaptureEvidence, PerformedStep } from './format.ts'

/** Members of a track's settings that identify a device. */
const identifiers = new Set(['deviceId', 'groupId'])

function summariseFrames(frames: NonNullable<CaptureEvidence['frames']>): CaptureFrames | null {
  if (frames.length === 0) return null
  const times = frames.map(([timeMs]) => timeMs)
  const digests = new Set(frames.map(([, digest]) => digest))
  return {
    count: frames.length,
    spanS: (times.at(-1)! - times[0]!) / 1000,
    backSteps: times.filter((time, at) => at > 0 && time <= times[at - 1]!).length,
    repeatedShare: 1 - digests.size / frames.length,
  }
}

const withoutIdentifiers = (settings: NonNullable<CaptureEvidence['track']>) =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => !identifiers.has(name)))

const toCaptureStep = ({ type, gesture, from, to, shown, soft, skipped }: PerformedStep): CaptureStep => ({
  gesture: type === 'gesture' ? (gesture ?? type) : type,
  fromS: from / 1000,
  toS: to / 1000,
  ...(type === 'colours' && {
    ...(shown && { shown: shown.map(([timeMs, colour]) => [timeMs / 1000, colour] as const) }),
    ...(soft && { isSoft: true as const }),
    ...(skipped && { isSkipped: true as const }),
  }),
})

/** @param evidence `null` if the page reported nothing about the medium */
export function toCaptureFacts(
  evidence: CaptureEvidence | null,
  claims: SessionClaims,
  nowMs: number,
): CaptureFacts {
  const { steps, frames, track, device } = evidence ?? {}
  return {
    challenge: readChallenge(claims.challenge),
    steps: steps?.map(toCaptureStep) ?? null,
    frames: frames ? summariseFrames(frames) : null,
    ageS: (nowMs - claims.issuedAtMs) / 1000,
    track: withoutIdentifiers(track ?? {}),
    device: withoutIdentifiers(device ?? {}),
  }
}
