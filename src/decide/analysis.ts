/** Input and outcome of decisions, the same for all types of analyses. */
import type { Findings } from '../assess/assessment.ts'
import type { CaptureFacts } from './capture.ts'
import type { ReasonCode } from './reasons.ts'

/** A medium of a folder with its findings. */
export interface DecidedMedium {
  id: string
  tags: readonly string[]
  assessment: Findings
  /** Length of a clip in seconds; absent for pictures. */
  durationS?: number
  /** Absent unless the medium came in a container. */
  capture?: CaptureFacts
}

/** Why an analysis could not be decided; the codes are the contract's `error_code`. */
export const failures = {
  noFace: { code: 3002, reasons: ['no_face'], message: 'No face was found' },
  severalFaces: { code: 3003, reasons: ['several_faces'], message: 'More than one face was found' },
  tooSmall: {
    code: 3004,
    reasons: ['too_small_to_compare'],
    message: 'The face is too small to be compared',
  },
  faceTooSmall: {
    code: 3006,
    reasons: ['face_small_in_clip'],
    message:
      'The face is too small in the clip to tell whether it moves by itself: come closer to the camera',
  },
  faceTooSeldom: {
    code: 3006,
    reasons: ['face_rarely_seen'],
    message:
      'The face is seen from the front in too few frames to tell whether it moves by itself: keep it in the picture for the whole clip, and look into the camera for most of it',
  },
  tooFewFrames: {
    code: 3006,
    reasons: ['too_few_frames'],
    message:
      'The clip has too few frames to tell whether a live face is shown: send at least 5 frames, half a second or more',
  },
  still: {
    code: 3006,
    reasons: ['face_still'],
    message:
      'The face holds too still to tell whether it moves by itself: blink, smile or turn the head a little',
  },
  noMovement: {
    code: 3006,
    reasons: ['photo_not_clip'],
    message: 'A picture cannot show whether the face moves by itself: send a clip of three to five seconds',
  },
  turned: {
    code: 3007,
    reasons: ['turned_away'],
    message:
      'Too few frames of the clip show one face from the front: look into the camera for most of the clip',
  },
  samePicture: {
    code: 3008,
    reasons: ['same_picture'],
    message:
      'The same picture was sent twice and says nothing when it is compared with itself: send two that were taken separately',
  },
  noChallenge: {
    code: 3009,
    reasons: ['no_challenge'],
    message:
      'Nothing shows that the medium answers a challenge: capture a clip with a session token of this server and send it in a secure container',
  },
  unclearChallenge: {
    code: 3009,
    reasons: ['challenge_unclear'],
    message: 'The clip does not tell whether the challenge was answered',
  },
  noDocument: {
    code: 3010,
    reasons: ['no_document'],
    message: 'No document was found: neither a machine-readable zone nor printed fields',
  },
  noZone: {
    code: 3010,
    reasons: ['no_zone'],
    message: 'No document was found: it has no machine-readable zone, and this server reads no printed text',
  },
  noPicture: {
    code: 3010,
    reasons: ['clip_not_photo'],
    message:
      'No document was found: documents are read on pictures, not on clips; send a photo of the document',
  },
  unreadableZone: {
    code: 3011,
    reasons: ['zone_unreadable'],
    message:
      'The machine-readable zone cannot be read: send a sharp picture that shows all of it, without glare',
  },
  /** Its reasons are the defects of the sample. */
  poorSample: { code: 3005, message: 'The sample is too poor' },
} as const satisfies Record<string, Omit<Failure, 'mediumId'>>

export interface Failure {
  code: number
  message: string
  /** The medium that caused it; `null` if none did. */
  mediumId: string | null
  /** Absent in failures that 1.0.0 has stored. */
  reasons?: readonly ReasonCode[]
}

export type Decision = 'SUCCESS' | 'DECLINED' | 'OPERATOR_REQUIRED'
/** What a person decides. */
export type Verdict = Exclude<Decision, 'OPERATOR_REQUIRED'>

/**
 * `failed` means not decided, which is different from a negative decision. `reason` says why a finished analysis was
 * declined by a rule instead of by its scores.
 */
export type Outcome =
  | { status: 'finished'; decision: Decision; reason?: string }
  | { status: 'failed'; failure: Failure }

/** Tags of media that show a document instead of a live subject. */
const documentTags = new Set(['photo_id', 'photo_id_front', 'photo_id_back'])

export const isDocument = (tags: readonly string[]): boolean => tags.some((tag) => documentTags.has(tag))
