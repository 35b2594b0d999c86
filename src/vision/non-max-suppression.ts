import type { DetectedFace } from './face.ts'
import { intersectionOverUnion } from './geometry.ts'

/** Keeps the first of each group of boxes that overlap by more than `overlapMax`. */
export function keepFirst(faces: readonly DetectedFace[], overlapMax: number): DetectedFace[] {
  const kept: DetectedFace[] = []
  for (const face of faces) {
    if (kept.every((other) => intersectionOverUnion(face.box, other.box) <= overlapMax)) kept.push(face)
  }
  return kept
}

/** Keeps the surest of each group of boxes that overlap by more than `overlapMax` (greedy non-maximum suppression). */
export const nonMaxSuppression = (faces: readonly DetectedFace[], overlapMax: number): DetectedFace[] =>
  keepFirst(
    faces.toSorted((p, q) => q.confidence - p.confidence),
    overlapMax,
  )
