/** Euclidean distance between a vector and a row of a matrix `[count,length]`. */
export function euclidean(a: Float32Array, b: Float32Array, row = 0): number {
  const offset = row * a.length
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[offset + i]!) ** 2
  return Math.sqrt(sum)
}

/** Measures the Euclidean distances of a vector to a fixed set of rows, in their order. The caller may modify the result. */
export type Distances = (vector: Float32Array) => Float32Array

/** Prepares rows `[count,length]` for measuring distances. */
export type OpenDistances = (rows: Float32Array, length: number) => Distances

/** Distances in plain TypeScript; `gallery/kernel.ts` has a faster implementation. */
export const openPlainDistances: OpenDistances = (rows, length) => (vector) =>
  Float32Array.from({ length: rows.length / length }, (_, row) => euclidean(vector, rows, row))
