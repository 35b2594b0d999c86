import { describe, expect, it } from 'vitest'
import { makeBestShot, makePortrait, makeShot, makeThumbnail } from '../../../src/assess/shots.ts'
import { decodeImage, inspectImage } from '../../../src/media/decode-image.ts'
import { openMedium } from '../../../src/media/opened-medium.ts'
import { testCodecs, testMd5, toPyramid } from '../../fixtures/codecs.ts'
import { coefficientJpeg } from '../../fixtures/coefficient-jpeg.ts'
import { generator } from '../../fixtures/gallery.ts'
import { ramp } from '../../fixtures/pictures.ts'

const thumbnailOf = (width: number, height: number) =>
  makeThumbnail({ codecs: testCodecs, md5: testMd5 }, toPyramid(ramp(width, height)))

describe('a thumbnail', () => {
  it('has a shorter side of 120 pixels, or that of a smaller picture', async () => {
    expect(await thumbnailOf(800, 600)).toMatchObject({ width: 160, height: 120 })
    expect(await thumbnailOf(90, 100)).toMatchObject({ width: 90, height: 100 })
  })

  it.each([
    [16, 16_384, 1, 1280],
    [16_384, 16, 1280, 1],
    [4000, 200, 1280, 64],
  ])('of %i × %i pixels stays within 1280', async (width, height, ...size) => {
    const shot = await thumbnailOf(width, height)
    expect([shot.width, shot.height]).toEqual(size)
  })
})

describe('a best shot', () => {
  it.each([
    [640, 480, 640, 480],
    [1280, 700, 1280, 700],
    [1600, 1200, 1280, 960],
    [1919, 16, 1280, 11],
    [1920, 1080, 960, 540],
    [400, 3000, 171, 1280],
    [4032, 40, 1008, 10],
  ])(
    'of %i × %i pixels has at most 1280, and at least 960 if the picture has',
    async (width, height, ...size) => {
      const shot = await makeShot({ codecs: testCodecs, md5: testMd5 }, toPyramid(ramp(width, height)))
      expect([shot.width, shot.height]).toEqual(size)
      const { width: codedWidth, height: codedHeight } = await testCodecs.decode('jpeg', shot.bytes)
      expect([codedWidth, codedHeight]).toEqual(size)
    },
  )
})

describe('the best shot of a JPEG of at most 1280 pixels', () => {
  const tools = { codecs: testCodecs, md5: testMd5 }
  const pair = [1, 1] as const
  const made = (components: number) =>
    coefficientJpeg({ width: 64, height: 48, factors: Array(components).fill(pair) }, generator(1))

  async function bestShotOf(bytes: Uint8Array): Promise<Uint8Array> {
    const header = inspectImage(openMedium(bytes), { pixelsMax: 1e6 })
    const picture = await decodeImage(testCodecs, bytes, header)
    return (await makeBestShot(tools, { bytes, header }, toPyramid(picture), false)).bytes
  }

  it('is the JPEG itself', async () => {
    expect(await bestShotOf(made(3))).toEqual(made(3))
  })

  it.each([
    ['in the inks of a print', made(4)],
    ['without an end marker', made(3).subarray(0, -2)],
  ])('is encoded anew: %s', async (_, bytes) => {
    const shot = await bestShotOf(bytes)
    expect(inspectImage(openMedium(shot), { pixelsMax: 1e6 })).toMatchObject({
      width: 64,
      height: 48,
      hasInks: false,
    })
    expect(shot.subarray(-2)).toEqual(Uint8Array.of(0xff, 0xd9))
  })
})

describe('a portrait', () => {
  const tools = { codecs: testCodecs, md5: testMd5 }

  it.each([
    ['in the middle', { x: 300, y: 200, width: 100, height: 120 }, 190, 240],
    ['small', { x: 300, y: 200, width: 20, height: 24 }, 38, 48],
    ['at an edge', { x: 0, y: 0, width: 100, height: 120 }, 145, 180],
    ['partly outside', { x: -50, y: 400, width: 100, height: 120 }, 95, 140],
    ['outside', { x: 900, y: 900, width: 10, height: 10 }, 1, 1],
  ])('of a face %s is cut from the picture', async (_, box, width, height) => {
    const shot = await makePortrait(tools, toPyramid(ramp(640, 480)), box)
    expect(Math.abs(shot.width - width)).toBeLessThanOrEqual(2)
    expect(Math.abs(shot.height - height)).toBeLessThanOrEqual(2)
    const coded = await testCodecs.decode('jpeg', shot.bytes)
    expect([coded.width, coded.height]).toEqual([shot.width, shot.height])
    const own = await testCodecs.decode('jpeg', shot.thumbnail!.bytes)
    expect(own.width / own.height).toBeCloseTo(shot.width / shot.height, 1)
  })

  it('has at most 640 pixels', async () => {
    const shot = await makePortrait(tools, toPyramid(ramp(3000, 2000)), {
      x: 1000,
      y: 700,
      width: 600,
      height: 600,
    })
    expect([shot.width, shot.height]).toEqual([608, 640])
  })
})
