import type { ProfileName } from '../inference/manifest.ts'
import type { FrameTiming } from '../media/video/video-decoder.ts'
import type { GestureFindings, GestureName } from '../vision/clip/gestures.ts'
import type { Movement } from '../vision/clip/movement.ts'
import type { DetectedFace } from '../vision/face.ts'
import type { PadEvidence } from '../vision/pad/pad-method.ts'
import type { SampleQuality } from '../vision/quality.ts'
import type { Template } from '../vision/templates/registry.ts'
import type { IdentityFindings } from './clip-identity.ts'

/** What analyses are going to ask of a medium. What nobody asks for is not computed. */
export interface AssessmentRequest {
  /** Faces, landmarks and quality. Template and PAD include it. */
  faces: boolean
  template: boolean
  pad: boolean
  /** The best shot as JPEG. */
  bestShot: boolean
  /** The upright picture as JPEG, whatever is on it. */
  snapshot?: boolean
  /** The frame at the peak of a gesture, of clips alone. */
  actionShot?: GestureName
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
  Record<'decode' | 'frames' | 'detect' | 'landmarks' | 'quality' | 'pad' | 'template' | 'shots', number>
>

/** How the face moves, or why nobody can tell: it was too small, or seen in too few frames. */
export type MovementFindings =
  | ({ status: 'measured' } & Movement)
  | { status: 'too_small' }
  | { status: 'too_few' }

/** What a clip shows beyond its best frame. */
export interface ClipFindings {
  /** Frames that were looked at, and those of them without the face. */
  frames: number
  framesWithoutFace: number
  /** Frames with the face in which it is turned too far to tell whose it is. */
  framesTurned: number
  movement: MovementFindings
  /** Whether its frames show one person; `null` where nobody asked. */
  identity: IdentityFindings | null
  gestures: GestureFindings
  /** Share of consecutive frames that are the same to the pixel. */
  repeatedShare: number
  /** What the times of the pictures tell; `null` for an archive of frames. */
  timing: FrameTiming | null
}

/** What was found in a photo or clip: all that decisions need, and all that is stored. */
export interface Findings {
  profile: ProfileName
  /** Quarter turns to the right that brought the largest face upright, beyond what the file itself asked for. */
  quarterTurns: number
  /** Largest first, in pixels of the upright picture; empty when there is no face or nobody asked. */
  faces: readonly DetectedFace[]
  /** `null` when there is no face or nobody asked. */
  subject: SubjectAssessment | null
  /** `null` for photos, and where nobody asked. */
  clip: ClipFindings | null
  /** The photo's `computePicturePrint`; `null` for clips, and where nobody asked for a template. */
  print: readonly number[] | null
}

/**
 * The outcome of step 1 for one photo: plain data, the same for the same bytes and models, free of thresholds and of
 * anything a request said.
 */
export interface Assessment extends Findings {
  /** The medium as it was sent; width and height are those of the upright picture. */
  source: {
    mimeType: string
    width: number
    height: number
    size: number
    md5: string
    /** Absent for photos. */
    clip?: { durationS: number; framesPerSecond: number }
  }
  thumbnail: CodedImage
  bestShot: CodedImage | null
  snapshot: CodedImage | null
  /** Some frames of a clip, moving. */
  preview: CodedImage | null
  /** The frame at the peak of the gesture that was asked for, in full size. */
  actionShot: CodedImage | null
  stageMs: StageTimes
}
