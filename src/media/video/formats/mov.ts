/** Clips of ISO base media files (ISO/IEC 14496-12): MP4, MOV and 3GP. */
import { asciiText } from '../../ascii.ts'
import { sniffHeif } from '../../formats/heif/heif-brands.ts'
import type { HeaderCursor } from '../../header-cursor.ts'
import { findBox, findBoxes } from '../../iso-boxes.ts'
import { type ClipFormat, type ClipHeader, nothingDeclared, orNull, toMegapixels } from './clip-format.ts'

const mp4 = { name: 'MP4', mimeType: 'video/mp4', extension: 'mp4' } as const
const quickTime = { name: 'MOV', mimeType: 'video/quicktime', extension: 'mov' } as const
const threeGp = { name: '3GP', mimeType: 'video/3gpp', extension: '3gp' } as const

function readTrack(track: HeaderCursor): { megapixels: number; pictures: number } {
  const head = findBox(track, 'tkhd')
  const sizes = findBox(track, 'mdia', 'minf', 'stbl', 'stsz')
  // Width and height are the last fields of the box, in 16.16 fixed point.
  const megapixels =
    head && head.left >= 84 ? toMegapixels(head.uint16(head.left - 8), head.uint16(head.left - 4)) : 0
  return { megapixels, pictures: sizes && sizes.left >= 12 ? sizes.uint32(8) : 0 }
}

const unknownDurations: ReadonlySet<number> = new Set([0xffff_ffff, 2 ** 64])

/** @param head content of `mvhd` */
function readMovieDuration(head: HeaderCursor): number {
  const isLong = head.uint8(0) === 1
  const [unit, duration] = isLong ? [head.uint32(20), head.uint64(24)] : [head.uint32(12), head.uint32(16)]
  return unknownDurations.has(duration) ? 0 : duration / unit
}

function readIsoBaseMedia(cursor: HeaderCursor): ClipHeader {
  const movie = findBox(cursor, 'moov')
  if (!movie) return nothingDeclared
  const head = findBox(movie, 'mvhd')
  const tracks = [...findBoxes(movie.part(0), 'trak')].map(readTrack)
  const largest = tracks.toSorted((a, b) => b.megapixels - a.megapixels)[0]
  return {
    megapixels: orNull(largest?.megapixels ?? 0),
    durationS: orNull(head && head.left >= 32 ? readMovieDuration(head) : 0),
    pictures: orNull(largest?.pictures ?? 0),
  }
}

export const mov: ClipFormat = {
  container: 'mov',
  types: [mp4, quickTime, threeGp],
  /** The brand tells the type; the demuxer is the same for all. */
  sniff(bytes) {
    const box = asciiText(bytes, 4, 8)
    if (!/^(ftyp|moov|mdat|free|skip|wide)$/.test(box) || sniffHeif(bytes)) return null
    const brand = box === 'ftyp' ? asciiText(bytes, 8, 12) : 'qt  '
    if (brand === 'qt  ') return quickTime
    return /^3g[2p]/.test(brand) ? threeGp : mp4
  },
  readHeader: readIsoBaseMedia,
}
