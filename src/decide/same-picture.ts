/** Detects media that are the same picture: comparing them tells nothing about the person. */
import type { DecidedMedium } from './analysis.ts'

/** A medium to be compared with others. */
export interface ComparedMedium extends DecidedMedium {
  /** MD5 of the received file. */
  md5: string
}

/**
 * Maximum differences between two encodings of one picture: cells of their prints in grey levels of 255, and the distance of
 * their templates. Different photos have a mean difference of 7 and more.
 */
const codingsApart = { mean: 0.9, most: 3.5, templates: 0.45 }

/**
 * Difference of two results of `computePicturePrint` in grey levels of 255: root mean square, and maximum over the cells.
 */
export function printDistance(a: readonly number[], b: readonly number[]): { mean: number; most: number } {
  const differences = a.map((lightness, cell) => Math.abs(lightness - b[cell]!))
  const mean = Math.sqrt(differences.reduce((sum, difference) => sum + difference ** 2, 0) / a.length)
  return { mean, most: Math.max(...differences) }
}

/** Whether two prints are similar enough to be of the same photo. */
export function isSamePrint(a: readonly number[], b: readonly number[]): boolean {
  const { mean, most } = printDistance(a, b)
  return mean <= codingsApart.mean && most <= codingsApart.most
}

/** Whether two templates are similar enough to be of the same photo. */
export const isSameFace = (templateDistance: number): boolean => templateDistance <= codingsApart.templates

/**
 * Whether two media are the same file, or the same photo re-encoded or slightly resized.
 * @param templateDistance Euclidean distance of the two templates
 */
export function isSamePicture(a: ComparedMedium, b: ComparedMedium, templateDistance: number): boolean {
  if (a.md5 === b.md5) return true
  const [one, other] = [a.assessment.print, b.assessment.print]
  if (!one || !other) return false
  return isSameFace(templateDistance) && isSamePrint(one, other)
}
