/** Unpacks a ZIP of a caller. Its table is read first, and held to while the files are inflated. */
import { Inflate } from 'fflate'
import { AppError } from '../errors.ts'

export interface ArchivedFile {
  name: string
  bytes: Uint8Array
}

/** One row of the table. */
interface Entry {
  name: string
  method: number
  packedSize: number
  size: number
  /** Where its own header begins. */
  at: number
}

interface LocatedEntry extends Entry {
  /** Where its data begin. */
  dataAt: number
}

const filesMax = 120
/** Folders, and what some systems add, stand in the table too. */
const rowsMax = 4 * filesMax
/** Bytes of all files together, unpacked. */
const unpackedBytesMax = 128 * 2 ** 20
/** Coded pictures hardly shrink; what shrinks more than this is something else. */
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
/** Packed bytes that are inflated at a time: 1032 times as many may come out. */
const stepMin = 1024
/** Where no more comes out than of coded pictures, steps are longer, since each costs time too. */
const stepMax = 8192
const pictureRatioMax = 8

const refuse = (message: string): never => {
  throw new AppError('media_unreadable', message)
}

const damaged = (cause?: unknown): AppError =>
  new AppError('media_unreadable', 'The archive is damaged', { cause })

const toDataView = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Folders, and what some systems add. */
const isSystemEntry = ({ name }: Entry): boolean =>
  name.endsWith('/') || name.startsWith('__MACOSX/') || /(^|\/)(\.DS_Store|Thumbs\.db)$/.test(name)

/** Names lead nowhere here, and are refused all the same where they try. */
function checkName(name: string): void {
  const isSuspect =
    name.length > nameLengthMax ||
    /(^|[/\\])\.\.([/\\]|$)/.test(name) ||
    /^([/\\]|[a-z]:)/i.test(name) ||
    name.includes('\0')
  if (isSuspect) refuse('The archive has a file name that leads elsewhere')
}

/** Where the end record begins, behind which there is a comment at most. */
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

/** Decides by the table, before anything is unpacked. */
function checkFiles(files: readonly Entry[]): void {
  if (files.length > filesMax) refuse(`The archive has more than ${filesMax} files`)
  if (new Set(files.map(({ name }) => name)).size < files.length)
    refuse('The archive has two files of one name')
  if (files.some(({ method }) => method !== stored && method !== deflated))
    refuse('The archive is packed in a way that is not supported')
  const isBomb = ({ size, packedSize }: Entry): boolean => size > packedSize * ratioMax + 1024
  const sum = files.reduce((bytes, { size }) => bytes + size, 0)
  if (sum > unpackedBytesMax || files.some(isBomb)) refuse('The archive unpacks to too much')
}

/** Finds the data of every entry. Each has its own: data that several share would be unpacked for each of them. */
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

/** Inflates bit by bit and stops as soon as more comes out than the table says. */
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

/**
 * Unpacks all files of an archive. Costs no more than what the table says, which is checked first.
 * @throws {AppError} `media_unreadable` for damaged archives, for too many, too large, overlapping and suspect entries,
 *   and for what unpacks to another size than the table says
 */
export function unpackArchive(bytes: Uint8Array): ArchivedFile[] {
  try {
    const entries = readTable(bytes)
    for (const { name } of entries) checkName(name)
    checkFiles(entries.filter((entry) => !isSystemEntry(entry)))
    return locateEntries(bytes, entries)
      .filter((entry) => !isSystemEntry(entry))
      .map((entry) => ({ name: entry.name, bytes: unpackEntry(bytes, entry) }))
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw damaged(cause)
  }
}
