/** Counts what a face finder finds, misses and makes up. */
import type { DetectedFace } from '../../src/vision/face.ts'
import { type Box, intersectionOverUnion, type Point } from '../../src/vision/geometry.ts'
import type { TrueFace } from './face-truth.ts'
import { percent } from './report.ts'

/**
 * Detectors were taught by boxes of different kinds: from the brows to the chin, from the hair to the chin, tall or square.
 * The same face in two of these kinds shares little more than half of its area, so 0.4 is asked for and not 0.5.
 */
export const overlapMin = 0.4

export interface FoundCounts {
  faces: number
  /** Marked faces that share enough area with a box found, one for each. */
  overlapping: number
  /** Marked faces whose centre lies in a box found that is neither three times as large nor as small. */
  centred: number
  /** Boxes on no marked face. */
  falseAlarms: number
  /** Boxes on a face that a surer box was found on. */
  duplicates: number
}

const contains = ({ x, y, width, height }: Box, point: Point): boolean =>
  point.x >= x && point.x <= x + width && point.y >= y && point.y <= y + height

const sizeRatioMax = 3

function isCentred(found: Box, { box, centre }: TrueFace): boolean {
  const ratio = Math.max(found.width, found.height) / Math.max(box.width, box.height)
  return contains(found, centre) && ratio < sizeRatioMax && ratio > 1 / sizeRatioMax
}

/** Pairs found boxes, the surest first, with marked faces. */
export function countFound(found: readonly DetectedFace[], marked: readonly TrueFace[]): FoundCounts {
  const counts = { faces: marked.length, overlapping: 0, centred: 0, falseAlarms: 0, duplicates: 0 }
  const free = new Set(marked)
  for (const { box } of [...found].sort((p, q) => q.confidence - p.confidence)) {
    const overlapOf = (face: TrueFace) => intersectionOverUnion(box, face.box)
    const isOn = (face: TrueFace) => isCentred(box, face) || overlapOf(face) >= overlapMin
    const [nearest] = [...free].filter(isOn).sort((p, q) => overlapOf(q) - overlapOf(p))
    if (!nearest) {
      if (marked.some(isOn)) counts.duplicates++
      else counts.falseAlarms++
      continue
    }
    free.delete(nearest)
    if (overlapOf(nearest) >= overlapMin) counts.overlapping++
    if (isCentred(box, nearest)) counts.centred++
  }
  return counts
}

export const addCounts = (all: readonly FoundCounts[]): FoundCounts => {
  const sum = (key: keyof FoundCounts) => all.reduce((total, counts) => total + counts[key], 0)
  return {
    faces: sum('faces'),
    overlapping: sum('overlapping'),
    centred: sum('centred'),
    falseAlarms: sum('falseAlarms'),
    duplicates: sum('duplicates'),
  }
}

/** What was made of a picture that shows one face. */
export interface OneFace {
  /** A face was found where it is. */
  isFound: boolean
  /** The largest face is that one, and its landmarks lie on it: templates can be made. */
  isAligned: boolean
  /** There seem to be several people, which fails an analysis. */
  hasSecondSubject: boolean
}

export interface OneFaceCounts {
  pictures: number
  missed: number
  /** Missed ones included. */
  notAligned: number
  rivals: number
}

export const countOneFaces = (rows: readonly OneFace[]): OneFaceCounts => ({
  pictures: rows.length,
  missed: rows.filter(({ isFound }) => !isFound).length,
  notAligned: rows.filter(({ isAligned }) => !isAligned).length,
  rivals: rows.filter(({ hasSecondSubject }) => hasSecondSubject).length,
})

export interface DetectionReport {
  annotated: FoundCounts & { pictures: number }
  unannotated: { pictures: number; found: number }
  withoutFace: { pictures: number; found: number }
  portraits: Record<string, OneFaceCounts>
  msPerPicture: { median: number; mean: number; p95: number }
}

const share = (part: number, whole: number): string => percent(whole === 0 ? null : part / whole)

export function detectionText(report: DetectionReport): string {
  const { annotated, unannotated, withoutFace, portraits, msPerPicture } = report
  const row = (cells: readonly (string | number)[]) =>
    cells.map((cell, i) => (i === 0 ? String(cell).padEnd(12) : String(cell).padStart(12))).join('')
  return [
    `${annotated.faces} marked faces of ${annotated.pictures} pictures: ` +
      `${share(annotated.overlapping, annotated.faces)} found with an overlap of ${overlapMin}, ` +
      `${share(annotated.centred, annotated.faces)} with the eyes in the box; ` +
      `${annotated.falseAlarms} boxes on no face, ${annotated.duplicates} faces found twice`,
    `${unannotated.found} faces found on ${unannotated.pictures} pictures without marks`,
    `${withoutFace.found} faces found on ${withoutFace.pictures} pictures without faces`,
    '',
    row(['one face', 'pictures', 'missed', 'misaligned', 'several']),
    ...Object.entries(portraits).map(([name, { pictures, missed, notAligned, rivals }]) =>
      row([name, pictures, missed, notAligned, rivals]),
    ),
    '',
    `ms per picture: median ${msPerPicture.median.toFixed(0)}, mean ${msPerPicture.mean.toFixed(0)}, ` +
      `95 % within ${msPerPicture.p95.toFixed(0)}`,
  ].join('\n')
}
