/** Combines still WebP files into an animation (RFC 9649, 2.7). */

import { invariant } from '../errors.ts'
import { asciiText } from './ascii.ts'

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
const doNotBlend = 0x02

/**
 * Makes an animation that loops forever.
 * @param stills simple lossy WebP files of equal size
 * @param frameMs duration of each frame
 */
export function animateWebp(
  stills: readonly Uint8Array[],
  { width, height, frameMs }: { width: number; height: number; frameMs: number },
): Uint8Array {
  const size = [...littleEndian(width - 1, 3), ...littleEndian(height - 1, 3)]
  const frames = stills.map((still) =>
    makeChunk(
      'ANMF',
      [...littleEndian(0, 3), ...littleEndian(0, 3), ...size, ...littleEndian(frameMs, 3), doNotBlend],
      extractPictureChunk(still),
    ),
  )
  return makeChunk(
    'RIFF',
    ascii('WEBP'),
    makeChunk('VP8X', [animationFlag, 0, 0, 0, ...size]),
    makeChunk('ANIM', [...opaqueBlack, ...littleEndian(forEver, 2)]),
    ...frames,
  )
}
