/** What step 2 decides, one shape for all types of analyses. */
import type { Findings } from '../assess/assessment.ts'

export type AnalysisType = 'QUALITY' | 'BIOMETRY' | 'COLLECTION' | 'DOCUMENTS'

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
  unclear: {
    code: 3006,
    message: 'The face is too small, or too seldom to be seen, to tell whether it moves by itself',
  },
  turned: {
    code: 3007,
    message:
      'Too few frames of the clip show one face from the front: look into the camera for most of the clip',
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

export const isDocument = (tags: readonly string[]): boolean => tags.some((tag) => documentTags.has(tag))
