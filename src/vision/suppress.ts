import type { DetectedFace } from './face.ts'
import { intersectionOverUnion } from './geometry.ts'

/** Keeps the surest of each group of boxes that overlap by more than `overlapMax` (greedy non-maximum suppression). */
export function suppressOverlaps(faces: readonly DetectedFace[], overlapMax: number): DetectedFace[] {
  const kept: DetectedFace[] = []
  for (const face of [...faces].sort((p, q) => q.confidence - p.confidence)) {
    if (kept.every((other) => intersectionOverUnion(face.box, other.box) <= overlapMax)) kept.push(face)
  }
  return kept
}
