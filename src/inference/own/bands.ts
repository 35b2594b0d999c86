/**
 * A chain is a run of convolutions, and at its end perhaps a pool, in which only the next step reads the value of the one before.
 * It is computed band by band: some rows go through all of its steps. So its inner values need memory for a band only, and stay in
 * the cache.
 */
import { isBare, type Plan, readValues, type Step } from './plan.ts'
import { type PlacedStep, type PlacedValue, type Size, toBorder } from './sizes.ts'

/** The steps that compute some rows of their output from some rows of their input. */
export type RowStep = Extract<
  Step,
  { kind: 'convolve' | 'convolve-quantised' | 'convolve-depthwise' | 'pool' | 'hard-swish' }
>

function isRowStep(step: Step): step is RowStep {
  if (step.kind === 'convolve' || step.kind === 'convolve-quantised') return step.residual === null
  if (step.kind === 'convolve-depthwise' || step.kind === 'hard-swish') return true
  return step.kind === 'pool' && !step.isPartial
}

/** Whether the step reads its input without a border around it. */
function needsNoBorder(step: RowStep): boolean {
  if (step.kind === 'pool' || step.kind === 'convolve-depthwise' || step.kind === 'hard-swish') return true
  const isPixel = step.rows === 1 && step.columns === 1 && step.stride === 1 && step.columnStride === 1
  return isPixel && (step.padding === 'same' || isBare(step.padding))
}

/**
 * @param first number of the first step
 * @returns the steps of the chain that starts there; fewer than two are no chain
 */
export function findChain({ steps, outputs }: Pick<Plan, 'steps' | 'outputs'>, first: number): RowStep[] {
  const chain: RowStep[] = []
  for (const step of steps.slice(first)) {
    const before = chain.at(-1)
    // Bands overlap by the rows of a window: after one depthwise convolution only an activation and a pool follow.
    if (!isRowStep(step) || before?.kind === 'pool') break
    const isDeep = chain.some(({ kind }) => kind === 'convolve-depthwise')
    if (isDeep && step.kind !== 'pool' && step.kind !== 'hard-swish') break
    if (before) {
      const readers = steps.filter((other) => readValues(other).includes(before.output))
      const isOutput = outputs.some(({ value }) => value === before.output)
      if (step.input !== before.output || readers.length > 1 || isOutput || !needsNoBorder(step)) break
    }
    chain.push(step)
  }
  return chain
}

/** The size of the window over rows. */
function windowOf(step: RowStep, input: Size): { rows: number; stride: number; top: number } {
  if (step.kind === 'pool') return { rows: step.size, stride: step.stride, top: 0 }
  if (step.kind === 'hard-swish') return { rows: 1, stride: 1, top: 0 }
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
  return {
    from: Math.max(0, from * stride - top),
    to: Math.min(input.height, (to - 1) * stride - top + rows),
  }
}

/** The most rows of each step's input that a band of the last step's output needs. */
export function rowsPerBand(chain: readonly RowStep[], inputs: readonly Size[], bandRows: number): number[] {
  let needed = bandRows
  return chain
    .map((step, i) => ({ ...windowOf(step, inputs[i]!), height: inputs[i]!.height }))
    .reverse()
    .map(({ rows, stride, height }) => {
      needed = Math.min(height, (needed - 1) * stride + rows)
      return needed
    })
    .reverse()
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
