/**
 * Measures whether a movement is a crossfade of pictures. In a crossfade each frame is a weighted sum of any two frames around it.
 * If lids, lips or the head move, edges pass through places where neither of the two has one.
 *
 * A small movement is nearly a weighted sum as well: what is left then grows with the square of the shift, and so does the share
 * of the change that is left (second term of a Taylor series). So this share is divided by the change: for a movement of any size
 * the result is about the same, for a crossfade it is small, and the smaller the more the pictures differ.
 */
import { chipSide, type Zone } from './face-zones.ts'
import { solve } from './homography.ts'
import type { RegisteredFace } from './registration.ts'

/** Spans in frames between the two ends: 0.3 to 3.3 s at twelve frames a second. */
const spans = [4, 6, 9, 13, 18, 26, 40] as const
/** Number of frames that are compared with the ends of a span. */
const innerMax = 5
/** Spans start at every frame, longer ones at every second to fifth; in clips of more frames than this, half as often. */
const startShift = 3
const everyStartMax = 48
/** Minimum mean squared difference of the ends of a span. Unrelated pictures differ by 2; smaller changes drown in noise. */
const changeMin = 0.2
/** Frames count as being between the ends if they differ from both by this share of the ends' difference; two are needed. */
const betweenShare = 0.06
const betweenMin = 2
/** Minimum weight of each end: beyond an end, a frame is no blend. Noise can make a weight of 0 negative. */
const weightMin = -0.05
/** Share of the frames with changes that must be blends. */
const framesShare = 0.2
/** A frame, and its derivatives with respect to the eight parameters of a homography: what is left of misalignment. */
const terms = 9
/** Places count that this share of the frames shows; frames count that show this share of these places. */
const framesSeenMin = 0.75
const placesSeenMin = 0.9
/** Weight of the assumption that misalignment is small, per squared pixel. */
const shiftPrior = 3
const valuePrior = 1e-6

/** Values of one frame at the chosen places, and derivatives: `terms` rows. */
type Basis = readonly Float32Array[]

const half = chipSide / 2
const toHalfSides = (index: number): number => (index + 1 - half) / half

/** Every second square of two by two pixels, by its first pixel. */
const isPlace = (at: number): boolean => {
  const [x, y] = [at % chipSide, Math.floor(at / chipSide)]
  return x % 2 === 0 && y % 2 === 0 && (x + y) % 4 === 0
}

function computeBasis(chip: Float32Array, places: Zone): Basis {
  const rows = Array.from({ length: terms }, () => new Float32Array(places.length))
  const average = (at: number) =>
    (chip[at]! + chip[at + 1]! + chip[at + chipSide]! + chip[at + chipSide + 1]!) / 4
  for (const [i, at] of places.entries()) {
    const [u, v] = [toHalfSides(at % chipSide), toHalfSides(Math.floor(at / chipSide))]
    const gx = (average(at + 2) - average(at - 2)) / 4
    const gy = (average(at + 2 * chipSide) - average(at - 2 * chipSide)) / 4
    const along = gx * u + gy * v
    const values = [average(at), gx, gy, gx * u, gx * v, gy * u, gy * v, along * u, along * v]
    for (const [term, value] of values.entries()) rows[term]![i] = value
  }
  return rows
}

/** Mean product of two rows. */
function multiply(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum / a.length
}

function meanDifference(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2
  return sum / a.length
}

const multiplyAll = (rows: Basis, others: Basis): number[][] =>
  rows.map((row) => others.map((other) => multiply(row, other)))

interface Fit {
  /** What is left, as a mean square. */
  rest: number
  weights: readonly number[]
}

/**
 * Fits a weighted sum of some rows to a frame.
 * @param products of the rows with each other
 * @param withFrame products of the rows with the frame
 * @param square of the frame, as a mean
 */
function fitSum(
  products: readonly (readonly number[])[],
  withFrame: readonly number[],
  square: number,
  places: number,
): Fit {
  const matrix = products.map((row, i) =>
    row.map((value, k) => {
      if (i !== k) return value
      return value + (i % terms === 0 ? valuePrior : shiftPrior) / places
    }),
  )
  const weights = solve(matrix, [...withFrame])
  let rest = square
  for (const [i, weight] of weights.entries()) {
    const row = products[i]!
    rest -= 2 * weight * withFrame[i]!
    for (const [k, other] of weights.entries()) rest += weight * other * row[k]!
  }
  return { rest: Math.max(0, rest), weights }
}

/** Bases of all frames, and their products, which are computed once. */
class Frames {
  readonly count: number
  readonly #bases: Basis[]
  readonly #squares: (number[][] | undefined)[] = []
  readonly #rows = new Map<number, number[]>()
  readonly #places: number

  constructor(chips: readonly Float32Array[], places: Zone) {
    this.count = chips.length
    this.#places = places.length
    this.#bases = chips.map((chip) => computeBasis(chip, places))
  }

  difference(i: number, k: number): number {
    return meanDifference(this.#bases[i]![0]!, this.#bases[k]![0]!)
  }

  /** Products of the rows of a frame with each other. */
  #productsOf(i: number): number[][] {
    this.#squares[i] ??= multiplyAll(this.#bases[i]!, this.#bases[i]!)
    return this.#squares[i]
  }

  /** Products of the rows of frame `i` with frame `j`. */
  #productsWith(i: number, j: number): number[] {
    const key = i * this.count + j
    let row = this.#rows.get(key)
    if (!row) {
      row = this.#bases[i]!.map((values) => multiply(values, this.#bases[j]![0]!))
      this.#rows.set(key, row)
    }
    return row
  }

  /** What is left of frame `j` if it is frame `i`, slightly shifted and of another contrast. */
  restOfOne(i: number, j: number): number {
    const square = this.#productsOf(j)[0]![0]!
    return fitSum(this.#productsOf(i), this.#productsWith(i, j), square, this.#places).rest
  }

  /** What is left of some frames if each is a blend of frames `i` and `k`, both slightly shifted; `null` if it is not between them. */
  restOfBlends(i: number, k: number, inner: readonly number[]): (number | null)[] {
    const across = multiplyAll(this.#bases[i]!, this.#bases[k]!)
    const [first, second] = [this.#productsOf(i), this.#productsOf(k)]
    const products = [
      ...first.map((row, at) => [...row, ...across[at]!]),
      ...second.map((row, at) => [...across.map((other) => other[at]!), ...row]),
    ]
    return inner.map((j) => {
      const withFrame = [...this.#productsWith(i, j), ...this.#productsWith(k, j)]
      const { rest, weights } = fitSum(products, withFrame, this.#productsOf(j)[0]![0]!, this.#places)
      return Math.min(weights[0]!, weights[terms]!) >= weightMin ? rest : null
    })
  }
}

/** The share of the change between two frames that no blend of them explains, divided by the change; `null` if too little changes. */
function measureSpan(frames: Frames, i: number, k: number): number | null {
  if (frames.difference(i, k) < changeMin) return null
  const change = frames.restOfOne(i, k)
  if (change < changeMin) return null
  const step = Math.ceil((k - i - 1) / innerMax)
  const inner = Array.from({ length: Math.floor((k - i - 1) / step) }, (_, at) => i + (at + 1) * step)
  const apart = inner.map((j) => Math.min(frames.restOfOne(i, j), frames.restOfOne(k, j)))
  if (apart.filter((value) => value >= betweenShare * change).length < betweenMin) return null
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const rests = frames.restOfBlends(i, k, inner).map((rest, at) => rest ?? apart[at]!)
  return sum(rests) / sum(apart) / change
}

type SeenFace = Pick<RegisteredFace, 'chip' | 'isSeen'>

/** The places that most frames show, and the frames that show most of these. */
function findSeen(registered: readonly SeenFace[], face: Zone): { faces: SeenFace[]; places: Zone } {
  const countSeen = <T>(all: ArrayLike<T>, isSeen: (one: T) => boolean) => {
    let count = 0
    for (let i = 0; i < all.length; i++) if (isSeen(all[i]!)) count++
    return count
  }
  const places = face.filter(
    (at) =>
      isPlace(at) &&
      countSeen(registered, ({ isSeen }) => isSeen[at] === 1) >= framesSeenMin * registered.length,
  )
  const faces = registered.filter(
    ({ isSeen }) => countSeen(places, (at) => isSeen[at] === 1) >= placesSeenMin * places.length,
  )
  return { faces: places.length === 0 ? [] : faces, places }
}

interface Blend {
  /** Number of frames that were compared: they show what most others show. */
  frames: number
  /**
   * How much of the largest changes no crossfade explains: of the frames in spans with enough change, a fifth lie in spans with at most
   * this value. `null` if no span changes enough.
   */
  remainder: number | null
}

/**
 * Looks for crossfades. For people of the fit set the remainder is 0.48 and more, for crossfaded photos mostly 0.33 and less.
 * @param registered in order of time
 * @param face pixels of the whole face, at least three pixels from the border of the chip
 */
export function measureBlend(registered: readonly SeenFace[], face: Zone): Blend {
  const { faces, places } = findSeen(registered, face)
  const frames = new Frames(
    faces.map(({ chip }) => chip),
    places,
  )
  const lowest = faces.map(() => Number.POSITIVE_INFINITY)
  for (const span of spans) {
    const step = Math.max(1, span >> startShift) * (faces.length > everyStartMax ? 2 : 1)
    for (let i = 0; i + span < faces.length; i += step) {
      const value = measureSpan(frames, i, i + span)
      if (value === null || !Number.isFinite(value)) continue
      for (let j = i; j <= i + span; j++) lowest[j] = Math.min(lowest[j]!, value)
    }
  }
  const changing = lowest.filter(Number.isFinite).sort((p, q) => p - q)
  return {
    frames: faces.length,
    remainder: changing[Math.floor(framesShare * (changing.length - 1))] ?? null,
  }
}
