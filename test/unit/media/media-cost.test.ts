/** Cost estimates from headers: expensive media are recognised before decoding. */
import { describe, expect, it } from 'vitest'
import { estimateCostMs } from '../../../src/media/media-cost.ts'
import { concat, pngHeader, pngSignature, withFrame } from '../../fixtures/pictures.ts'
import { portrait } from '../../fixtures/portraits.ts'

function box(name: string, ...contents: Uint8Array[]): Uint8Array {
  const body = concat(...contents)
  const bytes = concat(new Uint8Array(8), body)
  new DataView(bytes.buffer).setUint32(0, bytes.length)
  bytes.set(new TextEncoder().encode(name), 4)
  return bytes
}

function trackHeader(width: number, height: number, version: 0 | 1): Uint8Array {
  const body = new Uint8Array(version === 0 ? 84 : 96)
  const view = new DataView(body.buffer)
  body[0] = version
  view.setUint16(body.length - 8, width)
  view.setUint16(body.length - 4, height)
  return box('tkhd', body)
}

const mp4 = (width: number, height: number, version: 0 | 1 = 0): Uint8Array =>
  concat(
    box('ftyp', new TextEncoder().encode('isom0000')),
    box('mdat', new Uint8Array(5000)),
    box('moov', box('mvhd', new Uint8Array(100)), box('trak', trackHeader(width, height, version))),
  )

describe('the cost of a medium', () => {
  it('grows with the pixels of a picture', async () => {
    const photo = await portrait('redhead')
    const usual = estimateCostMs(photo)
    expect(usual).toBeLessThan(300)
    expect(estimateCostMs(withFrame(photo, { width: 8000, height: 5000 }))).toBeGreaterThan(1000)
    const png = concat(pngSignature, pngHeader(8000, 5000, 'grey8'))
    expect(estimateCostMs(png)).toBeGreaterThan(4000)
  })

  it.each([0, 1] as const)('grows with the pixels of a clip (header of version %i)', (version) => {
    const small = estimateCostMs(mp4(640, 480, version))
    expect(small).toBeGreaterThan(1000)
    expect(estimateCostMs(mp4(3840, 2160, version))).toBeGreaterThan(small * 5)
  })

  it('is a medium value for a clip without a size in its header', () => {
    for (const clip of [mp4(0, 0), box('ftyp', new Uint8Array(8)), Uint8Array.of(0x1a, 0x45, 0xdf, 0xa3)])
      expect(estimateCostMs(clip)).toBe(5500)
  })

  it('is low for files that are no medium, and never throws', async () => {
    const photo = await portrait('redhead')
    const whole = mp4(640, 480)
    for (const file of [photo, whole]) {
      for (let length = 0; length < Math.min(file.length, 6000); length += 97)
        expect(Number.isFinite(estimateCostMs(file.subarray(0, length)))).toBe(true)
    }
    expect(estimateCostMs(new Uint8Array(100))).toBe(150)
  })
})
