/**
 * Image registration of face frames: finds the homography under which the rigid parts of a frame match those of the reference.
 * Starts from the mesh and iterates (Baker and Matthews, "Lucas-Kanade 20 Years On", 2004: inverse compositional, with robust
 * weights so that single places may differ).
 *
 * The mesh alone jitters by a pixel or two, which is more than lids and lips change. After registration a flat picture that
 * moves agrees with itself up to the noise of camera and coding.
 */
import { fitSimilarity, invert, type Point, transform } from '../geometry.ts'
import { bendSize, computeBendSlopes, makeBendField } from './bend.ts'
import { type FacePatch, patchSide } from './face-patch.ts'
import { chipSide, type FaceZones, findFaceZones, rigidPoints, type Zone } from './face-zones.ts'
import {
  compose,
  fitHomography,
  type Homography,
  invertHomography,
  solve,
  toHomography,
} from './homography.ts'

/** Half the chip's side in pixels of the patch: the chip is 1.55 times as wide as the eye distance. */
const chipReach = 43.4
const narrow = 3
const wide = 15
/** Share of the wide window that must be visible for a pixel to count. */
const surroundingsMin = 0.8
const stepsMax = 6
const bendStepsMax = 4
/** Multiples of the usual difference at which a pixel gets half weight. Higher for bends, because much of a bent picture differs. */
const tolerance = 2
const bendTolerance = 6
/** Iteration stops when no coefficient changes by more than this, in half sides of the chip. */
const stepMin = 2e-3
/** Width in pixels of the window in which light counts as even, prior weight of an unchanged gain, and bound of the gain. */
const lightReach = 21
const gainPrior = 0.05
const gainMax = 2.5
/** Minimum number of visible rigid pixels in a frame. */
const rigidPixelsMin = 200
/** Mean squared difference of the rigid parts above which registration has failed; unrelated pictures differ by 2. */
const apartMax = 0.9
/** Mean squared difference below which no other starting point is tried. */
const surelyLaid = 0.03
const half = chipSide / 2
const pixels = chipSide * chipSide

/** A frame after warping and relighting it to match the reference. */
export interface Unbent {
  chip: Float32Array
  isSeen: Uint8Array
  /** How unevenly its light differs from the reference: standard deviation of the log gain over the rigid parts. */
  light: number
}

/** A frame aligned to the reference. */
export interface RegisteredFace {
  timeS: number
  /** Band-pass filtered brightness `[64,64]`, scaled to a standard deviation of 1 over the face. */
  chip: Float32Array
  /** 1 for pixels that are visible in the frame. */
  isSeen: Uint8Array
  /** Maps chip coordinates (-1…1 in both directions) to frame coordinates. */
  toFrame: Homography
  /** Mean squared difference from the reference over the rigid parts. */
  apart: number
  unbent: Unbent
}

/** Box filter with a window of odd width; the border is replicated. */
function boxMean(values: Float32Array, width: number, out: Float32Array, rows: Float32Array): void {
  const reach = width >> 1
  const last = chipSide - 1
  for (let y = 0; y < pixels; y += chipSide) {
    let sum = values[y]! * (reach + 1)
    for (let x = 1; x <= reach; x++) sum += values[y + x]!
    for (let x = 0; x < chipSide; x++) {
      rows[y + x] = sum
      sum += values[y + Math.min(last, x + reach + 1)]! - values[y + Math.max(0, x - reach)]!
    }
  }
  const scale = 1 / (width * width)
  for (let x = 0; x < chipSide; x++) {
    let sum = rows[x]! * (reach + 1)
    for (let y = 1; y <= reach; y++) sum += rows[y * chipSide + x]!
    for (let y = 0; y < chipSide; y++) {
      out[y * chipSide + x] = sum * scale
      sum +=
        rows[Math.min(last, y + reach + 1) * chipSide + x]! - rows[Math.max(0, y - reach) * chipSide + x]!
    }
  }
}

/** Median of the absolute values of the first `count` values, from a histogram with bins of 0.01; at most about 4. */
function medianSize(values: Float32Array, count: number): number {
  const bins = new Uint16Array(401)
  for (let i = 0; i < count; i++) bins[Math.min(400, Math.floor(Math.abs(values[i]!) * 100))]!++
  let seen = 0
  for (const [bin, inside] of bins.entries()) {
    if (seen + inside >= count / 2) return (bin + (count / 2 - seen) / Math.max(1, inside)) / 100
    seen += inside
  }
  return 4
}

interface Sample {
  chip: Float32Array
  isSeen: Uint8Array
}

interface Refined extends Sample {
  toPatch: Homography
  apart: number
}

type HomographyChange = [number, number, number, number, number, number, number, number]

/** Coordinates of the chip's pixel centres along one side, -1…1. */
const places = Float32Array.from({ length: chipSide }, (_, i) => (i + 0.5 - half) / half)

export class FaceRegistration {
  readonly #reference: FacePatch
  readonly #toPatch: Homography
  readonly zones: FaceZones
  /** The reference itself, filtered as every frame. */
  readonly chip: Float32Array
  readonly isSeen: Uint8Array
  /** Squared gradient of the reference, smoothed. */
  readonly steepness: Float32Array
  /** Derivatives of the chip with respect to the eight parameters of the homography, `[64·64,8]`. */
  readonly #slopes: Float32Array
  /** Derivatives with respect to the coefficients of a bend, `[64·64,20]`. */
  readonly #bendSlopes: Float32Array
  readonly #grey = new Float32Array(pixels)
  readonly #seen = new Float32Array(pixels)
  readonly #fine = new Float32Array(pixels)
  readonly #coarse = new Float32Array(pixels)
  readonly #rows = new Float32Array(pixels)
  readonly #differences = new Float32Array(pixels)
  #last: { patch: FacePatch; toPatch: Homography } | null = null

  constructor(reference: FacePatch) {
    this.#reference = reference
    const { points } = reference
    const centre = {
      x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
      y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
    }
    this.#toPatch = [chipReach, 0, centre.x, 0, chipReach, centre.y, 0, 0, 1]
    const toChip = ({ x, y }: Point): Point => ({
      x: ((x - centre.x) / chipReach) * half + half,
      y: ((y - centre.y) / chipReach) * half + half,
    })
    this.zones = findFaceZones(points.map(toChip))
    const { chip, isSeen } = this.#sample(reference, this.#toPatch)
    this.chip = chip
    this.isSeen = isSeen
    const { slopes, bending, steepness } = computeSlopes(chip)
    this.#slopes = slopes
    this.#bendSlopes = bending
    this.steepness = steepness
  }

  /**
   * Samples the frame at the pixels of the chip and filters it.
   * @param bend displacement of each pixel (x, y); `null` for none
   */
  #sample(patch: FacePatch, toPatch: Homography, bend: Float32Array | null = null): Sample {
    const [grey, seen] = [this.#grey, this.#seen]
    const { toFrame, frameWidth, frameHeight } = patch
    const last = patchSide - 1.001
    const isSeen = new Uint8Array(pixels)
    let count = 0
    for (let row = 0, at = 0; row < chipSide; row++) {
      for (let column = 0; column < chipSide; column++, at++) {
        const u = places[column]! + (bend === null ? 0 : bend[at * 2]!)
        const v = places[row]! + (bend === null ? 0 : bend[at * 2 + 1]!)
        const w = toPatch[6] * u + toPatch[7] * v + toPatch[8]
        const px = (toPatch[0] * u + toPatch[1] * v + toPatch[2]) / w
        const py = (toPatch[3] * u + toPatch[4] * v + toPatch[5]) / w
        const fx = toFrame.a * px - toFrame.b * py + toFrame.tx
        const fy = toFrame.b * px + toFrame.a * py + toFrame.ty
        const isInside =
          fx > 1 &&
          fy > 1 &&
          fx < frameWidth - 1 &&
          fy < frameHeight - 1 &&
          px > 0 &&
          py > 0 &&
          px < patchSide &&
          py < patchSide
        isSeen[at] = isInside ? 1 : 0
        seen[at] = isSeen[at]!
        count += isSeen[at]!
        const cx = Math.min(last, Math.max(0, px - 0.5))
        const cy = Math.min(last, Math.max(0, py - 0.5))
        const [x0, y0] = [Math.floor(cx), Math.floor(cy)]
        const [dx, dy] = [cx - x0, cy - y0]
        const from = y0 * patchSide + x0
        const source = patch.grey
        const top = source[from]! * (1 - dx) + source[from + 1]! * dx
        const below = source[from + patchSide]! * (1 - dx) + source[from + patchSide + 1]! * dx
        grey[at] = (top * (1 - dy) + below * dy) * seen[at]!
      }
    }
    return { chip: this.#extractDetails(count === pixels, isSeen), isSeen }
  }

  /**
   * Brightness minus the local mean, scaled to a standard deviation of 1 over the face.
   * @param isSeen set to 0 for pixels without enough visible surroundings
   */
  #extractDetails(isWhole: boolean, isSeen: Uint8Array): Float32Array {
    const [fine, coarse, rows] = [this.#fine, this.#coarse, this.#rows]
    const chip = new Float32Array(pixels)
    boxMean(this.#grey, narrow, fine, rows)
    boxMean(this.#grey, wide, coarse, rows)
    if (isWhole) {
      for (let i = 0; i < pixels; i++) chip[i] = fine[i]! - coarse[i]!
    } else {
      // Means are taken over visible pixels only.
      const weights = new Float32Array(pixels)
      boxMean(this.#seen, narrow, weights, rows)
      for (let i = 0; i < pixels; i++) chip[i] = fine[i]! / Math.max(weights[i]!, 1e-3)
      boxMean(this.#seen, wide, weights, rows)
      for (let i = 0; i < pixels; i++) {
        chip[i] = (chip[i]! - coarse[i]! / Math.max(weights[i]!, 1e-3)) * this.#seen[i]!
        if (weights[i]! < surroundingsMin) isSeen[i] = 0
      }
    }
    const { face } = this.zones
    let [sum, squares, count] = [0, 0, 0]
    for (const at of face) {
      if (isSeen[at] === 0) continue
      sum += chip[at]!
      squares += chip[at]! ** 2
      count++
    }
    const mean = sum / Math.max(1, count)
    // Half a grey level: keeps noise from being amplified where a face has no detail.
    const scale = 1 / (Math.sqrt(Math.max(0, squares / Math.max(1, count) - mean * mean)) + 0.5)
    for (let i = 0; i < pixels; i++) chip[i] = chip[i]! * scale
    return chip
  }

  /** Pixels of a zone that are visible in both the reference and a frame. */
  #findCommon(isSeen: Uint8Array, zone = this.zones.rigid): Zone {
    const common = new Uint16Array(zone.length)
    let count = 0
    for (const at of zone) if (isSeen[at] === 1 && this.isSeen[at] === 1) common[count++] = at
    return common.subarray(0, count)
  }

  #meanDifference(chip: Float32Array, common: Zone): number {
    let sum = 0
    for (const at of common) sum += (chip[at]! - this.chip[at]!) ** 2
    return sum / common.length
  }

  #refine(patch: FacePatch, from: Homography): Refined | null {
    let toPatch = from
    let sample = this.#sample(patch, toPatch)
    let common = this.#findCommon(sample.isSeen)
    for (let step = 0; step < stepsMax && common.length >= rigidPixelsMin; step++) {
      const change = this.#solveStep(sample.chip, common, this.#slopes, tolerance)
      toPatch = compose(toPatch, invertHomography(toSmallHomography(change)))
      sample = this.#sample(patch, toPatch)
      common = this.#findCommon(sample.isSeen)
      if (Math.max(...change.map(Math.abs)) < stepMin) break
    }
    if (common.length < rigidPixelsMin) return null
    return { ...sample, toPatch, apart: this.#meanDifference(sample.chip, common) }
  }

  /**
   * One iteration: the parameter change that explains most of the difference, by weighted least squares.
   * @param slopes derivatives of each pixel of the chip with respect to the parameters
   * @param tolerance multiples of the usual difference at which a pixel gets half weight
   */
  #solveStep(chip: Float32Array, common: Zone, slopes: Float32Array, tolerance: number): number[] {
    const size = slopes.length / pixels
    const differences = this.#differences
    for (let i = 0; i < common.length; i++) differences[i] = chip[common[i]!]! - this.chip[common[i]!]!
    const usual = 1.4826 * medianSize(differences, common.length) + 0.05
    const bound = 1 / (tolerance * usual)
    const products = (size * (size + 1)) / 2
    const sums = new Float64Array(products + size)
    for (let i = 0; i < common.length; i++) {
      const difference = differences[i]!
      const share = difference * bound
      const weight = 1 / (1 + share * share)
      const start = common[i]! * size
      for (let j = 0, to = 0; j < size; j++) {
        const slope = weight * slopes[start + j]!
        for (let k = j; k < size; k++) sums[to++]! += slope * slopes[start + k]!
        sums[products + j]! += slope * difference
      }
    }
    const matrix = Array.from({ length: size }, () => new Array<number>(size).fill(0))
    for (let j = 0, from = 0; j < size; j++) {
      for (let k = j; k < size; k++, from++) {
        matrix[j]![k] = sums[from]!
        matrix[k]![j] = sums[from]!
      }
    }
    // Regularisation: parameters without evidence stay unchanged.
    for (let j = 0; j < size; j++) matrix[j]![j]! += 0.5
    return solve(matrix, [...sums.subarray(products)])
  }

  /** Removes smooth bends (of the whole face, lids and lips included) and shading from a frame. */
  #unbend(patch: FacePatch, { toPatch, chip, isSeen, apart }: Refined): Unbent {
    const bend = new Array<number>(bendSize).fill(0)
    let best = { chip, isSeen, apart }
    let sample: Sample = best
    for (let step = 0; step < bendStepsMax; step++) {
      // Every fourth pixel suffices for a smooth bend.
      const common = this.#findCommon(sample.isSeen, this.zones.face).filter((_, i) => i % 4 === 0)
      const change = this.#solveStep(sample.chip, common, this.#bendSlopes, bendTolerance)
      change.forEach((value, i) => {
        bend[i]! -= value
      })
      sample = this.#sample(patch, toPatch, makeBendField(bend))
      const rigid = this.#findCommon(sample.isSeen)
      if (rigid.length < rigidPixelsMin) break
      const apart = this.#meanDifference(sample.chip, rigid)
      if (apart < best.apart) best = { ...sample, apart }
      if (Math.max(...change.map(Math.abs)) < stepMin) break
    }
    return this.#evenLight(best)
  }

  /** Divides a frame by its local gain relative to the reference, estimated from the rigid parts. */
  #evenLight({ chip, isSeen }: Sample): Unbent {
    const [both, own, rows] = [this.#fine, this.#coarse, this.#rows]
    const [products, squares] = [new Float32Array(pixels), new Float32Array(pixels)]
    const rigid = this.#findCommon(isSeen)
    for (const at of rigid) {
      products[at] = chip[at]! * this.chip[at]!
      squares[at] = this.chip[at]! ** 2
    }
    boxMean(products, lightReach, both, rows)
    boxMean(squares, lightReach, own, rows)
    const gains = chip.map((_, at) => {
      const gain = (both[at]! + gainPrior) / (own[at]! + gainPrior)
      return Math.min(gainMax, Math.max(1 / gainMax, gain))
    })
    let [sum, sumOfSquares] = [0, 0]
    for (const at of rigid) {
      const size = Math.log(gains[at]!)
      sum += size
      sumOfSquares += size * size
    }
    const mean = sum / rigid.length
    return {
      chip: chip.map((value, at) => value / gains[at]!),
      isSeen,
      light: Math.sqrt(Math.max(0, sumOfSquares / rigid.length - mean * mean)),
    }
  }

  /**
   * Aligns a frame to the reference. Call it in order of time.
   * @returns `null` if registration fails: the mesh is wrong, or too little is visible
   */
  register(patch: FacePatch): RegisteredFace | null {
    const byMesh = compose(
      fitHomography(pickRigidPoints(this.#reference), pickRigidPoints(patch)),
      this.#toPatch,
    )
    let best = this.#refine(patch, byMesh)
    // If the mesh is off, the previous frame is the better starting point.
    if (this.#last && !(best && best.apart < surelyLaid)) {
      const other = this.#refine(
        patch,
        compose(estimatePatchShift(this.#last.patch, patch), this.#last.toPatch),
      )
      if (other && !(best && best.apart <= other.apart)) best = other
    }
    if (!best || best.apart > apartMax) {
      this.#last = null
      return null
    }
    const { toPatch, ...face } = best
    this.#last = { patch, toPatch }
    const unbent = this.#unbend(patch, best)
    return { timeS: patch.timeS, ...face, toFrame: compose(toHomography(patch.toFrame), toPatch), unbent }
  }
}

const pickRigidPoints = ({ points }: FacePatch): Point[] => rigidPoints.map((index) => points[index]!)

/** Maps one patch to the next, following the movement of the mesh. */
function estimatePatchShift(before: FacePatch, patch: FacePatch): Homography {
  const inFrame = (one: FacePatch) => pickRigidPoints(one).map((point) => transform(one.toFrame, point))
  const moved = toHomography(fitSimilarity(inFrame(before), inFrame(patch)))
  return compose(toHomography(invert(patch.toFrame)), compose(moved, toHomography(before.toFrame)))
}

/** The homography of a small parameter change: the identity plus eight increments. */
const toSmallHomography = (change: readonly number[]): Homography => {
  const [c0, c1, c2, c3, c4, c5, c6, c7] = change as HomographyChange
  return [1 + c1, c2, c0, c4, 1 + c5, c3, -c6, -c7, 1]
}

/** Gradient of a chip, `[64·64]` each. */
function computeGradient(chip: Float32Array): { across: Float32Array; down: Float32Array } {
  const [across, down] = [new Float32Array(pixels), new Float32Array(pixels)]
  const at = (x: number, y: number) =>
    chip[Math.min(chipSide - 1, Math.max(0, y)) * chipSide + Math.min(chipSide - 1, Math.max(0, x))]!
  for (let row = 0, place = 0; row < chipSide; row++) {
    for (let column = 0; column < chipSide; column++, place++) {
      const side = (dx: number, dy: number) =>
        at(column + dx - dy, row + dy - dx) +
        2 * at(column + dx, row + dy) +
        at(column + dx + dy, row + dy + dx)
      across[place] = (side(1, 0) - side(-1, 0)) / 8
      down[place] = (side(0, 1) - side(0, -1)) / 8
    }
  }
  return { across, down }
}

/** The squared gradient of a chip, smoothed. */
export function computeSteepness(chip: Float32Array, { across, down } = computeGradient(chip)): Float32Array {
  const squares = across.map((value, place) => value ** 2 + down[place]! ** 2)
  const steepness = new Float32Array(pixels)
  boxMean(squares, narrow, steepness, new Float32Array(pixels))
  return steepness
}

/** Derivatives of the chip with respect to homography `[64·64,8]` and bend `[64·64,20]`, and its steepness. */
function computeSlopes(chip: Float32Array): {
  slopes: Float32Array
  bending: Float32Array
  steepness: Float32Array
} {
  const slopes = new Float32Array(pixels * 8)
  const bending = new Float32Array(pixels * bendSize)
  const gradient = computeGradient(chip)
  for (let place = 0; place < pixels; place++) {
    const [u, v] = [places[place % chipSide]!, places[Math.floor(place / chipSide)]!]
    const [hx, hy] = [gradient.across[place]! * half, gradient.down[place]! * half]
    slopes.set(
      [hx, hx * u, hx * v, hy, hy * u, hy * v, (hx * u + hy * v) * u, (hx * u + hy * v) * v],
      place * 8,
    )
    bending.set(computeBendSlopes(place, hx, hy), place * bendSize)
  }
  return { slopes, bending, steepness: computeSteepness(chip, gradient) }
}
