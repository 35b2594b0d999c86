import type { DocumentReading } from '../documents/reading.ts'
import type { ProfileName } from '../inference/manifest.ts'
import type { FrameTiming } from '../media/video/video-decoder.ts'
import type { ApproachRecord } from '../vision/challenge/approach-record.ts'
import type { LightRecord } from '../vision/challenge/light-record.ts'
import type { GestureFindings, GestureName } from '../vision/clip/gestures.ts'
import type { Movement } from '../vision/clip/movement.ts'
import type { DetectedFace } from '../vision/face.ts'
import type { EyePlaces, FaceOutline } from '../vision/face-outline.ts'
import type { Box } from '../vision/geometry.ts'
import type { PadEvidence, PadParts } from '../vision/pad/pad-method.ts'
import type { SampleQuality } from '../vision/quality.ts'
import type { Template } from '../vision/templates/registry.ts'
import type { IdentityFindings } from './clip-identity.ts'

/** Minimum longer side of a face's box in pixels for a reliable template. */
export const templateFaceSideMin = 40

/** Results that analyses need of a medium. Nothing else is computed. */
export interface AssessmentRequest {
  /** Faces, landmarks and quality. Template and PAD include it. */
  faces: boolean
  template: boolean
  pad: boolean
  /** The best shot as JPEG. */
  bestShot: boolean
  /** The upright picture as JPEG, with or without a face. */
  snapshot?: boolean
  /** A small JPEG, which answers describe and lists show. */
  thumbnail?: boolean
  /** Something middle-sized to look at: a small animation of a clip, a JPEG of a picture that is large or that browsers do not show. */
  preview?: boolean
  /** The largest face with its surroundings as JPEG, as documents show it. */
  portrait?: boolean
  /** What a document says: its machine-readable zones, and with `page` the printed lines. Pictures only. */
  document?: { page: boolean }
  /** Gesture whose peak frame is returned if it is performed; clips only. */
  actionShot?: GestureName
  /** Light and places of the face by frame, on which steps of a challenge are measured; clips only. */
  challenge?: boolean
  /** Boxes, landmarks and scores by frame, for showing how a result came about. */
  detail?: boolean
  /** What happens to a clip that is too long; if absent, the settings decide. */
  longClip?: LongClip
}

/** `refuse`: it is refused. `keep`: its beginning is assessed, and the file stays as it is. */
export type LongClip = 'refuse' | 'keep'

/** An encoded picture with the properties that the contract shows. */
export interface CodedImage {
  bytes: Uint8Array
  mimeType: string
  width: number
  height: number
  md5: string
}

/** A picture taken from a medium. */
export interface Shot extends CodedImage {
  /** A small copy of it; absent if the thumbnail of the medium shows the same. */
  thumbnail?: CodedImage
}

/** A result that was not requested is `not_run`, which means neither a low nor a high score. */
export type PadResult = { status: 'not_run' } | ({ status: 'assessed' } & PadEvidence)
export type TemplateResult =
  | { status: 'not_run' }
  | { status: 'too_small' }
  | { status: 'extracted'; template: Template }

/** Results for the largest face. */
export interface SubjectAssessment {
  /** Of a clip, in its best frame. Absent in what earlier releases have stored. */
  eyes?: EyePlaces
  quality: SampleQuality
  pad: PadResult
  template: TemplateResult
}

export const stages = [
  ...(['decode', 'frames', 'movement', 'detect', 'landmarks'] as const),
  ...(['quality', 'pad', 'template', 'document', 'shots'] as const),
]

/** Milliseconds by stage. */
export type StageTimes = Partial<Record<(typeof stages)[number], number>>

/** Movement of the face, or why it was not measured: the face is too small, or visible in too few frames. */
export type MovementFindings =
  | ({ status: 'measured' } & Movement)
  | {
      status: 'too_small'
      /** Largest distance between the outer corners of the eyes, in pixels of the analysed frames. */
      eyesApart: number
    }
  | { status: 'too_few' }

/** Findings of a clip beyond its best frame. */
export interface ClipFindings {
  /** Number of analysed frames, and of those without the face. */
  frames: number
  framesWithoutFace: number
  /** Number of frames in which the face is turned too far for identification. */
  framesTurned: number
  movement: MovementFindings
  /** Whether the frames show one person; `null` if not requested. */
  identity: IdentityFindings | null
  gestures: GestureFindings
  /** Share of frames that are identical to the previous one, pixel by pixel. */
  repeatedShare: number
  /** Timing of the frames; `null` for an archive of frames. */
  timing: FrameTiming | null
  /** What steps of a challenge are measured on, which an assessment does not know; absent if it was not requested. */
  light?: LightRecord
  approach?: ApproachRecord
}

/** One analysed frame of a clip. */
export interface FrameDetail {
  timeS: number
  /** The rest is `null` if the frame shows no face, or was skipped because the frames before it showed none. */
  face: {
    /** In pixels of the best frame's picture. */
    box: Box
    /** Degrees. */
    yaw: number
    pitch: number
    eyeOpenness: number
    mouthWidth: number
  } | null
  /** Only for key frames with a frontal face. */
  key: {
    sharpness: number
    /** How well the frame shows its subject, 0…1. */
    shot: number
    /** `null` if not requested. */
    attack: number | null
    /** Normalised distance to the subject of the clip; above 0 it is a different person. `null` if not requested. */
    distance: number | null
  } | null
}

/** How the findings came about. Bounded: at most 20 faces and 100 frames. */
export interface SampleDetail {
  /** The upright picture that faces and landmarks refer to: the photo, or the best frame of a clip. */
  width: number
  height: number
  /** Time of that frame in seconds; `null` for photos. */
  timeS: number | null
  /** The largest first. Of a clip only the subject's face. */
  faces: readonly DetectedFace[]
  /** Of the largest face. */
  outline: FaceOutline | null
  /** `null` if not requested, and for clips, whose score is the mean of several frames. */
  pad: PadParts | null
  /** Empty for photos. */
  frames: readonly FrameDetail[]
}

/** Findings of a photo or clip: everything that decisions need and that is stored. */
export interface Findings {
  profile: ProfileName
  /** Clockwise quarter turns that brought the largest face upright, in addition to the orientation stored in the file. */
  quarterTurns: number
  /** Largest first, in pixels of the upright picture; empty if there is no face or faces were not requested. */
  faces: readonly DetectedFace[]
  /** `null` if there is no face or faces were not requested. */
  subject: SubjectAssessment | null
  /** `null` for photos, archives of one photo included, and if faces were not requested. */
  clip: ClipFindings | null
  /** Result of `computePicturePrint` for a photo; `null` for clips, and if no template was requested. */
  print: readonly number[] | null
  /** Absent if it was not requested; `null` for clips. */
  document?: DocumentReading | null
  /** Only if requested, and if there is a face. */
  detail?: SampleDetail
}

/**
 * Result of step 1 for one medium: plain data, identical for identical bytes and models. Independent of thresholds and of
 * the request.
 */
export interface Assessment extends Findings {
  /** The medium as received; width and height are those of the upright picture. */
  source: {
    mimeType: string
    width: number
    height: number
    size: number
    md5: string
    /** Absent for photos. */
    clip?: { durationS: number; framesPerSecond: number }
    /** Number of pictures in an archive; absent for other media. */
    frames?: number
  }
  /** `null` if it was not requested, as are all other pictures. */
  thumbnail: CodedImage | null
  bestShot: Shot | null
  snapshot: CodedImage | null
  /** The portrait on a document; `null` if there is no face. */
  portrait: Shot | null
  /** `null` also for a picture that is small enough itself. It lies as the picture does, whatever the direction of the face. */
  preview: CodedImage | null
  /** The frame at the peak of the requested gesture, in full size; `null` also if it is not performed. */
  actionShot: Shot | null
  /** The file that replaces a clip that was too long, which the rest describes; `null` for all other media. */
  cropped: Uint8Array | null
  stageMs: StageTimes
}
