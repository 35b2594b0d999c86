/** Cost estimates from headers: expensive media are recognised before decoding. */
import { deflateSync, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { type CostLimits, estimateCostMs } from '../../../src/assess/media-cost.ts'
import { openMedium } from '../../../src/media/opened-medium.ts'
import { headeredAvi, headeredMp4, headeredWebm } from '../../fixtures/clip-headers.ts'
import { box, heifOf, type Still } from '../../fixtures/heif.ts'
import { concat, pngHeader, pngSignature, withFrame } from '../../fixtures/pictures.ts'
import { portrait } from '../../fixtures/portraits.ts'
import { forgeZip, sharedStreamBomb } from '../../fixtures/zip.ts'

const limits = { taskTimeoutMs: 30_000, clipMaxS: 10 }
const costOf = (bytes: Uint8Array, other: Partial<CostLimits> = {}) =>
  estimateCostMs(openMedium(bytes), { ...limits, ...other })

const zip = (files: readonly Uint8Array[], level: 0 | 6) =>
  zipSync(Object.fromEntries(files.map((file, i) => [`${i}.jpg`, [file, { level }]])))

/** An archive of twenty files that share a stream. */
const sharedArchive = (packed: Uint8Array) =>
  forgeZip(
    Array.from({ length: 20 }, (_, i) => ({ name: `${i}.png`, packed, method: 8, claimedSize: 100 })),
    true,
  )

describe('the cost of a picture', () => {
  it('grows with its pixels and scans', async () => {
    const photo = await portrait('redhead')
    const usual = costOf(photo)
    expect(usual).toBeLessThan(300)
    expect(costOf(withFrame(photo, { width: 8000, height: 5000 }))).toBeGreaterThan(1000)
    const png = concat(pngSignature, pngHeader(8000, 5000, 'grey8'))
    expect(costOf(png)).toBeGreaterThan(4000)
  })
})

describe('the cost of a clip', () => {
  const of = { width: 1280, height: 720, seconds: 5, pictures: 150 }

  it.each([
    ['MP4', headeredMp4],
    ['WebM', headeredWebm],
    ['AVI', headeredAvi],
  ] as const)('grows with its pixels, duration and pictures: %s', (_, clip) => {
    const usual = costOf(clip(of))
    // 2.5 s were measured for such a clip.
    expect(usual).toBeGreaterThan(2000)
    expect(usual).toBeLessThan(4000)
    expect(costOf(clip({ ...of, width: 3840, height: 2160 }))).toBeGreaterThan(usual * 3)
    expect(costOf(clip({ ...of, seconds: 8, pictures: 240 }))).toBeGreaterThan(usual * 1.4)
    expect(costOf(clip({ ...of, pictures: 600 }))).toBeGreaterThan(usual * 1.8)
  })

  it('is the one of an ordinary clip without a size, duration and pictures in its header', () => {
    for (const clip of [
      headeredMp4({ width: 0, height: 0, seconds: 0, pictures: 0 }),
      headeredWebm({ width: 0, height: 0, seconds: 0, pictures: 0 }),
      Uint8Array.of(0x1a, 0x45, 0xdf, 0xa3),
      new Uint8Array(188 * 4).map((_, i) => (i % 188 === 0 ? 0x47 : 0)),
    ])
      expect(costOf(clip)).toBe(400 + 60 * 25 + 10 * 45 + 8 * 2 * 150)
  })

  it('is that of the part which is assessed', () => {
    const part = costOf(headeredMp4({ ...of, seconds: 10, pictures: 300 }))
    expect(costOf(headeredMp4({ ...of, seconds: 60, pictures: 1800 }))).toBeCloseTo(part, 6)
    expect(costOf(headeredMp4({ ...of, seconds: 60, pictures: 1800 }), { clipMaxS: 60 })).toBeGreaterThan(
      part * 2.5,
    )
    // Nothing declares how long it lasts.
    expect(costOf(headeredMp4({ ...of, seconds: 0, pictures: 1800 }))).toBeCloseTo(part, 6)
  })

  it('is that of an ordinary clip at least, where the header declares more time than there is', () => {
    const honest = costOf(headeredMp4({ ...of, seconds: 10, pictures: 300 }))
    expect(costOf(headeredMp4({ ...of, seconds: 36_000, pictures: 300 }))).toBeCloseTo(honest, 6)
    expect(costOf(headeredMp4({ ...of, seconds: 36_000, pictures: 2400 }))).toBeCloseTo(honest, 6)
  })

  it('is that of a clip too where a transport stream begins like a picture', () => {
    const packets = (prefix: readonly number[]) =>
      new Uint8Array(192 * 4).map((_, i) => (i % 192 === 4 ? 0x47 : (prefix[i] ?? 0)))
    for (const prefix of [[], [0xff, 0xd8, 0xff, 0xe0], [...Buffer.from('RIFFG\0\0\0WEBP')]])
      expect(costOf(packets(prefix))).toBe(400 + 60 * 25 + 10 * 45 + 8 * 2 * 150)
  })

  it('is never that of a cheap medium, whatever its header declares', () => {
    expect(costOf(headeredMp4({ width: 16, height: 16, seconds: 0.1, pictures: 1 }))).toBe(1100)
  })

  it.each([
    headeredMp4({ width: 65535, height: 65535, seconds: 4e6, pictures: 0xffffffff }),
    headeredMp4({ width: 65535, height: 65535, seconds: 4e15, pictures: 0xffffffff }, 1),
    headeredWebm({ width: 0xffffffff, height: 0xffffffff, seconds: 1e290, pictures: 1e299 }),
    headeredAvi({ width: 0xffffffff, height: 0xffffffff, seconds: 4e9, pictures: 0xffffffff }),
  ])('is bounded, whatever its header declares', (clip) => {
    expect(costOf(clip)).toBeGreaterThan(3000)
    expect(costOf(clip)).toBeLessThanOrEqual(30_000)
    expect(costOf(clip, { taskTimeoutMs: 2000 })).toBe(2000)
  })
})

describe('the cost of an archive', () => {
  it('grows with its files', async () => {
    const photo = await portrait('redhead')
    const costs = [10, 50, 100].map((count) => costOf(zip(Array(count).fill(photo), 0)))
    // 0.6, 1.6 and 2.7 s were measured.
    expect(costs[0]).toBe(1100)
    expect(costs[1]).toBeGreaterThan(1500)
    expect(costs[1]).toBeLessThan(2500)
    expect(costs[2]).toBeGreaterThan(costs[1]! * 1.5)
  })

  it('grows with the unpacked bytes of its files', async () => {
    const photo = await portrait('redhead')
    const noise = new Uint8Array(3e6).map((_, i) => (i * 2654435761) >>> 13)
    const usual = costOf(zip(Array(20).fill(photo), 0))
    for (const level of [0, 6] as const)
      expect(costOf(zip(Array(20).fill(concat(photo, noise)), level))).toBeGreaterThan(usual + 20 * 250)
  })
})

describe('the cost of an archive of pictures that are small when coded', () => {
  const still = (width: number, height: number, brand: 'heic' | 'avif'): Still => ({
    ...{ brand, type: brand === 'heic' ? 'hvc1' : 'av01', data: new Uint8Array(9), bits: 8, width, height },
    configuration: box(brand === 'heic' ? 'hvcC' : 'av1C', new Uint8Array(23)),
  })

  it.each([
    ['heic', 0],
    ['heic', 6],
    ['avif', 0],
    ['avif', 6],
  ] as const)('grows with their pixels: %s, packed at level %i', (brand, level) => {
    // As long as the header of a photo of many tiles.
    const noise = box(
      'free',
      new Uint8Array(3000).map((_, i) => (i * 2654435761) >>> 13),
    )
    const of = (width: number, height: number, ...extra: Uint8Array[]) =>
      costOf(zip(Array(10).fill(heifOf(still(width, height, brand), ...extra)), level))
    expect(of(320, 240)).toBe(1100)
    for (const extra of [[], [noise]]) expect(of(4032, 3024, ...extra)).toBeGreaterThan(9000)
    if (brand === 'heic') expect(of(4032, 3024, noise)).toBeLessThan(12_000)
    const endless = box(
      'free',
      new Uint8Array(20_000).map((_, i) => (i * 2654435761) >>> 13),
    )
    expect(of(320, 240, endless)).toBe(limits.taskTimeoutMs)
  })

  it.each([0, 6] as const)('grows with their pixels, packed at level %i', (level) => {
    const png = (width: number, height: number) => {
      const header = concat(pngSignature, pngHeader(width, height, 'grey8'))
      return concat(
        header,
        new Uint8Array(3000).map((_, i) => (i * 31) & 255),
      )
    }
    const of = (width: number, height: number) => costOf(zip(Array(10).fill(png(width, height)), level))
    expect(of(320, 240)).toBe(1100)
    // 1.9 s were measured for such a picture.
    expect(of(4032, 3024)).toBeGreaterThan(15_000)
  })

  it('is the most there is where the beginnings of files unpack to much more than headers', async () => {
    expect(costOf(sharedStreamBomb())).toBe(limits.taskTimeoutMs)
    const poisoned = deflateSync(new Uint8Array(2 ** 18)).map((value, at) => (at < 220 ? value : 0xff))
    expect(costOf(sharedArchive(poisoned))).toBe(limits.taskTimeoutMs)
    const photo = await portrait('redhead')
    expect(costOf(zip(Array(120).fill(photo), 6))).toBeLessThan(limits.taskTimeoutMs / 5)
  })

  it('is the most there is where a header is hidden behind empty blocks', () => {
    const png = concat(pngSignature, pngHeader(4032, 3024, 'grey8'), new Uint8Array(3000))
    const emptyBlocks = Uint8Array.from({ length: 52 * 5 }, (_, i) => [0, 0, 0, 0xff, 0xff][i % 5]!)
    expect(costOf(sharedArchive(concat(emptyBlocks, deflateSync(png))))).toBe(limits.taskTimeoutMs)
  })

  it('is that of as many files as are allowed, if its table is too long to read', () => {
    const comments = new Uint8Array(300_000)
    const few = zip(Array(3).fill(new Uint8Array(10)), 0)
    const at = new DataView(few.buffer).getUint32(few.length - 6, true)
    const long = concat(few.subarray(0, at), comments, few.subarray(at))
    new DataView(long.buffer).setUint32(long.length - 6, at, true)
    expect(costOf(few)).toBe(1100)
    expect(costOf(long)).toBe(100 * 25 + 10 * 45)
  })
})

describe('any cost', () => {
  it('is low for files that are no medium, and at least that of a photo for damaged ones', async () => {
    const photo = await portrait('redhead')
    const of = { width: 640, height: 480, seconds: 5, pictures: 150 }
    for (const file of [photo, headeredMp4(of), headeredWebm(of), headeredAvi(of), zip([photo, photo], 0)]) {
      for (let length = 0; length < Math.min(file.length, 6000); length += file.length < 1000 ? 1 : 97)
        expect(costOf(file.subarray(0, length))).toBeGreaterThanOrEqual(150)
    }
    expect(costOf(new Uint8Array(100))).toBe(150)
  })
})
