import type { ProfileName } from '../inference/manifest.ts'
import type { ImageFormat } from '../media/sniff.ts'
import type { DetectedFace } from '../vision/face.ts'
import type { PadEvidence } from '../vision/pad.ts'
import type { SampleQuality } from '../vision/quality.ts'
import type { Template } from '../vision/template.ts'

/** What analyses are going to ask of a medium. What nobody asks for is not computed. */
export interface Wanted {
  /** Faces, landmarks and quality. Template and PAD include it. */
  faces: boolean
  template: boolean
  pad: boolean
  /** The best shot as JPEG. */
  bestShot: boolean
  /** The upright picture as JPEG, whatever is on it. */
  snapshot?: boolean
}

/** A coded picture with what the contract tells about it. */
export interface CodedImage {
  bytes: Uint8Array
  mimeType: string
  width: number
  height: number
  md5: string
}

/** A part that was not asked for is `not_run`; that never means a low or a high score. */
export type PadResult = { status: 'not_run' } | ({ status: 'assessed' } & PadEvidence)
export type TemplateResult =
  | { status: 'not_run' }
  | { status: 'too_small' }
  | { status: 'extracted'; template: Template }

/** All that was found out about the largest face. */
export interface SubjectAssessment {
  quality: SampleQuality
  pad: PadResult
  template: TemplateResult
}

/** Milliseconds by stage. */
export type StageTimes = Partial<
  Record<'decode' | 'detect' | 'landmarks' | 'quality' | 'pad' | 'template' | 'shots', number>
>

/** What was found in a photo: all that decisions need, and all that is stored. */
export interface Findings {
  profile: ProfileName
  /** Quarter turns to the right that brought the largest face upright, beyond what the file itself asked for. */
  quarterTurns: number
  /** Largest first, in pixels of the upright picture; empty when there is no face or nobody asked. */
  faces: readonly DetectedFace[]
  /** `null` when there is no face or nobody asked. */
  subject: SubjectAssessment | null
}

/**
 * The outcome of step 1 for one photo: plain data, the same for the same bytes and models, free of thresholds and of
 * anything a request said.
 */
export interface Assessment extends Findings {
  /** The medium as it was sent; width and height are those of the upright picture. */
  source: { format: ImageFormat; mimeType: string; width: number; height: number; size: number; md5: string }
  thumbnail: CodedImage
  bestShot: CodedImage | null
  snapshot: CodedImage | null
  stageMs: StageTimes
}
