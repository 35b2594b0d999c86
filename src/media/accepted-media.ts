/** What can be sent, and what a refusal of anything else says. */
import { AppError } from '../errors.ts'
import { heic } from './formats/heic/heic.ts'
import type { PictureFormat } from './formats/picture-format.ts'
import { type PictureFormatId, pictureFormats } from './formats/registry.ts'
import { sniff } from './sniff.ts'

/** Names the formats of pictures that are read. @param lacking those whose decoder is not here */
export const listPictures = (lacking: readonly PictureFormatId[] = []): string =>
  pictureFormats
    .filter(({ id }) => !lacking.includes(id))
    .map(({ name }) => name)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or ')

/** Names the formats of pictures among some types. */
export const namePictures = (types: readonly string[]): string =>
  listPictures(pictureFormats.filter(({ mimeType }) => !types.includes(mimeType)).map(({ id }) => id))

/** What is read everywhere. */
export const pictureKinds = listPictures(pictureFormats.filter(({ advice }) => advice).map(({ id }) => id))
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

/**
 * The types of files that are read, for the dialogs of pages.
 * @param readsClips whether there is a decoder of clips
 * @param lacking formats of pictures whose decoder is not here
 */
export const acceptedTypes = (
  readsClips: boolean,
  lacking: readonly PictureFormatId[],
): readonly string[] => [
  ...pictureFormats.filter(({ id }) => !lacking.includes(id)).map(({ mimeType }) => mimeType),
  ...(readsClips ? clipTypes : []),
  'application/zip',
]

/** @param readsClips whether there is a decoder of clips */
export const describeMedia = (readsClips: boolean, pictures = pictureKinds): string =>
  `a picture (${pictures})${readsClips ? `, a clip (${clipKinds})` : ''} or a ZIP of pictures`

function explain(bytes: Uint8Array, expected: string): string {
  if (bytes.length === 0) return `The file is empty: send ${expected}`
  const kind = sniff(bytes)
  if (kind.kind === 'unknown')
    return `The kind of the file is not known, or its beginning is missing: send ${expected}`
  const name = kind.kind === 'image' ? 'A picture' : kind.name
  return `${name} cannot be used here: send ${expected}`
}

/** The refusal of a file of another kind. @param expected what can be sent instead */
export const refuseFile = (bytes: Uint8Array, expected: string): AppError =>
  new AppError('media_unsupported', explain(bytes, expected), {
    details: { expected },
    reason: bytes.length === 0 ? 'empty' : 'format',
  })

/** The refusal of a format whose decoder is not here. */
export const refuseFormat = ({ id, name, advice = `send ${pictureKinds}` }: PictureFormat): AppError =>
  new AppError('media_unsupported', `${name} cannot be used here: ${advice}`, {
    details: { expected: pictureKinds },
    reason: id === heic.id ? 'heic' : 'format',
  })

/** The refusal of a clip. @param expected what can be sent instead */
export const refuseClip = (expected: string): AppError =>
  new AppError('media_unsupported', `Clips cannot be used here: send ${expected}`, { details: { expected } })
