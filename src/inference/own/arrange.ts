/** Sizes of all values of a plan for one size of the input, and their places in memory. */
import { type Padding, type Plan, type Step, toLanes } from './plan.ts'

export interface Size {
  width: number
  height: number
}

/** Rows and columns around a value, for a convolution that reads its taps without looking at the sides. */
export interface Border {
  top: number
  left: number
  bottom: number
  right: number
}

export const noBorder: Border = { top: 0, left: 0, bottom: 0, right: 0 }

/** Resolves the padding of a window for an input. */
export function toBorder(
  padding: Padding,
  { width, height }: Size,
  window: { rows: number; columns: number; stride: number },
): Border {
  if (padding !== 'same') {
    const [top, left, bottom, right] = padding
    return { top, left, bottom, right }
  }
  const missing = (side: number, taps: number) =>
    Math.max(0, (Math.ceil(side / window.stride) - 1) * window.stride + taps - side)
  const [vertical, horizontal] = [missing(height, window.rows), missing(width, window.columns)]
  const [top, left] = [vertical >> 1, horizontal >> 1]
  return { top, left, bottom: vertical - top, right: horizontal - left }
}

/** The size of a step's output. */
function outputSize(step: Step, input: Size): Size {
  switch (step.kind) {
    case 'convolve':
    case 'convolve-quantised':
    case 'convolve-depthwise': {
      const { top, left, bottom, right } = toBorder(step.padding, input, step)
      return {
        width: Math.floor((input.width + left + right - step.columns) / step.stride) + 1,
        height: Math.floor((input.height + top + bottom - step.rows) / step.stride) + 1,
      }
    }
    case 'pool': {
      const { size, stride, isPartial } = step
      const count = (side: number) =>
        isPartial ? Math.ceil(side / stride) : Math.floor((side - size) / stride) + 1
      return { width: count(input.width), height: count(input.height) }
    }
    case 'double':
      return { width: input.width * 2, height: input.height * 2 }
    case 'extend':
      return { width: input.width + step.columns, height: input.height + step.rows }
    default:
      return input
  }
}

/** The values that a step reads. */
function readValues(step: Step): number[] {
  const { input } = step
  if ('other' in step) return [input, step.other]
  if (step.kind === 'scale' && 'value' in step.factor) return [input, step.factor.value]
  if ('residual' in step && step.residual !== null) return [input, step.residual]
  return [input]
}

/** Gives out addresses, and takes them back. */
class Room {
  readonly #free: { start: number; end: number }[]
  /** The highest address that was given out. */
  end: number

  constructor(start: number) {
    this.#free = [{ start, end: Number.POSITIVE_INFINITY }]
    this.end = start
  }

  /** @returns the address of `bytes` bytes, a multiple of 64 */
  take(bytes: number): number {
    const length = (bytes + 63) & ~63
    const gap = this.#free.find(({ start, end }) => end - start >= length)!
    const { start } = gap
    gap.start += length
    this.end = Math.max(this.end, gap.start)
    return start
  }

  giveBack(start: number, bytes: number): void {
    const end = start + ((bytes + 63) & ~63)
    const next = this.#free.findIndex((gap) => gap.start >= end)
    this.#free.splice(next, 0, { start, end })
    for (let i = Math.max(1, next); i <= next + 1 && i < this.#free.length; ) {
      const [before, after] = [this.#free[i - 1]!, this.#free[i]!]
      if (before.end === after.start) {
        before.end = after.end
        this.#free.splice(i, 1)
      } else i++
    }
  }
}

export interface PlacedValue extends Size {
  address: number
  lanes: number
  border: Border
}

export interface PlacedStep {
  step: Step
  /** Address of a copy of the input with the border that the step needs, or 0. */
  copy: number
  /** Address of room for quantised pixels, or 0. */
  quantised: number
}

export interface Arrangement {
  values: readonly PlacedValue[]
  steps: readonly PlacedStep[]
  /** A row of zeros, as long as the longest row of a depthwise convolution's input. */
  zeros: { address: number; bytes: number }
  /** The address after the last byte in use. */
  end: number
}

/** Bytes of a value with its border. */
export const byteSize = ({ width, height, lanes, border }: Omit<PlacedValue, 'address'>): number =>
  (width + border.left + border.right) * (height + border.top + border.bottom) * lanes * 4

/** Pixels that are quantised at once: what stays in the first-level cache. */
export const quantisedPixels = (run: number): number => Math.max(4, (16_384 / (run * 2)) & ~3)

const hasBorder = ({ top, left, bottom, right }: Border) => top + left + bottom + right > 0

/** Bytes of a copy of the input with a border; 0 if the step needs none, or the input has it already. */
function copyBytes(step: Step, input: PlacedValue): number {
  if ((step.kind !== 'convolve' && step.kind !== 'convolve-quantised') || hasBorder(input.border)) return 0
  const border = toBorder(step.padding, input, step)
  return hasBorder(border) ? byteSize({ ...input, border }) : 0
}

function quantisedBytes(step: Step, { lanes }: PlacedValue): number {
  if (step.kind !== 'convolve-quantised') return 0
  const run = step.rows * step.columns * lanes
  return quantisedPixels(run) * (run * 2 + 4)
}

interface Scratch {
  bytes: number
  address: number
}

/**
 * Places the values of a plan. Values that are not needed at the same time share room.
 * @param start the first free address
 * @throws {TypeError} if the input is too small, or a value that must have one pixel has more
 */
export function arrange(
  { steps, outputs, channels, onePixel }: Plan,
  size: Size,
  start: number,
): Arrangement {
  const room = new Room(start)
  const lastUse = channels.map(() => -1)
  for (const [i, step] of steps.entries()) for (const value of readValues(step)) lastUse[value] = i
  for (const { value } of outputs) lastUse[value] = steps.length

  const values: PlacedValue[] = []
  const put = (index: number, { width, height }: Size, border: Border) => {
    if (width < 1 || height < 1) throw new TypeError('the picture is smaller than the network needs')
    if (onePixel.has(index) && width * height !== 1)
      throw new TypeError(`the value ${index} has ${width} × ${height} pixels instead of one`)
    const value = { width, height, lanes: toLanes(channels[index]!), border }
    values[index] = { ...value, address: room.take(byteSize(value)) }
  }
  // The input of a single convolution has that convolution's border from the start.
  const readers = steps.filter((step) => readValues(step).includes(0))
  const [reader] = readers
  const isBordered =
    readers.length === 1 && (reader?.kind === 'convolve' || reader?.kind === 'convolve-quantised')
  put(0, size, isBordered ? toBorder(reader.padding, size, reader) : noBorder)

  let zeroBytes = 0
  const placed = steps.map((step, i): PlacedStep => {
    const input = values[step.input]!
    put(step.output, outputSize(step, input), noBorder)
    if (step.kind === 'convolve-depthwise') zeroBytes = Math.max(zeroBytes, input.width * input.lanes * 4)
    const [copy, quantised] = [copyBytes(step, input), quantisedBytes(step, input)].map((bytes) => ({
      bytes,
      address: bytes > 0 ? room.take(bytes) : 0,
    })) as [Scratch, Scratch]
    for (const { bytes, address } of [copy, quantised]) if (bytes > 0) room.giveBack(address, bytes)
    for (const value of new Set([...readValues(step), step.output]))
      if (lastUse[value]! <= i) room.giveBack(values[value]!.address, byteSize(values[value]!))
    return { step, copy: copy.address, quantised: quantised.address }
  })
  const zeros = { address: room.end, bytes: zeroBytes }
  return { values, steps: placed, zeros, end: zeros.address + zeroBytes }
}
