/** The formats of pictures, in the order in which texts name them. */
import type { LateModules } from '../codec-modules.ts'
import { avif } from './avif/avif.ts'
import { heic } from './heic/heic.ts'
import { jpeg } from './jpeg/jpeg.ts'
import type { PictureFormat } from './picture-format.ts'
import { png } from './png/png.ts'
import { webp } from './webp/webp.ts'

const formats = [jpeg, png, webp, avif, heic] as const

export type PictureFormatId = (typeof formats)[number]['id']
export type RegisteredFormat = PictureFormat & { readonly id: PictureFormatId }
export const pictureFormats: readonly RegisteredFormat[] = formats

export const pictureFormat = (id: PictureFormatId): RegisteredFormat =>
  pictureFormats.find((format) => format.id === id)!

/** Formats whose decoder is not there. */
export const lackingFormats = (modules: LateModules): PictureFormatId[] =>
  pictureFormats.filter(({ lateModule }) => lateModule && modules[lateModule] === null).map(({ id }) => id)

/** The format of a file, by its first bytes; `null` for anything else. */
export const sniffPicture = (bytes: Uint8Array): RegisteredFormat | null =>
  pictureFormats.find(({ sniff }) => sniff(bytes)) ?? null
