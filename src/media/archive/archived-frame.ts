/** Opens one picture of a stored archive of frames. Reads only its directory and that picture, and unpacks it as it is read. */
import { Inflate } from 'fflate'
import { joinBytes } from '../../join-bytes.ts'
import { sniffPicture } from '../formats/registry.ts'
import { HeaderCursor, loopBudget } from '../header-cursor.ts'
import {
  byName,
  checkEntries,
  damagedArchive,
  deflated,
  type Entry,
  headerBytes,
  isFile,
  orDamaged,
  readEndRecord,
  readHeaderLength,
  readTable,
  refuseArchive,
  tailBytesMax,
} from './archive-directory.ts'

/** An archive that can be read in parts. */
export interface StoredArchive {
  /** Bytes. */
  size: number
  /**
   * Opens the bytes from `start` up to `end`, which is excluded. What is opened is read to its end or cancelled.
   * @throws {AppError} `not_found` if the archive has been deleted meanwhile
   */
  open(start: number, end: number): Promise<ReadableStream<Uint8Array>>
}

/** How unpacking shares the event loop with other work. */
export interface UnpackTurns {
  /** Runs a piece of unpacking when its turn comes. @throws {AppError} `overloaded` */
  run<T>(costMs: number, work: () => Promise<T>): Promise<T>
  /** Leaves the event loop to others if the piece lasts; awaited between the steps of a piece. */
  step(): Promise<void>
}

export interface OpenedFrame {
  /** Must be read to its end or cancelled. */
  body: ReadableStream<Uint8Array>
  /** Bytes of the whole frame, also when a part was opened. */
  size: number
  mimeType: string
}

/** The names and sizes of 120 frames take a hundredth of this. */
const tableBytesMax = 2 ** 20
/** Packed bytes per inflate step; the output may be 1032 times as large. */
const stepBytes = 4096
/** Unpacked bytes after which a piece ends, and others have their turn. */
const pieceBytes = 64 * 1024
/** Measured speed of inflating on one core, for the estimated cost. */
const packedBytesPerMs = 32 * 1024
/** Bytes that tell the format of a picture. */
const sniffedBytes = 12

async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel()
  }
}

async function readPart(archive: StoredArchive, start: number, end: number): Promise<Uint8Array> {
  if (start >= end || end > archive.size) throw damagedArchive()
  const chunks: Uint8Array[] = []
  for await (const chunk of readChunks(await archive.open(start, end))) chunks.push(chunk)
  return joinBytes(chunks)
}

const toCursor = (bytes: Uint8Array): HeaderCursor => new HeaderCursor(bytes, loopBudget())

/** The entry of a frame, by its place in the order of names. */
async function findEntry(archive: StoredArchive, index: number): Promise<Entry | null> {
  const tailAt = Math.max(0, archive.size - tailBytesMax)
  const tail = await readPart(archive, tailAt, archive.size)
  const { rows, tableAt, at } = orDamaged(() => readEndRecord(toCursor(tail)))
  const endAt = tailAt + at
  if (rows === 0) return null
  if (endAt - tableAt > tableBytesMax) refuseArchive('The directory of the archive is too large')
  const table =
    tableAt >= tailAt ? tail.subarray(tableAt - tailAt, at) : await readPart(archive, tableAt, endAt)
  const entries = orDamaged(() => readTable(toCursor(table), rows))
  checkEntries(entries)
  return entries.filter(isFile).sort(byName)[index] ?? null
}

/** Offset of the packed bytes of an entry. */
async function locateData(archive: StoredArchive, { at, packedSize }: Entry): Promise<number> {
  const header = await readPart(archive, at, at + headerBytes)
  const dataAt = at + orDamaged(() => readHeaderLength(toCursor(header)))
  if (packedSize === 0 || dataAt + packedSize > archive.size) throw damagedArchive()
  return dataAt
}

/** Inflates in small steps and stops as soon as the output exceeds the declared size. */
async function* inflatePieces(
  data: AsyncIterable<Uint8Array>,
  { size, packedSize }: Entry,
  turns: UnpackTurns,
): AsyncGenerator<Uint8Array, void> {
  let read = 0
  let produced = 0
  let pieces: Uint8Array[] = []
  const inflater = new Inflate((piece) => {
    produced += piece.length
    if (produced > size) refuseArchive('A file of the archive unpacks to more than the archive says')
    if (piece.length > 0) pieces.push(piece)
  })
  for await (const chunk of data) {
    for (let at = 0; at < chunk.length; ) {
      const pieceEnd = produced + pieceBytes
      await turns.run((chunk.length - at) / packedBytesPerMs, async () => {
        while (at < chunk.length && produced < pieceEnd) {
          await turns.step()
          const step = chunk.subarray(at, at + stepBytes)
          at += step.length
          read += step.length
          orDamaged(() => inflater.push(step, read === packedSize))
        }
      })
      const unpacked = pieces
      pieces = []
      yield* unpacked
    }
  }
  if (read !== packedSize || produced !== size) throw damagedArchive()
}

/** Pieces up to at least as many bytes as tell the format; fewer if the file is shorter. */
async function readHead(pieces: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  const head: Uint8Array[] = []
  for (let length = 0; length < sniffedBytes; ) {
    const { done, value } = await pieces.next()
    if (done) break
    head.push(value)
    length += value.length
  }
  return joinBytes(head)
}

/** Byte positions in a frame; `end` is excluded. */
interface Span {
  start: number
  end: number
}

/** The bytes of a span of a head and the pieces that follow it. @param isOver whether nobody wants the rest any more */
async function* cut(
  head: Uint8Array,
  pieces: AsyncGenerator<Uint8Array, void>,
  { start, end }: Span,
  isOver: () => boolean,
): AsyncGenerator<Uint8Array, void> {
  try {
    let at = 0
    for (let piece: Uint8Array | null = head; piece && at < end && !isOver(); ) {
      const part = piece.subarray(Math.max(0, start - at), Math.max(0, end - at))
      at += piece.length
      if (part.length > 0) yield part
      const { done, value } = at < end ? await pieces.next() : { done: true, value: undefined }
      piece = done ? null : (value as Uint8Array)
    }
  } finally {
    await pieces.return()
  }
}

function toStream(
  head: Uint8Array,
  pieces: AsyncGenerator<Uint8Array, void>,
  span: Span,
): ReadableStream<Uint8Array> {
  let isOver = false
  const wanted = cut(head, pieces, span, () => isOver)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await wanted.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        // A piece may be on its way, and be the first of many that lie before the span.
        isOver = true
        await wanted.return()
        // What is cut does not close its source if none of it has been read.
        await pieces.return()
      },
    },
    // Nothing is unpacked in advance.
    { highWaterMark: 0 },
  )
}

/** A frame that is not packed: the bytes of the span are read alone. */
async function openStored(
  archive: StoredArchive,
  { size, packedSize }: Entry,
  dataAt: number,
  { start, end }: Span,
): Promise<OpenedFrame | null> {
  if (size !== packedSize) throw damagedArchive()
  const format = sniffPicture(await readPart(archive, dataAt, dataAt + Math.min(sniffedBytes, size)))
  if (!format) return null
  const body = await archive.open(dataAt + start, dataAt + end)
  return { body, size, mimeType: format.mimeType }
}

/**
 * Opens a frame as it is in the archive. Only its first piece is unpacked at once, which tells its format; the rest at the pace of
 * the reader. Never produces more bytes than the archive declares.
 * @param index place in the order of names
 * @param range byte positions, both inclusive, within the frame
 * @returns `null` if there is no such frame
 * @throws {AppError} `media_unreadable` if the archive is damaged, `overloaded`
 */
export async function openArchivedFrame(
  archive: StoredArchive,
  index: number,
  turns: UnpackTurns,
  range?: { start: number; end: number },
): Promise<OpenedFrame | null> {
  const entry = await findEntry(archive, index)
  if (!entry) return null
  const dataAt = await locateData(archive, entry)
  const span = range ? { start: range.start, end: range.end + 1 } : { start: 0, end: entry.size }
  if (entry.method !== deflated) return openStored(archive, entry, dataAt, span)
  const data = readChunks(await archive.open(dataAt, dataAt + entry.packedSize))
  const pieces = inflatePieces(data, entry, turns)
  const head = await readHead(pieces)
  const format = sniffPicture(head)
  if (!format) {
    await pieces.return()
    return null
  }
  return { body: toStream(head, pieces, span), size: entry.size, mimeType: format.mimeType }
}
