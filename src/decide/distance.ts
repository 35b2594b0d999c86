/** Euclidean distance of a vector to a row of others. */
export function euclidean(a: Float32Array, b: Float32Array, row = 0): number {
  const offset = row * a.length
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[offset + i]!) ** 2
  return Math.sqrt(sum)
}

/** Euclidean distances of a vector to the same rows each time, in their order; the caller's to change. */
export type Distances = (vector: Float32Array) => Float32Array

/** Takes up rows `[count,length]` to measure distances to. */
export type OpenDistances = (rows: Float32Array, length: number) => Distances

/** Distances by plain arithmetic; `gallery/kernel.ts` has faster ones. */
export const openPlainDistances: OpenDistances = (rows, length) => (vector) =>
  Float32Array.from({ length: rows.length / length }, (_, row) => euclidean(vector, rows, row))
