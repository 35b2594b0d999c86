/** Whether a clip answers the challenge of its capture session: the steps, their order, and the times that the page reported. */
import type { ClipFindings } from '../assess/assessment.ts'
import { finish, type Piecewise } from '../vision/challenge/pieces.ts'
import { judgeOf } from './challenge/registry.ts'
import {
  type AskedStep,
  type CaptureStep,
  nameOfAsked,
  type StepFinding,
  toleranceS,
} from './challenge/step.ts'

/** The frames that the page saw. */
export interface CaptureFrames {
  count: number
  /** Time between the first and the last frame. */
  spanS: number
  /** Number of frames whose time is not later than that of the previous one. */
  backSteps: number
  /** Share of frames with the digest of the previous one, or of any other one. */
  repeatedShare: number
}

/** What is known about the capture of a medium that came in a container; stored with the medium. */
export interface CaptureFacts {
  /** The steps that the session token asked for, in order; empty for none. */
  challenge: readonly AskedStep[]
  /** `null` if the page reported none. */
  steps: readonly CaptureStep[] | null
  /** `null` if the page reported none. */
  frames: CaptureFrames | null
  /** Seconds from the issue of the session token to the arrival of the container. */
  ageS: number
  track: Readonly<Record<string, string | number | boolean>>
  device: Readonly<Record<string, string | number | boolean>>
}

/**
 * `no_evidence`: nothing says whether the challenge was answered. `contradicted`: what the page reported does not fit the
 * challenge or the clip. `missed`: the clip does not show a step. `cannot_tell`: it does not tell whether it shows one.
 */
type CaptureStatus = 'answered' | 'missed' | 'cannot_tell' | 'contradicted' | 'no_evidence'

/** A step of a challenge with what was found. */
export interface JudgedStep extends StepFinding {
  /** The gesture, or the type of another step. */
  step: string
}

export interface CaptureVerdict {
  status: CaptureStatus
  /** Words for what was found; empty if the challenge was answered. */
  reasons: readonly string[]
  /** Each step of the challenge; absent if the evidence does not allow to judge them, and in verdicts of version 1.0. */
  steps?: readonly JudgedStep[]
}

/** The same as a share of the recording: clocks of recorders drift. */
const toleranceShare = 0.1
/** Clocks of servers agree to a second. */
const clockToleranceS = 2
/** Frames per second. Cameras of phones give 10 in dim light; a page on a slow device sees a part of them. */
const frameRateMin = 2
/** A camera repeats a frame now and then; a picture that is fed into it repeats most. */
const repeatedShareMax = 0.2

/** The steps that were asked for with those that were performed instead; those without a counterpart are left out. */
const pairSteps = (
  asked: readonly AskedStep[],
  performed: readonly CaptureStep[],
): [asked: AskedStep, performed: CaptureStep][] =>
  asked.slice(0, performed.length).map((step, place) => [step, performed[place]!])

/** Words for what is missing. */
function findGaps({ challenge, steps, frames }: CaptureFacts, clip: ClipFindings | null): string[] {
  return [
    ...(challenge.length === 0 ? ['no_challenge'] : []),
    ...(clip?.timing ? [] : ['no_clip']),
    ...(steps === null ? ['no_steps'] : []),
    ...(frames === null ? ['no_frames'] : []),
    ...pairSteps(challenge, steps ?? []).flatMap(([asked, step]) => judgeOf(asked).findGaps?.(step) ?? []),
  ]
}

/** Whether times follow each other within the recording; what is skipped takes none. Comparisons with `NaN` are false, which is no pass. */
function isOrdered(steps: readonly CaptureStep[], endS: number): boolean {
  let earliest = 0
  for (const { fromS, toS, isSkipped } of steps) {
    if (!(fromS >= earliest && (isSkipped ? toS >= fromS : toS > fromS))) return false
    earliest = toS
  }
  return earliest <= endS + toleranceS
}

function findContradictions(
  { challenge, ageS }: CaptureFacts,
  steps: readonly CaptureStep[],
  frames: CaptureFrames,
  durationS: number,
): string[] {
  const longest = Math.max(durationS, frames.spanS)
  const isLike = Math.abs(durationS - frames.spanS) <= Math.max(toleranceS, toleranceShare * longest)
  const isAsked =
    steps.length === challenge.length &&
    challenge.every((asked, place) => nameOfAsked(asked) === steps[place]!.gesture)
  if (!isAsked) return ['other_steps']
  const rules: readonly [isKept: boolean, word: string][] = [
    [isOrdered(steps, longest), 'steps_out_of_order'],
    [frames.backSteps === 0, 'frames_out_of_order'],
    [frames.repeatedShare <= repeatedShareMax, 'repeated_frames'],
    [isLike, 'other_duration'],
    [longest <= ageS + clockToleranceS, 'older_than_session'],
  ]
  return [
    ...rules.filter(([isKept]) => !isKept).map(([, word]) => word),
    ...pairSteps(challenge, steps).flatMap(
      ([asked, step]) => judgeOf(asked).findContradictions?.(asked, step) ?? [],
    ),
  ]
}

function* judgeSteps(
  challenge: readonly AskedStep[],
  steps: readonly CaptureStep[],
  clip: ClipFindings,
): Piecewise<JudgedStep[]> {
  let afterS = Number.NEGATIVE_INFINITY
  const judged: JudgedStep[] = []
  for (const [asked, performed] of pairSteps(challenge, steps)) {
    const { timeS = afterS, ...finding } = yield* judgeOf(asked).judge({ asked, performed, clip, afterS })
    afterS = timeS
    judged.push({ step: nameOfAsked(asked), ...finding })
  }
  return judged
}

function toStatus(steps: readonly JudgedStep[]): CaptureStatus {
  if (steps.some(({ status }) => status === 'not_performed')) return 'missed'
  return steps.every(({ status }) => status === 'performed') ? 'answered' : 'cannot_tell'
}

/** Score that an attack answered the challenge, 0…1: that of its worst step; `null` if none says anything about that. */
export function scoreChallenge({ steps = [] }: CaptureVerdict): number | null {
  const scores = steps.flatMap(({ attack }) => (attack === null ? [] : [attack]))
  return scores.length === 0 ? null : Math.max(...scores)
}

interface Judged {
  clip: ClipFindings
  durationS: number
  verdict: CaptureVerdict
}

/** The last verdict on each capture: it is found in pieces before the decision, and several analyses ask for the same one. */
const judgedBefore = new WeakMap<CaptureFacts, Judged>()

function* judgeAnew(
  facts: CaptureFacts,
  steps: readonly CaptureStep[],
  frames: CaptureFrames,
  clip: ClipFindings,
  durationS: number,
): Piecewise<CaptureVerdict> {
  const contradictions = findContradictions(facts, steps, frames, durationS)
  if (contradictions.length > 0) return { status: 'contradicted', reasons: contradictions }
  if (!(frames.count >= frameRateMin * frames.spanS))
    return { status: 'cannot_tell', reasons: ['page_saw_few_frames'] }
  const judged = yield* judgeSteps(facts.challenge, steps, clip)
  return { status: toStatus(judged), reasons: judged.flatMap(({ reasons }) => reasons), steps: judged }
}

/**
 * @param facts `null` if the medium did not come in a container
 * @param clip `null` for photos
 * @param durationS length of the clip; `null` for photos
 * @example
 * ```ts
 * import { judgeCapture } from './capture.ts'
 *
 * judgeCapture(null, null, null) // → { status: 'no_evidence', reasons: ['no_container'] }
 * ```
 */
export const judgeCapture = (...of: Parameters<typeof judgeCaptureInPieces>): CaptureVerdict =>
  finish(judgeCaptureInPieces(...of))

/** As `judgeCapture`, in pieces: light takes a tenth of a second. Afterwards the verdict is known. */
export function* judgeCaptureInPieces(
  facts: CaptureFacts | null,
  clip: ClipFindings | null,
  durationS: number | null,
): Piecewise<CaptureVerdict> {
  if (!facts) return { status: 'no_evidence', reasons: ['no_container'] }
  const gaps = findGaps(facts, clip)
  const { steps, frames } = facts
  if (gaps.length > 0 || !clip || durationS === null || !steps || !frames)
    return { status: 'no_evidence', reasons: gaps }
  const before = judgedBefore.get(facts)
  if (before && before.clip === clip && before.durationS === durationS) return before.verdict
  const verdict = yield* judgeAnew(facts, steps, frames, clip, durationS)
  judgedBefore.set(facts, { clip, durationS, verdict })
  return verdict
}
