/** What can be sent, and what a refusal of anything else says. */
import { AppError } from '../errors.ts'
import { zipType } from './archive/archive-header.ts'
import { heic } from './formats/heic/heic.ts'
import type { PictureFormat } from './formats/picture-format.ts'
import { type PictureFormatId, pictureFormats } from './formats/registry.ts'
import type { OpenedMedium } from './opened-medium.ts'
import type { ClipFormat } from './video/formats/clip-format.ts'
import { clipFormats, clipTypes, type SniffedClip } from './video/formats/registry.ts'

/** Names of a text that offers them. */
export const orList = (names: readonly string[]): string => names.join(', ').replace(/, (?=[^,]*$)/, ' or ')

/** Names the formats of pictures that are read. @param lacking those whose decoder is not here */
export const listPictures = (lacking: readonly PictureFormatId[] = []): string =>
  orList(pictureFormats.filter(({ id }) => !lacking.includes(id)).map(({ name }) => name))

/** Names the formats of pictures among some types. */
export const namePictures = (types: readonly string[]): string =>
  listPictures(pictureFormats.filter(({ mimeType }) => !types.includes(mimeType)).map(({ id }) => id))

/** What is read everywhere. */
export const pictureKinds = listPictures(pictureFormats.filter(({ advice }) => advice).map(({ id }) => id))

/** Names the types of clips of some containers. */
export const nameClips = (formats: readonly ClipFormat[]): string =>
  orList([...new Set(formats.flatMap(({ types }) => types.map(({ name }) => name)))])

/** What is read of clips where all decoders are. */
export const clipKinds = nameClips(clipFormats)

/**
 * The types of files that are read, for the dialogs of pages.
 * @param clips containers of clips that are decoded here
 * @param lacking formats of pictures whose decoder is not here
 */
export const acceptedTypes = (
  clips: readonly ClipFormat[],
  lacking: readonly PictureFormatId[],
): readonly string[] => [
  ...pictureFormats.filter(({ id }) => !lacking.includes(id)).map(({ mimeType }) => mimeType),
  ...clips.flatMap(({ types }) => types.map(({ mimeType }) => mimeType)),
  zipType,
]

/** @param clips what is decoded of clips here */
export const describeMedia = (clips: string, pictures: string): string =>
  `a picture (${pictures}), a clip (${clips}) or a ZIP of pictures`

export const nameOfClip = (format: SniffedClip): string =>
  clipTypes.find(({ mimeType }) => mimeType === format.mimeType)!.name

function nameOf(medium: OpenedMedium): string | null {
  if (medium.kind === 'picture') return 'A picture'
  if (medium.kind === 'archive') return 'ZIP'
  if (medium.kind === 'other') return medium.format
  return nameOfClip(medium.format)
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

/**
 * @param accepted the types of files that are read
 * @throws {AppError} `media_unsupported` for anything but a picture, before it waits for a worker
 */
export function requirePicture(medium: OpenedMedium, accepted: readonly string[]): void {
  const expected = namePictures(accepted)
  if (medium.kind === 'clip')
    throw new AppError('media_unsupported', `Clips cannot be used here: send ${expected}`, {
      details: { expected },
    })
  if (medium.kind !== 'picture') throw refuseFile(medium, expected)
}
