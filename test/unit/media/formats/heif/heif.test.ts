import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../../../../src/errors.ts'
import { decodeImage, inspectImage } from '../../../../../src/media/decode-image.ts'
import { openHeicDecoder } from '../../../../../src/media/formats/heic/heic-codec.ts'
import { openMedium } from '../../../../../src/media/opened-medium.ts'
import { orientImage } from '../../../../../src/media/orient-image.ts'
import type { RgbaImage } from '../../../../../src/media/rgba-image.ts'
import { hasLibheif, lateModules } from '../../../../../src/platform/server-wasm.ts'
import { hasFfmpeg, remake } from '../../../../fixtures/clips.ts'
import { testCodecs } from '../../../../fixtures/codecs.ts'
import {
  alphaBox,
  box,
  encodeStill,
  type HeifParts,
  heifGrid,
  heifOf,
  mirrorBox,
  rotationBox,
  type Still,
  sizeBox,
  stillItem,
  writeHeif,
} from '../../../../fixtures/heif.ts'
import { ramp, writePng } from '../../../../fixtures/pictures.ts'
import { difference } from '../../../../fixtures/video-decoders.ts'

const limits = { pixelsMax: 4e7 }
const picture = ramp(96, 64)
/** Of 4:2:0; a picture that is turned otherwise differs by more than 40. */
const differenceMax = 10
const decode = async (bytes: Uint8Array) =>
  decodeImage(testCodecs, bytes, inspectImage(openMedium(bytes), limits))
const refusalOf = async (bytes: Uint8Array): Promise<unknown> =>
  decode(bytes).then(
    () => 'accepted',
    (error: unknown) => (error instanceof AppError ? error.code : error),
  )

const canDecode = { avif: true, heic: hasLibheif() }
const brands = (['heic', 'avif'] as const).map(
  (brand) =>
    [hasFfmpeg && canDecode[brand] ? brand : `${brand} (skipped: no ffmpeg or no decoder)`, brand] as const,
)
const stillOf = (brand: Still['brand'], image: RgbaImage, output?: readonly string[]) =>
  encodeStill(brand, writePng(image, 'rgb8'), { ...image, ...(output ? { output } : {}) })

describe.each(brands)('%s', (title, brand) => {
  const isThere = title === brand
  const still = isThere ? stillOf(brand, picture) : Promise.reject(new Error('not there'))
  still.catch(() => {})

  it.skipIf(!isThere)('shows the picture', async () => {
    expect(difference(await decode(heifOf(await still)), picture)).toBeLessThan(differenceMax)
  })

  it.skipIf(!isThere)('of ten bits and full colour is read too', async () => {
    const deep = await stillOf(brand, picture, ['-pix_fmt', 'yuv444p10le'])
    expect(difference(await decode(heifOf(deep)), picture)).toBeLessThan(differenceMax)
  })

  it.skipIf(!isThere).each([
    ['a quarter turn to the left', [rotationBox(1)], 8],
    ['half a turn', [rotationBox(2)], 3],
    ['a quarter turn to the right', [rotationBox(3)], 6],
    ['top and bottom exchanged', [mirrorBox(0)], 4],
    ['left and right exchanged', [mirrorBox(1)], 2],
    ['a turn, then top and bottom exchanged', [rotationBox(1), mirrorBox(0)], 5],
    ['a turn, then left and right exchanged', [rotationBox(1), mirrorBox(1)], 7],
    ['left and right exchanged, then a turn', [mirrorBox(1), rotationBox(1)], 5],
  ] as const)('is turned once: %s', async (_, properties, orientation) => {
    const bytes = heifOf(await still, ...properties)
    expect(inspectImage(openMedium(bytes), limits)).toMatchObject({ width: 96, height: 64, orientation })
    expect(difference(await decode(bytes), orientImage(picture, orientation))).toBeLessThan(differenceMax)
  })

  it.skipIf(!isThere)('is decoded without its transparency, whatever that is', async () => {
    const shown = await still
    const other = await stillOf(brand, picture, ['-vf', 'negate', '-pix_fmt', 'yuv420p'])
    const damaged = { ...other, data: new Uint8Array(other.data.length) }
    for (const alpha of [other, damaged]) {
      const items = [stillItem(shown), stillItem(alpha, alphaBox())]
      const bytes = writeHeif({ brand, items, auxiliary: [[2, [1]]] })
      expect(difference(await decode(bytes), picture)).toBeLessThan(differenceMax)
    }
  })

  it.skipIf(!isThere)('of tiles is put together', async () => {
    const bytes = heifGrid(await still, { columns: 3, rows: 2, width: 250, height: 120 }, rotationBox(1))
    expect(inspectImage(openMedium(bytes), limits)).toMatchObject({ width: 250, height: 120, orientation: 8 })
    const image = await decode(bytes)
    expect([image.width, image.height]).toEqual([120, 250])
  })

  it.skipIf(!isThere)('is decoded after many damaged ones', async () => {
    const intact = heifOf(await still)
    for (let at = 1; at < 40; at++) {
      const damaged = intact.slice()
      damaged.fill(at, intact.length - 8 * at, intact.length - 4 * at)
      await refusalOf(damaged)
    }
    expect(difference(await decode(intact), picture)).toBeLessThan(differenceMax)
  })

  it.skipIf(!isThere)('is refused where it is cut off, with that reason', async () => {
    const bytes = heifOf(await still)
    for (const share of [0.99, 0.7, 0.3]) {
      const error = await decode(bytes.subarray(0, share * bytes.length)).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        code: 'media_unreadable',
        message: expect.stringContaining('incomplete'),
      })
    }
  })

  it.skipIf(!isThere)('is refused if its data hold a larger picture than its header says', async () => {
    const large = await stillOf(brand, ramp(960, 640))
    const forged = heifOf({ ...large, width: 64, height: 64 })
    expect(inspectImage(openMedium(forged), limits)).toMatchObject({ width: 64, height: 64 })
    expect(await refusalOf(forged)).toBe('media_unreadable')
    expect(difference(await decode(heifOf(await still)), picture)).toBeLessThan(differenceMax)
  })

  it.skipIf(!isThere)('is refused with tiles that its size does not need', async () => {
    const tile = await still
    const codes = [
      { columns: 3, rows: 2, width: 96, height: 120 },
      { columns: 3, rows: 2, width: 400, height: 120 },
      { columns: 100, rows: 100, width: 9600, height: 6400 },
      { columns: 100, rows: 100, width: 64, height: 64 },
    ].map((size) => refusalOf(heifGrid(tile, size)))
    expect(await Promise.all(codes)).toEqual(Array(4).fill('media_unreadable'))
  })
})

// What is skipped without a decoder must not hide that one is not found.
it.skipIf(!existsSync('node_modules/libheif-js/package.json'))(
  'HEIC has a decoder if it is installed',
  async () => {
    expect(hasLibheif()).toBe(true)
    const decoder = await openHeicDecoder(await lateModules().heicDecoder!())
    expect(decoder.heapBytes()).toBeGreaterThan(0)
  },
)

describe.skipIf(!hasFfmpeg)('AVIF', () => {
  const avif = (picture: RgbaImage, frames = 1) =>
    encodeStill('avif', writePng(picture, 'rgb8'), { ...picture, frames })

  it('is refused with more than one frame in a picture, shown or hidden', async () => {
    const still = await avif(picture, 30)
    const tiles = heifGrid(still, { columns: 2, rows: 1, width: 192, height: 64 })
    for (const bytes of [heifOf(still), tiles])
      await expect(decode(bytes)).rejects.toMatchObject({
        code: 'media_unreadable',
        details: { reason: 'too_costly' },
      })
  })

  it('is the item of a sequence, whatever its track holds', async () => {
    const sequence = await remake(writePng(picture, 'rgb8'), 'avif', [
      ...['-vf', 'loop=4:1', '-frames:v', '4'],
      ...['-c:v', 'libaom-av1', '-cpu-used', '8', '-crf', '12', '-pix_fmt', 'yuv420p'],
    ])
    const damaged = sequence.slice()
    for (const table of ['stco', 'stsz']) {
      const at = Buffer.from(damaged.buffer).indexOf(table)
      expect(at).toBeGreaterThan(0)
      damaged.fill(0, at + 16, at + 20)
    }
    for (const bytes of [sequence, damaged])
      expect(difference(await decode(bytes), picture)).toBeLessThan(differenceMax)
  })

  it('is refused with data that are not in one piece', async () => {
    const bytes = heifOf(await avif(picture))
    // The number of pieces of the first item, behind sizes, count, item and reference.
    const at = Buffer.from(bytes.buffer).indexOf('iloc') + 4 + 4 + 2 + 2 + 4
    expect(bytes[at + 1]).toBe(1)
    bytes[at + 1] = 2
    expect(await refusalOf(bytes)).toBe('media_unsupported')
  })
})

describe('a file of the HEIF family', () => {
  const coded = (properties: Uint8Array[]) => ({ type: 'hvc1', data: new Uint8Array(9), properties })
  const whole = [sizeBox(640, 480), box('hvcC', new Uint8Array(23))]
  const grid = { type: 'grid', data: new Uint8Array(8), properties: [sizeBox(1280, 480)] }
  const heic = (parts: Omit<HeifParts, 'brand'>) => writeHeif({ brand: 'heic', ...parts })

  it('is inspected without its decoder', () => {
    const bytes = heic({ items: [coded([...whole, rotationBox(3)])] })
    expect(inspectImage(openMedium(bytes), limits)).toMatchObject({ width: 640, height: 480, orientation: 6 })
  })

  it('of 48 megapixels is inspected on the event loop, with room for the tiles of a gain map', () => {
    const tile: Still = {
      ...({ type: 'hvc1', brand: 'heic', bits: 8, width: 512, height: 512 } as const),
      ...{ data: new Uint8Array(9), configuration: whole[1]! },
    }
    const bytes = heifGrid(tile, { columns: 16, rows: 16, width: 8192, height: 8192 })
    expect(openMedium(bytes)).toMatchObject({ header: { width: 8192, height: 8192 } })
  })

  it('is refused, with what to do, where its decoder is not there', () => {
    const bytes = heic({ items: [coded(whole)] })
    expect(() => inspectImage(openMedium(bytes), { ...limits, lacking: ['heic'] })).toThrow(
      expect.objectContaining({
        code: 'media_unsupported',
        message: expect.stringContaining('Most Compatible'),
      }),
    )
  })

  it.each([
    ['no size', { items: [coded([whole[1]!])] }, 'media_unreadable'],
    ['no configuration', { items: [coded([whole[0]!])] }, 'media_unreadable'],
    ['a size beyond the limit', { items: [coded([sizeBox(65_535, 65_535), whole[1]!])] }, 'media_unreadable'],
    ['another coding', { items: [{ ...coded(whole), type: 'jpeg' }] }, 'media_unsupported'],
    ['an overlay', { items: [{ ...coded(whole), type: 'iovl' }] }, 'media_unsupported'],
    ['a grid without tiles', { items: [grid, coded(whole)] }, 'media_unreadable'],
    ['a grid of itself', { items: [grid, coded(whole)], parts: [[1, [1, 1]]] }, 'media_unsupported'],
    [
      'grids of each other',
      {
        items: [grid, grid],
        parts: [
          [1, [2, 2]],
          [2, [1, 1]],
        ],
      },
      'media_unsupported',
    ],
    ['a tile that is used twice', { items: [grid, coded(whole)], parts: [[1, [2, 2]]] }, 'media_unreadable'],
    ['a tile that is missing', { items: [grid, coded(whole)], parts: [[1, [2, 3]]] }, 'media_unsupported'],
    [
      'tiles of several sizes',
      { items: [grid, coded(whole), coded([sizeBox(64, 64), whole[1]!])], parts: [[1, [2, 3]]] },
      'media_unreadable',
    ],
  ] as [string, Omit<HeifParts, 'brand'>, string][])('is refused by its header: %s', (_, parts, code) => {
    expect(() => inspectImage(openMedium(heic(parts)), limits)).toThrow(expect.objectContaining({ code }))
  })

  it('is read whatever its header says, or refused', () => {
    const bytes = heic({ items: [grid, coded(whole), coded(whole)], parts: [[1, [2, 3]]] })
    for (let at = 12; at < bytes.length; at++)
      for (const value of [0, 1, 0x7f, 0xff]) {
        const changed = bytes.slice()
        changed[at] = value
        try {
          inspectImage(openMedium(changed), limits)
        } catch (error) {
          expect(error).toBeInstanceOf(AppError)
        }
      }
  })
})
