/**
 * Image registration of face frames: finds the homography under which the rigid parts of a frame match those of the reference.
 * Starts from the mesh and iterates (Baker and Matthews, "Lucas-Kanade 20 Years On", 2004: inverse compositional, with robust
 * weights so that single places may differ).
 *
 * The mesh alone jitters by a pixel or two, which is more than lids and lips change. After registration a flat picture that
 * moves agrees with itself up to the noise of camera and coding.
 */
import { fitSimilarity, invert, type Point, transform } from '../geometry.ts'
import { bendSize, computeBendSlopes } from './bend.ts'
import { type FacePatch, patchSide } from './face-patch.ts'
import { chipSide, type FaceZones, findFaceZones, rigidPoints } from './face-zones.ts'
import {
  compose,
  fitHomography,
  type Homography,
  invertHomography,
  solve,
  toHomography,
} from './homography.ts'
import { type Parameters, type PlacedZone, RegistrationKernel, type Sample } from './registration-kernel.ts'

/** Half the chip's side in pixels of the patch: the chip is 1.55 times as wide as the eye distance. */
const chipReach = 43.4
/** Details are what differs between two windows of these pixels on each side of the middle; of the wide one this share must be visible. */
const details = { narrow: 1, wide: 7, surroundingsMin: 0.8 }
const stepsMax = 6
const bendStepsMax = 4
/** Multiples of the usual difference at which a pixel gets half weight. Higher for bends, because much of a bent picture differs. */
const tolerances: Record<Parameters, number> = { view: 2, bend: 6 }
/** Every how many-th pixel is looked at for a bend, which is smooth. */
const bendStep = 4
/** Iteration stops when no coefficient changes by more than this, in half sides of the chip. */
const stepMin = 2e-3
/** Pixels on each side of the middle of the window in which light counts as even, prior weight of an unchanged gain, and bound of the gain. */
const lightReach = 10
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
interface Unbent {
  chip: Float32Array
  isSeen: Uint8Array
  /** How unevenly its light differs from the reference: standard deviation of the log gain over the rigid parts. */
  light: number
}

/** A frame aligned to the reference. */
export interface RegisteredFace {
  timeS: number
  /** Part of the clip with frames of one shape. */
  segment: number
  /** Band-pass filtered brightness `[64,64]`, scaled to a standard deviation of 1 over the face. */
  chip: Float32Array
  /** 1 for pixels that are visible in the frame. */
  isSeen: Uint8Array
  /** Maps chip coordinates (-1…1 in both directions) to frame coordinates, in pixels of a frame as wide as that of the reference. */
  toFrame: Homography
  /** Mean squared difference from the reference over the rigid parts. */
  apart: number
  unbent: Unbent
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
  readonly #kernel: RegistrationKernel
  readonly zones: FaceZones
  readonly #rigid: PlacedZone
  readonly #face: PlacedZone
  /** The reference itself, filtered as every frame. */
  readonly chip: Float32Array
  readonly isSeen: Uint8Array
  /** Squared gradient of the reference, smoothed. */
  readonly steepness: Float32Array
  #last: { patch: FacePatch; toPatch: Homography } | null = null

  /** @param kernel compiled from `wasm/registration` */
  constructor(kernel: WebAssembly.Module, reference: FacePatch) {
    this.#kernel = new RegistrationKernel(kernel, patchSide, details)
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
    this.#rigid = this.#kernel.placeZone(this.zones.rigid)
    this.#face = this.#kernel.placeZone(this.zones.face)
    this.#kernel.setFace(this.zones.face)
    this.#kernel.sample(reference, this.#toPatch)
    const sample = this.#kernel.read()
    this.chip = sample.chip
    this.isSeen = sample.isSeen
    this.#kernel.setReference(sample, computeSlopes(sample.chip))
    this.steepness = this.computeSteepness(sample.chip)
  }

  /** The squared gradient of a chip, smoothed. */
  computeSteepness(chip: Float32Array): Float32Array {
    const { across, down } = computeGradient(chip)
    return this.#kernel.boxMean(
      across.map((value, place) => value ** 2 + down[place]! ** 2),
      details.narrow,
    )
  }

  #refine(patch: FacePatch, from: Homography): Refined | null {
    let toPatch = from
    this.#kernel.sample(patch, toPatch)
    let common = this.#kernel.findCommon(this.#rigid)
    for (let step = 0; step < stepsMax && common >= rigidPixelsMin; step++) {
      const change = this.#solveStep('view')
      toPatch = compose(toPatch, invertHomography(toSmallHomography(change)))
      this.#kernel.sample(patch, toPatch)
      common = this.#kernel.findCommon(this.#rigid)
      if (Math.max(...change.map(Math.abs)) < stepMin) break
    }
    if (common < rigidPixelsMin) return null
    return { ...this.#kernel.read(), toPatch, apart: this.#kernel.meanDifference() }
  }

  /** One iteration: the parameter change that explains most of the difference, by weighted least squares. */
  #solveStep(kind: Parameters): number[] {
    const usual = 1.4826 * this.#kernel.medianDifference() + 0.05
    const { matrix, right } = this.#kernel.sumProducts(kind, 1 / (tolerances[kind] * usual))
    // Regularisation: parameters without evidence stay unchanged.
    for (const [i, row] of matrix.entries()) row[i]! += 0.5
    return solve(matrix, right)
  }

  /** Removes smooth bends (of the whole face, lids and lips included) and shading from a frame. */
  #unbend(patch: FacePatch, { toPatch, chip, isSeen, apart }: Refined): Unbent {
    const bend = new Array<number>(bendSize).fill(0)
    let best = { chip, isSeen, apart }
    this.#kernel.write(best)
    for (let step = 0; step < bendStepsMax; step++) {
      this.#kernel.findCommon(this.#face, bendStep)
      const change = this.#solveStep('bend')
      change.forEach((value, i) => {
        bend[i]! -= value
      })
      this.#kernel.sample(patch, toPatch, bend)
      if (this.#kernel.findCommon(this.#rigid) < rigidPixelsMin) break
      const apart = this.#kernel.meanDifference()
      if (apart < best.apart) best = { ...this.#kernel.read(), apart }
      if (Math.max(...change.map(Math.abs)) < stepMin) break
    }
    return this.#evenLight(best)
  }

  /** Divides a frame by its local gain relative to the reference, estimated from the rigid parts. */
  #evenLight({ chip, isSeen }: Sample): Unbent {
    const [products, squares] = [new Float32Array(pixels), new Float32Array(pixels)]
    const rigid = this.zones.rigid.filter((at) => isSeen[at] === 1 && this.isSeen[at] === 1)
    for (const at of rigid) {
      products[at] = chip[at]! * this.chip[at]!
      squares[at] = this.chip[at]! ** 2
    }
    const both = this.#kernel.boxMean(products, lightReach)
    const own = this.#kernel.boxMean(squares, lightReach)
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
    const { timeS, segment } = patch
    const toFrame = compose(toHomography(patch.toFrame), toPatch)
    const scale = this.#reference.frameWidth / patch.frameWidth
    return { timeS, segment, ...face, toFrame: compose([scale, 0, 0, 0, scale, 0, 0, 0, 1], toFrame), unbent }
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

/** Derivatives of the chip with respect to homography `[64·64,8]` and bend `[64·64,20]`. */
function computeSlopes(chip: Float32Array): Record<Parameters, Float32Array> {
  const view = new Float32Array(pixels * 8)
  const bend = new Float32Array(pixels * bendSize)
  const gradient = computeGradient(chip)
  for (let place = 0; place < pixels; place++) {
    const [u, v] = [places[place % chipSide]!, places[Math.floor(place / chipSide)]!]
    const [hx, hy] = [gradient.across[place]! * half, gradient.down[place]! * half]
    view.set(
      [hx, hx * u, hx * v, hy, hy * u, hy * v, (hx * u + hy * v) * u, (hx * u + hy * v) * v],
      place * 8,
    )
    bend.set(computeBendSlopes(place, hx, hy), place * bendSize)
  }
  return { view, bend }
}
