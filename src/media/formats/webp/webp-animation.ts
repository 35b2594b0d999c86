/** Combines still WebP files into an animation (RFC 9649, 2.7). */

import { invariant } from '../../../errors.ts'
import { asciiText } from '../../ascii.ts'
import type { Size } from '../../rgba-image.ts'

const ascii = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0))
const littleEndian = (value: number, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** i) % 256)

/** A chunk: name, size, content, and a padding byte if the size is odd. */
function makeChunk(name: string, ...contents: ArrayLike<number>[]): Uint8Array {
  const size = contents.reduce((sum, { length }) => sum + length, 0)
  const bytes = new Uint8Array(8 + size + (size % 2))
  bytes.set([...ascii(name), ...littleEndian(size, 4)])
  let at = 8
  for (const content of contents) {
    bytes.set(content, at)
    at += content.length
  }
  return bytes
}

/** The picture chunk of a simple lossy file; it directly follows the file header. */
function extractPictureChunk(still: Uint8Array): Uint8Array {
  const name = asciiText(still, 12, 16)
  invariant(name === 'VP8 ', 'frames are simple lossy files')
  const size = new DataView(still.buffer, still.byteOffset).getUint32(16, true)
  return still.subarray(12, 20 + size + (size % 2))
}

const animationFlag = 0x02
const opaqueBlack = [0, 0, 0, 255]
const forEver = 0
/** A frame replaces what lies below it, and leaves nothing of itself to the next one. */
const replaceAndClear = 0x03

/** A simple lossy WebP file. */
export interface Still extends Size {
  bytes: Uint8Array
}

export interface Animation extends Size {
  bytes: Uint8Array
}

const sizeBytes = ({ width, height }: Size): number[] => [
  ...littleEndian(width - 1, 3),
  ...littleEndian(height - 1, 3),
]

/**
 * Makes an animation that loops forever, as large as the largest width and height; smaller frames lie in its middle.
 * @param stills at least one
 * @param frameMs duration of each frame
 */
export function animateWebp(stills: readonly Still[], frameMs: number): Animation {
  const width = Math.max(...stills.map((still) => still.width))
  const height = Math.max(...stills.map((still) => still.height))
  // Places are even, and stored as halves.
  const place = (side: number, length: number) => littleEndian(Math.floor((side - length) / 4), 3)
  const frames = stills.map((still) =>
    makeChunk(
      'ANMF',
      [...place(width, still.width), ...place(height, still.height), ...sizeBytes(still)],
      [...littleEndian(frameMs, 3), replaceAndClear],
      extractPictureChunk(still.bytes),
    ),
  )
  const bytes = makeChunk(
    'RIFF',
    ascii('WEBP'),
    makeChunk('VP8X', [animationFlag, 0, 0, 0, ...sizeBytes({ width, height })]),
    makeChunk('ANIM', [...opaqueBlack, ...littleEndian(forEver, 2)]),
    ...frames,
  )
  return { bytes, width, height }
}
