/**
 * A file that a caller sent, opened once, where it comes in: what it is by its first bytes, and what its header says. Declared types and
 * file names are ignored. It is plain data, which crosses to other threads.
 */
import { type ArchiveHeader, isZip, readArchiveHeader, zipType } from './archive/archive-header.ts'
import { asciiText } from './ascii.ts'
import { type PictureFormatId, sniffPicture } from './formats/registry.ts'
import { type HeaderBudget, HeaderCursor, HeaderTooLong, loopBudget } from './header-cursor.ts'
import { type PictureHeader, readPictureHeader } from './picture-header.ts'
import type { ClipHeader } from './video/formats/clip-format.ts'
import { readClipHeader, type SniffedClip, sniffClip, sniffStream } from './video/formats/registry.ts'

/** Why a header is not known: it is damaged, or longer than may be read where others wait. A worker reads both again, and further. */
export type Unread = 'damaged' | 'long'

interface Opened<Kind extends string, Format, Header> {
  kind: Kind
  format: Format
  header: Header | Unread
  bytes: Uint8Array
}

export type PictureMedium = Opened<'picture', PictureFormatId, PictureHeader>
export type ClipMedium = Opened<'clip', SniffedClip, ClipHeader>
export type ArchiveMedium = Opened<'archive', typeof zipType, ArchiveHeader>

/** A file that is no medium; its format is a name for texts, `null` if nobody knows it. */
export interface OtherFile {
  kind: 'other'
  format: string | null
  bytes: Uint8Array
}

export type OpenedMedium = PictureMedium | ClipMedium | ArchiveMedium | OtherFile

export const isRead = <Header extends object>(header: Header | Unread): header is Header =>
  typeof header === 'object'

function orUnread<Header>(read: () => Header): Header | Unread {
  try {
    return read()
  } catch (error) {
    return error instanceof HeaderTooLong ? 'long' : 'damaged'
  }
}

const begins =
  (...starts: readonly string[]) =>
  (head: string): boolean =>
    starts.some((start) => head.startsWith(start))

/** Files that are not read, by how they begin. An elementary stream has no times. */
const others: readonly [is: (head: string) => boolean, name: string][] = [
  [begins('GIF8'), 'GIF'],
  [begins('II*\0', 'MM\0*'), 'TIFF'],
  [begins('BM'), 'BMP'],
  [begins('%PDF'), 'PDF'],
  [begins('Rar!'), 'RAR'],
  [(head) => /^P[1-7]\s/.test(head), 'PNM'],
  [begins('\0\0\x01\xb3'), 'An elementary MPEG stream'],
]

/**
 * Opens a medium.
 * @param budget what may be read of its header; by default some milliseconds
 * @example
 * ```ts
 * import { portrait } from '../../test/fixtures/portraits.ts'
 * import { openMedium } from './opened-medium.ts'
 *
 * const { kind, format } = openMedium(await portrait('redhead'))
 * kind // → 'picture'
 * format // → 'jpeg'
 * ```
 */
export function openMedium(bytes: Uint8Array, budget: HeaderBudget = loopBudget()): OpenedMedium {
  if (isZip(bytes)) {
    const header = orUnread(() => readArchiveHeader(bytes, budget))
    return { kind: 'archive', format: zipType, header, bytes }
  }
  const stream = sniffStream(bytes)
  const picture = stream ? null : sniffPicture(bytes)
  if (picture) {
    const { id } = picture
    const header = orUnread(() => readPictureHeader(id, new HeaderCursor(bytes, budget)))
    return { kind: 'picture', format: id, header, bytes }
  }
  const clip = stream ?? sniffClip(bytes)
  if (clip) {
    const header = orUnread(() => readClipHeader(clip, bytes, budget))
    return { kind: 'clip', format: clip, header, bytes }
  }
  const head = asciiText(bytes, 0, 4)
  return { kind: 'other', format: others.find(([is]) => is(head))?.[1] ?? null, bytes }
}
