/**
 * Serialises a template index for a fast start.
 *
 * Format: a header (little-endian: magic, version, number of blocks, lengths of the key and of a template; watermarks; error
 * bounds; centre; rows per block; key) with its checksum, then all blocks as in memory, each preceded by its checksum.
 */
import { blockBytes, blockRows, TemplateIndex } from './template-index.ts'

/** The last changes of the source that an index contains. */
export interface Watermarks {
  addedUpTo: number
  removedUpTo: number
}

const magic = 0x4c414756
const version = 2
/** Offset of the centre. */
const startBytes = 5 * 4 + 4 + 5 * 8
/** Offset of the rows per block. */
const fixedBytes = (length: number): number => startBytes + length * 4
const checksumBytes = 8
/** Maximum size of a header: it must fit into the index's scratch page. */
const headerBytesMax = 60_000

/** Size of a header in bytes, padded to a multiple of 8. */
const headerBytes = (length: number, blocks: number, keyBytes: number): number =>
  Math.ceil((fixedBytes(length) + blocks * 4 + keyBytes) / 8) * 8

function writeHeader(
  index: TemplateIndex,
  key: Uint8Array,
  { addedUpTo, removedUpTo }: Watermarks,
): Uint8Array {
  const counts = index.blockCounts
  const bytes = new Uint8Array(headerBytes(index.centre.length, counts.length, key.length))
  const view = new DataView(bytes.buffer)
  const { lost, rate, lostRate } = index.bounds
  const countsAt = fixedBytes(index.centre.length)
  for (const [i, value] of [magic, version, counts.length, key.length, index.centre.length].entries())
    view.setUint32(i * 4, value, true)
  for (const [i, value] of [addedUpTo, removedUpTo, lost, rate, lostRate].entries())
    view.setFloat64(24 + i * 8, value, true)
  for (const [i, value] of index.centre.entries()) view.setFloat32(startBytes + i * 4, value, true)
  for (const [i, count] of counts.entries()) view.setUint32(countsAt + i * 4, count, true)
  bytes.set(key, countsAt + counts.length * 4)
  return bytes
}

const encodeChecksum = (checksum: bigint): Uint8Array => {
  const bytes = new Uint8Array(checksumBytes)
  new DataView(bytes.buffer).setBigUint64(0, checksum, true)
  return bytes
}

/**
 * Generates a snapshot part by part.
 * @param key identifies models and collection
 * @throws {Error} if the index has changed since the first part
 */
export function* writeSnapshot(
  index: TemplateIndex,
  key: string,
  watermarks: Watermarks,
): Generator<Uint8Array, void> {
  const { version: started } = index
  const header = writeHeader(index, new TextEncoder().encode(key), watermarks)
  const blocks = index.blockCounts.length
  const seed = index.computeChecksum(header)
  yield header
  yield encodeChecksum(seed)
  for (let block = 0; block < blocks; block++) {
    if (index.version !== started) throw new Error('the index changes while it is written')
    const { bytes, checksum } = index.copyBlock(block, seed + BigInt(block))
    yield encodeChecksum(checksum)
    yield bytes
  }
}

interface Header {
  watermarks: Watermarks
  index: { centre: Float32Array; bounds: { lost: number; rate: number; lostRate: number } }
  counts: number[]
  bytes: Uint8Array
}

function readHeader(bytes: Uint8Array, key: string): Header | null {
  if (bytes.length < startBytes) return null
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [found, foundVersion, blocks, keyLength, length] = [0, 4, 8, 12, 16].map((at) =>
    view.getUint32(at, true),
  ) as [number, number, number, number, number]
  const headBytes = headerBytes(length, blocks, keyLength)
  if (found !== magic || foundVersion !== version || headBytes > headerBytesMax) return null
  if (bytes.length !== headBytes + checksumBytes + blocks * (checksumBytes + blockBytes(length))) return null
  const countsAt = fixedBytes(length)
  const keyAt = countsAt + blocks * 4
  if (new TextDecoder().decode(bytes.subarray(keyAt, keyAt + keyLength)) !== key) return null
  const counts = Array.from({ length: blocks }, (_, i) => view.getUint32(countsAt + i * 4, true))
  if (counts.some((count) => count === 0 || count > blockRows)) return null
  const [addedUpTo, removedUpTo, lost, rate, lostRate] = [24, 32, 40, 48, 56].map((at) =>
    view.getFloat64(at, true),
  ) as [number, number, number, number, number]
  const centre = Float32Array.from({ length }, (_, i) => view.getFloat32(startBytes + i * 4, true))
  return {
    watermarks: { addedUpTo, removedUpTo },
    index: { centre, bounds: { lost, rate, lostRate } },
    counts,
    bytes: bytes.subarray(0, headBytes),
  }
}

/** Reads the watermarks of a snapshot; `null` if it is damaged or has another key. */
export const readWatermarks = (bytes: Uint8Array, key: string): Watermarks | null =>
  readHeader(bytes, key)?.watermarks ?? null

/** Reads the index of a snapshot; `null` if the bytes are damaged or have another key. */
export function readSnapshot(
  module: WebAssembly.Module,
  bytes: Uint8Array,
  key: string,
): { index: TemplateIndex; watermarks: Watermarks } | null {
  const header = readHeader(bytes, key)
  if (!header) return null
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const index = new TemplateIndex(module, header.index.centre, header.index.bounds)
  const seed = index.computeChecksum(header.bytes)
  let at = header.bytes.length
  if (seed !== view.getBigUint64(at, true)) return null
  at += checksumBytes
  for (const [block, count] of header.counts.entries()) {
    const checksum = view.getBigUint64(at, true)
    at += checksumBytes
    const content = bytes.subarray(at, at + blockBytes(index.centre.length))
    if (!index.pasteBlock(content, count, seed + BigInt(block), checksum)) return null
    at += content.length
  }
  return { index, watermarks: header.watermarks }
}
