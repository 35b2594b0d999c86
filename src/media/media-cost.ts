/** Estimates the cost of assessing a medium from its headers. Used only for the order of waiting media. */
import { asciiText } from './ascii.ts'
import { inspectImage } from './decode-image.ts'
import { sniff } from './sniff.ts'

/** Base cost of any medium: the analysis of a picture of ordinary size. */
const baseMs = 150
/**
 * Decoding and shrinking per megapixel, measured with 40 megapixels on one core; JPEG as mozjpeg decodes it, which a damaged file
 * needs.
 */
const megapixelMs = { jpeg: 25, png: 160, webp: 110 } as const
/** Each additional scan of a JPEG, per megapixel. */
const scanMegapixelMs = 1
/** Measured: a clip of ten seconds takes 18 s in 4K, 2 s in 640 × 480. */
const clipMs = 1500
const clipMegapixelMs = 2000
/** Assumed size of clips whose header is not read here. */
const clipMegapixelsUsual = 2
const archiveMs = 4000

const boxesMax = 64

/** Contents of all boxes of one kind among adjacent boxes. */
function findBoxes(bytes: Uint8Array, kind: string): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found: Uint8Array[] = []
  let at = 0
  for (let boxes = 0; boxes < boxesMax && at + 16 <= bytes.length; boxes++) {
    const name = asciiText(bytes, at + 4, at + 8)
    const short = view.getUint32(at)
    const isLong = short === 1
    const size = isLong ? Number(view.getBigUint64(at + 8)) : short === 0 ? bytes.length - at : short
    const head = isLong ? 16 : 8
    if (size < head) break
    if (name === kind) found.push(bytes.subarray(at + head, at + size))
    at += size
  }
  return found
}

/** Megapixels of the largest track; `null` if the header has no size. */
function readMp4Megapixels(bytes: Uint8Array): number | null {
  const heads = findBoxes(bytes, 'moov')
    .flatMap((movie) => findBoxes(movie, 'trak'))
    .flatMap((track) => findBoxes(track, 'tkhd'))
  const sizes = heads
    .filter(({ length }) => length >= 84)
    .map((head) => {
      const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
      // Width and height are the last fields of the box, in 16.16 fixed point.
      return (view.getUint16(head.length - 8) * view.getUint16(head.length - 4)) / 1e6
    })
  const largest = Math.max(0, ...sizes)
  return largest > 0 ? largest : null
}

function estimateImageCostMs(bytes: Uint8Array): number {
  const { format, width, height, scans } = inspectImage(bytes, { pixelsMax: Number.POSITIVE_INFINITY })
  const megapixels = (width * height) / 1e6
  return baseMs + megapixels * (megapixelMs[format] + (scans - 1) * scanMegapixelMs)
}

/** Estimated milliseconds on one core. Unreadable media get the base cost. */
export function estimateCostMs(bytes: Uint8Array): number {
  const { kind } = sniff(bytes)
  try {
    if (kind === 'image') return estimateImageCostMs(bytes)
    if (kind === 'video') return clipMs + clipMegapixelMs * (readMp4Megapixels(bytes) ?? clipMegapixelsUsual)
  } catch {
    return baseMs
  }
  return kind === 'archive' ? archiveMs : baseMs
}
