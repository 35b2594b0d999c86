/** Unpacks a ZIP sent by a caller. Its central directory is checked first, and its sizes are enforced while inflating. */
import { Inflate } from 'fflate'
import { HeaderCursor, threadBudget } from '../header-cursor.ts'
import { type ArchiveMedium, isRead } from '../opened-medium.ts'
import {
  checkEntries,
  damagedArchive,
  deflated,
  type Entry,
  isFile,
  orDamaged,
  readEntries,
  readHeaderLength,
  refuseArchive,
} from './archive-directory.ts'

export interface ArchivedFile {
  name: string
  bytes: Uint8Array
}

interface LocatedEntry extends Entry {
  /** Offset of its data. */
  dataAt: number
}

/** Packed bytes per inflate step; the output may be 1032 times as large. */
const stepMin = 1024
/** Maximum step size, reached while the ratio stays at or below `pictureRatioMax`: fewer steps are faster. */
const stepMax = 8192
const pictureRatioMax = 8

/** Locates the data of every entry. Entries must not overlap: shared data would be unpacked several times. */
function locateEntries(archive: HeaderCursor, entries: readonly Entry[]): LocatedEntry[] {
  const located: LocatedEntry[] = []
  let end = 0
  for (const entry of entries.toSorted((a, b) => a.at - b.at)) {
    const { at, packedSize } = entry
    if (at < end) refuseArchive('The archive has files that overlap')
    const dataAt = at + readHeaderLength(archive.part(at))
    end = dataAt + packedSize
    if (end > archive.left) throw damagedArchive()
    located.push({ ...entry, dataAt })
  }
  return located
}

/** Inflates in small steps and stops as soon as the output exceeds the declared size. */
function inflate(packed: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size)
  let produced = 0
  const inflater = new Inflate((chunk) => {
    if (produced + chunk.length > size)
      refuseArchive('A file of the archive unpacks to more than the archive says')
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
  if (produced !== size) throw damagedArchive()
  return out
}

function unpackEntry(bytes: Uint8Array, { method, packedSize, size, dataAt }: LocatedEntry): Uint8Array {
  const packed = bytes.subarray(dataAt, dataAt + packedSize)
  if (method === deflated) return inflate(packed, size)
  if (packedSize !== size) throw damagedArchive()
  return packed
}

const toCursor = ({ bytes }: ArchiveMedium): HeaderCursor => new HeaderCursor(bytes, threadBudget())

const entriesOf = (archive: ArchiveMedium): readonly Entry[] =>
  (isRead(archive.header) && archive.header.entries) || readEntries(toCursor(archive))

/** Number of the caller's files in an archive. @throws {AppError} `media_unreadable` if its directory is damaged */
export const countFiles = (archive: ArchiveMedium): number =>
  orDamaged(() => entriesOf(archive).filter(isFile).length)

/**
 * Unpacks all files of an archive. The cost is bounded by the sizes in the central directory, which are checked first.
 * @param unpackedBytesMax maximum sum of the unpacked sizes
 * @throws {AppError} `media_unreadable` for damaged archives, for too many, too large, overlapping or suspicious entries, and
 *   for files that unpack to a different size than declared
 */
export const unpackArchive = (archive: ArchiveMedium, unpackedBytesMax?: number): ArchivedFile[] =>
  orDamaged(() => {
    const entries = entriesOf(archive)
    checkEntries(entries, unpackedBytesMax)
    return locateEntries(toCursor(archive), entries)
      .filter(isFile)
      .map((entry) => ({ name: entry.name, bytes: unpackEntry(archive.bytes, entry) }))
  })
