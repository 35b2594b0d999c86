import { distance, type Point, type Similarity } from '../geometry.ts'

/** A mapping between two views of one plane: a 3 × 3 matrix in row-major order, its last element 1. */
export type Homography = readonly [number, number, number, number, number, number, number, number, number]

export function applyHomography(h: Homography, { x, y }: Point): Point {
  const w = h[6] * x + h[7] * y + h[8]
  return { x: (h[0] * x + h[1] * y + h[2]) / w, y: (h[3] * x + h[4] * y + h[5]) / w }
}

/** Solves a system of linear equations by Gaussian elimination with pivoting; overwrites its arguments. */
export function solve(matrix: number[][], right: number[]): number[] {
  const size = right.length
  for (let i = 0; i < size; i++) {
    let pivot = i
    for (let row = i + 1; row < size; row++) {
      if (Math.abs(matrix[row]![i]!) > Math.abs(matrix[pivot]![i]!)) pivot = row
    }
    ;[matrix[i], matrix[pivot]] = [matrix[pivot]!, matrix[i]!]
    ;[right[i], right[pivot]] = [right[pivot]!, right[i]!]
    for (let row = i + 1; row < size; row++) {
      const factor = matrix[row]![i]! / (matrix[i]![i]! || Number.EPSILON)
      for (let column = i; column < size; column++) matrix[row]![column]! -= factor * matrix[i]![column]!
      right[row]! -= factor * right[i]!
    }
  }
  const solution = new Array<number>(size).fill(0)
  for (let i = size - 1; i >= 0; i--) {
    let sum = right[i]!
    for (let column = i + 1; column < size; column++) sum -= matrix[i]![column]! * solution[column]!
    solution[i] = sum / (matrix[i]![i]! || Number.EPSILON)
  }
  return solution
}

/** Shifts and scales points so that their centroid is at the origin and their mean distance from it is 1. */
function condition(points: readonly Point[]): { points: Point[]; centre: Point; scale: number } {
  const count = points.length
  const centre = {
    x: points.reduce((sum, { x }) => sum + x, 0) / count,
    y: points.reduce((sum, { y }) => sum + y, 0) / count,
  }
  const scale = points.reduce((sum, point) => sum + distance(point, centre), 0) / count || 1
  return {
    points: points.map(({ x, y }) => ({ x: (x - centre.x) / scale, y: (y - centre.y) / scale })),
    centre,
    scale,
  }
}

function multiply(a: readonly number[], b: readonly number[]): number[] {
  return Array.from({ length: 9 }, (_, i) => {
    const [row, column] = [Math.floor(i / 3), i % 3]
    return [0, 1, 2].reduce((sum, k) => sum + a[row * 3 + k]! * b[k * 3 + column]!, 0)
  })
}

const normalize = (values: readonly number[]): Homography =>
  values.map((value) => value / values[8]!) as unknown as Homography

/** Applies `inner` first, then `outer`. */
export const compose = (outer: Homography, inner: Homography): Homography => normalize(multiply(outer, inner))

/** The inverse mapping. */
export function invertHomography([a, b, c, d, e, f, g, h, i]: Homography): Homography {
  return normalize([
    ...[e * i - f * h, c * h - b * i, b * f - c * e],
    ...[f * g - d * i, a * i - c * g, c * d - a * f],
    ...[d * h - e * g, b * g - a * h, a * e - b * d],
  ])
}

export const toHomography = ({ a, b, tx, ty }: Similarity): Homography => [a, -b, tx, b, a, ty, 0, 0, 1]

/**
 * Fits a homography by linear least squares in conditioned coordinates (Hartley 1997).
 * @param from at least four points, not all on one line
 * @param to the target of each point, in the same order
 */
export function fitHomography(from: readonly Point[], to: readonly Point[]): Homography {
  const [a, b] = [condition(from), condition(to)]
  const matrix = Array.from({ length: 8 }, () => new Array<number>(8).fill(0))
  const right = new Array<number>(8).fill(0)
  const add = (row: readonly number[], value: number) => {
    for (let i = 0; i < 8; i++) {
      right[i]! += row[i]! * value
      for (let j = 0; j < 8; j++) matrix[i]![j]! += row[i]! * row[j]!
    }
  }
  a.points.forEach(({ x, y }, i) => {
    const { x: u, y: v } = b.points[i]!
    add([x, y, 1, 0, 0, 0, -u * x, -u * y], u)
    add([0, 0, 0, x, y, 1, -v * x, -v * y], v)
  })
  const inner = [...solve(matrix, right), 1]
  const toConditioned = [
    1 / a.scale,
    0,
    -a.centre.x / a.scale,
    0,
    1 / a.scale,
    -a.centre.y / a.scale,
    0,
    0,
    1,
  ]
  const fromConditioned = [b.scale, 0, b.centre.x, 0, b.scale, b.centre.y, 0, 0, 1]
  const whole = multiply(multiply(fromConditioned, inner), toConditioned)
  return normalize(whole)
}
