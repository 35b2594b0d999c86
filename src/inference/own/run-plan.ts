import type { Tensor } from '../engine.ts'
import { type Arrangement, arrange, quantisedPixels } from './arrange.ts'
import { type PlacedChain, type RowStep, type Rows, rowsBehind, stepForRows, viewRows } from './bands.ts'
import type { InferenceKernel } from './kernel.ts'
import type { Plan, PlanOutput, Step } from './plan.ts'
import {
  type Border,
  byteSize,
  noBorder,
  type PlacedStep,
  type PlacedValue,
  type Size,
  toBorder,
} from './sizes.ts'

/** A plan whose constants lie in the kernel's memory. */
export interface LoadedPlan {
  /** Its constants are in the kernel's memory. */
  plan: Omit<Plan, 'constants'>
  /** Address of the constants. */
  constants: number
  /** The latest sizes of the input. */
  arrangements: Map<string, Arrangement>
}

const arrangementsMax = 8

function arrangeOnce({ plan, arrangements }: LoadedPlan, size: Size, start: number): Arrangement {
  const key = `${size.width} ${size.height} ${start}`
  const arrangement = arrangements.get(key) ?? arrange(plan, size, start)
  arrangements.delete(key)
  arrangements.set(key, arrangement)
  for (const [oldest] of arrangements) {
    if (arrangements.size <= arrangementsMax) break
    arrangements.delete(oldest)
  }
  return arrangement
}

/** Where a value with a border has its first pixel, and how long its rows are. */
function inside({ address, width, lanes }: PlacedValue, { top, left, right }: Border) {
  const pixel = lanes * 4
  const row = (width + left + right) * pixel
  return { first: address + top * row + left * pixel, row, pixel }
}

/** Sets the border of a value to zeros. */
function clearBorder(kernel: InferenceKernel, value: PlacedValue, border: Border): void {
  const { first, row, pixel } = inside(value, border)
  const bytes = new Uint8Array(kernel.memory.buffer)
  const rowBytes = value.width * pixel
  let at = value.address
  for (let y = 0; y < value.height; y++) {
    bytes.fill(0, at, first + y * row)
    at = first + y * row + rowBytes
  }
  bytes.fill(0, at, value.address + byteSize({ ...value, border }))
}

/** What the steps of one run share. */
interface Run extends Arrangement {
  kernel: InferenceKernel
  /** Address of the plan's constants. */
  constants: number
  /** Number of channels of each value. */
  channels: readonly number[]
}

function clear(kernel: InferenceKernel, value: PlacedValue): void {
  new Uint8Array(kernel.memory.buffer, value.address, byteSize(value)).fill(0)
}

type Convolution = Extract<Step, { residual: number | null }>

/** The rows of an input that some rows of a convolution's output need, with the border around them, as a value of its own. */
function copyRows(
  { kernel }: Run,
  step: Convolution,
  input: PlacedValue,
  { address, rows }: { address: number; rows: Rows },
): PlacedValue {
  const { top, left, right } = toBorder(step.padding, input, step)
  // Rows of the input with its border.
  const [first, last] = [rows.from * step.stride, (rows.to - 1) * step.stride + step.rows]
  const from = Math.min(input.height, Math.max(0, first - top))
  const to = Math.max(from, Math.min(input.height, last - top))
  const above = Math.max(0, top - first)
  const border = { left, right, top: above, bottom: last - first - above - (to - from) }
  const copy = { ...input, address, height: to - from, border }
  const place = inside(copy, border)
  clearBorder(kernel, copy, border)
  const start = input.address + from * input.width * input.lanes * 4
  kernel.place(start, input.width, to - from, input.lanes, place.first, place.row, place.pixel)
  return copy
}

function convolve(run: Run, { copy, quantised }: PlacedStep, step: Convolution): void {
  const input = run.values[step.input]!
  const { height } = run.values[step.output]!
  if (!copy) {
    convolveRows(run, quantised, step, { input, rows: { from: 0, to: height } })
    return
  }
  for (let from = 0; from < height; from += copy.rows) {
    const rows = { from, to: Math.min(height, from + copy.rows) }
    const part = copyRows(run, step, input, { address: copy.address, rows })
    convolveRows(run, quantised, step, { input: part, rows })
  }
}

/**
 * Computes some rows of a convolution's output.
 * @param part what the taps of these rows read
 */
function convolveRows(
  run: Run,
  quantised: number,
  step: Convolution,
  { input, rows }: { input: PlacedValue; rows: Rows },
): void {
  const { kernel, values, constants } = run
  const output = values[step.output]!
  const { row, pixel } = inside(input, input.border)
  const length = step.columns * input.lanes
  const count = rows.to - rows.from
  const start = rows.from * output.width * output.lanes * 4
  // Without taps beside each other all rows are one.
  const isFlat = step.columns === 1 && step.rows === 1 && step.stride === 1 && step.columnStride === 1
  const [width, height] = isFlat ? [output.width * count, 1] : [output.width, count]
  const taps = [
    ...([input.address, row * step.stride, pixel * step.columnStride] as const),
    ...([row, step.rows, length] as const),
  ] as const
  const rest = [
    ...([constants + step.bias, constants + step.slope] as const),
    step.residual === null ? 0 : values[step.residual]!.address + start,
    ...([output.address + start, output.lanes, width, height] as const),
  ] as const
  const weights = constants + step.weights
  if (step.kind === 'convolve') kernel.convolve(...taps, weights, ...rest)
  else {
    const chunk = quantisedPixels(step.rows * length)
    kernel.convolveQuantised(
      ...taps,
      step.inputMax,
      quantised,
      chunk,
      weights,
      constants + step.weightSteps,
      ...rest,
    )
  }
}

interface Places {
  input: PlacedValue
  output: PlacedValue
  placed: PlacedStep
}

type Runners = {
  [Kind in Step['kind']]: (run: Run, step: Extract<Step, { kind: Kind }>, places: Places) => void
}

const pixelsOf = ({ width, height }: Size) => width * height

/** Values of a tensor in memory, those of padding channels included. */
const lengthOf = ({ width, height, lanes }: PlacedValue) => width * height * lanes

/** Sets the padding channels of a value to zero, as all other steps expect them. */
function clearPadding({ kernel, values, channels }: Run, index: number): void {
  const value = values[index]!
  if (channels[index]! < value.lanes)
    kernel.clearPadding(value.address, value.lanes, channels[index]!, pixelsOf(value))
}

const runners: Runners = {
  convolve: (run, step, { placed }) => convolve(run, placed, step),
  'convolve-quantised': (run, step, { placed }) => convolve(run, placed, step),
  'convolve-depthwise': ({ kernel, constants, zeros }, step, { input, output }) => {
    const { top, left } = toBorder(step.padding, input, step)
    kernel.convolveDepthwise(
      ...([input.address, input.width, input.height, input.lanes] as const),
      ...([step.rows, step.columns, step.stride, step.columnStride, top, left] as const),
      ...([constants + step.weights, constants + step.bias, constants + step.slope] as const),
      ...([zeros.address, output.address, output.width, output.height] as const),
    )
  },
  pool: ({ kernel }, step, { input, output }) =>
    kernel.pool(
      ...([step.isMean, input.address, input.width, input.height, input.lanes] as const),
      ...([step.size, step.stride, output.address, output.width, output.height] as const),
    ),
  add: ({ kernel, constants, values }, step, { input, output }) =>
    kernel.add(
      ...([input.address, values[step.other]!.address, constants + step.slope] as const),
      ...([output.address, pixelsOf(output), output.lanes] as const),
    ),
  multiply: ({ kernel, values }, step, { input, output }) =>
    kernel.multiply(input.address, values[step.other]!.address, output.address, lengthOf(output)),
  scale: ({ kernel, constants, values }, { factor, shift, slope }, { input, output }) =>
    kernel.scale(
      input.address,
      'value' in factor ? values[factor.value]!.address : constants + factor.constant,
      ...([constants + shift, constants + slope] as const),
      ...([output.address, pixelsOf(output), output.lanes] as const),
    ),
  clip: (run, step, { input, output }) => {
    run.kernel.clip(input.address, step.low, step.high, output.address, lengthOf(output))
    clearPadding(run, step.output)
  },
  sigmoid: (run, _step, { input, output, placed }) => {
    run.kernel.sigmoid(input.address, output.address, lengthOf(output))
    clearPadding(run, placed.step.output)
  },
  'square-root': ({ kernel }, _step, { input, output }) =>
    kernel.squareRoot(input.address, output.address, lengthOf(output)),
  softmax: (run, step, { input, output }) => {
    run.kernel.softmax(
      ...([input.address, output.address, run.channels[step.output]!, output.lanes] as const),
      pixelsOf(output),
    )
    clearPadding(run, step.output)
  },
  'hard-swish': (run, step, { input, output }) => {
    run.kernel.hardSwish(input.address, step.factor, step.shift, output.address, lengthOf(output))
    if (step.shift !== 0) clearPadding(run, step.output)
  },
  normalise: ({ kernel, constants, channels }, step, { input, output }) =>
    kernel.normalise(
      ...([input.address, constants + step.gain, constants + step.bias, step.epsilon] as const),
      ...([output.address, pixelsOf(output), channels[step.output]!, output.lanes] as const),
    ),
  attend: (run, { heads, factor, ...step }, { input, output, placed }) => {
    const channels = run.channels[step.output]!
    clear(run.kernel, output)
    run.kernel.attend(
      ...([input.address, input.lanes, pixelsOf(input), channels, heads, factor] as const),
      ...([placed.quantised, output.address, output.lanes] as const),
    )
  },
  unfold: ({ kernel, channels }, step, { input, output }) => {
    const [pixel, quarter] = [output.lanes * 4, input.lanes / 4]
    clear(kernel, output)
    for (let y = 0; y < input.height; y++)
      for (let part = 0; part < 4; part++)
        kernel.copyChannels(
          input.address + (y * input.width * input.lanes + part * quarter) * 4,
          ...([input.lanes, channels[step.output]!] as const),
          output.address + ((2 * y + (part >> 1)) * output.width + (part & 1)) * pixel,
          ...([output.lanes * 2, input.width] as const),
        )
  },
  double: ({ kernel }, _step, { input, output }) =>
    kernel.double(input.address, output.address, input.width, input.height, input.lanes),
  concatenate: ({ kernel, values, channels }, step, { input, output }) => {
    const other = values[step.other]!
    const [first, second] = [channels[step.input]!, channels[step.other]!]
    const pixels = pixelsOf(output)
    clear(kernel, output)
    kernel.copyChannels(input.address, input.lanes, first, output.address, output.lanes, pixels)
    kernel.copyChannels(other.address, other.lanes, second, output.address + first * 4, output.lanes, pixels)
  },
  extend: ({ kernel }, _step, { input, output }) => {
    const { row, pixel } = inside(output, output.border)
    clear(kernel, output)
    kernel.place(input.address, input.width, input.height, input.lanes, output.address, row, pixel)
  },
}

function runStep<Kind extends Step['kind']>(run: Run, placed: PlacedStep): void {
  const step = placed.step as Extract<Step, { kind: Kind }>
  const places = { input: run.values[step.input]!, output: run.values[step.output]!, placed }
  const runner = runners[step.kind] as Runners[Kind]
  runner(run, step, places)
}

/** Computes a chain band by band. */
function runChain(run: Run, { steps, bands, bandRows }: PlacedChain): void {
  const chain = steps.map(({ step }) => step as RowStep)
  const last = run.values[chain.at(-1)!.output]!
  for (let from = 0; from < last.height; from += bandRows) {
    // The rows of each value, backwards from the last.
    const rows: Rows[] = [{ from, to: Math.min(last.height, from + bandRows) }]
    for (const step of [...chain].reverse()) rows.unshift(rowsBehind(step, run.values[step.input]!, rows[0]!))
    for (const [i, placed] of steps.entries())
      runBand(run, placed, [rows[i]!, rows[i + 1]!], [bands[i - 1], bands[i]])
  }
}

/**
 * Runs a step for some rows.
 * @param bands addresses of the bands of its input and output; `undefined` for a value that is there as a whole
 */
function runBand(
  run: Run,
  placed: PlacedStep,
  [inRows, outRows]: readonly [Rows, Rows],
  [inBand, outBand]: readonly [number | undefined, number | undefined],
): void {
  const step = placed.step as RowStep
  const [input, output] = [run.values[step.input]!, run.values[step.output]!]
  const addressOf = (value: PlacedValue, { from }: Rows) =>
    value.address + from * (value.width + value.border.left + value.border.right) * value.lanes * 4
  // Taps start in the border: its rows are part of the address.
  const firstRow =
    !('rows' in step) || input.border === noBorder ? inRows : { ...inRows, from: outRows.from * step.stride }
  const values = [...run.values]
  values[step.input] = viewRows(input, inBand ?? addressOf(input, firstRow), inRows)
  values[step.output] = viewRows(output, outBand ?? addressOf(output, outRows), outRows)
  if (step.kind === 'add') {
    const other = run.values[step.other]!
    values[step.other] = viewRows(other, addressOf(other, outRows), outRows)
  }
  runStep({ ...run, values }, { ...placed, step: stepForRows(step, input, outRows, inRows) })
}

/** Bytes of a picture's planes that are put together at once: they stay in the second-level cache. */
const planeBytes = 2 ** 18

/** Writes the picture, `[C,H,W]`, into the place of the input. What lies behind it is overwritten. */
function load({ kernel, values, channels: [channels = 0] }: Run, image: Float32Array): void {
  const input = values[0]!
  const { width, height } = input
  const { first, row, pixel } = inside(input, input.border)
  clearBorder(kernel, input, input.border)
  const planes = (input.address + byteSize(input) + 15) & ~15
  const rows = Math.max(1, Math.min(height, Math.floor(planeBytes / (channels * width * 4))))
  kernel.reserve(planes + channels * rows * width * 4 + 16)
  const memory = new Float32Array(kernel.memory.buffer)
  for (let y = 0; y < height; y += rows) {
    const count = Math.min(rows, height - y)
    for (let channel = 0; channel < channels; channel++) {
      const from = (channel * height + y) * width
      memory.set(image.subarray(from, from + count * width), planes / 4 + channel * count * width)
    }
    // Quantised layers would turn what is no number into ordinary scores.
    if (!kernel.joinPlanes(planes, channels, width, count, first + y * row, row, pixel))
      throw new TypeError('the picture has values that are no numbers')
  }
}

/** Copies an output, without its padding channels. */
function read({ kernel, values, channels, end }: Run, { value, shape, ...output }: PlanOutput): Tensor {
  if (value === null)
    return { data: 'constant' in output ? output.constant.slice() : new Float32Array(0), shape }
  const { address, lanes, width, height } = values[value]!
  const count = width * height * channels[value]!
  const isPacked = lanes === channels[value]
  if (!isPacked) {
    kernel.reserve(end + count * 4)
    kernel.copyChannels(address, lanes, channels[value]!, end, channels[value]!, width * height)
  }
  const data = new Float32Array(kernel.memory.buffer, isPacked ? address : end, count).slice()
  if (shape === null) return { data, shape: [1, channels[value]!, height, width] }
  const known = shape.reduce((product, size) => (size === -1 ? product : product * size), 1)
  return { data, shape: shape.map((size) => (size === -1 ? count / known : size)) }
}

/**
 * Runs a plan on one picture.
 * @param image `[1,C,H,W]`
 * @param start the first free address of the kernel's memory
 * @returns the outputs by name
 * @throws {TypeError} if the picture does not fit the network
 */
export function runPlan(
  kernel: InferenceKernel,
  loaded: LoadedPlan,
  image: Tensor,
  start: number,
): Record<string, Tensor> {
  const { plan } = loaded
  const [, channels = 0, height = 0, width = 0] = image.shape
  if (channels !== plan.channels[0]) throw new TypeError(`the network takes ${plan.channels[0]} channels`)
  if (image.data.length !== channels * height * width)
    throw new TypeError(`the picture has ${image.data.length} values instead of ${image.shape.join(' × ')}`)
  const size: Size = { width, height }
  const arrangement = arrangeOnce(loaded, size, start)
  kernel.reserve(arrangement.end)
  const run: Run = { ...arrangement, kernel, constants: loaded.constants, channels: plan.channels }
  load(run, image.data)
  const { zeros } = arrangement
  new Uint8Array(kernel.memory.buffer, zeros.address, zeros.bytes).fill(0)
  for (const placed of arrangement.steps) {
    if ('bands' in placed) runChain(run, placed)
    else runStep(run, placed)
  }
  return Object.fromEntries(plan.outputs.map((output) => [output.name, read(run, output)]))
}
