import type { FaceMoment } from '../vision/clip/gestures.ts'
import type { SampleQuality } from '../vision/quality.ts'

/** Angle in degrees at which a turned head halves the score. */
const turnHalf = 20
/** Sharpness of a portrait in focus. */
const sharpEnough = 0.1
const openEnough = 0.25

/**
 * Scores how well a frame shows its subject, 0…1: in focus, facing the camera, eyes open, well lit. The factors are
 * multiplied, so one bad measure makes a bad score.
 */
export function shotScore(quality: SampleQuality, { eyeOpenness }: FaceMoment): number {
  const { pose } = quality
  const turn = Math.hypot(pose.yaw, pose.pitch) / turnHalf
  const light = 1 - Math.min(1, quality.underexposed + quality.overexposed)
  return (
    Math.min(1, quality.sharpness / sharpEnough) *
    (1 / (1 + turn * turn)) *
    Math.min(1, eyeOpenness / openEnough) *
    light
  )
}
