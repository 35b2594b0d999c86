/** Key and tags of a captured medium. */
import type { CaptureEvidence } from '../../src/container/format.ts'

/** One captured medium. */
export interface Capture {
  /** Its key in the payload. */
  key: string
  blob: Blob
  tags: readonly string[]
  evidence?: CaptureEvidence
}

export type CaptureMode = 'clip' | 'photo' | 'document'

/** Gestures that have a tag. */
export const gestureTags: ReadonlySet<string> = new Set([
  'left',
  'right',
  'high',
  'down',
  'smile',
  'eyes',
  'blank',
  'scan',
  'best',
  'zoom_in',
  'zoom_out',
  'oneshot',
])

/** The words of an attribute. */
export const readWords = (text: string | null): string[] => (text ?? '').split(/[\s,]+/).filter(Boolean)

export interface Captured {
  blob: Blob
  mode: CaptureMode
  /** The page's own tags; `null` for those by mode. */
  tags: string | null
  /** Gestures that the page asks for. */
  gesture: string | null
  orientation: string | null
  evidence: CaptureEvidence | null
}

const documentTags: ReadonlySet<string> = new Set(['photo_id', 'photo_id_front', 'photo_id_back'])
const faceTag = /^(photo|video)_selfie(_|$)/

/** Whether the server takes a medium for a document: by its tags. */
export const isDocument = ({ tags }: Pick<Capture, 'tags'>): boolean =>
  tags.some((tag) => documentTags.has(tag))

/** Without a tag that says what it shows, the server would look for a face in a document. */
const completeTags = (tags: string[], mode: CaptureMode): string[] =>
  mode === 'document' && !tags.some((tag) => documentTags.has(tag) || faceTag.test(tag))
    ? ['photo_id_front', ...tags]
    : tags

export function describeCapture(captured: Captured): Capture {
  const { blob, mode, tags, gesture, orientation, evidence } = captured
  const [first = 'blank'] = readWords(gesture)
  const isClip = mode === 'clip' && !blob.type.startsWith('image/')
  const kind = isClip
    ? ['video_selfie', `video_selfie_${gestureTags.has(first) ? first : 'blank'}`]
    : [mode === 'document' ? 'photo_id_front' : 'photo_selfie']
  return {
    key: isClip ? 'video_selfie' : mode === 'document' ? 'photo_id' : 'photo_selfie',
    blob,
    tags: [
      ...(tags === null ? kind : completeTags(readWords(tags), mode)),
      ...(orientation === null ? [] : [orientation]),
    ],
    ...(evidence ? { evidence } : {}),
  }
}
