/** Alterations of a portrait: tilted, far away, dark, with a mask. */

import type { RgbaImage } from '../../src/media/rgba-image.ts'
import type { FaceMesh } from '../../src/vision/facemesh.ts'
import { invert, type Point, type Similarity, similarityMap, transform } from '../../src/vision/geometry.ts'
import { warpToTensor } from '../../src/vision/resample.ts'
import { toPyramid } from '../../test/fixtures/codecs.ts'

interface AlteredPicture {
  image: RgbaImage
  /** Maps a point of the picture to the altered one. */
  move: (point: Point) => Point
}

type Alter = (image: RgbaImage, mesh: FaceMesh) => AlteredPicture

export function fromPlanes(planes: Float32Array, width: number, height: number): RgbaImage {
  const data = new Uint8ClampedArray(width * height * 4).fill(255)
  const plane = width * height
  for (let i = 0; i < plane; i++) {
    for (let colour = 0; colour < 3; colour++) data[i * 4 + colour] = planes[i + plane * colour]!
  }
  return { width, height, data }
}

/** The picture rotated and shrunk in the middle of a larger one; its border is replicated. */
function placePicture(image: RgbaImage, degrees: number, scale: number, width: number, height: number) {
  const angle = (degrees * Math.PI) / 180
  const [a, b] = [Math.cos(angle) * scale, Math.sin(angle) * scale]
  const [cx, cy] = [image.width / 2, image.height / 2]
  const toPlaced: Similarity = {
    a,
    b,
    tx: width / 2 - (a * cx - b * cy),
    ty: height / 2 - (b * cx + a * cy),
  }
  const planes = warpToTensor(toPyramid(image), similarityMap(invert(toPlaced)), {
    width,
    height,
    order: 'rgb',
    sampling: 'averaged',
    outside: 'border',
  })
  return { image: fromPlanes(planes, width, height), move: (point: Point) => transform(toPlaced, point) }
}

/** @param degrees clockwise */
const tilted =
  (degrees: number): Alter =>
  (image) => {
    const angle = (degrees * Math.PI) / 180
    const [cos, sin] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))]
    const width = Math.round(image.width * cos + image.height * sin)
    const height = Math.round(image.width * sin + image.height * cos)
    return placePicture(image, degrees, 1, width, height)
  }

const smallSide = { width: 1280, height: 960 }

/** The face at a given height in a wide photograph. */
const far =
  (pixels: number): Alter =>
  (image, mesh) => {
    const ys = mesh.points.map(({ y }) => y)
    const scale = pixels / (Math.max(...ys) - Math.min(...ys))
    return placePicture(image, 0, scale, smallSide.width, smallSide.height)
  }

const still = (point: Point): Point => point

function recolour(image: RgbaImage, change: (value: number, pixel: number) => number): AlteredPicture {
  const data = image.data.slice()
  for (let i = 0; i < data.length; i++) if (i % 4 < 3) data[i] = change(data[i]!, i >> 2)
  return { image: { ...image, data }, move: still }
}

/** A tenth of the light, with sensor noise. */
const dark: Alter = (image) => {
  let seed = 1
  const random = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed / 2147483648 - 0.5
  }
  return recolour(image, (value) => value * 0.1 + random() * 8)
}

/** Mesh points of the outline of a surgical mask: the lower edge of the face from ear to ear, and the bridge of the nose. */
const maskOutline = [
  234, 93, 132, 58, 172, 136, 150, 149, 176, 148, 152, 377, 400, 378, 379, 365, 397, 288, 361, 323, 454, 195,
]

function isInside({ x, y }: Point, outline: readonly Point[]): boolean {
  let inside = false
  outline.forEach((p, i) => {
    const q = outline[(i + 1) % outline.length]!
    if (p.y > y !== q.y > y && x < ((q.x - p.x) * (y - p.y)) / (q.y - p.y) + p.x) inside = !inside
  })
  return inside
}

const maskColour = [150, 190, 210] as const

const masked: Alter = (image, mesh) => {
  const outline = maskOutline.map((index) => mesh.points[index]!)
  const data = image.data.slice()
  for (let y = 0; y < image.height; y++) {
    for (let x = 0; x < image.width; x++) {
      if (isInside({ x: x + 0.5, y: y + 0.5 }, outline)) data.set(maskColour, (y * image.width + x) * 4)
    }
  }
  return { image: { ...image, data }, move: still }
}

export const alterations: Record<string, Alter> = {
  '30°': tilted(30),
  '−30°': tilted(-30),
  '45°': tilted(45),
  '−45°': tilted(-45),
  '90°': tilted(90),
  '−90°': tilted(-90),
  '180°': tilted(180),
  '64 px': far(64),
  '40 px': far(40),
  '28 px': far(28),
  dark,
  masked,
}
