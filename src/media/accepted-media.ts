/** What can be sent, and what a refusal of anything else says. */
import { AppError, type MediaReason } from '../errors.ts'
import { pictureFormats } from './formats/registry.ts'
import { sniff } from './sniff.ts'

/** `JPEG, PNG or WebP` */
export const pictureKinds = pictureFormats
  .map(({ name }) => name)
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' or ')
export const clipKinds = 'MP4, MOV, 3GP, WebM, Matroska, AVI, MPEG, Ogg or WMV'

const clipTypes = [
  'video/mp4',
  'video/quicktime',
  'video/3gpp',
  'video/webm',
  'video/x-matroska',
  'video/x-msvideo',
  'video/mpeg',
  'video/mp2t',
  'video/ogg',
  'video/x-ms-wmv',
] as const
export type ClipType = (typeof clipTypes)[number]

/** The types of files that are read, for the dialogs of pages. @param readsClips whether there is a decoder of clips */
export const acceptedTypes = (readsClips: boolean): readonly string[] => [
  ...pictureFormats.map(({ mimeType }) => mimeType),
  ...(readsClips ? clipTypes : []),
  'application/zip',
]

/** @param readsClips whether there is a decoder of clips */
export const describeMedia = (readsClips: boolean): string =>
  `a picture (${pictureKinds})${readsClips ? `, a clip (${clipKinds})` : ''} or a ZIP of pictures`

/** What to do with pictures that phones take unless they are told otherwise. */
const advice: Readonly<Record<string, string>> = {
  HEIC: 'on an iPhone choose Settings, Camera, Formats, Most Compatible, or convert it to JPEG',
  AVIF: 'convert it to JPEG',
}

function explain(bytes: Uint8Array, expected: string): string {
  if (bytes.length === 0) return `The file is empty: send ${expected}`
  const kind = sniff(bytes)
  if (kind.kind === 'unknown')
    return `The kind of the file is not known, or its beginning is missing: send ${expected}`
  const name = kind.kind === 'image' ? 'A picture' : kind.name
  return `${name} cannot be used here: ${advice[name] ?? `send ${expected}`}`
}

function reasonOf(bytes: Uint8Array): MediaReason {
  if (bytes.length === 0) return 'empty'
  const kind = sniff(bytes)
  return kind.kind === 'unsupported' && kind.name === 'HEIC' ? 'heic' : 'format'
}

/** The refusal of a file of another kind. @param expected what can be sent instead */
export const refuseFile = (bytes: Uint8Array, expected: string): AppError =>
  new AppError('media_unsupported', explain(bytes, expected), {
    details: { expected },
    reason: reasonOf(bytes),
  })

/** The refusal of a clip. @param expected what can be sent instead */
export const refuseClip = (expected: string): AppError =>
  new AppError('media_unsupported', `Clips cannot be used here: send ${expected}`, { details: { expected } })
