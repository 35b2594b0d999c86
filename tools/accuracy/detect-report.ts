/** Counts the hits, misses and false detections of a face detector. */
import type { DetectedFace } from '../../src/vision/face.ts'
import { type Box, intersectionOverUnion, type Point } from '../../src/vision/geometry.ts'
import type { TrueFace } from './face-truth.ts'
import { percent } from './report.ts'

/**
 * Minimum intersection over union. Detectors are trained with different kinds of boxes: from the brows or from the hair to the
 * chin, tall or square. Two kinds of boxes of one face overlap by little more than half, so 0.4 is used instead of 0.5.
 */
const overlapMin = 0.4

export interface FoundCounts {
  faces: number
  /** Annotated faces that overlap enough with a detected box, matched one to one. */
  overlapping: number
  /** Annotated faces whose centre lies in a detected box that is less than three times as large or small. */
  centred: number
  /** Boxes on no annotated face. */
  falseAlarms: number
  /** Boxes on a face that already has a more confident box. */
  duplicates: number
}

const contains = ({ x, y, width, height }: Box, point: Point): boolean =>
  point.x >= x && point.x <= x + width && point.y >= y && point.y <= y + height

const sizeRatioMax = 3

function isCentred(found: Box, { box, centre }: TrueFace): boolean {
  const ratio = Math.max(found.width, found.height) / Math.max(box.width, box.height)
  return contains(found, centre) && ratio < sizeRatioMax && ratio > 1 / sizeRatioMax
}

/** Matches detected boxes, most confident first, with annotated faces. */
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

/** Result for a picture that shows one face. */
export interface OneFace {
  /** The face was detected at its position. */
  isFound: boolean
  /** It is the largest face, and its landmarks lie on it, so that templates can be extracted. */
  isAligned: boolean
  /** Several people seem to be visible, which would fail an analysis. */
  hasSecondSubject: boolean
}

interface OneFaceCounts {
  pictures: number
  missed: number
  /** Including missed ones. */
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
