/** Unpacks a ZIP sent by a caller. Its central directory is checked first, and its sizes are enforced while inflating. */
import { Inflate } from 'fflate'
import { AppError } from '../errors.ts'

export interface ArchivedFile {
  name: string
  bytes: Uint8Array
}

/** A file that is still packed. */
export interface PackedFile {
  name: string
  /** Bytes when unpacked. */
  size: number
  /** @throws {AppError} `media_unreadable` if it unpacks to a different size than declared */
  unpack(): Uint8Array
}

/** An entry of the central directory. */
interface Entry {
  name: string
  method: number
  packedSize: number
  size: number
  /** Offset of its local header. */
  at: number
}

interface LocatedEntry extends Entry {
  /** Offset of its data. */
  dataAt: number
}

const filesMax = 120
/** Maximum number of entries: folders and system files are listed too. */
const rowsMax = 4 * filesMax
/** Maximum sum of the unpacked sizes, unless another limit is given. */
const unpackedBytesUsual = 128 * 2 ** 20
/** Maximum compression ratio: encoded pictures hardly compress. */
const ratioMax = 50
const nameLengthMax = 255

const endBytes = 22
const commentBytesMax = 0xffff
const rowBytes = 46
const headerBytes = 30
const endSignature = 0x06054b50
const rowSignature = 0x02014b50
const headerSignature = 0x04034b50
const encrypted = 1
const namedInUtf8 = 1 << 11
const stored = 0
const deflated = 8
/** Packed bytes per inflate step; the output may be 1032 times as large. */
const stepMin = 1024
/** Maximum step size, reached while the ratio stays at or below `pictureRatioMax`: fewer steps are faster. */
const stepMax = 8192
const pictureRatioMax = 8

const refuse = (message: string): never => {
  throw new AppError('media_unreadable', message)
}

const damaged = (cause?: unknown): AppError =>
  new AppError('media_unreadable', 'The archive is damaged', { cause })

const toDataView = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Folders, and files that some operating systems add. */
const isSystemEntry = ({ name }: Entry): boolean =>
  name.endsWith('/') || name.startsWith('__MACOSX/') || /(^|\/)(\.DS_Store|Thumbs\.db)$/.test(name)

/** Refuses suspicious names such as path traversal, although names are never used as paths. */
function checkName(name: string): void {
  const isSuspect =
    name.length > nameLengthMax ||
    /(^|[/\\])\.\.([/\\]|$)/.test(name) ||
    /^([/\\]|[a-z]:)/i.test(name) ||
    name.includes('\0')
  if (isSuspect) refuse('The archive has a file name that leads elsewhere')
}

/** Offset of the end record, which may be followed by a comment. */
function findEndRecord(view: DataView): number {
  const last = view.byteLength - endBytes
  for (let at = last; at >= Math.max(0, last - commentBytesMax); at--) {
    if (view.getUint32(at, true) === endSignature) return at
  }
  throw damaged()
}

function readTable(bytes: Uint8Array): Entry[] {
  const view = toDataView(bytes)
  const end = findEndRecord(view)
  const rows = view.getUint16(end + 10, true)
  if (rows > rowsMax) refuse(`The archive has more than ${filesMax} files`)
  const entries: Entry[] = []
  let at = view.getUint32(end + 16, true)
  while (entries.length < rows) {
    if (view.getUint32(at, true) !== rowSignature) throw damaged()
    const flags = view.getUint16(at + 8, true)
    const nameLength = view.getUint16(at + 28, true)
    const nameBytes = bytes.subarray(at + rowBytes, at + rowBytes + nameLength)
    if ((flags & encrypted) !== 0) refuse('The archive is encrypted')
    entries.push({
      name: new TextDecoder(flags & namedInUtf8 ? 'utf-8' : 'latin1').decode(nameBytes),
      method: view.getUint16(at + 10, true),
      packedSize: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      at: view.getUint32(at + 42, true),
    })
    at += rowBytes + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return entries
}

/** Checks the central directory before anything is unpacked. */
function checkFiles(files: readonly Entry[], unpackedBytesMax: number): void {
  if (files.length > filesMax) refuse(`The archive has more than ${filesMax} files`)
  if (new Set(files.map(({ name }) => name)).size < files.length)
    refuse('The archive has two files of one name')
  if (files.some(({ method }) => method !== stored && method !== deflated))
    refuse('The archive is packed in a way that is not supported')
  const isBomb = ({ size, packedSize }: Entry): boolean => size > packedSize * ratioMax + 1024
  const sum = files.reduce((bytes, { size }) => bytes + size, 0)
  if (sum > unpackedBytesMax || files.some(isBomb)) refuse('The archive unpacks to too much')
}

/** Locates the data of every entry. Entries must not overlap: shared data would be unpacked several times. */
function locateEntries(bytes: Uint8Array, entries: readonly Entry[]): LocatedEntry[] {
  const view = toDataView(bytes)
  const located: LocatedEntry[] = []
  let end = 0
  for (const entry of entries.toSorted((a, b) => a.at - b.at)) {
    const { at, packedSize } = entry
    if (at < end) refuse('The archive has files that overlap')
    if (view.getUint32(at, true) !== headerSignature) throw damaged()
    const dataAt = at + headerBytes + view.getUint16(at + 26, true) + view.getUint16(at + 28, true)
    end = dataAt + packedSize
    if (end > bytes.length) throw damaged()
    located.push({ ...entry, dataAt })
  }
  return located
}

/** Inflates in small steps and stops as soon as the output exceeds the declared size. */
function inflate(packed: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size)
  let produced = 0
  const inflater = new Inflate((chunk) => {
    if (produced + chunk.length > size) refuse('A file of the archive unpacks to more than the archive says')
    out.set(chunk, produced)
    produced += chunk.length
  })
  let step = stepMin
  for (let at = 0; at < packed.length; ) {
    const end = Math.min(packed.length, at + step)
    inflater.push(packed.subarray(at, end), end === packed.length)
    at = end
    step = produced <= at * pictureRatioMax ? Math.min(stepMax, step * 2) : stepMin
  }
  if (produced !== size) throw damaged()
  return out
}

function unpackEntry(bytes: Uint8Array, { method, packedSize, size, dataAt }: LocatedEntry): Uint8Array {
  const packed = bytes.subarray(dataAt, dataAt + packedSize)
  if (method === deflated) return inflate(packed, size)
  if (packedSize !== size) throw damaged()
  return packed
}

/** Errors of reading past the end mean that the archive is damaged. */
function orDamaged<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw damaged(cause)
  }
}

/**
 * Lists the files of an archive without unpacking them.
 * @param unpackedBytesMax maximum sum of the unpacked sizes
 * @throws {AppError} `media_unreadable` for damaged archives, and for too many, too large, overlapping or suspicious entries
 */
export const listArchive = (bytes: Uint8Array, unpackedBytesMax = unpackedBytesUsual): PackedFile[] =>
  orDamaged(() => {
    const entries = readTable(bytes)
    for (const { name } of entries) checkName(name)
    checkFiles(
      entries.filter((entry) => !isSystemEntry(entry)),
      unpackedBytesMax,
    )
    return locateEntries(bytes, entries)
      .filter((entry) => !isSystemEntry(entry))
      .map((entry) => ({
        name: entry.name,
        size: entry.size,
        unpack: () => orDamaged(() => unpackEntry(bytes, entry)),
      }))
  })

/**
 * Unpacks all files of an archive. The cost is bounded by the sizes in the central directory, which are checked first.
 * @throws {AppError} as `listArchive`, and as `PackedFile.unpack`
 */
export const unpackArchive = (bytes: Uint8Array, unpackedBytesMax?: number): ArchivedFile[] =>
  listArchive(bytes, unpackedBytesMax).map(({ name, unpack }) => ({ name, bytes: unpack() }))
