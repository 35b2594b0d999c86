/** Quality measures of a sample in the sense of ISO/IEC 29794-5. */
import type { RgbaImage } from '../media/rgba-image.ts'
import { brightness } from './brightness.ts'
import type { DetectedFace } from './face.ts'
import { type FaceMesh, meshIndex } from './facemesh.ts'
import { type Box, boxCentre, boxMap } from './geometry.ts'
import { estimateHeadPose, type HeadPose } from './pose.ts'
import type { Pyramid } from './pyramid.ts'
import { warpToTensor } from './resample.ts'

export interface SampleQuality {
  /** Longer side of the face's box in pixels of the picture. */
  faceSide: number
  /** Area of the box relative to the area of the picture. */
  faceShare: number
  /**
   * Variance of the Laplacian of the face at 128 × 128 pixels, divided by the variance of its brightness. About 0.2 for a
   * portrait in focus, 0.02 for a blurred or enlarged one.
   */
  sharpness: number
  /** Mean brightness of the face, 0…1. */
  brightness: number
  /** Shares of nearly black and nearly white pixels in the face, 0…1. */
  underexposed: number
  overexposed: number
  /** Standard deviation of the pixel noise in smooth parts of the face, in grey levels of 255. */
  noise: number
  pose: HeadPose
  /** Hints of occlusion (glasses, mask, hand): how much the part differs from skin, 0…1. */
  eyesHidden: number
  mouthHidden: number
  /** Mean colourfulness of the face (mean difference of its channels), in grey levels of 255; 0 for a grey picture. */
  colour: number | null
  /** Shorter side of the picture divided by the longer side of the face's box. */
  surroundings: number | null
  /**
   * Ratio of pixel differences at the borders of 8 × 8 blocks to those inside: about 1 for light compression, 2.2 for JPEG
   * quality 25, 4.5 for 8.
   */
  blockiness: number | null
}

const side = 128

/** A square around the centre of a box, its side the longer side of the box. */
function toSquare(box: Box): Box {
  const length = Math.max(box.width, box.height)
  const centre = boxCentre(box)
  return { x: centre.x - length / 2, y: centre.y - length / 2, width: length, height: length }
}

interface FixedFace {
  /** Brightness `[side,side]`, 0…255. */
  grey: Float32Array
  colour: number
}

/** Crops the face and resizes it to a fixed size. */
function resizeFace(pyramid: Pyramid, box: Box): FixedFace {
  const planes = warpToTensor(pyramid, boxMap(toSquare(box), side, side), {
    width: side,
    height: side,
    order: 'rgb',
    sampling: 'averaged',
    outside: 'border',
  })
  const plane = side * side
  const grey = new Float32Array(plane)
  let colour = 0
  for (let i = 0; i < plane; i++) {
    const [r, g, b] = [planes[i]!, planes[i + plane]!, planes[i + plane * 2]!]
    grey[i] = brightness(r, g, b)
    colour += (Math.abs(r - g) + Math.abs(g - b)) / 2
  }
  return { grey, colour: colour / plane }
}

function meanAndVariance(values: Float32Array): { mean: number; variance: number } {
  let sum = 0
  let squares = 0
  for (const value of values) {
    sum += value
    squares += value * value
  }
  const mean = sum / values.length
  return { mean, variance: Math.max(0, squares / values.length - mean * mean) }
}

/** Laplacian of the inner pixels. */
function laplacian(grey: Float32Array): Float32Array {
  const inner = side - 2
  const out = new Float32Array(inner * inner)
  for (let y = 0; y < inner; y++) {
    for (let x = 0; x < inner; x++) {
      const at = (y + 1) * side + x + 1
      out[y * inner + x] = 4 * grey[at]! - grey[at - 1]! - grey[at + 1]! - grey[at - side]! - grey[at + side]!
    }
  }
  return out
}

const noiseWindow = 8
/** Standard deviation of white noise per unit of the difference-of-Laplacians mask below (Immerkær 1996). */
const noiseMaskGain = 6

/**
 * Noise from a mask that straight edges do not excite (Immerkær, "Fast Noise Variance Estimation", 1996), at the
 * picture's own resolution, as the lower quartile over small windows: smooth skin counts, hair does not.
 */
function measureNoise(image: RgbaImage, box: Box): number {
  const left = Math.max(1, Math.floor(box.x + box.width * 0.15))
  const top = Math.max(1, Math.floor(box.y + box.height * 0.15))
  const right = Math.min(image.width - 1, Math.ceil(box.x + box.width * 0.85))
  const bottom = Math.min(image.height - 1, Math.ceil(box.y + box.height * 0.85))
  // Large faces are sampled: a few hundred windows suffice.
  const step = Math.max(noiseWindow, Math.floor(Math.sqrt(((right - left) * (bottom - top)) / 400)))
  const deviations: number[] = []
  for (let y = top; y + noiseWindow <= bottom; y += step) {
    for (let x = left; x + noiseWindow <= right; x += step) deviations.push(measureWindowNoise(image, x, y))
  }
  deviations.sort((p, q) => p - q)
  return deviations[Math.floor(deviations.length / 4)] ?? 0
}

function measureWindowNoise({ data, width }: RgbaImage, left: number, top: number): number {
  const green = (x: number, y: number) => data[(y * width + x) * 4 + 1]!
  let sum = 0
  for (let y = top; y < top + noiseWindow; y++) {
    for (let x = left; x < left + noiseWindow; x++) {
      const corners = green(x - 1, y - 1) + green(x + 1, y - 1) + green(x - 1, y + 1) + green(x + 1, y + 1)
      const edges = green(x, y - 1) + green(x - 1, y) + green(x + 1, y) + green(x, y + 1)
      sum += Math.abs(corners - 2 * edges + 4 * green(x, y))
    }
  }
  return ((sum / noiseWindow ** 2) * Math.sqrt(Math.PI / 2)) / noiseMaskGain
}

const blockSide = 8
/** Approximate number of rows or columns that are examined; large faces are sampled. */
const blockLines = 160

function measureBlockinessAlong(image: RgbaImage, box: Box, isAcross: boolean): number {
  const { data, width, height } = image
  const [left, right] = [Math.max(1, Math.floor(box.x)), Math.min(width, Math.ceil(box.x + box.width))]
  const [top, bottom] = [Math.max(1, Math.floor(box.y)), Math.min(height, Math.ceil(box.y + box.height))]
  const [from, to] = isAcross ? [left, right] : [top, bottom]
  const [firstLine, lastLine] = isAcross ? [top, bottom] : [left, right]
  const step = Math.max(1, Math.floor((lastLine - firstLine) / blockLines))
  const [pixel, line] = isAcross ? [4, width * 4] : [width * 4, 4]
  let [border, borders, inside, insides] = [0, 0, 0, 0]
  for (let row = firstLine; row < lastLine; row += step) {
    for (let i = from; i < to; i++) {
      const at = row * line + i * pixel + 1
      const difference = Math.abs(data[at]! - data[at - pixel]!)
      if (i % blockSide === 0) {
        border += difference
        borders++
      } else {
        inside += difference
        insides++
      }
    }
  }
  return borders === 0 || insides === 0 ? 1 : border / borders / (inside / insides + evenness)
}

/** Grey levels added to the divisor, so that a uniform surface does not count as blocky. */
const evenness = 0.2

/** Compression blocks show in both directions, stripes in one only. */
const measureBlockiness = (image: RgbaImage, box: Box): number =>
  Math.min(measureBlockinessAlong(image, box, true), measureBlockinessAlong(image, box, false))

/** Mean colour of a small square, RGB 0…255. */
function meanColourAt(image: RgbaImage, x: number, y: number, radius: number): [number, number, number] {
  const sum: [number, number, number] = [0, 0, 0]
  let count = 0
  const reach = Math.max(1, Math.round(radius))
  for (let dy = -reach; dy <= reach; dy++) {
    for (let dx = -reach; dx <= reach; dx++) {
      const px = Math.min(image.width - 1, Math.max(0, Math.round(x) + dx))
      const py = Math.min(image.height - 1, Math.max(0, Math.round(y) + dy))
      const at = (py * image.width + px) * 4
      sum[0] += image.data[at]!
      sum[1] += image.data[at + 1]!
      sum[2] += image.data[at + 2]!
      count++
    }
  }
  return [sum[0] / count, sum[1] / count, sum[2] / count]
}

/**
 * Colour difference between some points and the skin of the same subject (nose and forehead): 0 for similar, 1 for a clearly
 * different colour or brightness. Using the skin of the same picture cancels out complexion and light.
 */
function measureSkinDifference(
  image: RgbaImage,
  mesh: FaceMesh,
  places: readonly number[],
  radius: number,
): number {
  const mean = (points: readonly number[]) => {
    const colours = points.map((index) =>
      meanColourAt(image, mesh.points[index]!.x, mesh.points[index]!.y, radius),
    )
    return [0, 1, 2].map((c) => colours.reduce((sum, colour) => sum + colour[c]!, 0) / colours.length)
  }
  const skin = mean(skinPlaces)
  const part = mean(places)
  const ratio = Math.max(...[0, 1, 2].map((c) => Math.abs(Math.log((part[c]! + 16) / (skin[c]! + 16)))))
  return Math.min(1, Math.max(0, (ratio - 0.35) / 0.9))
}

/** Bridge of the nose and middle of the forehead. */
const skinPlaces = [6, 197, 5, 151, 9]
/** Below the eyes: covered by dark glasses, but not by brows and lashes. */
const eyePlaces = [119, 230, 348, 450]
/** Both sides of the chin and above the upper lip: covered by a mask. */
const mouthPlaces = [meshIndex.chin, 167, 393, 202, 422]

/** Measures the quality of the sample of one face. The picture must already be without border (`cropBorder`). */
export function measureQuality(pyramid: Pyramid, face: DetectedFace, mesh: FaceMesh): SampleQuality {
  const { box } = face
  const { image } = pyramid
  const faceSide = Math.max(box.width, box.height)
  const { grey, colour } = resizeFace(pyramid, box)
  const { mean, variance } = meanAndVariance(grey)
  const share = (test: (value: number) => boolean) => grey.filter(test).length / grey.length
  return {
    faceSide,
    faceShare: (box.width * box.height) / (image.width * image.height),
    sharpness: meanAndVariance(laplacian(grey)).variance / Math.max(variance, 1),
    brightness: mean / 255,
    underexposed: share((value) => value < 20),
    overexposed: share((value) => value > 245),
    noise: measureNoise(image, box),
    pose: estimateHeadPose(mesh),
    eyesHidden: measureSkinDifference(image, mesh, eyePlaces, faceSide * 0.02),
    mouthHidden: measureSkinDifference(image, mesh, mouthPlaces, faceSide * 0.02),
    colour,
    surroundings: Math.min(image.width, image.height) / faceSide,
    blockiness: measureBlockiness(image, box),
  }
}
