/** Key and tags of a captured medium. */
import type { CaptureEvidence } from '../../src/container/format.ts'
import type { Capture } from './submit.ts'

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
    tags: [...(tags === null ? kind : readWords(tags)), ...(orientation === null ? [] : [orientation])],
    ...(evidence ? { evidence } : {}),
  }
}
