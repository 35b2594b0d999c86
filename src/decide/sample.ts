/** Checks whether a medium can be decided on: its faces, and the quality of its sample. */
import { templateFaceSideMin } from '../assess/assessment.ts'
import { reliableSample } from '../vision/pad/pad-method.ts'
import type { SampleQuality } from '../vision/quality.ts'
import { type DecidedMedium, type Failure, failures, isDocument } from './analysis.ts'
import { scoreClipAttack } from './clip-attack.ts'
import { type PoorReason, reasonTexts } from './reasons.ts'

export type QualityGate = 'record' | 'refuse'

/**
 * Bounds of a usable sample. Except for the size and the bounds of attack detection, each is set so that about one in a hundred
 * clear bona fide faces of the fitting set lies outside (`docs/research.md`).
 */
export const sampleBounds = {
  sharpnessMin: 0.01,
  brightnessMin: 0.2,
  underexposedMax: 0.4,
  brightnessMax: 0.78,
  overexposedMax: 0.25,
  noiseMax: 6,
  ...reliableSample,
}

/** Lists the defects of a sample; empty for a good one. */
export function findPoorReasons(quality: SampleQuality): PoorReason[] {
  const reasons: [PoorReason, boolean][] = [
    ['small', quality.faceSide < sampleBounds.faceSideMin],
    ['soft', quality.sharpness < sampleBounds.sharpnessMin],
    [
      'dark',
      quality.brightness < sampleBounds.brightnessMin || quality.underexposed > sampleBounds.underexposedMax,
    ],
    [
      'bright',
      quality.brightness > sampleBounds.brightnessMax || quality.overexposed > sampleBounds.overexposedMax,
    ],
    ['noisy', quality.noise > sampleBounds.noiseMax],
    ['grey', quality.colour < sampleBounds.colourMin],
    ['tight', quality.surroundings < sampleBounds.surroundingsMin],
    ['compressed', quality.blockiness > sampleBounds.blockinessMax],
  ]
  return reasons.filter(([, applies]) => applies).map(([reason]) => reason)
}

/** The failure of a sample with these defects: it says what to do about each. */
export function describePoorSample(reasons: readonly PoorReason[]): Omit<Failure, 'mediumId'> {
  const { code, message } = failures.poorSample
  const advice = reasons.map((reason) => reasonTexts[reason].advice.replace(/\.$/, ''))
  return { code, reasons, message: `${message} (${reasons.join(', ')}): ${advice.join('; ')}` }
}

/**
 * Defects with which no network can tell a person from an attack: what their scores say against such a sample is no evidence. Blur and
 * a tight picture are not among them, since prints and screens are blurred, and networks were fitted on tight pictures too.
 */
const unjudgeable: ReadonlySet<PoorReason> = new Set(['grey', 'dark', 'bright', 'small', 'compressed'])

/**
 * The failure of a sample that looks like an attack and may look so for its defects alone; `null` if it can be judged. It must replace
 * only what would be declined: a sample that passes, passes whatever its defects.
 */
export function checkJudgeable(quality: SampleQuality): Omit<Failure, 'mediumId'> | null {
  const reasons = findPoorReasons(quality).filter((reason) => unjudgeable.has(reason))
  return reasons.length === 0 ? null : describePoorSample(reasons)
}

/** Defects that impair attack detection only, not matching. */
const attackReasons: ReadonlySet<PoorReason> = new Set(['grey', 'tight', 'compressed'])

/** Minimum height of a second subject's face relative to the largest; smaller faces are bystanders. */
const rivalShare = 0.5

/** Whether a second face is large enough to be a second subject. On documents only the largest face counts. */
export function hasSecondSubject({ assessment, tags }: Pick<DecidedMedium, 'assessment' | 'tags'>): boolean {
  if (isDocument(tags)) return false
  const [highest, second] = assessment.faces.map(({ box }) => box.height).sort((a, b) => b - a)
  return second !== undefined && second >= highest! * rivalShare
}

/**
 * Checks faces and quality of a medium; `null` if it can be decided on. The quality gate does not apply to portraits on
 * documents.
 * @param purpose for `matching` a sample may be grey, tight or compressed
 */
export function checkSample(
  medium: DecidedMedium,
  gate: QualityGate,
  purpose: 'liveness' | 'matching',
): Failure | null {
  const { subject } = medium.assessment
  const fail = (failure: Omit<Failure, 'mediumId'>): Failure => ({ ...failure, mediumId: medium.id })
  if (!subject) return fail(failures.noFace)
  if (hasSecondSubject(medium)) {
    const { message } = failures.severalFaces
    return fail({ ...failures.severalFaces, message: `${message}: ${medium.assessment.faces.length}` })
  }
  const gated = gate === 'refuse' && !isDocument(medium.tags)
  const reasons = (gated ? findPoorReasons(subject.quality) : []).filter(
    (reason) => purpose === 'liveness' || !attackReasons.has(reason),
  )
  return reasons.length === 0 ? null : fail(describePoorSample(reasons))
}

/** Minimum number of key frames that must agree on the subject, and their minimum share. */
const agreeingMin = { frames: 3, share: 0.5 }

/**
 * Checks whether the subject of a clip is identified; `null` if so. A few frontal frames among many turned ones are not enough:
 * each could show another person.
 */
export function checkIdentity({ id, assessment }: DecidedMedium): Failure | null {
  const identity = assessment.clip?.identity
  if (!identity) return null
  const { frames, agreeing } = identity
  const { framesTurned, framesWithoutFace, frames: all } = assessment.clip!
  // Most frames that are no key frames must show a frontal face, too.
  if (framesTurned > (all - framesWithoutFace) * (1 - agreeingMin.share))
    return { ...failures.turned, mediumId: id }
  const suffices = agreeing >= Math.min(frames, Math.max(agreeingMin.frames, frames * agreeingMin.share))
  return suffices ? null : { ...failures.turned, mediumId: id }
}

/** Checks whether the subject of a medium can be compared; `null` if so. */
export function checkTemplate(medium: DecidedMedium, gate: QualityGate): Failure | null {
  const failure = checkSample(medium, gate, 'matching')
  if (failure) return failure
  const { clip } = medium.assessment
  const identitySwitch = clip ? scoreClipAttack(clip).identitySwitch : null
  // A clip of two persons has no single subject to compare.
  if (identitySwitch !== null && identitySwitch >= 0.5)
    return { ...failures.severalFaces, reasons: ['identity_changes'], mediumId: medium.id }
  const unknown = checkIdentity(medium)
  if (unknown) return unknown
  const { subject } = medium.assessment
  if (subject?.template.status !== 'too_small') return null
  const measured = `${Math.floor(subject.quality.faceSide)} px; at least ${templateFaceSideMin} px`
  return { ...failures.tooSmall, message: `${failures.tooSmall.message}: ${measured}`, mediumId: medium.id }
}
