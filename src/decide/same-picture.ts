/** Whether two media are one picture, so that comparing them says nothing of a person. */
import type { DecidedMedium } from './analysis.ts'

/** A medium that is compared with others. */
export interface ComparedMedium extends DecidedMedium {
  /** MD5 of the file as it was sent. */
  md5: string
}

/**
 * How far two codings of one picture are apart at most: cells of their prints, in grey levels of 255, and the distance of their
 * templates. Two photos are 7 and more apart in the mean (`docs/matching.md`).
 */
const codingsApart = { mean: 0.9, most: 3.5, templates: 0.45 }

/**
 * How far two prints, as `computePicturePrint` makes them, are apart in grey levels of 255: in the mean (root of squares) and in the
 * cell where they differ most.
 */
export function printDistance(a: readonly number[], b: readonly number[]): { mean: number; most: number } {
  const differences = a.map((lightness, cell) => Math.abs(lightness - b[cell]!))
  const mean = Math.sqrt(differences.reduce((sum, difference) => sum + difference ** 2, 0) / a.length)
  return { mean, most: Math.max(...differences) }
}

/** Prints of one photo, as far as prints tell. */
export function isSamePrint(a: readonly number[], b: readonly number[]): boolean {
  const { mean, most } = printDistance(a, b)
  return mean <= codingsApart.mean && most <= codingsApart.most
}

/** Templates of one photo, as far as templates tell. */
export const isSameFace = (templateDistance: number): boolean => templateDistance <= codingsApart.templates

/**
 * The same file, or the same photo after it was encoded anew or resized a little.
 * @param templateDistance Euclidean distance of the two templates
 */
export function isSamePicture(a: ComparedMedium, b: ComparedMedium, templateDistance: number): boolean {
  if (a.md5 === b.md5) return true
  const [one, other] = [a.assessment.print, b.assessment.print]
  if (!one || !other) return false
  return isSameFace(templateDistance) && isSamePrint(one, other)
}
