/** Whole names: they may take several lines, and begin with either part. */
import { compareNames, compareWholeName } from './compare.ts'
import type { VisualField } from './field.ts'
import type { Piece, PlacedLabel } from './layout.ts'

/** A name has at most so many lines and words. */
const linesMax = 4
const wordsMax = 20

/** Whether a piece continues another one in the next line: below it, as high, and beginning at the same place. */
function continues({ box: a }: Piece, { box: b }: Piece): boolean {
  const height = a.bottom - a.top
  const gap = b.top - a.bottom
  const ratio = (b.bottom - b.top) / height
  return (
    gap > -0.5 * height &&
    gap < 0.6 * height &&
    Math.abs(b.left - a.left) < 0.8 * height &&
    ratio > 0.7 &&
    ratio < 1.4
  )
}

const isBetween = ({ box }: PlacedLabel, a: Piece, b: Piece): boolean =>
  box.top < b.box.top && box.bottom > a.box.bottom && box.left < a.box.right && box.right > a.box.left

/**
 * The pieces of a name, from its first line on.
 * @param free pieces that belong to no other label
 */
export function followName(first: Piece, free: readonly Piece[], labels: readonly PlacedLabel[]): Piece[] {
  const found = [first]
  while (found.length < linesMax) {
    const last = found.at(-1)!
    const next = free.find((piece) => piece !== last && continues(last, piece))
    if (!next || found.includes(next) || labels.some((label) => isBetween(label, last, next))) break
    found.push(next)
  }
  return found
}

interface KnownName {
  readonly surname?: string
  readonly given_names?: string
}

/** Whether only the first of some lines are the name of the zone, so that the others may be something else. */
export function hasMoreThanName(
  lines: readonly string[],
  { surname, given_names: given }: KnownName,
): boolean {
  if (!surname || !given) return false
  const differs = (count: number) =>
    compareWholeName(lines.slice(0, count).join(' '), [surname, given]) === 'different'
  return differs(lines.length) && lines.some((_, before) => before > 0 && !differs(before))
}

/** The parts of a whole name that are those of the zone; `null` if it has others. */
export function splitName(
  { text }: VisualField,
  { surname, given_names: given }: KnownName,
): { surname: string; given_names: string } | null {
  if (!surname || !given) return null
  const words = text.split(/[\s,]+/)
  if (words.length > wordsMax) return null
  for (let at = 1; at < words.length; at++) {
    const [first, second] = [words.slice(0, at).join(' '), words.slice(at).join(' ')]
    for (const [a, b] of [
      [first, second],
      [second, first],
    ] as const)
      if (compareNames(a, surname) === 'same' && compareNames(b, given) === 'same')
        return { surname: a, given_names: b }
  }
  return null
}
