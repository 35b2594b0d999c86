/** What assessing a medium may cost, told from its headers: for the order in which media wait, never for a verdict. */
import { inspectImage } from './decode-image.ts'
import { sniff } from './sniff.ts'

/** Of any medium: what is found in a picture of ordinary size. */
const baseMs = 150
/** Decoding and shrinking, by what decoders of each format took for 40 megapixels on one core. */
const megapixelMs = { jpeg: 50, png: 160, webp: 110 } as const
/** Each further scan of a JPEG. */
const scanMegapixelMs = 1
/** A clip of ten seconds in 4K took 18 s, one in 640 × 480 two. */
const clipMs = 1500
const clipMegapixelMs = 2000
/** Of clips whose header is not read here. */
const clipMegapixelsUsual = 2
const archiveMs = 4000

const boxesMax = 64

/** The contents of boxes of one kind among those that lie side by side. */
function findBoxes(bytes: Uint8Array, kind: string): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found: Uint8Array[] = []
  let at = 0
  for (let boxes = 0; boxes < boxesMax && at + 16 <= bytes.length; boxes++) {
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
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

/** Megapixels of the largest track; `null` where the header does not say. */
function readMp4Megapixels(bytes: Uint8Array): number | null {
  const heads = findBoxes(bytes, 'moov')
    .flatMap((movie) => findBoxes(movie, 'trak'))
    .flatMap((track) => findBoxes(track, 'tkhd'))
  const sizes = heads
    .filter(({ length }) => length >= 84)
    .map((head) => {
      const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
      // Both end the box, as numbers of 16.16 bits.
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

/**
 * Milliseconds of one core, roughly. What cannot be read costs no more than to find that out.
 */
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
