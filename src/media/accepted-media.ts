/** What can be sent, and what a refusal of anything else says. */
import { AppError } from '../errors.ts'
import { zipType } from './archive/archive-header.ts'
import { heic } from './formats/heic/heic.ts'
import type { PictureFormat } from './formats/picture-format.ts'
import { type PictureFormatId, pictureFormats } from './formats/registry.ts'
import type { OpenedMedium } from './opened-medium.ts'
import { clipTypes } from './video/formats/registry.ts'

const orList = (names: readonly string[]): string => names.join(', ').replace(/, (?=[^,]*$)/, ' or ')

/** Names the formats of pictures that are read. @param lacking those whose decoder is not here */
export const listPictures = (lacking: readonly PictureFormatId[] = []): string =>
  orList(pictureFormats.filter(({ id }) => !lacking.includes(id)).map(({ name }) => name))

/** Names the formats of pictures among some types. */
export const namePictures = (types: readonly string[]): string =>
  listPictures(pictureFormats.filter(({ mimeType }) => !types.includes(mimeType)).map(({ id }) => id))

/** What is read everywhere. */
export const pictureKinds = listPictures(pictureFormats.filter(({ advice }) => advice).map(({ id }) => id))
export const clipKinds = orList([...new Set(clipTypes.map(({ name }) => name))])

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
  ...(readsClips ? clipTypes.map(({ mimeType }) => mimeType) : []),
  zipType,
]

/** @param readsClips whether there is a decoder of clips */
export const describeMedia = (readsClips: boolean, pictures = pictureKinds): string =>
  `a picture (${pictures})${readsClips ? `, a clip (${clipKinds})` : ''} or a ZIP of pictures`

function nameOf(medium: OpenedMedium): string | null {
  if (medium.kind === 'picture') return 'A picture'
  if (medium.kind === 'archive') return 'ZIP'
  if (medium.kind === 'other') return medium.format
  return clipTypes.find(({ mimeType }) => mimeType === medium.format.mimeType)!.name
}

function explain(medium: OpenedMedium, expected: string): string {
  if (medium.bytes.length === 0) return `The file is empty: send ${expected}`
  const name = nameOf(medium)
  if (name === null) return `The kind of the file is not known, or its beginning is missing: send ${expected}`
  return `${name} cannot be used here: send ${expected}`
}

/** The refusal of a file of another kind. @param expected what can be sent instead */
export const refuseFile = (medium: OpenedMedium, expected: string): AppError =>
  new AppError('media_unsupported', explain(medium, expected), {
    details: { expected },
    reason: medium.bytes.length === 0 ? 'empty' : 'format',
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

/**
 * @param accepted the types of files that are read
 * @throws {AppError} `media_unsupported` for anything but a picture, before it waits for a worker
 */
export function requirePicture(medium: OpenedMedium, accepted: readonly string[]): void {
  if (medium.kind === 'clip') throw refuseClip(namePictures(accepted))
  if (medium.kind !== 'picture') throw refuseFile(medium, namePictures(accepted))
}
