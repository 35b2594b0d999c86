/** Whether a medium can be decided on at all: faces and quality of the sample. */
import { reliableSample } from '../vision/pad/pad-method.ts'
import type { SampleQuality } from '../vision/quality.ts'
import { type DecidedMedium, type Failure, failures, isDocument } from './analysis.ts'
import { scoreClipAttack } from './clip-attack.ts'

export type QualityGate = 'record' | 'refuse'

export type PoorReason = 'small' | 'soft' | 'dark' | 'bright' | 'noisy' | 'grey' | 'tight' | 'compressed'

/**
 * Bounds of a usable sample. All but the size and those that attack detection asks for are set so that about one in a hundred clear, bona fide faces of the
 * pictures fitted on lies outside (`docs/liveness.md`).
 */
const bounds = {
  sharpnessMin: 0.01,
  brightnessMin: 0.2,
  underexposedMax: 0.4,
  brightnessMax: 0.78,
  overexposedMax: 0.25,
  noiseMax: 6,
  ...reliableSample,
}

/** What was not measured is not below anything. */
const isBelow = (measure: number | null, bound: number): boolean => measure !== null && measure < bound

/** What is wrong with a sample; empty for a good one. */
export function findPoorReasons(quality: SampleQuality): PoorReason[] {
  const reasons: [PoorReason, boolean][] = [
    ['small', quality.faceSide < bounds.faceSideMin],
    ['soft', quality.sharpness < bounds.sharpnessMin],
    ['dark', quality.brightness < bounds.brightnessMin || quality.underexposed > bounds.underexposedMax],
    ['bright', quality.brightness > bounds.brightnessMax || quality.overexposed > bounds.overexposedMax],
    ['noisy', quality.noise > bounds.noiseMax],
    ['grey', isBelow(quality.colour, bounds.colourMin)],
    ['tight', isBelow(quality.surroundings, bounds.surroundingsMin)],
    ['compressed', quality.blockiness !== null && quality.blockiness > bounds.blockinessMax],
  ]
  return reasons.filter(([, applies]) => applies).map(([reason]) => reason)
}

/** What attack detection alone has trouble with: who it is can be told all the same. */
const attackReasons: ReadonlySet<PoorReason> = new Set(['grey', 'tight', 'compressed'])

/** A face at least this high, relative to the largest, is somebody taking part and not a bystander. */
const rivalShare = 0.5

/** Whether a second face is large enough to be meant. On documents the largest face counts. */
export function hasSecondSubject({ assessment, tags }: Pick<DecidedMedium, 'assessment' | 'tags'>): boolean {
  if (isDocument(tags)) return false
  const [highest, second] = assessment.faces.map(({ box }) => box.height).sort((a, b) => b - a)
  return second !== undefined && second >= highest! * rivalShare
}

/**
 * Why a medium cannot be decided on, `null` when it can. The gate asks for a good sample of the subject; a portrait
 * printed on a document is what it is.
 * @param purpose for matching alone a sample may be grey, tight or compressed
 */
export function checkSample(
  medium: DecidedMedium,
  gate: QualityGate,
  purpose: 'liveness' | 'matching',
): Failure | null {
  const { subject } = medium.assessment
  const fail = (failure: { code: number; message: string }): Failure => ({ ...failure, mediumId: medium.id })
  if (!subject) return fail(failures.noFace)
  if (hasSecondSubject(medium)) return fail(failures.severalFaces)
  const gated = gate === 'refuse' && !isDocument(medium.tags)
  const reasons = (gated ? findPoorReasons(subject.quality) : []).filter(
    (reason) => purpose === 'liveness' || !attackReasons.has(reason),
  )
  if (reasons.length === 0) return null
  return fail({ ...failures.poorSample, message: `${failures.poorSample.message}: ${reasons.join(', ')}` })
}

/** Frames that must agree on whom a clip shows, and the share of those looked at closely that they must be. */
const agreeingMin = { frames: 3, share: 0.5 }

/**
 * Why nobody can say whose clip it is, `null` when one can. Of a few good frames among many turned ones each could be of
 * somebody else.
 */
export function checkIdentity({ id, assessment }: DecidedMedium): Failure | null {
  const identity = assessment.clip?.identity
  if (!identity) return null
  const { frames, agreeing } = identity
  const { framesTurned, framesWithoutFace, frames: all } = assessment.clip!
  // Also of the frames that nobody looks at closely most must show a face that could be compared.
  if (framesTurned > (all - framesWithoutFace) * (1 - agreeingMin.share))
    return { ...failures.turned, mediumId: id }
  const suffices = agreeing >= Math.min(frames, Math.max(agreeingMin.frames, frames * agreeingMin.share))
  return suffices ? null : { ...failures.turned, mediumId: id }
}

/** Why the subject of a medium cannot be compared, `null` when it can. */
export function checkTemplate(medium: DecidedMedium, gate: QualityGate): Failure | null {
  const failure = checkSample(medium, gate, 'matching')
  if (failure) return failure
  const { clip } = medium.assessment
  const identitySwitch = clip ? scoreClipAttack(clip).identitySwitch : null
  // A clip of two people is compared with nobody.
  if (identitySwitch !== null && identitySwitch >= 0.5)
    return { ...failures.severalFaces, mediumId: medium.id }
  const unknown = checkIdentity(medium)
  if (unknown) return unknown
  const tooSmall = medium.assessment.subject?.template.status === 'too_small'
  return tooSmall ? { ...failures.tooSmall, mediumId: medium.id } : null
}
