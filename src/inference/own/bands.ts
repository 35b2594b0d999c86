/**
 * A chain is a run of steps, such as convolutions, in which only the next step reads the value of the one before.
 * It is computed band by band: some rows go through all of its steps. So its inner values need memory for a band only, and stay in
 * the cache.
 */
import { isBare, type Plan, readValues, type Step } from './plan.ts'
import { type PlacedStep, type PlacedValue, type Size, toBorder } from './sizes.ts'

/** The steps that compute some rows of their output from some rows of their input. */
export type RowStep = Extract<
  Step,
  | { kind: 'convolve' | 'convolve-quantised' | 'convolve-depthwise' | 'pool' | 'hard-swish' }
  | { kind: 'scale' | 'clip' | 'sigmoid' | 'square-root' | 'double' | 'unfold' | 'add' }
>

function isRowStep(step: Step): step is RowStep {
  switch (step.kind) {
    case 'convolve':
    case 'convolve-quantised':
      return step.residual === null
    case 'pool':
      return !step.isPartial
    case 'convolve-depthwise':
    case 'hard-swish':
    case 'scale':
    case 'clip':
    case 'sigmoid':
    case 'square-root':
    case 'double':
    case 'unfold':
    case 'add':
      return true
    default:
      return false
  }
}

/** How many rows of the output a row of the input becomes. */
const rowsOut = (step: RowStep): number => (step.kind === 'double' || step.kind === 'unfold' ? 2 : 1)

/** Whether each row of the output is made of one row of the input, and of no pixels beside. */
function isLocal(step: RowStep): boolean {
  if (step.kind === 'pool' || step.kind === 'convolve-depthwise') return false
  if (step.kind !== 'convolve' && step.kind !== 'convolve-quantised') return true
  const isPixel = step.rows === 1 && step.columns === 1 && step.stride === 1 && step.columnStride === 1
  return isPixel && (step.padding === 'same' || isBare(step.padding))
}

/** Whether the step reads its input without a border around it. */
const needsNoBorder = (step: RowStep): boolean =>
  step.kind === 'pool' || step.kind === 'convolve-depthwise' || isLocal(step)

/** Whether a step may follow a chain. */
function mayFollow(chain: readonly RowStep[], step: RowStep): boolean {
  if (!needsNoBorder(step) || chain.at(-1)!.kind === 'pool') return false
  // Bands overlap by the rows of a window: after one depthwise convolution only an activation and a pool follow.
  const isDeep = chain.some(({ kind }) => kind === 'convolve-depthwise')
  if (isDeep && step.kind !== 'pool' && step.kind !== 'hard-swish') return false
  // Where a row becomes two, bands begin at even rows.
  return isLocal(step) || chain.every((before) => rowsOut(before) === 1)
}

/** A sum of the chain's value and one that is there as a whole; `null` if it is not. */
function toSum(chain: readonly RowStep[], step: Extract<Step, { kind: 'add' }>): RowStep | null {
  const { output } = chain.at(-1)!
  if (step.input === step.other || chain.some(({ kind }) => kind !== 'scale' && kind !== 'double'))
    return null
  return step.input === output ? step : { ...step, input: output, other: step.input }
}

/**
 * @param first number of the first step
 * @param isInner whether exactly one step needs a value
 * @returns the steps of the chain that starts there; fewer than two are no chain
 */
export function findChain(
  { steps }: Pick<Plan, 'steps'>,
  first: number,
  isInner: (value: number) => boolean,
): RowStep[] {
  const chain: RowStep[] = []
  for (let number = first; number < steps.length; number++) {
    const step = steps[number]!
    const before = chain.at(-1)
    if (!isRowStep(step) || before?.kind === 'add') break
    if (!before) {
      // A sum that begins a chain would have two inputs.
      if (step.kind === 'add') break
      chain.push(step)
      continue
    }
    if (!readValues(step).includes(before.output) || !isInner(before.output)) break
    if (!mayFollow(chain, step)) break
    const next = step.kind === 'add' ? toSum(chain, step) : step
    if (!next || next.input !== before.output) break
    chain.push(next)
  }
  return chain
}

/** The size of the window over rows. */
function windowOf(step: RowStep, input: Size): { rows: number; stride: number; top: number } {
  if (step.kind === 'pool') return { rows: step.size, stride: step.stride, top: 0 }
  if (!('rows' in step)) return { rows: 1, stride: 1, top: 0 }
  return { rows: step.rows, stride: step.stride, top: toBorder(step.padding, input, step).top }
}

export interface Rows {
  from: number
  /** The row after the last. */
  to: number
}

/** The rows of the input that some rows of the output are made of. */
export function rowsBehind(step: RowStep, input: Size, { from, to }: Rows): Rows {
  const { rows, stride, top } = windowOf(step, input)
  if (rowsOut(step) === 2) return { from: from / 2, to: to / 2 }
  return {
    from: Math.max(0, from * stride - top),
    to: Math.min(input.height, (to - 1) * stride - top + rows),
  }
}

/** The most rows of each step's input that a band of the last step's output needs. */
function rowsPerBand(chain: readonly RowStep[], inputs: readonly Size[], bandRows: number): number[] {
  let needed = bandRows
  return chain
    .map((step, i) => ({ ...windowOf(step, inputs[i]!), height: inputs[i]!.height, out: rowsOut(step) }))
    .reverse()
    .map(({ rows, stride, height, out }) => {
      needed = Math.min(height, out === 1 ? (needed - 1) * stride + rows : needed / out)
      return needed
    })
    .reverse()
}

/** Bytes of all bands of a chain together: what stays in the second-level cache. */
const bandBytesMax = 2 ** 20
/** What they may take where smaller bands would repeat too much. */
const largeBandBytesMax = 2 ** 21
/** How often a row of an inner value is computed at most, on average: bands overlap by the rows of a window. */
const repetitionMax = 1.2

/**
 * The bytes that each inner value's band takes.
 * @param inputs of all steps
 * @param bandRows of the last step's output
 */
export function bandBytes(
  chain: readonly RowStep[],
  inputs: readonly PlacedValue[],
  bandRows: number,
): number[] {
  const inner = inputs.slice(1)
  const [, ...rows] = rowsPerBand(chain, inputs, bandRows)
  return inner.map(({ width, lanes }, i) => width * lanes * 4 * rows[i]!)
}

/**
 * @param inputs of all steps
 * @param height of the last step's output
 * @returns how many rows of that output are computed at once; `null` if rows of inner values would be computed too often
 */
export function chooseBandRows(
  chain: readonly RowStep[],
  inputs: readonly PlacedValue[],
  height: number,
): number | null {
  // Where a row becomes two, bands begin at even rows.
  const unit = chain.reduce((product, step) => product * rowsOut(step), 1)
  const isRepetitive = (bandRows: number): boolean => {
    const [, ...rows] = rowsPerBand(chain, inputs, bandRows)
    return (
      bandRows < height &&
      rows.some((n, i) => n / bandRows > repetitionMax * (inputs[i + 1]!.height / height))
    )
  }
  const fits = (bandRows: number): boolean => {
    const bytes = bandBytes(chain, inputs, bandRows).reduce((sum, length) => sum + length, 0)
    return bytes <= bandBytesMax || (bytes <= largeBandBytesMax && isRepetitive(bandRows - unit))
  }
  let bandRows = unit
  while (bandRows < height && fits(bandRows + unit)) bandRows += unit
  return isRepetitive(bandRows) ? null : bandRows
}

/** A chain in memory. */
export interface PlacedChain {
  steps: readonly PlacedStep[]
  /** Addresses of the bands of all inner values. */
  bands: readonly number[]
  /** Rows of the last value that are computed at once. */
  bandRows: number
}

/** Some rows of a value as a value of its own. A border stays around it. */
export const viewRows = (value: PlacedValue, address: number, { from, to }: Rows): PlacedValue => ({
  ...value,
  address,
  height: to - from,
})

/** The step for a part of its rows: with as much padding above as this part still has. */
export function stepForRows(step: RowStep, input: Size, output: Rows, available: Rows): RowStep {
  if (step.kind !== 'convolve-depthwise') return step
  const { left, right, bottom, top } = toBorder(step.padding, input, step)
  return { ...step, padding: [top + available.from - output.from * step.stride, left, bottom, right] }
}
