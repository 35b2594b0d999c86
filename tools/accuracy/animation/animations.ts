/** Stills animated by a few lines of code, as by an attacker who has one or two photos of a person. */
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import type { Point } from '../../../src/vision/geometry.ts'
import { blur, type Displacement, mirror, mix, shade, softShade, warp } from './picture-operations.ts'

/** A square portrait, with the facts that an attacker knows about it. */
export interface Portrait {
  image: RgbaImage
  /** Other photos of the person, aligned with the first by the eyes; usually none. */
  others: readonly RgbaImage[]
  /** A photo of another person, aligned with the first by the eyes; `null` for the very first portrait. */
  stranger: RgbaImage | null
  rightEye: Point
  leftEye: Point
  mouth: Point
  nose: Point
  /** Distance between the eyes in pixels. */
  eyesApart: number
}

/** Draws a frame; `random` continues from frame to frame, `seed` belongs to the clip. */
export type Animation = (portrait: Portrait, frame: number, seed: () => () => number) => RgbaImage

const bump = (x: number, y: number, at: Point, width: number, height: number): number =>
  Math.exp(-(((x - at.x) / width) ** 2) - ((y - at.y) / height) ** 2)

/** Lids that close at frames 8, 20 and so on: pixels from above the eye are drawn over it. */
const lids = ({ rightEye, leftEye, eyesApart }: Portrait, frame: number): Displacement => {
  const closing = Math.max(0, 1 - Math.abs((frame % 12) - 8) / 2)
  const [width, height] = [eyesApart * 0.28, eyesApart * 0.13]
  return (x, y) => {
    const near = bump(x, y, rightEye, width, height) + bump(x, y, leftEye, width, height)
    return [0, -closing * eyesApart * 0.16 * near]
  }
}

/** Lips that open: pixels above the mouth move up, those below move down. */
const lips = ({ mouth, eyesApart }: Portrait, frame: number): Displacement => {
  const open = 0.5 + 0.5 * Math.sin(frame * 1.1)
  return (x, y) => {
    const near = bump(x, y, mouth, eyesApart * 0.4, eyesApart * 0.25)
    return [0, -Math.tanh((y - mouth.y) / (eyesApart * 0.06)) * open * eyesApart * 0.07 * near]
  }
}

/** The head turns back and forth: points near the middle of the face, which are closer to the camera, move further. */
const depth = ({ nose, eyesApart }: Portrait, frame: number): Displacement => {
  const [across, along] = [Math.sin(frame / 5), Math.sin(frame / 7)]
  return (x, y) => {
    const near = bump(x, y, nose, eyesApart * 1.1, eyesApart * 1.5)
    return [across * eyesApart * 0.12 * near, along * eyesApart * 0.06 * near]
  }
}

const wave =
  (pixels: number): ((portrait: Portrait, frame: number) => Displacement) =>
  (_, frame) =>
  (x, y) => [pixels * Math.sin(y / 40 + frame / 3), pixels * Math.sin(x / 45 + frame / 4)]

/** A smooth field of random displacements that changes to the next one within five frames. */
const randomWarp =
  (pixels: number) =>
  (portrait: Portrait, frame: number, seed: () => () => number): Displacement => {
    const cells = 5
    const random = seed()
    const fields = Array.from({ length: Math.floor(frame / 5) + 2 }, () =>
      Float32Array.from({ length: cells * cells * 2 }, () => (random() * 2 - 1) * pixels),
    )
    const [before, after] = fields.slice(-2) as [Float32Array, Float32Array]
    const share = (frame % 5) / 5
    const cell = portrait.image.width / (cells - 1)
    return (x, y) => {
      const [u, v] = [x / cell, y / cell]
      const [column, row] = [Math.min(cells - 2, Math.floor(u)), Math.min(cells - 2, Math.floor(v))]
      const [du, dv] = [u - column, v - row]
      const at = (axis: number, right: number, down: number) => {
        const place = ((row + down) * cells + column + right) * 2 + axis
        return before[place]! * (1 - share) + after[place]! * share
      }
      const between = (axis: number) =>
        (at(axis, 0, 0) * (1 - du) + at(axis, 1, 0) * du) * (1 - dv) +
        (at(axis, 0, 1) * (1 - du) + at(axis, 1, 1) * du) * dv
      return [between(0), between(1)]
    }
  }

const sum =
  (...parts: readonly Displacement[]): Displacement =>
  (x, y) => {
    let [dx, dy] = [0, 0]
    for (const part of parts) {
      const [px, py] = part(x, y)
      dx += px
      dy += py
    }
    return [dx, dy]
  }

const panAndZoom =
  ({ image }: Portrait, frame: number): Displacement =>
  (x, y) => {
    const [middle, zoom] = [image.width / 2, 0.88 + 0.05 * Math.sin(frame / 6)]
    return [
      (x - middle) * (zoom - 1) + 25 * Math.sin(frame / 4),
      (y - middle) * (zoom - 1) + 20 * Math.cos(frame / 5),
    ]
  }

/** Random numbers for another frame. */
function later(random: () => number, frame: number): () => number {
  for (let i = 0; i < frame * 9973; i++) random()
  return random
}

const noise = (image: RgbaImage, deviation: number, random: () => number): RgbaImage =>
  shade(image, () => [1, deviation * (random() + random() + random() + random() - 2) * 1.73])

/** Soft bright and dark spots at positions that change in every frame. */
const blobs = (image: RgbaImage, frame: number, seed: () => number): RgbaImage => {
  const random = later(seed, frame)
  const spots = Array.from({ length: 6 }, () => ({
    at: { x: random() * image.width, y: random() * image.height },
    size: (0.05 + 0.08 * random()) * image.width,
    light: (random() - 0.5) * 90,
  }))
  return softShade(image, (x, y) => [
    1,
    spots.reduce((light, { at, size, light: own }) => light + own * bump(x, y, at, size, size), 0),
  ])
}

const bars = (image: RgbaImage, frame: number, soft: boolean, dark: number): RgbaImage =>
  shade(image, (_, y) => {
    const phase = Math.sin(y / 30 + frame / 2)
    return [1 - dark * (soft ? 0.5 + 0.5 * phase : phase > 0 ? 1 : 0), 0]
  })

const warped =
  (...parts: readonly ((portrait: Portrait, frame: number) => Displacement)[]): Animation =>
  (portrait, frame) =>
    warp(portrait.image, sum(...parts.map((part) => part(portrait, frame))))

/** Draws the skin above the eyes over them. @param closed 0 open … 1 closed */
function pasteLids({ image, rightEye, leftEye, eyesApart }: Portrait, closed: number): RgbaImage {
  if (closed === 0) return image
  const [width, height] = [eyesApart * 0.3, eyesApart * 0.13]
  const skin = warp(image, () => [0, -eyesApart * 0.33])
  const lidOf = (x: number, y: number, eye: Point) =>
    bump(x, y, { x: eye.x, y: eye.y - (1 - closed) * height }, width, height)
  return mix(image, skin, (x, y) => Math.min(1, 1.6 * (lidOf(x, y, rightEye) + lidOf(x, y, leftEye))))
}

/** By a hand that trembles, each frame with fresh noise. */
const heldInHand =
  (animation: Animation): Animation =>
  (portrait, frame, seed) => {
    const image = animation(portrait, frame, seed)
    const held = warp(image, () => [3 * Math.sin(frame * 0.7), 3 * Math.cos(frame * 0.45)])
    return noise(held, 4, later(seed(), frame))
  }

/** Lids are pasted over the eyes for two of twelve frames. */
const pastedLids: Animation = (portrait, frame) =>
  pasteLids(portrait, frame % 12 === 8 || frame % 12 === 9 ? 1 : 0)

/** How far lids are closed from frame to frame, in blinks of different length. */
const unevenBlinks = [0.4, 1, 0.7, 0, 0, 0, 0, 0, 0, 0, 0, 0.9, 0.5, 0, 0, 0, 0, 0, 0, 0.6, 1, 1, 0.3]

/** The same with blinks that differ, by a hand that trembles. */
const unevenPastedLids: Animation = heldInHand((portrait, frame) =>
  pasteLids(portrait, unevenBlinks[frame - 4] ?? 0),
)

/** Pictures of one person, or of two. */
type Pictures = (portrait: Portrait) => readonly RgbaImage[]

const ofPerson: Pictures = ({ image, others }) => [image, ...others]
const ofStrangers: Pictures = ({ image, stranger }) => (stranger ? [image, stranger] : [image])

const inTurn =
  (picturesOf: Pictures): Animation =>
  (portrait, frame) => {
    const pictures = picturesOf(portrait)
    return pictures[frame % pictures.length]!
  }

/**
 * @param fadeFrames in which a photo changes into the next
 * @param heldFrames in which a photo is shown before
 */
const crossfade =
  (picturesOf: Pictures, fadeFrames = 10, heldFrames = 0): Animation =>
  (portrait, frame) => {
    const pictures = picturesOf(portrait)
    const each = fadeFrames + heldFrames
    const first = Math.floor(frame / each)
    const share = Math.max(0, (frame % each) - heldFrames) / fadeFrames
    const [before, after] = [first, first + 1].map((at) => pictures[at % pictures.length]!)
    return mix(before!, after!, () => share)
  }

/** Number of frames in the clip. */
export const frameCount = 30

/** Photos that are shown one after the other, each once. */
const oneAfterAnother: Animation = (portrait, frame) => {
  const pictures = ofPerson(portrait)
  return pictures[Math.min(pictures.length - 1, Math.floor((frame / frameCount) * pictures.length))]!
}

/** The name of a still that is held and sent as JPEGs of low quality. */
export const coarse = 'held, coarse JPEG'

/** Animations by name; some need a second photo of the person, or a photo of a stranger. */
export const animations: Readonly<Record<string, Animation>> = {
  held: ({ image }) => image,
  [coarse]: ({ image }) => image,
  'weak noise': ({ image }, frame, seed) => noise(image, 6, later(seed(), frame)),
  'noise of deviation 50': ({ image }, frame, seed) => noise(image, 50, later(seed(), frame)),
  flicker: ({ image }, frame) => shade(image, () => [1 + 0.12 * Math.sin(frame * 2.1), 0]),
  'focus pumping': ({ image }, frame) => blur(image, Math.round(2.5 + 2.5 * Math.sin(frame / 3))),
  mirrored: ({ image }, frame) => (frame % 2 ? mirror(image) : image),
  blobs: ({ image }, frame, seed) => blobs(image, frame, seed()),
  'panned and zoomed, blobs': (portrait, frame, seed) =>
    blobs(warp(portrait.image, panAndZoom(portrait, frame)), frame, seed()),
  'soft shadow bars': ({ image }, frame) => bars(image, frame, true, 0.45),
  'hard bars': ({ image }, frame) => bars(image, frame, false, 0.35),
  'moving glare': ({ image }, frame) =>
    softShade(image, (x, y) => {
      const at = { x: image.width * (0.5 + 0.4 * Math.sin(frame / 4)), y: image.height * 0.4 }
      return [1, 120 * bump(x, y, at, image.width * 0.16, image.width * 0.22)]
    }),
  'wave of 3 pixels': warped(wave(3)),
  'wave of 4 pixels, faint bars': (portrait, frame) =>
    bars(warp(portrait.image, wave(4)(portrait, frame)), frame, true, 0.15),
  'wave of 6 pixels': warped(wave(6)),
  'wave of 10 pixels': warped(wave(10)),
  'random warp of 4 pixels': (portrait, frame, seed) =>
    warp(portrait.image, randomWarp(4)(portrait, frame, seed)),
  'random warp of 8 pixels': (portrait, frame, seed) =>
    warp(portrait.image, randomWarp(8)(portrait, frame, seed)),
  depth: warped(depth),
  'depth, lips and lids': warped(depth, lips, lids),
  'depth, lips and lids, panned and noisy': (portrait, frame, seed) => {
    const moved = warp(
      portrait.image,
      sum(panAndZoom(portrait, frame), depth(portrait, frame), lips(portrait, frame), lids(portrait, frame)),
    )
    return noise(moved, 6, later(seed(), frame))
  },
  lips: warped(lips),
  lids: warped(lids),
  'lips and lids': warped(lips, lids),
  'pasted lids': pastedLids,
  'pasted lids, uneven and noisy': unevenPastedLids,
  'photos in turn': inTurn(ofPerson),
  'photos one after another, noisy': heldInHand(oneAfterAnother),
  'photos held, one crossfade of 0.3 s, noisy': heldInHand(
    crossfade(({ image, others }) => [image, others[0]!], 3, 13),
  ),
  'photos crossfaded': crossfade(ofPerson),
  'three photos crossfaded': crossfade(ofPerson),
  'three photos crossfaded in 0.3 s': crossfade(ofPerson, 3, 7),
  'three photos crossfaded in 1.5 s, noisy': heldInHand(crossfade(ofPerson, 15)),
  'photos crossfaded in 3 s, noisy': heldInHand(crossfade(ofPerson, 30)),
  'strangers in turn': inTurn(ofStrangers),
  'strangers crossfaded': crossfade(ofStrangers),
  'a photo in a moving clip of a stranger': (portrait, frame, seed) =>
    frame === frameCount >> 1
      ? portrait.image
      : animations['depth, lips and lids, panned and noisy']!(
          { ...portrait, image: portrait.stranger ?? portrait.image },
          frame,
          seed,
        ),
}

/** Whether a portrait has the photos that an animation needs. */
export function canAnimate({ others, stranger }: Portrait, name: string): boolean {
  if (name.startsWith('photos ')) return others.length > 0
  if (name.startsWith('three photos ')) return others.length > 1
  return !name.includes('stranger') || stranger !== null
}
