/** H.264 in containers (ISO/IEC 14496-15). Of streams that players may read differently, none is read. */
import type { HeaderCursor } from '../../header-cursor.ts'
import { mov } from '../formats/mov.ts'
import type { ClipCodec, Coding } from '../own/clip-codec.ts'
import { demand } from '../own/clip-track.ts'
import { openH264 } from './h264-decoder.ts'

/** The next parameter set of a configuration. */
function readSet(configuration: HeaderCursor, type: number): Uint8Array {
  const size = configuration.uint16(0)
  demand(size > 0 && size + 2 <= configuration.left && (configuration.uint8(2) & 31) === type)
  const set = configuration.bytes(2, size)
  configuration.skip(size + 2)
  return set
}

/** Parameter sets, as NAL units: one of the sequence and those of pictures (`avcC`, 5.3.3.1). */
function readConfiguration(configuration: HeaderCursor) {
  demand(configuration.uint8(0) === 1)
  const lengthBytes = (configuration.uint8(4) & 3) + 1
  demand(lengthBytes === 1 || lengthBytes === 2 || lengthBytes === 4)
  // Two sequences may have two sizes: limits are checked for one.
  demand((configuration.uint8(5) & 31) === 1)
  configuration.skip(6)
  const sequence = readSet(configuration, 7)
  const count = configuration.uint8(0)
  configuration.skip(1)
  const sets = [sequence, ...Array.from({ length: count }, () => readSet(configuration, 8))]
  return { sets, lengthBytes } as const
}

/** Bytes as text of one letter each, to compare them. */
function toText(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}

/**
 * Demands that a sample is a row of whole NAL units of one picture.
 * @param known parameter sets of the configuration: there may be no others
 * @returns whether it is a key picture
 */
function checkUnits(sample: Uint8Array, lengthBytes: number, known: ReadonlySet<string>): boolean {
  let first = 0
  let pictures = 0
  for (let next = 0; next < sample.length; ) {
    demand(next + lengthBytes < sample.length)
    let length = 0
    for (let i = 0; i < lengthBytes; i++) length = length * 256 + sample[next + i]!
    next += lengthBytes
    demand(length > 0 && next + length <= sample.length)
    const type = sample[next]! & 31
    demand(type < 2 || type > 4)
    if (type === 1 || type === 5) {
      first ||= type
      // The number of the first macroblock: 0 is one bit.
      if (length > 1 && sample[next + 1]! & 0x80) pictures++
    }
    if (type === 7 || type === 8)
      demand(length <= 0xffff && known.has(toText(sample.subarray(next, next + length))))
    next += length
  }
  demand(pictures <= 1)
  return first === 5
}

function read(configuration: HeaderCursor): Coding {
  const { sets, lengthBytes } = readConfiguration(configuration)
  const known = new Set(sets.map(toText))
  return {
    codec: h264,
    isKey: (sample) => checkUnits(sample, lengthBytes, known),
    async open(module, limits) {
      const decoder = await openH264(module, { ...limits, lengthBytes })
      const size = decoder.configure(sets) ? decoder.size() : null
      demand(decoder.refusal !== 'damaged')
      return size && { decoder, size }
    },
  }
}

export const h264: ClipCodec = {
  id: 'h264',
  name: 'H.264',
  formats: [mov],
  mp4: { entry: 'avc1', box: 'avcC' },
  kinds: '8 bits, 4:2:0, not interlaced',
  read,
}
