/** A sample that Lite refuses, told as the analysis that fails on Instant. */
import type { Analysis, Medium } from './answer.ts'

/** The reasons of the service by Lite's codes. */
export const liteReasons = {
  'BPE-003001': {
    code: 'too_small_to_compare',
    message: 'The face is too small to be compared.',
    advice: 'Come closer to the camera; scan a document larger.',
  },
  'BPE-003002': {
    code: 'no_face',
    message: 'No face was found.',
    advice: 'Take a picture with the whole face in good light.',
  },
  'BPE-003003': {
    code: 'several_faces',
    message: 'More than one face was found.',
    advice: 'Take a picture of one person alone.',
  },
} as const

const isReason = (code: string | null): code is keyof typeof liteReasons =>
  code !== null && Object.hasOwn(liteReasons, code)

/**
 * @param media the pictures of the call, their ids the names of its parts
 * @returns `null` for refusals of another kind
 */
export function refusedSample(
  type: string,
  { code, message, place }: { code: string | null; message: string; place: string | null },
  media: readonly Medium[],
): Analysis | null {
  if (!isReason(code)) return null
  const id = place ?? ''
  // Lite's answer has no member for it.
  const faces = /: (\d+)/.exec(message)?.[1]
  return {
    type,
    resolution: 'FAILED',
    error_code: null,
    confs: {},
    results_data: null,
    results_media: [],
    source_media: [...media],
    technical_meta_data: {
      reasons: [{ ...liteReasons[code], media_ids: [id] }],
      samples: [{ media_id: id, faces: faces === undefined ? null : Number(faces), quality: null }],
    },
  }
}
