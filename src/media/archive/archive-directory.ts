/** Reads the central directory of a ZIP sent by a caller, and checks it before anything is unpacked. */
import { AppError, hasCode } from '../../errors.ts'
import type { HeaderCursor } from '../header-cursor.ts'

/** An entry of the central directory. */
export interface Entry {
  name: string
  method: number
  packedSize: number
  /** Bytes when unpacked, as declared. */
  size: number
  /** Offset of its local header. */
  at: number
}

/** The record at the end of an archive. */
export interface EndRecord {
  /** Number of entries. */
  rows: number
  /** Offset of the central directory within the archive. */
  tableAt: number
  /** Offset of the record within the given bytes. */
  at: number
}

export const filesMax = 120
/** Maximum number of entries: folders and system files are listed too. */
const rowsMax = 4 * filesMax
/** Maximum sum of the unpacked sizes, unless another limit is given. */
const unpackedBytesUsual = 128 * 2 ** 20
/** Maximum compression ratio: encoded pictures hardly compress. */
const ratioMax = 50
const nameLengthMax = 255
/** More bytes of a name than that are refused, so they are not decoded. */
const nameBytesMax = 4 * (nameLengthMax + 1)

const endBytes = 22
const commentBytesMax = 0xffff
/** The end record is within this many last bytes. */
export const tailBytesMax = endBytes + commentBytesMax
const rowBytes = 46
/** Bytes of a local header without name and extra field. */
export const headerBytes = 30
const endSignature = 0x06054b50
const rowSignature = 0x02014b50
const headerSignature = 0x04034b50
const encrypted = 1
const namedInUtf8 = 1 << 11
const stored = 0
export const deflated = 8

export const refuseArchive = (message: string): never => {
  throw new AppError('media_unreadable', message, { reason: 'archive' })
}

export const damagedArchive = (cause?: unknown): AppError =>
  new AppError('media_unreadable', 'The archive is damaged', { cause })

/** Characters of a file's name that a refusal repeats. */
const shownLengthMax = 64

/** The refusal of a file of an archive, with its name; other errors as they are. */
export function nameFile(error: unknown, name: string): unknown {
  if (!hasCode(error, 'media_unreadable', 'media_unsupported')) return error
  const { code, message, details, cause } = error as AppError
  const file = name.replace(/\p{C}/gu, '').slice(-shownLengthMax)
  return new AppError(code, `${file} in the archive: ${message}`, { details: { ...details, file }, cause })
}

/** Errors of reading past the end mean that the archive is damaged. */
export function orDamaged<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw damagedArchive(cause)
  }
}

const systemFile = /^(\.DS_Store|\._.*|Thumbs\.db|desktop\.ini)$/i

/** Folders, and files that some operating systems add. Some programs separate folders by backslashes. */
function isSystemEntry({ name }: Entry): boolean {
  const folders = name.split(/[/\\]/)
  const file = folders.pop()!
  return file === '' || systemFile.test(file) || folders.includes('__MACOSX')
}

const collator = new Intl.Collator('en', { numeric: true })

/** The order of the frames in an archive. */
export const byName = (a: { name: string }, b: { name: string }): number => collator.compare(a.name, b.name)

/** Refuses suspicious names such as path traversal, although names are never used as paths. */
function checkName(name: string): void {
  const isSuspect =
    name.length > nameLengthMax ||
    /(^|[/\\])\.\.([/\\]|$)/.test(name) ||
    /^([/\\]|[a-z]:)/i.test(name) ||
    name.includes('\0')
  if (isSuspect) refuseArchive('The archive has a file name that leads elsewhere')
}

/**
 * The end record, which may be followed by a comment.
 * @param tail the last bytes of an archive, at least `tailBytesMax` if it is that long
 */
export function readEndRecord(tail: HeaderCursor): EndRecord {
  const last = tail.left - endBytes
  for (let at = last; at >= Math.max(0, last - commentBytesMax); at--) {
    if (tail.uint32(at, true) !== endSignature) continue
    const rows = tail.uint16(at + 10, true)
    if (rows > rowsMax) refuseArchive(`The archive has more than ${filesMax} files`)
    return { rows, tableAt: tail.uint32(at + 16, true), at }
  }
  throw damagedArchive()
}

/**
 * Reads the rows of a central directory.
 * @param table stands at its beginning
 */
export function readTable(table: HeaderCursor, rows: number): Entry[] {
  const entries: Entry[] = []
  while (entries.length < rows) {
    if (table.uint32(0, true) !== rowSignature) throw damagedArchive()
    const flags = table.uint16(8, true)
    const nameLength = table.uint16(28, true)
    if ((flags & encrypted) !== 0) refuseArchive('The archive is encrypted')
    entries.push({
      name: new TextDecoder(flags & namedInUtf8 ? 'utf-8' : 'latin1').decode(
        table.bytes(rowBytes, Math.min(nameLength, nameBytesMax)),
      ),
      method: table.uint16(10, true),
      packedSize: table.uint32(20, true),
      size: table.uint32(24, true),
      at: table.uint32(42, true),
    })
    table.skip(rowBytes + nameLength + table.uint16(30, true) + table.uint16(32, true))
  }
  return entries
}

/** Whether an entry is a file of the caller's. */
export const isFile = (entry: Entry): boolean => !isSystemEntry(entry)

/** Reads the directory of an archive, whatever that takes. */
export function readEntries(archive: HeaderCursor): Entry[] {
  const { rows, tableAt } = readEndRecord(archive)
  return readTable(archive.part(tableAt), rows)
}

/** Checks all entries before anything is unpacked. */
export function checkEntries(entries: readonly Entry[], unpackedBytesMax = unpackedBytesUsual): void {
  for (const { name } of entries) checkName(name)
  const files = entries.filter(isFile)
  if (files.length > filesMax) refuseArchive(`The archive has more than ${filesMax} files`)
  if (new Set(files.map(({ name }) => name)).size < files.length)
    refuseArchive('The archive has two files of one name')
  if (files.some(({ method }) => method !== stored && method !== deflated))
    refuseArchive('The archive is packed in a way that is not supported')
  const isBomb = ({ size, packedSize }: Entry): boolean => size > packedSize * ratioMax + 1024
  const sum = files.reduce((bytes, { size }) => bytes + size, 0)
  if (sum > unpackedBytesMax || files.some(isBomb)) refuseArchive('The archive unpacks to too much')
}

/** Length of an entry's local header in bytes. @param header stands at its beginning */
export function readHeaderLength(header: HeaderCursor): number {
  if (header.uint32(0, true) !== headerSignature) throw damagedArchive()
  return headerBytes + header.uint16(26, true) + header.uint16(28, true)
}
