/** Cost estimates from headers: expensive media are recognised before decoding. */
import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { estimateCostMs } from '../../../src/assess/media-cost.ts'
import { headeredAvi, headeredMp4, headeredWebm } from '../../fixtures/clip-headers.ts'
import { concat, pngHeader, pngSignature, withFrame } from '../../fixtures/pictures.ts'
import { portrait } from '../../fixtures/portraits.ts'

const zip = (files: readonly Uint8Array[], level: 0 | 6) =>
  zipSync(Object.fromEntries(files.map((file, i) => [`${i}.jpg`, [file, { level }]])))

describe('the cost of a picture', () => {
  it('grows with its pixels and scans', async () => {
    const photo = await portrait('redhead')
    const usual = estimateCostMs(photo)
    expect(usual).toBeLessThan(300)
    expect(estimateCostMs(withFrame(photo, { width: 8000, height: 5000 }))).toBeGreaterThan(1000)
    const png = concat(pngSignature, pngHeader(8000, 5000, 'grey8'))
    expect(estimateCostMs(png)).toBeGreaterThan(4000)
  })
})

describe('the cost of a clip', () => {
  const of = { width: 1280, height: 720, seconds: 5, pictures: 150 }

  it.each([
    ['MP4', headeredMp4],
    ['WebM', headeredWebm],
    ['AVI', headeredAvi],
  ] as const)('grows with its pixels, duration and pictures: %s', (_, clip) => {
    const usual = estimateCostMs(clip(of))
    // 2.5 s were measured for such a clip.
    expect(usual).toBeGreaterThan(2000)
    expect(usual).toBeLessThan(4000)
    expect(estimateCostMs(clip({ ...of, width: 3840, height: 2160 }))).toBeGreaterThan(usual * 3)
    expect(estimateCostMs(clip({ ...of, seconds: 8, pictures: 240 }))).toBeGreaterThan(usual * 1.4)
    expect(estimateCostMs(clip({ ...of, pictures: 600 }))).toBeGreaterThan(usual * 1.8)
  })

  it('is the one of an ordinary clip without a size, duration and pictures in its header', () => {
    for (const clip of [
      headeredMp4({ width: 0, height: 0, seconds: 0, pictures: 0 }),
      headeredWebm({ width: 0, height: 0, seconds: 0, pictures: 0 }),
      Uint8Array.of(0x1a, 0x45, 0xdf, 0xa3),
      new Uint8Array(188 * 4).map((_, i) => (i % 188 === 0 ? 0x47 : 0)),
    ])
      expect(estimateCostMs(clip)).toBe(400 + 60 * 25 + 10 * 45 + 8 * 2 * 150)
  })

  it('is never that of a cheap medium, whatever its header declares', () => {
    expect(estimateCostMs(headeredMp4({ width: 16, height: 16, seconds: 0.1, pictures: 1 }))).toBe(1100)
  })

  it.each([
    headeredMp4({ width: 65535, height: 65535, seconds: 4e6, pictures: 0xffffffff }),
    headeredMp4({ width: 65535, height: 65535, seconds: 4e15, pictures: 0xffffffff }, 1),
    headeredWebm({ width: 0xffffffff, height: 0xffffffff, seconds: 1e290, pictures: 1e299 }),
    headeredAvi({ width: 0xffffffff, height: 0xffffffff, seconds: 4e9, pictures: 0xffffffff }),
  ])('is bounded, whatever its header declares', (clip) => {
    expect(estimateCostMs(clip)).toBe(60_000)
  })
})

describe('the cost of an archive', () => {
  it('grows with its files', async () => {
    const photo = await portrait('redhead')
    const costs = [10, 50, 100].map((count) => estimateCostMs(zip(Array(count).fill(photo), 0)))
    // 0.6, 1.6 and 2.7 s were measured.
    expect(costs[0]).toBe(1100)
    expect(costs[1]).toBeGreaterThan(1500)
    expect(costs[1]).toBeLessThan(2500)
    expect(costs[2]).toBeGreaterThan(costs[1]! * 1.5)
  })

  it('grows with the unpacked bytes of its files', async () => {
    const photo = await portrait('redhead')
    const noise = new Uint8Array(3e6).map((_, i) => (i * 2654435761) >>> 13)
    const usual = estimateCostMs(zip(Array(20).fill(photo), 0))
    for (const level of [0, 6] as const)
      expect(estimateCostMs(zip(Array(20).fill(concat(photo, noise)), level))).toBeGreaterThan(
        usual + 20 * 250,
      )
  })
})

describe('any cost', () => {
  it('is low for files that are no medium, and never throws', async () => {
    const photo = await portrait('redhead')
    const of = { width: 640, height: 480, seconds: 5, pictures: 150 }
    for (const file of [photo, headeredMp4(of), headeredWebm(of), headeredAvi(of), zip([photo, photo], 0)]) {
      for (let length = 0; length < Math.min(file.length, 6000); length += file.length < 1000 ? 1 : 97)
        expect(Number.isFinite(estimateCostMs(file.subarray(0, length)))).toBe(true)
    }
    expect(estimateCostMs(new Uint8Array(100))).toBe(150)
  })
})
