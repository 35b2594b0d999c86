import { type OnnxFile, readOnnx } from '../onnx-reader.ts'
import { arrange } from './arrange.ts'
import type { DraftStep } from './draft.ts'
import { draftPlan } from './draft-plan.ts'
import { type Plan, type Step, toLanes } from './plan.ts'
import type { Size } from './sizes.ts'
import { UnsupportedNetwork } from './unsupported-network.ts'

/** Output channels that the kernel computes at once. */
const panel = 8

const toPanels = (channels: number) => Math.ceil(channels / panel)

/** The largest quantised inputs to choose from: 16 to 13 bits with the sign. */
const inputMaxima = [32_767, 16_383, 8_191, 4_095]
const weightMax = 32_767
/** Weights have at least 14 bits with the sign, if any number of bits of the input leaves them. */
const weightStepsWanted = 8_191
/** A layer whose sums leave fewer steps stays float32: 12 bits. */
const weightStepsMin = 2_047

/** Constants one after another, each at a multiple of 16 bytes. */
class ConstantBlock {
  readonly #parts: Uint8Array[] = []
  #length = 0

  /** @returns the byte offset */
  add(values: Float32Array | Int16Array): number {
    const offset = this.#length
    this.#parts.push(new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
    this.#length = (offset + values.byteLength + 15) & ~15
    return offset
  }

  /** Adds one number per channel, followed by zeros up to a whole panel. */
  addChannels(values: ArrayLike<number>): number {
    const padded = new Float32Array(toPanels(values.length) * panel)
    padded.set(values)
    return this.add(padded)
  }

  toBytes(): Uint8Array {
    const bytes = new Uint8Array(this.#length)
    let at = 0
    for (const part of this.#parts) {
      bytes.set(part, at)
      at = (at + part.length + 15) & ~15
    }
    return bytes
  }
}

type Convolution = Extract<DraftStep, { kind: 'convolve' }>
type Depthwise = Extract<DraftStep, { kind: 'convolve-depthwise' }>

/** `[M,C,rows,columns]` to `[panels][rows][columns · lanes][8]`. */
function packWeights({ weights, inChannels, outChannels, rows, columns }: Convolution): Float32Array {
  const lanes = toLanes(inChannels)
  const packed = new Float32Array(toPanels(outChannels) * rows * columns * lanes * panel)
  let from = 0
  for (let out = 0; out < outChannels; out++) {
    const start = Math.floor(out / panel) * rows * columns * lanes * panel + (out % panel)
    for (let channel = 0; channel < inChannels; channel++)
      for (let tap = 0; tap < rows * columns; tap++)
        packed[start + (tap * lanes + channel) * panel] = weights[from++]!
  }
  return packed
}

/** `[C,1,rows,columns]` to `[rows · columns][lanes]`. */
function packDepthwise({ weights, inChannels, rows, columns }: Depthwise): Float32Array {
  const lanes = toLanes(inChannels)
  const packed = new Float32Array(rows * columns * lanes)
  for (let channel = 0; channel < inChannels; channel++)
    for (let tap = 0; tap < rows * columns; tap++)
      packed[tap * lanes + channel] = weights[channel * rows * columns + tap]!
  return packed
}

function measure(values: Float32Array): RowSize {
  let [peak, sum] = [0, 0]
  for (let i = 0; i < values.length; i++) {
    const size = Math.abs(values[i]!)
    if (size > peak) peak = size
    sum += size
  }
  return { peak, peaks: peak === 0 ? 1 : sum / peak }
}

interface RowSize {
  peak: number
  /** How many times the peak the sum of absolute values is. */
  peaks: number
}

/** The largest quantised weight for which sums of products stay below 2^31. */
function findWeightMax({ peaks }: RowSize, length: number, inputMax: number): number {
  const sumMax = Math.floor(2 ** 31 / (inputMax + 1)) - 1
  // Rounding adds up to half a step per weight.
  return Math.min(weightMax, Math.floor((sumMax - length / 2) / peaks))
}

interface Packing {
  packed: Int16Array
  /** The output channel of the row. */
  out: number
  taps: number
  lanes: number
}

/** Quantises `[C,taps]` into its places of `[panels][taps · lanes / 2][8][2]`. */
function quantiseRow(row: Float32Array, step: number, { packed, out, taps, lanes }: Packing): void {
  const pair = panel * 2
  const start = Math.floor(out / panel) * taps * lanes * panel + (out % panel) * 2
  const tapStride = (lanes >> 1) * pair
  const channels = row.length / taps
  let from = 0
  for (let channel = 0; channel < channels; channel++) {
    let to = start + (channel >> 1) * pair + (channel & 1)
    for (let tap = 0; tap < taps; tap++, to += tapStride) packed[to] = Math.round(row[from++]! / step)
  }
}

/**
 * Quantises `[M,C,rows,columns]` to `[panels][taps · lanes / 2][8][2]`. The bits of a sum are shared between input and weights.
 * @returns `null` if the weights would be too coarse
 */
function quantiseWeights({ weights, inChannels, outChannels, rows, columns }: Convolution) {
  const lanes = toLanes(inChannels)
  const taps = rows * columns
  const length = inChannels * taps
  const sizes = Array.from({ length: outChannels }, (_, out) =>
    measure(weights.subarray(out * length, (out + 1) * length)),
  )
  const fewestSteps = (inputMax: number) =>
    Math.min(...sizes.map((size) => findWeightMax(size, length, inputMax)))
  const inputMax = inputMaxima.find((most) => fewestSteps(most) >= weightStepsWanted) ?? inputMaxima.at(-1)!
  if (fewestSteps(inputMax) < weightStepsMin) return null

  const packed = new Int16Array(toPanels(outChannels) * taps * lanes * panel)
  const steps = sizes.map((size) => size.peak / findWeightMax(size, length, inputMax))
  for (const [out, step] of steps.entries())
    if (step > 0)
      quantiseRow(weights.subarray(out * length, (out + 1) * length), step, { packed, out, taps, lanes })
  return { packed, steps, inputMax }
}

/** In layers with fewer weights, quantising takes longer than it saves. */
const quantisedWeightsMin = 512
const quantisedOutputMin = 8
/**
 * Layers with fewer input channels read the picture itself, or differences of its pixels, which are much smaller and would share its
 * step.
 */
const quantisedInputMin = 12

const mayBeQuantised = ({ rows, columns, inChannels, outChannels }: Convolution): boolean =>
  inChannels >= quantisedInputMin &&
  rows * columns * toLanes(inChannels) * outChannels >= quantisedWeightsMin &&
  outChannels >= quantisedOutputMin

export interface PlanOptions {
  /** Whether convolutions multiply integers of 12 to 16 bits instead of float32. */
  quantised: boolean
}

/** Packs the constants of a step. */
function packStep(step: DraftStep, channels: number, block: ConstantBlock, { quantised }: PlanOptions): Step {
  const addSlope = (slope: Float32Array | null) =>
    block.addChannels(slope ?? new Float32Array(channels).fill(1))
  switch (step.kind) {
    case 'convolve': {
      const { input, output, residual, rows, columns, stride, columnStride, padding } = step
      const shared = { input, output, residual, rows, columns, stride, columnStride, padding }
      const constants = { bias: block.addChannels(step.bias), slope: addSlope(step.slope) }
      const coarse = quantised && mayBeQuantised(step) ? quantiseWeights(step) : null
      if (coarse) {
        const { packed, steps, inputMax } = coarse
        const weights = block.add(packed)
        const weightSteps = block.addChannels(steps)
        return { kind: 'convolve-quantised', ...shared, inputMax, weights, weightSteps, ...constants }
      }
      const weights = block.add(packWeights(step))
      return { kind: 'convolve', ...shared, weights, ...constants }
    }
    case 'convolve-depthwise': {
      const { kind, input, output, rows, columns, stride, columnStride, padding } = step
      const weights = block.add(packDepthwise(step))
      const constants = { weights, bias: block.addChannels(step.bias), slope: addSlope(step.slope) }
      return { kind, input, output, rows, columns, stride, columnStride, padding, ...constants }
    }
    case 'add':
      return { ...step, slope: addSlope(step.slope) }
    case 'scale': {
      const { factor } = step
      return {
        ...step,
        factor: 'value' in factor ? factor : { constant: block.addChannels(factor.constant) },
        shift: block.addChannels(step.shift),
        slope: addSlope(step.slope),
      }
    }
    case 'normalise':
      return { ...step, gain: block.addChannels(step.gain), bias: block.addChannels(step.bias) }
    default:
      return step
  }
}

function readNetwork(bytes: Uint8Array): OnnxFile {
  try {
    return readOnnx(bytes)
  } catch (cause) {
    throw new UnsupportedNetwork(describeCause(cause), { cause })
  }
}

/** Finds what shows only with the sizes of all values. */
function expectToFit(plan: Plan, size: Size): void {
  try {
    arrange(plan, size, 0)
  } catch (cause) {
    throw new UnsupportedNetwork(describeCause(cause), { cause })
  }
}

const describeCause = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/**
 * Makes the plan of a network: constants folded and packed for the kernel, activations and residuals inside the convolutions.
 * @param bytes an ONNX file
 * @throws {UnsupportedNetwork} if the network has an operator that the kernel does not have, or the file is damaged
 */
export function makePlan(bytes: Uint8Array, options: PlanOptions): Plan {
  const { steps, channels, ...draft } = draftPlan(readNetwork(bytes))
  const block = new ConstantBlock()
  const packed = steps.map((step) => packStep(step, channels[step.output]!, block, options))
  const plan = { ...draft, channels, steps: packed, constants: block.toBytes() }
  if (plan.size) expectToFit(plan, plan.size)
  return plan
}
