import { describe, expect, it } from 'vitest'
import { animateWebp } from '../../../src/media/webp-animation.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import { ramp } from '../../fixtures/pictures.ts'

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
    const bytes = animateWebp([still!, still!, still!], { width: 64, height: 40, frameMs: 250 })
    const view = new DataView(bytes.buffer)
    expect(view.getUint32(4, true)).toBe(bytes.length - 8)
    expect(chunks(bytes)).toEqual(['VP8X', 'ANIM', 'ANMF', '>VP8 ', 'ANMF', '>VP8 ', 'ANMF', '>VP8 '])
    expect([bytes[24]! + 1, bytes[27]! + 1]).toEqual([64, 40])
  })

  it('accepts only simple lossy files', () => {
    expect(() => animateWebp([new Uint8Array(64)], { width: 1, height: 1, frameMs: 1 })).toThrow(TypeError)
  })
})
