/** Whether a clip answers the challenge of its capture session: the gestures, their order, and the times that the page reported. */
import type { ClipFindings } from '../assess/assessment.ts'
import { type GestureFinding, type GestureName, gestureNames } from '../vision/clip/gestures.ts'

/** A gesture of a capture, and its time in seconds since the recording began. */
interface CaptureStep {
  gesture: string
  fromS: number
  toS: number
}

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
  /** The gestures that the session token asked for, in order; empty for none. */
  challenge: readonly string[]
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
 * challenge or the clip. `missed`: the clip does not show the gestures.
 */
type CaptureStatus = 'answered' | 'missed' | 'contradicted' | 'no_evidence'

export interface CaptureVerdict {
  status: CaptureStatus
  /** Words for what was found; empty if the challenge was answered. */
  reasons: readonly string[]
}

/** A camera starts and ends recording a moment before or after the page notices. */
const toleranceS = 0.7
/** The same as a share of the recording: clocks of recorders drift. */
const toleranceShare = 0.1
/** Clocks of servers agree to a second. */
const clockToleranceS = 2
/** Cameras of phones give 10 frames per second in dim light; pages may miss some. */
const frameRateMin = 5
/** A camera repeats a frame now and then; a picture that is fed into it repeats most. */
const repeatedShareMax = 0.2

const isGestureName = (name: string): name is GestureName =>
  (gestureNames as readonly string[]).includes(name)

/** Words for what is missing. */
function findGaps({ challenge, steps, frames }: CaptureFacts, clip: ClipFindings | null): string[] {
  return [
    ...(challenge.length === 0 ? ['no_challenge'] : []),
    ...(clip?.timing ? [] : ['no_clip']),
    ...(steps === null ? ['no_steps'] : []),
    ...(frames === null ? ['no_frames'] : []),
  ]
}

/** Whether times follow each other within the recording. Comparisons with `NaN` are false, which is no pass. */
function isOrdered(steps: readonly CaptureStep[], endS: number): boolean {
  let earliest = 0
  for (const { fromS, toS } of steps) {
    if (!(fromS >= earliest && toS > fromS)) return false
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
  const names = steps.map(({ gesture }) => gesture)
  const rules: readonly [isKept: boolean, word: string][] = [
    [names.join() === challenge.join(), 'other_steps'],
    [isOrdered(steps, longest), 'steps_out_of_order'],
    [frames.backSteps === 0, 'frames_out_of_order'],
    [frames.count >= frameRateMin * frames.spanS, 'too_few_frames'],
    [frames.repeatedShare <= repeatedShareMax, 'repeated_frames'],
    [isLike, 'other_duration'],
    [longest <= ageS + clockToleranceS, 'older_than_session'],
  ]
  return rules.filter(([isKept]) => !isKept).map(([, word]) => word)
}

/** Movements that no face makes at the same time. */
const opposites: Partial<Record<GestureName, GestureName>> = {
  left: 'right',
  right: 'left',
  high: 'down',
  down: 'high',
  zoom_in: 'zoom_out',
  zoom_out: 'zoom_in',
}

/** Times at which a gesture is performed; people also blink and smile when nobody asks. */
function timesOf({ isPerformed, timeS, peaksS }: GestureFinding): readonly number[] {
  if (!isPerformed || timeS === null) return []
  return peaksS ?? [timeS]
}

/**
 * The gestures that the clip does not show within the time of their step and after the previous one, and those beside which it
 * shows the opposite: a clip that goes through all gestures again and again answers no challenge.
 */
function findMissed(steps: readonly CaptureStep[], clip: ClipFindings): string[] {
  let previous = Number.NEGATIVE_INFINITY
  return steps.flatMap(({ gesture, fromS, toS }) => {
    const times = isGestureName(gesture) ? timesOf(clip.gestures[gesture]) : []
    if (times.length === 0) return [`no_${gesture}`]
    const inTime = times.find(
      (time) => time > previous && time >= fromS - toleranceS && time <= toS + toleranceS,
    )
    if (inTime === undefined) return [`${gesture}_at_another_time`]
    previous = inTime
    const opposite = opposites[gesture as GestureName]
    const isBoth =
      opposite !== undefined &&
      // The head may still come back from the step before.
      timesOf(clip.gestures[opposite]).some((time) => time > fromS + toleranceS && time < toS)
    return isBoth ? [`${gesture}_and_${opposite}`] : []
  })
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
export function judgeCapture(
  facts: CaptureFacts | null,
  clip: ClipFindings | null,
  durationS: number | null,
): CaptureVerdict {
  if (!facts) return { status: 'no_evidence', reasons: ['no_container'] }
  const gaps = findGaps(facts, clip)
  const { steps, frames } = facts
  if (gaps.length > 0 || !clip || durationS === null || !steps || !frames)
    return { status: 'no_evidence', reasons: gaps }
  const contradictions = findContradictions(facts, steps, frames, durationS)
  if (contradictions.length > 0) return { status: 'contradicted', reasons: contradictions }
  const missed = findMissed(steps, clip)
  return missed.length > 0 ? { status: 'missed', reasons: missed } : { status: 'answered', reasons: [] }
}
