/** Result of quantising a vector: its components as whole steps from a centre. */
export interface Quantization {
  /** Size of a step. */
  step: number
  /** Squared distance of the quantised vector from the centre. */
  norm: number
  /** Euclidean distance between the quantised and the original vector. */
  lost: number
}

/**
 * Quantises a vector to whole steps from a centre.
 * @param stepsMax number of steps of the largest component
 * @param out receives the steps
 */
export function quantize(
  vector: Float32Array,
  centre: Float32Array,
  stepsMax: number,
  out: Int8Array | Int16Array,
): Quantization {
  let size = 0
  for (let i = 0; i < vector.length; i++) size = Math.max(size, Math.abs(vector[i]! - centre[i]!))
  const step = Math.fround(size / stepsMax) || 1
  let norm = 0
  let lost = 0
  for (let i = 0; i < vector.length; i++) {
    const value = vector[i]! - centre[i]!
    const steps = Math.max(-stepsMax, Math.min(stepsMax, Math.round(value / step)))
    out[i] = steps
    norm += (steps * step) ** 2
    lost += (value - steps * step) ** 2
  }
  return { step, norm, lost: Math.sqrt(lost) }
}
