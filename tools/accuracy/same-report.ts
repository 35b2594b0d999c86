/** Counts the pairs of pictures that are classified as the same picture. */
import { printDistance } from '../../src/decide/same-picture.ts'

/** Two compared pictures. */
export interface ComparedPictures {
  isTakenForOne: boolean
  prints: readonly [readonly number[], readonly number[]]
}

export interface SameRow {
  /** Name of the kind of pairs. */
  name: string
  pairs: number
  takenForOne: number
  /** Smallest distances of two prints in grey levels, each over all pairs; `null` without pairs. */
  nearest: { mean: number; most: number } | null
}

export function sameRow(name: string, pairs: readonly ComparedPictures[]): SameRow {
  const distances = pairs.map(({ prints: [a, b] }) => printDistance(a, b))
  const least = (pick: (distance: { mean: number; most: number }) => number) =>
    distances.reduce((found, distance) => Math.min(found, pick(distance)), Number.POSITIVE_INFINITY)
  return {
    name,
    pairs: pairs.length,
    takenForOne: pairs.filter(({ isTakenForOne }) => isTakenForOne).length,
    nearest: pairs.length === 0 ? null : { mean: least(({ mean }) => mean), most: least(({ most }) => most) },
  }
}

export function sameText(rows: readonly SameRow[]): string {
  const line = (name: string, taken: string, nearest: string) =>
    `${name.padEnd(44)}${taken.padStart(16)}${nearest.padStart(28)}`
  return [
    line('pairs', 'taken for one', 'nearest: mean, one cell'),
    ...rows.map(({ name, pairs, takenForOne, nearest }) =>
      line(
        name,
        `${takenForOne} of ${pairs}`,
        nearest ? `${nearest.mean.toFixed(1)}, ${nearest.most.toFixed(1)}` : '',
      ),
    ),
  ].join('\n')
}
