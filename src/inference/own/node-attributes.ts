/** Reads the attributes of an ONNX node, and refuses those that the kernel does not support. */
import type { OnnxNode } from '../onnx-reader.ts'
import type { Padding } from './plan.ts'
import { UnsupportedNetwork } from './unsupported-network.ts'

export function readNumbers(
  { attributes }: OnnxNode,
  name: string,
  usual: readonly number[],
): readonly number[] {
  const value = attributes[name]
  return Array.isArray(value) ? value : usual
}

export function readNumber({ attributes }: OnnxNode, name: string, usual: number): number {
  const value = attributes[name]
  if (typeof value === 'number') return value
  return typeof value === 'object' && 'float' in value ? value.float : usual
}

export function readPadding(node: OnnxNode): Padding {
  const { auto_pad: automatic = 'NOTSET' } = node.attributes
  if (automatic === 'SAME_UPPER') return 'same'
  if (automatic === 'VALID') return [0, 0, 0, 0]
  if (automatic !== 'NOTSET') throw new UnsupportedNetwork(`the padding ${String(automatic)} is unknown`)
  const [top = 0, left = 0, bottom = 0, right = 0] = readNumbers(node, 'pads', [])
  const { kernel_shape: sides = [1, 1] } = node.attributes
  const least = Array.isArray(sides) ? Math.min(...sides) : 1
  if (Math.max(top, left, bottom, right) >= Math.max(2, least))
    throw new UnsupportedNetwork(`the node ${node.outputs[0]} has windows that lie wholly in the padding`)
  return [top, left, bottom, right]
}

/** The strides of rows and columns. Taps have no gaps: the kernel does not support them. */
export function readStrides(node: OnnxNode): readonly [rows: number, columns: number] {
  const [rows = 1, columns = 1] = readNumbers(node, 'strides', [1, 1])
  if (readNumbers(node, 'dilations', [1, 1]).some((step) => step !== 1))
    throw new UnsupportedNetwork(`the node ${node.outputs[0]} has dilated taps`)
  return [rows, columns]
}

/** Rows and columns have the same stride. */
export function readStride(node: OnnxNode): number {
  const [rows, columns] = readStrides(node)
  if (rows !== columns) throw new UnsupportedNetwork(`the node ${node.outputs[0]} has unequal strides`)
  return rows
}
