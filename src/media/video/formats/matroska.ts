/** Clips of Matroska and WebM (RFC 9559). */
import { asciiText } from '../../ascii.ts'
import { ebmlIds, findElement, findElements, readFloat, readInteger } from '../../ebml.ts'
import type { HeaderCursor } from '../../header-cursor.ts'
import { type ClipFormat, type ClipHeader, orNull, toMegapixels } from './clip-format.ts'

const webm = { name: 'WebM', mimeType: 'video/webm', extension: 'webm' } as const
const other = { name: 'Matroska', mimeType: 'video/x-matroska', extension: 'mkv' } as const

function readMatroska(cursor: HeaderCursor): ClipHeader {
  const segment = findElement(cursor, ebmlIds.segment)
  const info = findElement(segment, ebmlIds.info)
  const tracks = findElement(segment, ebmlIds.tracks)
  const integer = (parent: HeaderCursor | null, kind: number) => readInteger(findElement(parent, kind))
  // The unit of times is a million nanoseconds if none is stated.
  const unitNs = integer(info, ebmlIds.timestampScale) || 1e6
  const durationS = orNull((readFloat(findElement(info, ebmlIds.duration)) * unitNs) / 1e9)
  const sizes = (tracks ? [...findElements(tracks, ebmlIds.track)] : []).map((track) => {
    const video = findElement(track, ebmlIds.video)
    return {
      megapixels: toMegapixels(integer(video, ebmlIds.width), integer(video, ebmlIds.height)),
      pictureNs: integer(track, ebmlIds.defaultDuration),
    }
  })
  const largest = sizes.toSorted((a, b) => b.megapixels - a.megapixels)[0]
  const isEven = durationS !== null && largest && largest.pictureNs > 0
  return {
    megapixels: orNull(largest?.megapixels ?? 0),
    durationS,
    pictures: isEven ? orNull((durationS * 1e9) / largest.pictureNs) : null,
  }
}

export const matroska: ClipFormat = {
  container: 'matroska',
  types: [webm, other],
  sniff(bytes) {
    if (asciiText(bytes, 0, 4) !== '\x1a\x45\xdf\xa3') return null
    // The header has its document type within the first 64 bytes.
    return asciiText(bytes, 0, 64).includes('webm') ? webm : other
  },
  readHeader: readMatroska,
}
