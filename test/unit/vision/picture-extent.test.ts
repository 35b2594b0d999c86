import { describe, expect, it } from 'vitest'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import type { Box } from '../../../src/vision/geometry.ts'
import { cropBorder } from '../../../src/vision/picture-extent.ts'
import type { Pyramid } from '../../../src/vision/pyramid.ts'
import { faceIn } from '../../fixtures/assessments.ts'
import { toPyramid } from '../../fixtures/codecs.ts'
import { generator } from '../../fixtures/gallery.ts'

type Grey = (x: number, y: number) => number

function drawn(width: number, height: number, grey: Grey): RgbaImage {
  const data = new Uint8ClampedArray(width * height * 4)
  for (let i = 0; i < width * height; i++) {
    const value = grey(i % width, Math.floor(i / width))
    data.set([value, value, value, 255], i * 4)
  }
  return { width, height, data }
}

const [width, height] = [120, 150]
const random = generator(7)
const grain = Float32Array.from({ length: width * height }, () => random() * 10)

/** An oval in front of a gradient, with sensor noise. */
const scene: Grey = (x, y) => {
  const isFace = ((x - 60) / 30) ** 2 + ((y - 75) / 42) ** 2 < 1
  const shade = isFace
    ? 170 + 25 * Math.sin(x / 6) + 20 * Math.cos(y / 9)
    : 60 + x * 0.4 + 30 * Math.sin(y / 11)
  return shade + grain[y * width + x]!
}
const face = { x: 30, y: 33, width: 60, height: 84 }
const whole = { x: 0, y: 0, width, height }

const clamp = (value: number, last: number) => Math.min(last, Math.max(0, value))
const folded = (value: number, length: number) => {
  const within = ((value % (2 * length)) + 2 * length) % (2 * length)
  return within < length ? within : 2 * length - 1 - within
}

/** The scene with a border on every side; `beside` gives the border's value at coordinates outside of the scene. */
function bordered(rim: number, beside: Grey): RgbaImage {
  return drawn(width + 2 * rim, height + 2 * rim, (x, y) => {
    const [px, py] = [x - rim, y - rim]
    const isInside = px >= 0 && py >= 0 && px < width && py < height
    return isInside ? scene(px, py) : beside(px, py)
  })
}

/** The part of a picture that is left, by the box of a face alone: its mesh is too doubtful. */
function findPictureExtent(whole: Pyramid, box: Box): Box {
  const { pyramid, face } = cropBorder({
    pyramid: whole,
    face: faceIn(box),
    mesh: { points: [], presence: 0 },
  })
  return { x: box.x - face.box.x, y: box.y - face.box.y, width: pyramid.width, height: pyramid.height }
}

const extentOf = (image: RgbaImage, rim: number) => {
  const { x, y, ...sides } = findPictureExtent(toPyramid(image), {
    ...face,
    x: face.x + rim,
    y: face.y + rim,
  })
  return { x: x - rim, y: y - rim, ...sides }
}

/** Checks the extent found, with a tolerance in pixels. */
function expectWhole(image: RgbaImage, rim: number, pixels: number): void {
  const { x, y, width: found, height: tall } = extentOf(image, rim)
  for (const [side, miss] of Object.entries({
    left: x,
    top: y,
    right: x + found - width,
    bottom: y + tall - height,
  }))
    expect(Math.abs(miss), side).toBeLessThanOrEqual(pixels)
}

describe('the extent of a picture', () => {
  it('is the whole picture if there is no border', () => {
    expect(extentOf(drawn(width, height, scene), 0)).toEqual(whole)
  })

  // Of 97 units of 329 / 97 pixels 329 would be less than 329.
  it.each([329, 331, 649, 651])('is the whole picture for a side of %i pixels', (side) => {
    const scale = side / 120
    const large = drawn(side, side, (x, y) => scene(Math.floor(x / scale), Math.floor(y / scale)))
    const box = { x: face.x * scale, y: face.y * scale, width: 50 * scale, height: 50 * scale }
    expect(findPictureExtent(toPyramid(large), box)).toEqual({ x: 0, y: 0, width: side, height: side })
  })

  const borders: Record<string, Grey> = {
    'an even border': () => 128,
    'a black border': () => 0,
    'a replicated edge': (x, y) => scene(clamp(x, width - 1), clamp(y, height - 1)),
    'a mirrored edge': (x, y) => scene(folded(x, width), folded(y, height)),
    'a pattern': (x, y) => 215 + 15 * Math.sin(x) * Math.sin(y),
    'a fine texture in tiles': (x, y) => 90 + ((folded(x, 12) * 7 + folded(y, 12) * 5) % 12) * 9,
    'a smooth picture of something else': (x, y) => 235 - 0.1 * Math.abs(x + y),
  }
  // The tile of the fine texture is 24 pixels long.
  for (const [name, beside] of Object.entries(borders))
    for (const rim of name === 'a fine texture in tiles' ? [45, 90] : [15, 45, 90])
      it(`ends where ${name} of ${rim} pixels begins`, () => {
        expectWhole(bordered(rim, beside), rim, 2)
      })

  it.each([45, 90])(
    'is without a replicated edge of %i pixels to which noise was added, if it is on all sides',
    (rim) => {
      const noise = generator(3)
      const beside: Grey = (x, y) => scene(clamp(x, width - 1), clamp(y, height - 1)) + 16 * (noise() - 0.5)
      // Where the wall of the scene is even, it may go as well, up to the face.
      const { x, y, width: across, height: down } = extentOf(bordered(rim, beside), rim)
      expect([x > -6, y > -6, x + across < width + 6, y + down < height + 6]).toEqual([
        true,
        true,
        true,
        true,
      ])
      expect([x <= 36, y <= 42, x + across >= 84, y + down >= 108]).toEqual([true, true, true, true])
      const oneSided = drawn(width, height + rim, (x, y) => (y < height ? scene(x, y) : beside(x, y)))
      expect(extentOf(oneSided, 0)).toEqual({ ...whole, height: height + rim })
    },
  )

  it('is that of the picture alone, although contours look like edges in a coarse copy', () => {
    // A face with soft sides before a smooth wall; with the border around it the copy that is searched is three times as coarse.
    const [side, rim] = [400, 500]
    const box = { x: 140, y: 140, width: 120, height: 120 }
    const room: Grey = (x, y) => {
      const far = Math.max(Math.abs(x - 200), Math.abs(y - 200))
      return 60 + x * 0.1 + Math.min(1, Math.max(0, (118 - far) / 18)) * 90 + random() * 4
    }
    const grey = (x: number, y: number) =>
      x < rim || y < rim || x >= rim + side || y >= rim + side ? 128 : room(x - rim, y - rim)
    const framed = toPyramid(drawn(side + 2 * rim, side + 2 * rim, grey))
    expect(findPictureExtent(toPyramid(drawn(side, side, room)), box).width).toBe(side)
    const found = findPictureExtent(framed, { ...box, x: box.x + rim, y: box.y + rim })
    expect(Math.abs(found.width - side)).toBeLessThan(side * 0.05)
  })

  it('keeps a background that repeats smoothly, such as curtains', () => {
    const folds: Grey = (x, y) => scene(x, y) * 0.2 + 100 + 40 * Math.sin((x * Math.PI) / 8 + y / 5)
    expect(extentOf(drawn(width, height, folds), 0)).toEqual(whole)
  })

  it('keeps stripes, such as those of a shirt', () => {
    const dyes = [0, 30, 62, 9, 45, 75, 20]
    const isFace = (x: number, y: number) => ((x - 60) / 30) ** 2 + ((y - 75) / 42) ** 2 < 1
    const striped: Grey = (x, y) =>
      isFace(x, y) ? scene(x, y) : 80 + dyes[y % 7]! + grain[y * width + x]! / 4
    expect(extentOf(drawn(width, height, striped), 0).height).toBeGreaterThan(140)
  })

  it('is found inside one border within another', () => {
    const inner = bordered(30, (x, y) => scene(folded(x, width), folded(y, height)))
    const outer = drawn(inner.width + 40, inner.height, (x, y) =>
      x < 20 || x >= inner.width + 20 ? 90 : inner.data[(y * inner.width + x - 20) * 4]!,
    )
    const { x, y } = findPictureExtent(toPyramid(outer), { ...face, x: face.x + 50, y: face.y + 30 })
    expect([Math.abs(x - 50) <= 2, Math.abs(y - 30) <= 2]).toEqual([true, true])
  })

  it('is in whole pixels for a large picture', () => {
    const [small, scale] = [bordered(45, () => 128), 6]
    const large = drawn(small.width * scale, small.height * scale, (x, y) => {
      return small.data[(Math.floor(y / scale) * small.width + Math.floor(x / scale)) * 4]!
    })
    const box = {
      x: (face.x + 45) * scale,
      y: (face.y + 45) * scale,
      width: face.width * scale,
      height: face.height * scale,
    }
    const extent = findPictureExtent(toPyramid(large), box)
    expect(Object.values(extent).every(Number.isInteger)).toBe(true)
    expect(Math.abs(extent.x - 45 * scale)).toBeLessThan(2 * scale)
    expect(Math.abs(extent.width - width * scale)).toBeLessThan(4 * scale)
  })

  it('always contains the face, also in very small pictures', () => {
    const even = drawn(80, 80, () => 200)
    const {
      x,
      y,
      width: wide,
      height: tall,
    } = findPictureExtent(toPyramid(even), { x: 20, y: 20, width: 40, height: 40 })
    expect([x <= 24, y <= 24, x + wide >= 56, y + tall >= 56]).toEqual([true, true, true, true])
    for (const side of [1, 2, 5])
      expect(
        findPictureExtent(toPyramid(drawn(side, side, () => 9)), { x: 0, y: 0, width: side, height: side })
          .width,
      ).toBeGreaterThan(0)
    for (const [across, down] of [
      [1, 1],
      [2, 40],
      [40, 2],
      [3, 3],
    ] as const) {
      const small = toPyramid(drawn(across, down, (_, y) => (y < 10 ? 9 : 200)))
      const found = findPictureExtent(small, { x: 0, y: 0, width: across, height: down })
      expect(
        found.x >= 0 && found.y >= 0 && found.x + found.width <= across && found.y + found.height <= down,
      ).toBe(true)
    }
  })
})

describe('cropBorder', () => {
  const at = (x: number, y: number) => ({ x, y })
  const pictured = (image: RgbaImage, rim: number) => ({
    pyramid: toPyramid(image),
    face: {
      box: { ...face, x: face.x + rim, y: face.y + rim },
      confidence: 0.9,
      keypoints: {
        rightEye: at(50 + rim, 60 + rim),
        leftEye: at(70 + rim, 60 + rim),
        nose: at(60, 75),
        mouth: at(60, 90),
      },
    },
    mesh: {
      points: [
        { x: 60 + rim, y: 75 + rim, z: 3 },
        { x: 34 + rim, y: 40 + rim, z: 9 },
        { x: 86 + rim, y: 112 + rim, z: 9 },
      ],
      presence: 1,
    },
  })

  it('crops the picture and shifts the face', () => {
    const own = cropBorder(
      pictured(
        bordered(45, () => 128),
        45,
      ),
    )
    const { width: wide, height: tall } = own.pyramid.image
    expect([Math.abs(wide - width) <= 2, Math.abs(tall - height) <= 2]).toEqual([true, true])
    const [left, top] = [face.x - own.face.box.x, face.y - own.face.box.y]
    const green = own.pyramid.image.data[(20 * wide + 10) * 4 + 1]!
    expect(Math.abs(green - scene(10 + left, 20 + top))).toBeLessThanOrEqual(1)
    expect(own.mesh.points[0]).toEqual({ x: 60 - left, y: 75 - top, z: 3 })
    expect(own.face.keypoints.rightEye).toEqual(at(50 - left, 60 - top))
    expect(own.hasMovedBox).toBe(true)
  })

  it('crops what is mirrored inside the box of the face, up to its mesh', () => {
    const rim = 45
    const tall = pictured(
      bordered(rim, (x, y) => scene(folded(x, width), folded(y, height))),
      rim,
    )
    // The hair in the border belongs to the face, as a detector sees it.
    const reach = rim - 12
    const box = {
      ...tall.face.box,
      y: tall.face.box.y - face.y - reach,
      height: face.height + face.y + reach,
    }
    const own = cropBorder({ ...tall, face: { ...tall.face, box } })
    expect(Math.abs(own.pyramid.height - height)).toBeLessThanOrEqual(2)
    expect(findPictureExtent(tall.pyramid, box).height).toBeGreaterThan(height + 5)
  })

  it('tells a border on one side from one that surrounds the picture', () => {
    const below = drawn(width, height + 40, (x, y) => (y < height ? scene(x, y) : 128))
    const own = cropBorder(pictured(below, 0))
    expect(own.pyramid.height).toBeLessThan(height + 20)
    expect(own.hasMovedBox).toBe(false)
  })

  it('tells bars on two opposite sides from one bar', () => {
    const barred = (rim: number) =>
      drawn(width, height + 2 * rim, (x, y) => (y >= rim && y < rim + height ? scene(x, y - rim) : 0))
    const moved = pictured(barred(45), 0)
    const shifted = { ...moved.face, box: { ...face, y: face.y + 45 } }
    const points = moved.mesh.points.map((point) => ({ ...point, y: point.y + 45 }))
    const own = cropBorder({ ...moved, face: shifted, mesh: { points, presence: 1 } })
    expect([own.hasMovedBox, Math.abs(own.pyramid.height - height) <= 2]).toEqual([true, true])
  })

  it('leaves a picture without a border as it is', () => {
    const whole = pictured(drawn(width, height, scene), 0)
    const { hasMovedBox, ...own } = cropBorder(whole)
    expect([own.pyramid, own.face, own.mesh, hasMovedBox]).toEqual([
      whole.pyramid,
      whole.face,
      whole.mesh,
      false,
    ])
    expect(own.pyramid).toBe(whole.pyramid)
  })
})
