/**
 * Reads weights of TensorFlow.js packages: a binary file, and a list with each tensor's name, shape and optional quantisation
 * (float16, or uint8 with `value = stored × scale + min`).
 *
 * Format: https://github.com/tensorflow/tfjs/blob/master/tfjs-core/src/io/types.ts (`WeightsManifestEntry`).
 */
import { type ElementType, halfToNumber } from '../inference/onnx-reader.ts'
import type { OnnxGraph } from './onnx-graph.ts'

export interface WeightEntry {
  name: string
  shape: number[]
  dtype: string
  quantization?: { dtype: string; scale?: number; min?: number }
}

/** A tensor in its stored element type. */
export interface StoredWeight {
  name: string
  shape: readonly number[]
  type: 'float32' | 'float16' | 'uint8' | 'int32'
  scale: number
  min: number
  data: Uint8Array
}

const elementBytes = { float32: 4, float16: 2, uint8: 1, int32: 4 } as const

function readStoredType(entry: WeightEntry): StoredWeight['type'] {
  const type = entry.quantization?.dtype ?? entry.dtype
  if (type in elementBytes) return type as StoredWeight['type']
  throw new TypeError(`weight ${entry.name} has the unknown element type ${type}`)
}

/**
 * Splits the binary file into its tensors.
 * @throws {TypeError} if the list and the file do not match
 */
export function readStoredWeights(
  entries: readonly WeightEntry[],
  bytes: Uint8Array,
): Map<string, StoredWeight> {
  const weights = new Map<string, StoredWeight>()
  let at = 0
  for (const entry of entries) {
    const type = readStoredType(entry)
    const size = entry.shape.reduce((product, n) => product * n, 1) * elementBytes[type]
    const { scale = 1, min = 0 } = entry.quantization ?? {}
    weights.set(entry.name, {
      name: entry.name,
      shape: entry.shape,
      type,
      scale,
      min,
      data: bytes.subarray(at, at + size),
    })
    at += size
  }
  if (at !== bytes.length)
    throw new TypeError(`the weight list names ${at} bytes, the file holds ${bytes.length}`)
  return weights
}

/** Reorders the axes of a tensor: axis `i` of the result is axis `order[i]` of the source. */
export function permuteAxes(weight: StoredWeight, order: readonly number[]): StoredWeight {
  const { shape, data } = weight
  const width = elementBytes[weight.type]
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((product, n) => product * n, width))
  const outShape = order.map((axis) => shape[axis]!)
  const outStrides = order.map((axis) => strides[axis]!)
  const out = new Uint8Array(data.length)
  const index = new Array<number>(shape.length).fill(0)
  for (let at = 0; at < out.length; at += width) {
    const from = index.reduce((sum, i, axis) => sum + i * outStrides[axis]!, 0)
    for (let byte = 0; byte < width; byte++) out[at + byte] = data[from + byte]!
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      index[axis]!++
      if (index[axis]! < outShape[axis]!) break
      index[axis] = 0
    }
  }
  return { ...weight, shape: outShape, data: out }
}

/** Decodes a weight of any stored type to float32. */
export function decodeWeight(weight: StoredWeight): Float32Array {
  const { data, type, scale, min } = weight
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const values = new Float32Array(data.length / elementBytes[type])
  for (let i = 0; i < values.length; i++) {
    if (type === 'float32') values[i] = view.getFloat32(i * 4, true)
    else if (type === 'int32') values[i] = view.getInt32(i * 4, true)
    else if (type === 'uint8') values[i] = data[i]! * scale + min
    else values[i] = halfToNumber(view.getUint16(i * 2, true))
  }
  return values
}

/**
 * Adds a weight to a graph in its stored type, followed by operators that decode it to float32. The runtime folds them into a
 * constant when it loads the model, so the file stays as small as the package's, and the values are exact.
 */
export function addWeight(
  graph: OnnxGraph,
  weight: StoredWeight,
  shape: readonly number[] = weight.shape,
): string {
  if (weight.type === 'int32') return graph.floats(decodeWeight(weight), shape)
  const type: ElementType = weight.type
  const stored = graph.constant({ type, shape, data: weight.data.slice() })
  if (type === 'float32') return stored
  const float = graph.node('Cast', [stored], { to: 1 })
  if (type === 'float16') return float
  const scaled = graph.node('Mul', [float, graph.floats([weight.scale], [])])
  return graph.node('Add', [scaled, graph.floats([weight.min], [])])
}
