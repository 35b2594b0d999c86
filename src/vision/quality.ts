/** Quality measures of a sample in the sense of ISO/IEC 29794-5. */
import { brightness } from './brightness.ts'
import type { DetectedFace } from './face.ts'
import type { FaceMesh } from './facemesh.ts'
import { type Box, boxCentre, boxMap } from './geometry.ts'
import { measureGrain } from './grain.ts'
import { measureHiddenParts } from './hidden-parts.ts'
import { findColourRests, type PlacedColour } from './one-light.ts'
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
  /** Hints of occlusion (glasses, mask): how much the part differs from skin, 0…1. */
  eyesHidden: number
  mouthHidden: number
  /**
   * What light of one colour does not explain of the colours of the face, in per cent of its brightness: about 4 for a colour photo, 0
   * for a grey picture, also in coloured light.
   */
  colour: number
  /** Shorter side of the picture divided by the longer side of the face's box. */
  surroundings: number
  /**
   * Ratio of pixel differences at the borders of 8 × 8 blocks to those inside: about 1 for light compression, 2.2 for JPEG
   * quality 25, 4.5 for 8.
   */
  blockiness: number
}

const side = 128

/** A square around the centre of a box, its side the longer side of the box. */
function toSquare(box: Box): Box {
  const length = Math.max(box.width, box.height)
  const centre = boxCentre(box)
  return { x: centre.x - length / 2, y: centre.y - length / 2, width: length, height: length }
}

interface FixedFace {
  /** Planes `[3,side,side]` RGB, 0…255. */
  planes: Float32Array
  /** Brightness `[side,side]`, 0…255. */
  grey: Float32Array
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
  for (let i = 0; i < plane; i++) grey[i] = brightness(planes[i]!, planes[i + plane]!, planes[i + plane * 2]!)
  return { planes, grey }
}

/** Side of the parts whose colours are compared: noise and coarse coding average out in them. */
const partSide = 16
/** Brighter channels may be cut off; if fewer parts are darker, all count. */
const whiteMin = 245
const partsMin = 16

/** Mean colours of the parts of the face; places in sides of the face. */
function averageParts(planes: Float32Array): PlacedColour[] {
  const mean = (channel: number, left: number, top: number) => {
    let sum = 0
    for (let y = top; y < top + partSide; y++) {
      const row = (channel * side + y) * side + left
      for (let at = row; at < row + partSide; at++) sum += planes[at]!
    }
    return sum / partSide ** 2
  }
  const parts: PlacedColour[] = []
  for (let y = 0; y < side; y += partSide)
    for (let x = 0; x < side; x += partSide)
      parts.push({
        channels: [mean(0, x, y), mean(1, x, y), mean(2, x, y)],
        x: (x + partSide / 2) / side - 0.5,
        y: (y + partSide / 2) / side - 0.5,
      })
  return parts
}

/** The median over the parts: a coloured object beside a grey face does not count. */
function measureColour(planes: Float32Array): number {
  const all = averageParts(planes)
  const unclipped = all.filter(({ channels }) => Math.max(...channels) <= whiteMin)
  const parts = unclipped.length < partsMin ? all : unclipped
  const lumas = Float64Array.from(parts, ({ channels }) => brightness(...channels)).sort()
  const bright = Math.max(1, lumas[Math.floor(lumas.length * 0.9)]!)
  const rests = findColourRests(parts, bright).sort()
  return (100 * rests[rests.length >> 1]!) / bright
}

interface Tone {
  /** In grey levels of 255, and their square. */
  mean: number
  variance: number
  /** Shares of nearly black and nearly white pixels. */
  underexposed: number
  overexposed: number
}

function measureTone(grey: Float32Array): Tone {
  let [sum, squares, dark, bright] = [0, 0, 0, 0]
  for (let i = 0; i < grey.length; i++) {
    const value = grey[i]!
    sum += value
    squares += value * value
    if (value < 20) dark++
    else if (value > 245) bright++
  }
  const { length } = grey
  const mean = sum / length
  const variance = Math.max(0, squares / length - mean * mean)
  return { mean, variance, underexposed: dark / length, overexposed: bright / length }
}

/** Variance of the Laplacian of the inner pixels. */
function measureDetail(grey: Float32Array): number {
  let [sum, squares] = [0, 0]
  for (let y = 1; y < side - 1; y++) {
    for (let at = y * side + 1; at < (y + 1) * side - 1; at++) {
      const bend = 4 * grey[at]! - grey[at - 1]! - grey[at + 1]! - grey[at - side]! - grey[at + side]!
      sum += bend
      squares += bend * bend
    }
  }
  const count = (side - 2) ** 2
  return Math.max(0, squares / count - (sum / count) ** 2)
}

/** Measures the quality of the sample of one face. The picture must already be without border (`cropBorder`). */
export function measureQuality(pyramid: Pyramid, face: DetectedFace, mesh: FaceMesh): SampleQuality {
  const { box } = face
  const faceSide = Math.max(box.width, box.height)
  const { planes, grey } = resizeFace(pyramid, box)
  const { mean, variance, underexposed, overexposed } = measureTone(grey)
  return {
    faceSide,
    faceShare: (box.width * box.height) / (pyramid.width * pyramid.height),
    sharpness: measureDetail(grey) / Math.max(variance, 1),
    brightness: mean / 255,
    underexposed,
    overexposed,
    ...measureGrain(pyramid, box),
    pose: estimateHeadPose(mesh),
    ...measureHiddenParts(pyramid, mesh, faceSide * 0.02),
    colour: measureColour(planes),
    surroundings: Math.min(pyramid.width, pyramid.height) / faceSide,
  }
}
