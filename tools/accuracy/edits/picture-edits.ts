/** Edits that anybody with a picture editor could try on a photo of an attack until it passes. */

import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import type { Box } from '../../../src/vision/geometry.ts'
import { shrinkImage } from '../../../test/fixtures/codecs.ts'
import { generator } from '../../../test/fixtures/gallery.ts'
import { crop } from '../../../test/fixtures/portraits.ts'
import { blur, mirror, warpToSquare } from '../animation/picture-operations.ts'

/** A photo with the box of its face. */
interface FacePicture {
  image: RgbaImage
  box: Box
}

export interface PictureEdit {
  name: string
  /** Whether the edit only adds a border and leaves face and surroundings unchanged. */
  isBorder: boolean
  /** The edit that makes the same picture without the border; `null` for other edits. */
  without: string | null
  /** Quality of the JPEG that is sent. */
  quality: number
  change: (picture: FacePicture) => RgbaImage
}

type Colour = readonly [number, number, number]
/** The border's colour at coordinates outside the picture. */
type Fill = (image: RgbaImage) => (x: number, y: number) => Colour

const clamp = (value: number, last: number): number => Math.min(last, Math.max(0, value))

function pixel({ width, height, data }: RgbaImage, x: number, y: number): Colour {
  const at = (clamp(Math.floor(y), height - 1) * width + clamp(Math.floor(x), width - 1)) * 4
  return [data[at]!, data[at + 1]!, data[at + 2]!]
}

/** Reflects a coordinate at the edge. */
const reflect = (value: number, length: number): number => {
  const within = ((value % (2 * length)) + 2 * length) % (2 * length)
  return within < length ? within : 2 * length - 1 - within
}

const replicated: Fill = (image) => (x, y) => pixel(image, x, y)
const reflected: Fill = (image) => (x, y) => pixel(image, reflect(x, image.width), reflect(y, image.height))
const even =
  (...colour: Colour): Fill =>
  () =>
  () =>
    colour

/** The picture itself, enlarged and blurred, as phones show upright clips on wide screens. */
const blurredCopy: Fill = (image) => {
  const small = blur(shrinkImage(image, 24, Math.max(8, Math.round((24 * image.height) / image.width))), 1)
  const [sx, sy] = [small.width / (image.width * 2), small.height / (image.height * 2)]
  return (x, y) => {
    const [px, py] = [(x + image.width / 2) * sx - 0.5, (y + image.height / 2) * sy - 0.5]
    const [left, top] = [Math.floor(px), Math.floor(py)]
    const [u, v] = [px - left, py - top]
    const mix = (channel: 0 | 1 | 2) =>
      (pixel(small, left, top)[channel] * (1 - u) + pixel(small, left + 1, top)[channel] * u) * (1 - v) +
      (pixel(small, left, top + 1)[channel] * (1 - u) + pixel(small, left + 1, top + 1)[channel] * u) * v
    return [mix(0), mix(1), mix(2)]
  }
}

const tileSide = 12
/** A repeating brown weave. */
const textured: Fill = () => (x, y) => {
  const [u, v] = [reflect(Math.floor(x), tileSide), reflect(Math.floor(y), tileSide)]
  const light = 90 + ((u * 7 + v * 5) % tileSide) * 9
  return [light, light * 0.8, light * 0.6]
}

type Side = 'left' | 'right' | 'above' | 'below'
const allSides: readonly Side[] = ['left', 'right', 'above', 'below']

/** @param share width of the border on each of its sides, relative to the picture's longer side */
function addFrame(image: RgbaImage, share: number, fill: Fill, sides = allSides): RgbaImage {
  const side = Math.round(Math.max(image.width, image.height) * share)
  const rim = (name: Side) => (sides.includes(name) ? side : 0)
  const [left, above] = [rim('left'), rim('above')]
  const [width, height] = [image.width + left + rim('right'), image.height + above + rim('below')]
  const data = new Uint8ClampedArray(width * height * 4)
  const beside = fill(image)
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      const [px, py] = [x - left, y - above]
      const isInside = px >= 0 && py >= 0 && px < image.width && py < image.height
      data.set(isInside ? pixel(image, px, py) : beside(px, py), at)
      data[at + 3] = 255
    }
  }
  return { width, height, data }
}

/** Crops the picture around the face, to a number of face sizes. */
function cropAroundFace({ image, box }: FacePicture, faces: number): RgbaImage {
  const [width, height] = [box.width * faces, box.height * faces]
  const left = Math.floor(Math.max(0, box.x + box.width / 2 - width / 2))
  const top = Math.floor(Math.max(0, box.y + box.height / 2 - height / 2))
  const right = Math.ceil(Math.min(image.width, box.x + box.width / 2 + width / 2))
  const bottom = Math.ceil(Math.min(image.height, box.y + box.height / 2 + height / 2))
  return crop(image, left, top, right - left, bottom - top)
}

const sentQuality = 92
/** What borders are compared with: the loss of saving a picture once more is not theirs. */
export const savedAgain = 'saved again'
const cropName = (faces: number) => `a crop of ${faces} faces`

const border = (name: string, share: number, fill: Fill, faces?: number): PictureEdit => ({
  name: `${name} border, ${share * 100} %${faces ? `, after ${cropName(faces)}` : ''}`,
  isBorder: true,
  without: faces ? cropName(faces) : savedAgain,
  quality: sentQuality,
  change: (picture) => addFrame(faces ? cropAroundFace(picture, faces) : picture.image, share, fill),
})

const borderBeside = (name: string, fill: Fill, ...sides: Side[]): PictureEdit => ({
  name: `${name} border, 30 %, ${sides.join(', ')}`,
  isBorder: true,
  without: savedAgain,
  quality: sentQuality,
  change: ({ image }) => addFrame(image, 0.3, fill, sides),
})

const edit = (
  name: string,
  change: (image: RgbaImage, faceSide: number) => RgbaImage,
  quality = sentQuality,
): PictureEdit => ({
  name,
  isBorder: false,
  without: null,
  quality,
  change: ({ image, box }) => change(image, Math.max(box.width, box.height)),
})

const cropped = (faces: number): PictureEdit => ({
  name: cropName(faces),
  isBorder: false,
  without: null,
  quality: sentQuality,
  change: (picture) => cropAroundFace(picture, faces),
})

const applyGain =
  (...gain: Colour) =>
  (image: RgbaImage): RgbaImage => {
    const data = image.data.slice()
    for (let i = 0; i < data.length; i++) if (i % 4 < 3) data[i] = data[i]! * gain[i % 4]!
    return { ...image, data }
  }

const applyGamma =
  (exponent: number) =>
  (image: RgbaImage): RgbaImage => {
    const data = image.data.map((value, i) => (i % 4 < 3 ? 255 * (value / 255) ** exponent : value))
    return { ...image, data }
  }

const addNoise =
  (deviation: number) =>
  (image: RgbaImage): RgbaImage => {
    const random = generator(1)
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    const data = image.data.map((value, i) => (i % 4 < 3 ? value + deviation * normal() : value))
    return { ...image, data }
  }

/** Unsharp mask: adds the difference from a slightly blurred copy. */
const sharpened = (image: RgbaImage): RgbaImage => {
  const soft = blur(image, 1)
  return { ...image, data: image.data.map((value, i) => value + (value - soft.data[i]!)) }
}

const rotate =
  (degrees: number) =>
  (image: RgbaImage): RgbaImage => {
    const angle = (degrees * Math.PI) / 180
    const [a, b] = [Math.cos(angle), Math.sin(angle)]
    const side = Math.max(image.width, image.height)
    const [cx, cy] = [image.width / 2, image.height / 2]
    const half = side / 2
    return warpToSquare(image, { a, b, tx: cx - a * half + b * half, ty: cy - b * half - a * half }, side)
  }

const resize =
  (factor: number) =>
  (image: RgbaImage): RgbaImage => {
    const side = Math.round(Math.max(image.width, image.height) * factor)
    const [width, height] = [Math.round(image.width * factor), Math.round(image.height * factor)]
    if (factor < 1) return shrinkImage(image, width, height)
    const half = (1 / factor - 1) / 2
    return crop(warpToSquare(image, { a: 1 / factor, b: 0, tx: half, ty: half }, side), 0, 0, width, height)
  }

const widths = [0.1, 0.3, 0.6]
const warm: Colour = [1.15, 1, 0.8]

export const pictureEdits: readonly PictureEdit[] = [
  ...widths.map((share) => border('replicated', share, replicated)),
  ...widths.map((share) => border('reflected', share, reflected)),
  ...widths.map((share) => border('grey', share, even(128, 128, 128))),
  border('black', 0.3, even(0, 0, 0)),
  border('white', 0.3, even(255, 255, 255)),
  border('blurred', 0.3, blurredCopy),
  border('textured', 0.3, textured),
  border('replicated', 0.3, replicated, 1.2),
  border('replicated', 0.6, replicated, 1.05),
  border('reflected', 0.3, reflected, 1.2),
  border('grey', 0.3, even(128, 128, 128), 1.2),
  {
    ...border('replicated', 0.3, replicated),
    name: 'replicated border, 30 %, with noise of deviation 5',
    change: ({ image }) => addNoise(5)(addFrame(image, 0.3, replicated)),
    without: 'noise of deviation 5',
  },
  borderBeside('grey', even(128, 128, 128), 'left', 'right'),
  borderBeside('black', even(0, 0, 0), 'above', 'below'),
  borderBeside('replicated', replicated, 'left', 'right', 'below'),
  borderBeside('grey', even(128, 128, 128), 'below'),
  edit(savedAgain, (image) => image),
  cropped(1.2),
  cropped(1.05),
  edit('warmer', applyGain(...warm)),
  edit('replicated border, 30 %, and warmer', (image) =>
    addFrame(applyGain(...warm)(image), 0.3, replicated),
  ),
  edit('colder', applyGain(0.85, 1, 1.15)),
  edit('noise of deviation 5', addNoise(5)),
  edit('noise of deviation 12', addNoise(12)),
  edit('JPEG quality 40', (image) => image, 40),
  edit('JPEG quality 20', (image) => image, 20),
  edit('JPEG quality 8', (image) => image, 8),
  edit('sharpened', sharpened),
  edit('blurred', (image, faceSide) => blur(image, Math.max(1, Math.round(faceSide * 0.01)))),
  edit('turned by 5°', rotate(5)),
  edit('turned by 20°', rotate(20)),
  edit('darker (gamma 1.4)', applyGamma(1.4)),
  edit('brighter (gamma 0.7)', applyGamma(0.7)),
  edit('mirrored', mirror),
  edit('half the size', resize(0.5)),
  edit('twice the size', resize(2)),
]
