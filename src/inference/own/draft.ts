/** The steps of a network while its plan is made: constants are still arrays in ONNX order, so that later nodes can be folded into them. */
import type { Padding, PlanOutput } from './plan.ts'

interface DraftWindow {
  rows: number
  columns: number
  stride: number
  columnStride: number
  padding: Padding
}

interface DraftConvolution {
  input: number
  output: number
  inChannels: number
  outChannels: number
  /** `[outChannels,inChannels,rows,columns]`; depthwise `[channels,1,rows,columns]`. */
  weights: Float32Array
  bias: Float32Array
  /** `null` until an activation follows. */
  slope: Float32Array | null
}

export type DraftStep =
  | ({ kind: 'convolve'; residual: number | null } & DraftConvolution & DraftWindow)
  | ({ kind: 'convolve-depthwise' } & DraftConvolution & DraftWindow)
  | {
      kind: 'pool'
      input: number
      output: number
      isMean: boolean
      isPartial: boolean
      size: number
      stride: number
    }
  | { kind: 'add'; input: number; output: number; other: number; slope: Float32Array | null }
  | {
      kind: 'scale'
      input: number
      output: number
      factor: { constant: Float32Array } | { value: number }
      shift: Float32Array
      slope: Float32Array | null
    }
  | { kind: 'multiply' | 'concatenate'; input: number; output: number; other: number }
  | { kind: 'clip'; input: number; output: number; low: number; high: number }
  | { kind: 'sigmoid' | 'square-root' | 'softmax' | 'double' | 'unfold'; input: number; output: number }
  | { kind: 'hard-swish'; input: number; output: number; factor: number; shift: number }
  | {
      kind: 'normalise'
      input: number
      output: number
      gain: Float32Array
      bias: Float32Array
      epsilon: number
    }
  | { kind: 'attend'; input: number; output: number; heads: number; factor: number }
  | { kind: 'extend'; input: number; output: number; rows: number; columns: number }

export interface Draft {
  /** Of the input; `null` if it may vary. */
  size: { width: number; height: number } | null
  /** Number of channels of each value. */
  channels: readonly number[]
  steps: readonly DraftStep[]
  outputs: readonly PlanOutput[]
  /** Values whose pixels the graph flattens: they must have one. */
  onePixel: ReadonlySet<number>
}
