/** The types of files that are stored, and the extensions of their names. */
import { zipType } from '../media/archive/archive-header.ts'
import { jpeg } from '../media/formats/jpeg/jpeg.ts'
import { pictureFormats } from '../media/formats/registry.ts'
import { clipTypes } from '../media/video/formats/registry.ts'

const typeByExtension: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    pictureFormats.flatMap(({ mimeType, extensions }) =>
      extensions.map((extension) => [extension, mimeType]),
    ),
  ),
  json: 'application/json',
  pdf: 'application/pdf',
  html: 'text/html; charset=utf-8',
  ...Object.fromEntries(clipTypes.map(({ extension, mimeType }) => [extension, mimeType])),
  zip: zipType,
  bin: 'application/octet-stream',
}

/** All types of files that are stored. */
export const storedTypes: readonly string[] = [...new Set(Object.values(typeByExtension))]

/** Mime type by the extension of a file name, in lower case; `null` for an extension that no stored file has. */
export const typeOfExtension = (extension: string): string | null =>
  Object.hasOwn(typeByExtension, extension) ? typeByExtension[extension]! : null

/** Extension for a mime type; `bin` for a type that no stored file has. */
export const extensionOfType = (mimeType: string): string =>
  Object.keys(typeByExtension).find((extension) => typeByExtension[extension] === mimeType) ?? 'bin'

/** Of the pictures that are made of media: thumbnails, best shots, snapshots, portraits. */
export const shotType = jpeg.mimeType

const declaredTypes = new Set(
  pictureFormats.flatMap(({ mimeType, otherMimeTypes = [] }) => [mimeType, ...otherMimeTypes]),
)

/** Whether a caller declares a picture; of what format, its bytes tell. */
export const isPictureType = (mimeType: string): boolean => declaredTypes.has(mimeType)

const clipMimeTypes = new Set<string>(clipTypes.map(({ mimeType }) => mimeType))

export const isClipType = (mimeType: string): boolean => clipMimeTypes.has(mimeType)
