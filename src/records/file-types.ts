/** The types of files that are stored, and the extensions of their names. */
import { jpeg } from '../media/formats/jpeg/jpeg.ts'
import { pictureFormats } from '../media/formats/registry.ts'

const typeByExtension: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    pictureFormats.flatMap(({ mimeType, extensions }) =>
      extensions.map((extension) => [extension, mimeType]),
    ),
  ),
  json: 'application/json',
  pdf: 'application/pdf',
  html: 'text/html; charset=utf-8',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  '3gp': 'video/3gpp',
  webm: 'video/webm',
  mkv: 'video/x-matroska',
  avi: 'video/x-msvideo',
  ogv: 'video/ogg',
  mpg: 'video/mpeg',
  ts: 'video/mp2t',
  wmv: 'video/x-ms-wmv',
  zip: 'application/zip',
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
