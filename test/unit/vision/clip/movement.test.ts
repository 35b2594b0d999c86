import { beforeAll, describe, expect, it } from 'vitest'
import type { RgbaImage } from '../../../../src/media/rgba-image.ts'
import { cutPatch, type FacePatch } from '../../../../src/vision/clip/face-patch.ts'
import {
  applyHomography,
  compose,
  type Homography,
  invertHomography,
} from '../../../../src/vision/clip/homography.ts'
import { measureMovement } from '../../../../src/vision/clip/movement.ts'
import { FaceRegistration } from '../../../../src/vision/clip/registration.ts'
import type { FaceMesh, MeshPoint } from '../../../../src/vision/facemesh.ts'
import type { Point } from '../../../../src/vision/geometry.ts'
import { faceIn } from '../../../fixtures/assessments.ts'
import { registrationKernel, shrinkImage, toPyramid } from '../../../fixtures/codecs.ts'
import { meshOf } from '../../../fixtures/meshes.ts'
import { portraitImage } from '../../../fixtures/portraits.ts'

let image: RgbaImage
let mesh: FaceMesh

beforeAll(async () => {
  image = await portraitImage('redhead')
  // At a fixed place: the detectors of the profiles differ by a pixel or two.
  mesh = await meshOf(image, faceIn({ x: 150, y: 150, width: 240, height: 270 }))
})

/** Warps a picture with bilinear sampling; the border is replicated. */
function taken(from: RgbaImage, place: (x: number, y: number) => Point): RgbaImage {
  const { width, height, data } = from
  const out = new Uint8ClampedArray(data.length)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const source = place(x + 0.5, y + 0.5)
      const px = Math.min(width - 1.001, Math.max(0, source.x - 0.5))
      const py = Math.min(height - 1.001, Math.max(0, source.y - 0.5))
      const [x0, y0] = [Math.floor(px), Math.floor(py)]
      const [fx, fy] = [px - x0, py - y0]
      const at = (y0 * width + x0) * 4
      for (let c = 0; c < 3; c++) {
        const top = data[at + c]! * (1 - fx) + data[at + 4 + c]! * fx
        const below = data[at + width * 4 + c]! * (1 - fx) + data[at + width * 4 + 4 + c]! * fx
        out[(y * width + x) * 4 + c] = top * (1 - fy) + below * fy
      }
      out[(y * width + x) * 4 + 3] = 255
    }
  }
  return { width, height, data: out }
}

/** Adds jitter of a pixel to a mesh. */
const trembling = (points: readonly MeshPoint[], frame: number): MeshPoint[] =>
  points.map(({ x, y, z }, i) => ({
    x: x + Math.sin(i * 12.9 + frame),
    y: y + Math.cos(i * 7.8 + frame * 3),
    z,
  }))

/** The picture and its mesh under a homography. */
function seen(from: RgbaImage, points: readonly MeshPoint[], view: Homography, frame: number): FacePatch {
  const back = invertHomography(view)
  const moved = points.map((point) => ({ ...applyHomography(view, point), z: point.z }))
  const shown = taken(from, (x, y) => applyHomography(back, { x, y }))
  return cutPatch(toPyramid(shown), { points: trembling(moved, frame), presence: 1 }, frame / 10)
}

const centred = (view: Homography): Homography => {
  const [x, y] = [image.width / 2, image.height / 2]
  return compose(compose([1, 0, x, 0, 1, y, 0, 0, 1], view), [1, 0, -x, 0, 1, -y, 0, 0, 1])
}

/** A picture that moves in front of a camera. */
const views = (strength: number): Homography[] =>
  Array.from({ length: 12 }, (_, i) => {
    const [a, b] = [Math.sin(i * 0.7) * strength, Math.cos(i * 0.9) * strength]
    return centred([1 + 0.06 * a, -0.05 * b, 40 * b, 0.05 * b, 1 + 0.06 * a, 30 * a, 2e-4 * a, 1e-4 * b, 1])
  })

/** Opening and closing lips: pixels below them are taken from further up. */
const speaking = (from: RgbaImage, openness: number): RgbaImage => {
  const mouth = mesh.points[13]!
  const width = Math.hypot(mesh.points[61]!.x - mesh.points[291]!.x, mesh.points[61]!.y - mesh.points[291]!.y)
  return taken(from, (x, y) => {
    const near = Math.exp(-(((x - mouth.x) / width) ** 2) - ((y - mouth.y) / (width * 0.6)) ** 2)
    return { x, y: y - Math.sign(y - mouth.y) * near * openness * width }
  })
}

/** Closed lids: skin from above the eyes is drawn over them. */
const blinking = (from: RgbaImage, closed = 0.12): RgbaImage => {
  const apart = Math.hypot(mesh.points[33]!.x - mesh.points[263]!.x, mesh.points[33]!.y - mesh.points[263]!.y)
  const eyes = [159, 386].map((index) => mesh.points[index]!)
  return taken(from, (x, y) => {
    const near = eyes.reduce(
      (sum, eye) =>
        sum + Math.exp(-(((x - eye.x) / (apart * 0.2)) ** 2) - ((y - eye.y) / (apart * 0.1)) ** 2),
      0,
    )
    return { x, y: y - near * apart * closed }
  })
}

describe('FaceRegistration', () => {
  it('recovers the view of a flat picture despite a jittering mesh', () => {
    const reference = seen(image, mesh.points, centred([1, 0, 0, 0, 1, 0, 0, 0, 1]), 0)
    const registration = new FaceRegistration(registrationKernel, reference)
    const own = registration.register(reference)!
    for (const [i, view] of views(1).entries()) {
      const found = registration.register(seen(image, mesh.points, view, i))!
      expect(found.apart).toBeLessThan(0.02)
      for (const corner of [
        { x: -1, y: -1 },
        { x: 1, y: 0.5 },
      ]) {
        const wanted = applyHomography(view, applyHomography(own.toFrame, corner))
        const given = applyHomography(found.toFrame, corner)
        expect(Math.hypot(wanted.x - given.x, wanted.y - given.y)).toBeLessThan(1)
      }
    }
  })

  it('returns null for a frame with a misplaced mesh', () => {
    const reference = seen(image, mesh.points, centred([1, 0, 0, 0, 1, 0, 0, 0, 1]), 0)
    const elsewhere = mesh.points.map(({ x, y, z }) => ({ x: x * 0.5, y: y * 0.3, z }))
    const registration = new FaceRegistration(registrationKernel, reference)
    expect(
      registration.register(cutPatch(toPyramid(image), { points: elsewhere, presence: 1 }, 0)),
    ).toBeNull()
  })
})

describe('measureMovement', () => {
  const measured = (patches: readonly FacePatch[]) => measureMovement(patches, registrationKernel)!

  it('takes no change of shape for movement through the frame', () => {
    const shifted = centred([1.1, 0, 60, 0, 1.1, 40, 0, 0, 1])
    const still = centred([1, 0, 0, 0, 1, 0, 0, 0, 1])
    const patches = Array.from({ length: 12 }, (_, i) => seen(image, mesh.points, i < 6 ? still : shifted, i))
    expect(measured(patches).view).toBeGreaterThan(0.3)
    const turned = measured(patches.map((patch, i) => ({ ...patch, segment: i < 6 ? 0 : 1 })))
    expect(turned.frames).toBe(12)
    expect(turned.view).toBeLessThan(0.1)
  })

  it('takes no change of size for movement either, and finds what moves besides', () => {
    const side = 222
    const scale = side / image.width
    const points = mesh.points.map(({ x, y, z }) => ({ x: x * scale, y: y * scale, z: z * scale }))
    const small = cutPatch(toPyramid(shrinkImage(image, side, side)), { points, presence: 1 }, 0.6)
    const still = centred([1, 0, 0, 0, 1, 0, 0, 0, 1])
    const large = Array.from({ length: 8 }, (_, i) => seen(image, mesh.points, still, i))
    expect(measured([...large, small, small, small, small]).view).toBeLessThan(0.1)
    const aside = Array.from({ length: 4 }, (_, i) =>
      seen(image, mesh.points, centred([1, 0, 90, 0, 1, 0, 0, 0, 1]), i),
    )
    expect(measured([...large, small, small, ...aside]).view).toBeGreaterThan(0.3)
  })

  it('finds movement through the frame in each part of a clip', () => {
    const patches = views(1).map((to, i) => ({ ...seen(image, mesh.points, to, i), segment: i < 2 ? 0 : 1 }))
    expect(measured(patches).view).toBeGreaterThan(0.4)
  })

  it('finds no own movement in a flat picture that is moved', () => {
    const { own, view, frames } = measured(views(1).map((to, i) => seen(image, mesh.points, to, i)))
    expect(frames).toBe(12)
    expect(own).toBeLessThan(0.08)
    expect(view).toBeGreaterThan(0.4)
  })

  it('finds own movement of the lips, with and without movement of the head', () => {
    for (const strength of [0, 1]) {
      const patches = views(strength).map((to, i) =>
        seen(speaking(image, i % 3 === 0 ? 0.25 : 0), mesh.points, to, i),
      )
      expect(measured(patches).own).toBeGreaterThan(0.2)
    }
  })

  it('measures the same on every machine', () => {
    const movement = measured(
      views(1).map((to, i) => seen(speaking(image, i % 3 === 0 ? 0.25 : 0), mesh.points, to, i)),
    )
    const close = (value: number) => expect.closeTo(value, 3)
    expect(movement).toEqual({
      frames: 12,
      own: close(0.7131),
      uncut: movement.own,
      recurrence: close(0.0024),
      jumpRecurrence: close(0.0015),
      remainder: close(0.5555),
      blendRemainder: null,
      light: close(0.0182),
      view: close(1.0908),
      tilt: close(0.0381),
    })
  })

  it('finds exact recurrence if lips are animated periodically, and none if they move on', () => {
    const clip = (openness: (frame: number) => number) =>
      measured(
        views(0)
          .flatMap((to, i) =>
            [0, 12].map((later) => seen(speaking(image, openness(i + later)), mesh.points, to, i + later)),
          )
          .sort((a, b) => a.timeS - b.timeS),
      )
    const rhythm = clip((frame) => [0, 0.1, 0.2, 0.1][frame % 4]!)
    const going = clip((frame) => 0.015 * frame)
    expect(rhythm.own).toBeGreaterThan(0.2)
    expect(rhythm.recurrence).toBeLessThan(0.05)
    expect(going.recurrence).toBeGreaterThan(1)
  })

  it('finds no view movement if the face holds still', () => {
    const { own, view } = measured(views(0).map((to, i) => seen(image, mesh.points, to, i)))
    expect(own).toBeLessThan(0.08)
    expect(view).toBeLessThan(0.1)
  })

  it('returns null for too few frames', () => {
    const patches = views(1).map((to, i) => seen(image, mesh.points, to, i))
    expect(measureMovement(patches.slice(0, 4), registrationKernel)).toBeNull()
    expect(measureMovement([], registrationKernel)).toBeNull()
  })

  it('returns null for a face that leaves the frame', () => {
    const aside = views(1).map((to) => compose([1, 0, 0, 0, 1, image.height * 0.33, 0, 0, 1], to))
    const patches = aside.map((to, i) => seen(speaking(image, i % 3 === 0 ? 0.25 : 0), mesh.points, to, i))
    expect(measureMovement(patches, registrationKernel)).toBeNull()
  })

  it('finds own movement if the eyes blink once in eight seconds', () => {
    const still = centred([1, 0, 0, 0, 1, 0, 0, 0, 1])
    const [open, closed] = [image, blinking(image)].map((from) => seen(from, mesh.points, still, 0))
    const patches = Array.from({ length: 100 }, (_, i) => ({
      ...(i === 40 || i === 41 ? closed! : open!),
      timeS: i / 12,
    }))
    expect(measured(patches).own).toBeGreaterThan(0.2)
    const glitch = patches.map((patch, i) => (i === 41 ? { ...open!, timeS: patch.timeS } : patch))
    expect(measured(glitch).own).toBeLessThan(0.05)
  })

  describe('with an animated still', () => {
    const still = () => centred([1, 0, 0, 0, 1, 0, 0, 0, 1])
    const animated = (frame: (i: number) => RgbaImage, count = 12) =>
      measured(Array.from({ length: count }, (_, i) => seen(frame(i), mesh.points, still(), i)))
    const apart = () =>
      Math.hypot(mesh.points[33]!.x - mesh.points[263]!.x, mesh.points[33]!.y - mesh.points[263]!.y)
    const waved = (i: number) =>
      taken(image, (x, y) => ({
        x: x + 0.06 * apart() * Math.sin(y / (0.3 * apart()) + i / 3),
        y: y + 0.06 * apart() * Math.sin(x / (0.35 * apart()) + i / 4),
      }))

    /** The picture fades into its mirror image. */
    const faded = (share: number): RgbaImage => {
      const other = taken(image, (x, y) => ({ x: 2 * mesh.points[4]!.x - x, y }))
      const data = image.data.map((value, at) => value * (1 - share) + other.data[at]! * share)
      return { ...image, data }
    }

    it('explains a wave by a smooth bend', () => {
      const { own, remainder } = animated(waved)
      expect(own).toBeGreaterThan(0.2)
      expect(remainder).toBeLessThan(0.03)
    })

    it('does not explain opening lips by a bend', () => {
      const { remainder } = animated((i) => speaking(i % 2 ? waved(i) : image, i % 3 === 0 ? 0.25 : 0))
      expect(remainder).toBeGreaterThan(0.1)
    })

    it('finds uneven light if shadows pass over it', () => {
      const shadowed = (i: number): RgbaImage => ({
        ...image,
        data: image.data.map((value, at) => {
          const y = Math.floor(at / 4 / image.width)
          return at % 4 === 3 ? value : value * (0.75 + 0.25 * Math.sin(y / (0.22 * apart()) + i / 2))
        }),
      })
      expect(animated(shadowed).light).toBeGreaterThan(0.14)
      expect(animated(waved).light).toBeLessThan(0.05)
    })

    it('finds no movement in photos that follow each other, however little the rigid parts differ', () => {
      const shares = [0.2, 0.25, 0.3, 0.35, 0.45]
      const found = shares.map((share) => animated((i) => faded(i < 12 ? 0 : share), 24))
      for (const { own, uncut } of found) expect(Math.min(own, uncut)).toBeLessThan(0.16)
      expect(found.filter(({ own }) => own > 0.16).length).toBeGreaterThan(2)
      expect(found.at(-1)!.own).toBeGreaterThan(0.3)
      expect(found.at(-1)!.uncut).toBeLessThan(0.1)
    })

    it.each([2, 3])('finds no movement in %i of 32 frames of other photos', (count) => {
      const other = faded(0.5)
      const closed = blinking(other)
      const inserted = (i: number) => (i === 10 ? other : i > 10 && i < 10 + count ? closed : image)
      expect(animated(inserted, 32).uncut).toBeLessThan(0.1)
    })

    it('explains photos that fade into each other as a crossfade, and no movement', () => {
      const { own, blendRemainder } = animated((i) => faded(i / 24), 24)
      expect(own).toBeGreaterThan(0.2)
      expect(blendRemainder).toBeLessThan(0.3)
      const lips = animated((i) => speaking(image, 0.3 * Math.abs(Math.sin(i / 2))), 24)
      expect(lips.blendRemainder ?? 1).toBeGreaterThan(0.5)
    })

    it('finds jumps to the same picture if lids are pasted over the eyes', () => {
      const [open, closed] = [image, blinking(image)].map((from) => seen(from, mesh.points, still(), 0))
      const blinkingAt = (frames: readonly number[]) =>
        measured(
          Array.from({ length: 40 }, (_, i) => ({
            ...(frames.includes(i) ? closed! : open!),
            timeS: i / 10,
          })),
        )
      expect(blinkingAt([8, 9, 20, 21, 32, 33]).jumpRecurrence).toBeLessThan(0.001)
      expect(animated(waved).jumpRecurrence ?? 1).toBeGreaterThan(0.1)
    })
  })

  it('finds no exact jumps if an encoder freezes the open eyes of a person between blinks', () => {
    const still = centred([1, 0, 0, 0, 1, 0, 0, 0, 1])
    const open = seen(image, mesh.points, still, 0)
    const lids = new Map([0.12, 0.1, 0.11].map((closed, i) => [8 + 12 * i, blinking(image, closed)]))
    const patches = Array.from({ length: 40 }, (_, i) => {
      const closed = lids.get(i)
      return { ...(closed ? seen(closed, mesh.points, still, 0) : open), timeS: i / 10 }
    })
    expect(measured(patches).jumpRecurrence).toBeGreaterThan(0.01)
  })

  it('ignores parts beyond the border of the frame', () => {
    const aside = Array.from({ length: 12 }, (_, i) =>
      centred([1, 0, image.width * 0.16 + 12 * Math.sin(i), 0, 1, 12 * Math.cos(i), 0, 0, 1]),
    )
    expect(measured(aside.map((to, i) => seen(image, mesh.points, to, i))).own).toBeLessThan(0.1)
  })
})
