/** VP8 in containers: a sample is a frame (RFC 6386). */
import type { Size } from '../../rgba-image.ts'
import { matroska } from '../formats/matroska.ts'
import type { ClipCodec, Coding } from '../own/clip-codec.ts'
import { demand } from '../own/clip-track.ts'
import { openVp8 } from './vp8-decoder.ts'

const profileMax = 3

interface Frame {
  profile: number
  /** Of a key frame; `null` of another one. */
  size: Size | null
}

/** Reads what comes before the first partition (9.1). */
function readFrame(sample: Uint8Array): Frame {
  demand(sample.length >= 3)
  const view = new DataView(sample.buffer, sample.byteOffset, sample.length)
  const tag = view.getUint16(0, true) | (view.getUint8(2) << 16)
  const isKey = (tag & 1) === 0
  demand((tag >> 5) + (isKey ? 10 : 3) <= sample.length)
  const profile = (tag >> 1) & 7
  if (!isKey) return { profile, size: null }
  demand(view.getUint16(3) === 0x9d01 && view.getUint8(5) === 0x2a)
  const [width, height] = [view.getUint16(6, true) & 0x3fff, view.getUint16(8, true) & 0x3fff]
  demand(width > 0 && height > 0)
  return { profile, size: { width, height } }
}

function read(): Coding {
  return {
    codec: vp8,
    isKey: (sample) => readFrame(sample).size !== null,
    async open(module, limits, first) {
      const { profile, size } = readFrame(first)
      return size && profile <= profileMax ? { decoder: await openVp8(module, limits), size } : null
    },
  }
}

export const vp8: ClipCodec = {
  id: 'vp8',
  name: 'VP8',
  formats: [matroska],
  matroska: 'V_VP8',
  kinds: `profiles 0 to ${profileMax}`,
  read,
}
