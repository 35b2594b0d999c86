/**
 * A plan is a network as our kernel runs it: a list of steps in order. Values are numbered; value 0 is the input. Constants lie
 * in one block of bytes; a step has their byte offsets.
 */

/** Rows and columns before and after the input; `same`: as many as the stride needs, the odd one after (SAME_UPPER of ONNX). */
export type Padding = 'same' | readonly [top: number, left: number, bottom: number, right: number]

/** Whether no value is added by a padding of any window. */
export const isBare = (padding: Padding): boolean => padding !== 'same' && padding.every((size) => size === 0)

interface Window {
  rows: number
  columns: number
  /** From a row of outputs to the next, and from a column to the next. */
  stride: number
  columnStride: number
  padding: Padding
}

/** Byte offsets of a convolution's constants. */
interface ConvolutionConstants {
  weights: number
  bias: number
  slope: number
}

export type Step = { input: number; output: number } & (
  | ({ kind: 'convolve'; residual: number | null } & Window & ConvolutionConstants)
  /** With integers: the input up to `inputMax`, the weights in multiples of `weightSteps`. */
  | ({ kind: 'convolve-quantised'; residual: number | null; inputMax: number; weightSteps: number } & Window &
      ConvolutionConstants)
  | ({ kind: 'convolve-depthwise' } & Window & ConvolutionConstants)
  /** Windows end where the input ends; with `isPartial` there is a last one that reaches over the end. */
  | { kind: 'pool'; isMean: boolean; isPartial: boolean; size: number; stride: number }
  | { kind: 'add'; other: number; slope: number }
  | { kind: 'multiply'; other: number }
  /** Multiplies each channel by a constant, given as an offset, or by a value of size 1 × 1. */
  | { kind: 'scale'; factor: { constant: number } | { value: number }; shift: number; slope: number }
  | { kind: 'clip'; low: number; high: number }
  | { kind: 'sigmoid' | 'square-root' | 'double' }
  /** `factor · x · clip(x / 6 + 1/2, 0, 1) + shift`. */
  | { kind: 'hard-swish'; factor: number; shift: number }
  /** Of the channels of each pixel. */
  | { kind: 'softmax' }
  /** Of each pixel: its channels minus their mean, divided by their deviation, times a gain, plus a bias. */
  | { kind: 'normalise'; gain: number; bias: number; epsilon: number }
  /**
   * Attention among all pixels. The channels of the input are queries, keys and values, each split evenly among the heads; queries are
   * multiplied by `factor`.
   */
  | { kind: 'attend'; heads: number; factor: number }
  /** Each pixel becomes 2 × 2 pixels: the input has the channels of the upper left, upper right, lower left and lower right one. */
  | { kind: 'unfold' }
  /** The channels of one value, then those of the other. */
  | { kind: 'concatenate'; other: number }
  /** Appends zeros: rows below, columns on the right, channels. */
  | { kind: 'extend'; rows: number; columns: number }
)

export type PlanOutput =
  | {
      name: string
      value: number
      /** Shape of the output; -1 stands for what remains. `null`: `[1,1,H,W]`. */
      shape: readonly number[] | null
    }
  /** A constant of the graph. */
  | { name: string; value: null; constant: Float32Array; shape: readonly number[] }

export interface Plan {
  /** Of the input; `null` if it may vary. */
  size: { width: number; height: number } | null
  /** Number of channels of each value. */
  channels: readonly number[]
  steps: readonly Step[]
  outputs: readonly PlanOutput[]
  /** Values that must have one pixel, since the network flattens them. */
  onePixel: ReadonlySet<number>
  constants: Uint8Array
}

/** Channels are padded to a multiple of four. */
export const toLanes = (channels: number): number => (channels + 3) & ~3

/** The values that a step reads. */
export function readValues(step: Step): number[] {
  const { input } = step
  if ('other' in step) return [input, step.other]
  if (step.kind === 'scale' && 'value' in step.factor) return [input, step.factor.value]
  if ('residual' in step && step.residual !== null) return [input, step.residual]
  return [input]
}
