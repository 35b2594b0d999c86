/** Sizes and places of the values of a plan. */
import type { Padding, Step } from './plan.ts'

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
  window: { rows: number; columns: number; stride: number; columnStride: number },
): Border {
  if (padding !== 'same') {
    const [top, left, bottom, right] = padding
    return { top, left, bottom, right }
  }
  const missing = (side: number, taps: number, stride: number) =>
    Math.max(0, (Math.ceil(side / stride) - 1) * stride + taps - side)
  const vertical = missing(height, window.rows, window.stride)
  const horizontal = missing(width, window.columns, window.columnStride)
  const [top, left] = [vertical >> 1, horizontal >> 1]
  return { top, left, bottom: vertical - top, right: horizontal - left }
}

/** The size of a step's output. */
export function outputSize(step: Step, input: Size): Size {
  switch (step.kind) {
    case 'convolve':
    case 'convolve-quantised':
    case 'convolve-depthwise': {
      const { top, left, bottom, right } = toBorder(step.padding, input, step)
      return {
        width: Math.floor((input.width + left + right - step.columns) / step.columnStride) + 1,
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
    case 'unfold':
      return { width: input.width * 2, height: input.height * 2 }
    case 'extend':
      return { width: input.width + step.columns, height: input.height + step.rows }
    default:
      return input
  }
}

export interface PlacedValue extends Size {
  address: number
  lanes: number
  border: Border
}

export interface PlacedStep {
  step: Step
  /** Room for a copy of the input with the border that the step needs, for some rows of the output at a time. */
  copy: { address: number; rows: number } | null
  /** Address of room for quantised pixels, or 0. */
  quantised: number
}

/** Bytes of a value with its border. */
export const byteSize = ({ width, height, lanes, border }: Omit<PlacedValue, 'address'>): number =>
  (width + border.left + border.right) * (height + border.top + border.bottom) * lanes * 4
