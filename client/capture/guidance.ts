/**
 * Advice before a capture: plain statistics of small copies of what the camera shows. Nothing is learned, nothing is kept, and
 * nothing leaves the page.
 */

import { findFaceRegion } from './face-region.ts'
import type { FoundFace } from './finder-messages.ts'
import { brightness, isInOval, oval, type Picture } from './picture.ts'

/** What to change; each is the key of a text. */
export type Advice =
  | 'dark'
  | 'bright'
  | 'backlight'
  | 'outshone'
  | 'closer'
  | 'farther'
  | 'centre'
  | 'straight'
  | 'still'
  | 'blurry'
  | 'good'

/** What one look sees. */
export interface Look {
  /** What the stage shows, of `guidanceWidth` by `guidanceHeight`. */
  whole: Picture
  /** The middle of the oval in the camera's own pixels, for sharpness. */
  detail: Picture
}

/** Size of the pictures that advice is given on. */
export const guidanceWidth = 96
export const guidanceHeight = 128
/** Side of the detail. */
export const detailSide = 160

const darkMean = 55
const brightMean = 215
/** Surroundings that are brighter than the face by this much. */
const backlightDifference = 75
const movingDifference = 14
/** Mean second difference over deviation. 5 % of sharp photos of faces lie below, and most clearly blurred ones. */
const sharpnessMin = 0.045
const flatDeviation = 4

/** Mean brightness inside and outside the oval. */
function measureLight(picture: Picture): { inside: number; outside: number } {
  const { width, height } = picture
  const sums = { inside: 0, outside: 0 }
  const counts = { inside: 0, outside: 0 }
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const part = isInOval(x, y, picture) ? 'inside' : 'outside'
      sums[part] += brightness(picture, (y * width + x) * 4)
      counts[part]++
    }
  }
  return { inside: sums.inside / counts.inside, outside: sums.outside / counts.outside }
}

/** Mean difference of brightness from the picture before, inside the oval. */
function measureMovement(picture: Picture, before: Picture): number {
  let sum = 0
  let count = 0
  for (let y = 0; y < picture.height; y++) {
    for (let x = 0; x < picture.width; x++) {
      if (!isInOval(x, y, picture)) continue
      const at = (y * picture.width + x) * 4
      sum += Math.abs(brightness(picture, at) - brightness(before, at))
      count++
    }
  }
  return sum / count
}

/** Mean second difference of brightness, in shares of its deviation. */
export function measureSharpness(picture: Picture): number {
  const { width, height } = picture
  const light = (x: number, y: number) => brightness(picture, (y * width + x) * 4)
  let bends = 0
  let sum = 0
  let squares = 0
  for (let y = 1; y + 1 < height; y++) {
    for (let x = 1; x + 1 < width; x++) {
      const value = light(x, y)
      bends += Math.abs(4 * value - light(x - 1, y) - light(x + 1, y) - light(x, y - 1) - light(x, y + 1))
      sum += value
      squares += value * value
    }
  }
  const count = (width - 2) * (height - 2)
  const deviation = Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2))
  return bends / count / Math.max(flatDeviation, deviation)
}

function judgeLight(picture: Picture, outline: Wanted['outline']): Advice | null {
  const { inside, outside } = measureLight(picture)
  // A white table around a dark document is no light from behind.
  if (outline === 'face' && outside - inside > backlightDifference) return 'backlight'
  if (inside < darkMean) return 'dark'
  return inside > brightMean ? 'bright' : null
}

/** Narrowest and widest face in the usual oval, in shares of the stage's width. A wider face leaves too little room around the head. */
const usualWidths = { min: 0.34, max: 0.63 }
/** The same of a face that a step wants to have a width, in shares of that. */
const widthRange = { min: 0.62, max: 1.26 }
const offCentreMax = 0.15
/** Eyes this far beside the middle of the face. */
const turnMax = 0.3
/** The same of a nose beside the middle of the eyes, in distances between them. */
const noseTurnMax = 0.4

function judgeWidth(width: number, wanted: number | null): Advice | null {
  const { min, max } =
    wanted === null ? usualWidths : { min: wanted * widthRange.min, max: wanted * widthRange.max }
  if (width < min) return 'closer'
  return width > max ? 'farther' : null
}

/** The region of a face, without its outermost columns, in widths of the face. */
const regionShare = 0.89

/** Without the face finder: by colours. */
function judgeRegion(picture: Picture, wanted: number | null): Advice | null {
  const face = findFaceRegion(picture)
  if (!face) return 'centre'
  // A background of the same colours: nothing can be said about place and pose.
  if (face.isOpen) return null
  if (Math.abs(face.x - oval.x) > offCentreMax) return 'centre'
  return judgeWidth(face.width / regionShare, wanted) ?? (Math.abs(face.turn) > turnMax ? 'straight' : null)
}

function judgeFace(face: FoundFace, wanted: number | null): Advice | null {
  if (Math.abs(face.x - oval.x) > offCentreMax || Math.abs(face.y - oval.y) > offCentreMax) return 'centre'
  return judgeWidth(face.width, wanted) ?? (Math.abs(face.turn) > noseTurnMax ? 'straight' : null)
}

export interface Wanted {
  outline: 'face' | 'document'
  /** What the face finder has seen: `null` without a face, `undefined` if it cannot tell. */
  face?: FoundFace | null | undefined
  /** Width of the face, as a share of the stage's; `null` for that of the usual oval. */
  width?: number | null
}

function judgePlace(picture: Picture, { outline, face, width }: Wanted): Advice | null {
  if (outline !== 'face') return null
  if (face === null) return 'centre'
  const wanted = width ?? null
  return face ? judgeFace(face, wanted) : judgeRegion(picture, wanted)
}

/**
 * The most useful advice: light before place before sharpness, since each needs the one before.
 * @param before the look some tenths of a second earlier; `null` at the start
 */
export function advise(look: Look, before: Look | null, wanted: Wanted = { outline: 'face' }): Advice {
  const light = judgeLight(look.whole, wanted.outline)
  if (light) return light
  if (before && measureMovement(look.whole, before.whole) > movingDifference) return 'still'
  const place = judgePlace(look.whole, wanted)
  if (place) return place
  return measureSharpness(look.detail) < sharpnessMin ? 'blurry' : 'good'
}
