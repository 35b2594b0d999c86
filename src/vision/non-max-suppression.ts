import type { DetectedFace } from './face.ts'
import { intersectionOverUnion } from './geometry.ts'

/** Keeps the first of each group of boxes with an intersection over union above `overlapMax`. */
export function keepFirst(faces: readonly DetectedFace[], overlapMax: number): DetectedFace[] {
  const kept: DetectedFace[] = []
  for (const face of faces) {
    if (kept.every((other) => intersectionOverUnion(face.box, other.box) <= overlapMax)) kept.push(face)
  }
  return kept
}

/** Greedy non-maximum suppression: keeps the most confident of each group of boxes that overlap by more than `overlapMax`. */
export const nonMaxSuppression = (faces: readonly DetectedFace[], overlapMax: number): DetectedFace[] =>
  keepFirst(
    faces.toSorted((p, q) => q.confidence - p.confidence),
    overlapMax,
  )
