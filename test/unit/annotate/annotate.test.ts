import { describe, expect, it } from 'vitest'
import { annotatePhoto, drawFindings, inspectPhoto } from '../../../scripts/annotate/annotate.ts'
import { drawWords, measureWords } from '../../../scripts/annotate/draw.ts'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import { testCodecs } from '../../fixtures/codecs.ts'

const grey = (width: number, height: number): RgbaImage => ({
  width,
  height,
  data: new Uint8ClampedArray(width * height * 4).fill(127),
})
const at = ({ data, width }: RgbaImage, x: number, y: number) => [
  ...data.slice((y * width + x) * 4).slice(0, 3),
]

describe('words on a picture', () => {
  it('are made of the pixels of their letters', () => {
    const image = grey(24, 9)
    drawWords(image, 't1\u{e9}.', [1, 1], 1, [0, 0, 0])
    const rows = Array.from({ length: 9 }, (_, y) =>
      Array.from({ length: 24 }, (_, x) => (at(image, x, y)[0] === 0 ? '#' : '.')).join(''),
    )
    expect(rows).toEqual([
      '........................',
      '.#####...#..............',
      '...#....##..............',
      '...#.....#..............',
      '...#.....#..............',
      '...#.....#..............',
      '...#.....#..........##..',
      '...#....###.........##..',
      '........................',
    ])
    expect(measureWords('t1', 2)).toEqual({ width: 22, height: 14 })
  })
})

describe('findings on a picture', () => {
  it('are box, landmarks and verdict, also where they leave the picture', () => {
    const image = grey(200, 100)
    const landmarks = { nose: [[60, 40] as const, [500, 40] as const] }
    drawFindings(image, { faces: [{ box: [20, 10, 300, 60] }], landmarks }, 'DECLINED', 'declined')
    expect(at(image, 21, 30)).toEqual([190, 30, 45])
    expect(at(image, 60, 40)).toEqual([255, 221, 51])
    expect(at(image, 30, 30)).toEqual([127, 127, 127])
    expect(at(image, 199, 99)).toEqual([190, 30, 45])
  })

  it('are written to an upright JPEG; of a picture without a face only the verdict', async () => {
    const photo = await testCodecs.encodeJpeg({ image: grey(64, 48), quality: 90 })
    const bytes = await annotatePhoto(photo, inspectPhoto(photo, 1e6), null, 'FAILED', 'no decision')
    const { width, height, data } = await testCodecs.decode('jpeg', bytes)
    expect([width, height, data[0]! > 110 && data[0]! < 140]).toEqual([64, 48, true])
  })

  it('need a photo', () => {
    expect(() => inspectPhoto(new TextEncoder().encode('no photo'), 1e6)).toThrow(
      /--annotate draws on photos alone: /,
    )
  })
})
