/** The formats of pictures, in the order in which texts name them. */
import { jpeg } from './jpeg/jpeg.ts'
import type { PictureFormat } from './picture-format.ts'
import { png } from './png/png.ts'
import { webp } from './webp/webp.ts'

const formats = [jpeg, png, webp] as const

export type PictureFormatId = (typeof formats)[number]['id']
export type RegisteredFormat = PictureFormat & { readonly id: PictureFormatId }
export const pictureFormats: readonly RegisteredFormat[] = formats

/** The format of a file, by its first bytes; `null` for anything else. */
export const sniffPicture = (bytes: Uint8Array): RegisteredFormat | null =>
  pictureFormats.find(({ sniff }) => sniff(bytes)) ?? null
