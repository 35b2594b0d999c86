/** What step 2 decides, one shape for all types of analyses. */
import type { Findings } from '../assess/assessment.ts'

/** One medium of a folder as a decision sees it. */
export interface DecidedMedium {
  id: string
  tags: readonly string[]
  assessment: Findings
}

/** Why an analysis could not be decided; the numbers are the contract's `error_code`. */
export const failures = {
  noFace: { code: 3002, message: 'No face was found' },
  severalFaces: { code: 3003, message: 'More than one face was found' },
  tooSmall: { code: 3004, message: 'The face is too small to be compared' },
  faceTooSmall: {
    code: 3006,
    message:
      'The face is too small in the clip to tell whether it moves by itself: come closer to the camera',
  },
  faceTooSeldom: {
    code: 3006,
    message:
      'The face is seen from the front in too few frames to tell whether it moves by itself: keep it in the picture for the whole clip, and look into the camera for most of it',
  },
  tooFewFrames: {
    code: 3006,
    message:
      'The clip has too few frames to tell whether a live face is shown: send at least 5 frames, half a second or more',
  },
  still: {
    code: 3006,
    message:
      'The face holds too still to tell whether it moves by itself: blink, smile or turn the head a little',
  },
  turned: {
    code: 3007,
    message:
      'Too few frames of the clip show one face from the front: look into the camera for most of the clip',
  },
  samePicture: {
    code: 3008,
    message:
      'The same picture was sent twice and says nothing when it is compared with itself: send two that were taken separately',
  },
  poorSample: { code: 3005, message: 'The sample is too poor' },
} as const

export interface Failure {
  code: number
  message: string
  /** Which medium it was; `null` where it was none of them. */
  mediumId: string | null
}

export type Decision = 'SUCCESS' | 'DECLINED' | 'OPERATOR_REQUIRED'

/** Not decided and negative are different answers. */
export type Outcome = { status: 'finished'; decision: Decision } | { status: 'failed'; failure: Failure }

/** Tags of media that show a document instead of a subject in front of the camera. */
const documentTags = new Set(['photo_id', 'photo_id_front', 'photo_id_back'])

const videoTag = /^video_selfie(_|$)/

/** Whether tags say that a medium is a clip. One that asks for a single frame is met by a picture. */
export const isTaggedAsVideo = (tags: readonly string[]): boolean =>
  tags.some((tag) => videoTag.test(tag)) && !tags.includes('video_selfie_oneshot')

export const isDocument = (tags: readonly string[]): boolean => tags.some((tag) => documentTags.has(tag))
