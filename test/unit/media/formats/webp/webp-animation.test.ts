import { describe, expect, it } from 'vitest'
import { animateWebp } from '../../../../../src/media/formats/webp/webp-animation.ts'
import { testCodecs } from '../../../../fixtures/codecs.ts'
import { ramp } from '../../../../fixtures/pictures.ts'

/** Names and sizes of the chunks of a file; those of a frame follow its name. */
function chunks(bytes: Uint8Array, from = 12, to = bytes.length): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const found: string[] = []
  for (let at = from; at < to; ) {
    const name = String.fromCharCode(...bytes.subarray(at, at + 4))
    const size = view.getUint32(at + 4, true)
    found.push(name)
    if (name === 'ANMF') found.push(...chunks(bytes, at + 8 + 16, at + 8 + size).map((inner) => `>${inner}`))
    at += 8 + size + (size % 2)
    expect(at).toBeLessThanOrEqual(to)
  }
  return found
}

describe('an animated WebP', () => {
  it('has a header, its loop, and one frame for each picture', async () => {
    const still = await testCodecs.encodeWebp({ image: ramp(64, 40), quality: 60 })
    const frame = { bytes: still!, width: 64, height: 40 }
    const { bytes } = animateWebp([frame, frame, frame], 250)
    const view = new DataView(bytes.buffer)
    expect(view.getUint32(4, true)).toBe(bytes.length - 8)
    expect(chunks(bytes)).toEqual(['VP8X', 'ANIM', 'ANMF', '>VP8 ', 'ANMF', '>VP8 ', 'ANMF', '>VP8 '])
    expect([bytes[24]! + 1, bytes[27]! + 1]).toEqual([64, 40])
  })

  it('is as large as its frames together, and smaller ones lie in its middle', async () => {
    const still = async (width: number, height: number) => ({
      bytes: (await testCodecs.encodeWebp({ image: ramp(width, height), quality: 60 }))!,
      width,
      height,
    })
    const { bytes, width, height } = animateWebp([await still(64, 40), await still(40, 64)], 250)
    expect([width, height]).toEqual([64, 64])
    const text = Buffer.from(bytes).toString('latin1')
    const places = [...text.matchAll(/ANMF/g)].map(({ index }) => {
      const number = (at: number) => bytes[at]! + 256 * bytes[at + 1]!
      const from = index + 8
      return [2 * number(from), 2 * number(from + 3), number(from + 6) + 1, number(from + 9) + 1]
    })
    expect(places).toEqual([
      [0, 12, 64, 40],
      [12, 0, 40, 64],
    ])
  })

  it('accepts only simple lossy files', () => {
    const still = { bytes: new Uint8Array(64), width: 1, height: 1 }
    expect(() => animateWebp([still], 1)).toThrow(TypeError)
  })
})
