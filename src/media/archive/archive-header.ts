/** What an archive holds, as its directory and the beginnings of its files say it, for estimates before it is unpacked. */
import { Inflate } from 'fflate'
import { joinBytes } from '../../join-bytes.ts'
import { asciiText } from '../ascii.ts'
import { sniffPicture } from '../formats/registry.ts'
import { type HeaderBudget, HeaderCursor, HeaderTooLong } from '../header-cursor.ts'
import { type PictureHeader, readPictureHeader } from '../picture-header.ts'
import {
  deflated,
  type Entry,
  filesMax,
  isFile,
  readEndRecord,
  readHeaderLength,
  readTable,
} from './archive-directory.ts'

export const zipType = 'application/zip'

export interface ArchiveHeader {
  /** Rows of its directory; `null` if that is too long to be read where others wait. */
  entries: readonly Entry[] | null
  /** Its files, or as many as are allowed. */
  files: readonly ArchivedPicture[]
}

export interface ArchivedPicture {
  /** Bytes when unpacked, as declared. */
  size: number
  /** `null` where the beginning of the file does not hold the header. */
  header: PictureHeader | null
}

/** Packed bytes of a picture that are read here: the header of a PNG or WebP. */
const packedHeadBytes = 256
/** What they may unpack to, in sum, and the least that each does: files that hide what they hold may cost anything. */
const headsBytesMax = 2 ** 18
const headBytesMin = 32
/** Longest directory that is read here. */
const tableBytesMax = 2 ** 18

/** Whether a file begins as an archive does, an empty one included. */
export const isZip = (bytes: Uint8Array): boolean =>
  ['PK\x03\x04', 'PK\x05\x06'].includes(asciiText(bytes, 0, 4))

/** The beginning of a packed file: `bytesMin` if there are as many, and what comes with them. */
function unpackHead(packed: Uint8Array, bytesMin: number): Uint8Array {
  const chunks: Uint8Array[] = []
  let length = 0
  const inflate = new Inflate((chunk) => {
    chunks.push(chunk)
    length += chunk.length
  })
  for (let at = 0; at < packed.length && length < bytesMin; at += packedHeadBytes)
    inflate.push(packed.subarray(at, at + packedHeadBytes))
  return joinBytes(chunks)
}

/**
 * The beginning of a file of an archive.
 * @returns `null` if it hides what it holds
 */
function readHead(
  archive: HeaderCursor,
  { at, method, packedSize }: Entry,
  bytes = packedHeadBytes,
): Uint8Array | null {
  try {
    const file = archive.part(at)
    const packed = file.bytes(readHeaderLength(file), Math.min(packedSize, bytes))
    if (method !== deflated) return packed
    const head = unpackHead(packed, bytes)
    return head.length < headBytesMin ? null : head
  } catch {
    return null
  }
}

/** The beginnings of the files of an archive. */
class Heads {
  readonly #archive: HeaderCursor
  #bytes = 0

  constructor(archive: HeaderCursor) {
    this.#archive = archive
  }

  /** @throws {HeaderTooLong} for files that hide what they hold */
  read(file: Entry, bytes?: number): Uint8Array {
    const head = readHead(this.#archive, file, bytes)
    this.#bytes += head?.length ?? 0
    if (!head || this.#bytes > headsBytesMax) throw new HeaderTooLong()
    return head
  }
}

/** @throws {HeaderTooLong} also for a header that takes more bytes than are read, where the size of the file says nothing */
function readFileHeader(heads: Heads, file: Entry, budget: HeaderBudget): PictureHeader | null {
  const start = heads.read(file)
  const format = sniffPicture(start)
  if (!format) return null
  const { id, headerBytes } = format
  const head = headerBytes ? heads.read(file, headerBytes) : start
  try {
    return readPictureHeader(id, new HeaderCursor(head, budget))
  } catch (error) {
    if (error instanceof HeaderTooLong || headerBytes) throw new HeaderTooLong()
    return null
  }
}

/**
 * Reads the directory of an archive, and the headers of its pictures where they are at the beginning.
 * @throws {AppError} `media_unreadable` for a damaged directory
 * @throws {HeaderTooLong}
 */
export function readArchiveHeader(bytes: Uint8Array, budget: HeaderBudget): ArchiveHeader {
  const archive = new HeaderCursor(bytes, budget)
  const { rows, tableAt } = readEndRecord(archive)
  if (bytes.length - tableAt > tableBytesMax) return { entries: null, files: [] }
  const entries = readTable(archive.part(tableAt), rows)
  const heads = new Heads(archive)
  const files = entries
    .filter(isFile)
    .slice(0, filesMax)
    .map((file) => ({ size: file.size, header: readFileHeader(heads, file, budget) }))
  return { entries, files }
}
