/** Sizes of all values of a plan for one size of the input, and their places in memory. */
import { bandBytes, chooseBandRows, findChain, type PlacedChain, type RowStep } from './bands.ts'
import { type Plan, readValues, type Step, toLanes } from './plan.ts'
import { Room } from './room.ts'
import {
  type Border,
  byteSize,
  noBorder,
  outputSize,
  type PlacedStep,
  type PlacedValue,
  type Size,
  toBorder,
} from './sizes.ts'

export interface Arrangement {
  values: readonly PlacedValue[]
  steps: readonly (PlacedStep | PlacedChain)[]
  /** A row of zeros, as long as the longest row of a depthwise convolution's input. */
  zeros: { address: number; bytes: number }
  /** The address after the last byte in use. */
  end: number
}

/** Pixels that are quantised at once: what stays in the first-level cache. */
export const quantisedPixels = (run: number): number => Math.max(4, (16_384 / (run * 2)) & ~3)

const hasBorder = ({ top, left, bottom, right }: Border) => top + left + bottom + right > 0

/** Bytes of a copy of a part of the input, as long as its rows allow. */
const copyBytesMax = 2 ** 20

/**
 * A copy of the input with a border, for some rows of the output at a time.
 * @param height of the output
 * @returns `null` if the step needs none, or the input has a border already
 */
function copyFor(step: Step, input: PlacedValue, height: number): { rows: number; bytes: number } | null {
  if ((step.kind !== 'convolve' && step.kind !== 'convolve-quantised') || hasBorder(input.border)) return null
  const { left, right, top, bottom } = toBorder(step.padding, input, step)
  if (!hasBorder({ left, right, top, bottom })) return null
  const rowBytes = (input.width + left + right) * input.lanes * 4
  const rowsMax = Math.floor(copyBytesMax / rowBytes)
  const rows = Math.min(height, Math.max(1, Math.floor((rowsMax - step.rows) / step.stride) + 1))
  return { rows, bytes: rowBytes * ((rows - 1) * step.stride + step.rows) }
}

function quantisedBytes(step: Step, { lanes, width, height }: PlacedValue): number {
  // The shares of all pixels for one of them.
  if (step.kind === 'attend') return width * height * 4
  if (step.kind !== 'convolve-quantised') return 0
  const run = step.rows * step.columns * lanes
  return quantisedPixels(run) * (run * 2 + 4)
}

/** The kernel reads each value of their inputs before it writes the one at the same place of the output. */
const inPlaceKinds: ReadonlySet<Step['kind']> = new Set([
  ...(['add', 'multiply', 'scale', 'clip', 'sigmoid'] as const),
  ...(['square-root', 'hard-swish', 'softmax', 'normalise'] as const),
])

/** The inputs that have the pixels of the output. */
const pixelInputs = (step: Step): number[] => ('other' in step ? [step.input, step.other] : [step.input])

/** Inner values of a chain that take less are computed whole. */
const chainBytesMin = 2 ** 21

/** Places the values and steps of one plan. */
class Placing {
  readonly values: PlacedValue[] = []
  zeroBytes = 0
  readonly #plan: Omit<Plan, 'constants'>
  readonly #room: Room
  /** The number of the last step that reads a value. */
  readonly #lastUse: number[]
  /** How many steps and outputs need a value. */
  readonly #uses: number[]

  constructor(plan: Omit<Plan, 'constants'>, start: number) {
    this.#plan = plan
    this.#room = new Room(start)
    this.#lastUse = plan.channels.map(() => -1)
    this.#uses = plan.channels.map(() => 0)
    const use = (value: number, step: number) => {
      this.#lastUse[value] = step
      this.#uses[value] = this.#uses[value]! + 1
    }
    for (const [i, step] of plan.steps.entries()) for (const value of new Set(readValues(step))) use(value, i)
    for (const { value } of plan.outputs) if (value !== null) use(value, plan.steps.length)
  }

  get end(): number {
    return this.#room.end
  }

  /** Sets the size of a value. */
  #measure(index: number, { width, height }: Size, border = noBorder): PlacedValue {
    if (width < 1 || height < 1) throw new TypeError('the picture is smaller than the network needs')
    if (this.#plan.onePixel.has(index) && width * height !== 1)
      throw new TypeError(`the value ${index} has ${width} × ${height} pixels instead of one`)
    const value = { width, height, lanes: toLanes(this.#plan.channels[index]!), border, address: 0 }
    this.values[index] = value
    return value
  }

  /** Makes room for a value. */
  put(index: number, size: Size, border: Border): void {
    const value = this.#measure(index, size, border)
    value.address = this.#room.take(byteSize(value))
  }

  /** Gives back the room of values that no step after this one reads. */
  #release(indices: Iterable<number>, step: number): void {
    for (const index of indices) {
      const value = this.values[index]!
      if (this.#lastUse[index]! <= step) this.#room.giveBack(value.address, byteSize(value))
    }
  }

  /** @throws {TypeError} if a step combines values of different sizes */
  #expectEqualSizes(step: Step): void {
    const other = 'other' in step ? step.other : 'residual' in step ? step.residual : null
    if (other === null) return
    const size = 'other' in step ? this.values[step.input]! : outputSize(step, this.values[step.input]!)
    const { width, height } = this.values[other]!
    if (size.width !== width || size.height !== height)
      throw new TypeError(`a step combines ${size.width} × ${size.height} with ${width} × ${height} pixels`)
  }

  #scratch(step: Step): PlacedStep & { release: () => void } {
    const input = this.values[step.input]!
    if (step.kind === 'convolve-depthwise')
      this.zeroBytes = Math.max(this.zeroBytes, input.width * input.lanes * 4)
    const part = copyFor(step, input, this.values[step.output]!.height)
    const quantisedLength = quantisedBytes(step, input)
    const copy = part && { address: this.#room.take(part.bytes), rows: part.rows }
    const quantised = quantisedLength > 0 ? this.#room.take(quantisedLength) : 0
    const release = () => {
      if (copy) this.#room.giveBack(copy.address, part!.bytes)
      if (quantised > 0) this.#room.giveBack(quantised, quantisedLength)
    }
    return { step, copy, quantised, release }
  }

  /**
   * The input whose place an output may take: no later step reads it, and it has the same size; `null` if there is none.
   * @param last the number of the last step that is computed before the input's room is free
   */
  #findReplaced(inputs: readonly number[], output: number, last: number): number | null {
    const bytes = byteSize(this.values[output]!)
    const replaced = inputs.find((index) => {
      const { border } = this.values[index]!
      return this.#lastUse[index]! <= last && !hasBorder(border) && byteSize(this.values[index]!) === bytes
    })
    return replaced ?? null
  }

  /** Gives an output room of its own, or that of an input. */
  #placeOutput(index: number, replaced: number | null): void {
    const output = this.values[index]!
    output.address = replaced === null ? this.#room.take(byteSize(output)) : this.values[replaced]!.address
  }

  /** @param number the number of the step */
  placeStep(number: number): PlacedStep {
    const step = this.#plan.steps[number]!
    this.#expectEqualSizes(step)
    this.#measure(step.output, outputSize(step, this.values[step.input]!))
    const replaced = inPlaceKinds.has(step.kind)
      ? this.#findReplaced(pixelInputs(step), step.output, number)
      : null
    this.#placeOutput(step.output, replaced)
    const { release, ...placed } = this.#scratch(step)
    release()
    const read = readValues(step).filter((value) => value !== replaced)
    this.#release(new Set([...read, step.output]), number)
    return placed
  }

  /**
   * @param first the number of the chain's first step
   * @returns `null` if its inner values are small, or would be computed repeatedly, or the input lacks a border
   */
  #placeChain(chain: readonly RowStep[], first: number): PlacedChain | null {
    const last = chain.at(-1)!
    for (const step of chain) {
      this.#measure(step.output, outputSize(step, this.values[step.input]!))
      this.#expectEqualSizes(step)
    }
    if (copyFor(chain[0]!, this.values[chain[0]!.input]!, 1)) return null
    const inner = chain.slice(0, -1).map(({ output }) => this.values[output]!)
    if (inner.reduce((sum, value) => sum + byteSize(value), 0) < chainBytesMin) return null
    const inputs = chain.map(({ input }) => this.values[input]!)
    const bandRows = chooseBandRows(chain, inputs, this.values[last.output]!.height)
    if (bandRows === null) return null
    const end = first + chain.length - 1
    const innerValues = new Set(chain.slice(0, -1).map(({ output }) => output))
    const read = chain.flatMap(readValues).filter((value) => !innerValues.has(value))
    const whole = chain.flatMap(pixelInputs).filter((value) => !innerValues.has(value))
    // Rows of the output are written after the same rows of the inputs have been read.
    const isInPlace = chain.every(({ kind }) => inPlaceKinds.has(kind))
    const added = last.kind === 'add' && last.other !== chain[0]!.input ? [last.other] : []
    const replaced = this.#findReplaced(isInPlace ? whole : added, last.output, end)
    this.#placeOutput(last.output, replaced)
    const lengths = bandBytes(chain, inputs, bandRows)
    const bands = lengths.map((length) => this.#room.take(length))
    const placed = chain.map((step) => this.#scratch(step))
    for (const { release } of placed) release()
    for (const [i, address] of bands.entries()) this.#room.giveBack(address, lengths[i]!)
    this.#release(new Set([...read.filter((value) => value !== replaced), last.output]), end)
    return { steps: placed.map(({ release: _release, ...step }) => step), bands, bandRows }
  }

  /** Places as many steps as can be computed band by band, or one. */
  placeNext(first: number): PlacedStep | PlacedChain {
    const chain = findChain(this.#plan, first, (value) => this.#uses[value] === 1)
    for (let length = chain.length; length > 1; length--) {
      const placed = this.#placeChain(chain.slice(0, length), first)
      if (placed) return placed
    }
    return this.placeStep(first)
  }
}

/**
 * Places the values of a plan. Values that are not needed at the same time share room.
 * @param start the first free address
 * @throws {TypeError} if the input is too small, or a value that must have one pixel has more
 */
export function arrange(plan: Omit<Plan, 'constants'>, size: Size, start: number): Arrangement {
  const placing = new Placing(plan, start)
  // The input of a single convolution has that convolution's border from the start.
  const [reader, ...otherReaders] = plan.steps.filter((step) => readValues(step).includes(0))
  const isReadOnce = otherReaders.length === 0 && !plan.outputs.some(({ value }) => value === 0)
  const isBordered =
    isReadOnce &&
    (reader?.kind === 'convolve' || reader?.kind === 'convolve-quantised') &&
    reader.residual !== 0
  placing.put(0, size, isBordered ? toBorder(reader.padding, size, reader) : noBorder)
  const steps: (PlacedStep | PlacedChain)[] = []
  for (let number = 0; number < plan.steps.length; ) {
    const placed = placing.placeNext(number)
    steps.push(placed)
    number += 'bands' in placed ? placed.steps.length : 1
  }
  const zeros = { address: placing.end, bytes: placing.zeroBytes }
  return { values: placing.values, steps, zeros, end: zeros.address + zeros.bytes }
}
