/**
 * Reads ONNX files. Supports the messages that feed-forward networks need, like `src/conversion/onnx-graph.ts`, which writes
 * them (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
 */
import { joinBytes } from '../join-bytes.ts'

/** Element types of `TensorProto.DataType` that our networks use. */
export type ElementType = 'float32' | 'float16' | 'uint8' | 'int32' | 'int64'

/** A constant of the graph: `data` holds little-endian raw elements in row-major order, often as a part of the file. */
export interface Initializer {
  type: ElementType
  shape: readonly number[]
  data: Uint8Array
}

export type Attribute = number | readonly number[] | string | { float: number }

/** A dimension: a fixed size, or the name of a variable one. */
export type Dimension = number | string

export interface OnnxNode {
  op: string
  inputs: readonly string[]
  outputs: readonly string[]
  attributes: Record<string, Attribute>
}

export interface OnnxFile {
  nodes: readonly OnnxNode[]
  initializers: ReadonlyMap<string, Initializer>
  /** Without initializers, which old exporters list as inputs. */
  inputs: readonly (readonly [name: string, dimensions: readonly Dimension[]])[]
  outputs: readonly (readonly [name: string, dimensions: readonly Dimension[]])[]
  /** Version of the operators of ONNX. */
  operatorSet: number
}

const utf8 = new TextDecoder()

/** The fields of a protobuf message by number, in their order. */
class Fields {
  readonly #numbers = new Map<number, bigint[]>()
  readonly #bytes = new Map<number, Uint8Array[]>()

  /** @throws {TypeError} if the bytes are no message */
  constructor(bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let at = 0
    const varint = (): bigint => {
      let value = 0n
      for (let shift = 0n; ; shift += 7n) {
        const byte = bytes[at++]
        if (byte === undefined || shift > 63n) throw new TypeError('the ONNX file is damaged')
        value |= BigInt(byte & 127) << shift
        if (byte < 128) return value
      }
    }
    const add = <T>(fields: Map<number, T[]>, field: number, value: T) => {
      const values = fields.get(field)
      if (values) values.push(value)
      else fields.set(field, [value])
    }
    while (at < bytes.length) {
      const tag = Number(varint())
      const [field, kind] = [tag >> 3, tag & 7]
      if (kind === 0) add(this.#numbers, field, varint())
      else if (kind === 1 || kind === 2 || kind === 5) {
        const length = kind === 2 ? Number(varint()) : kind === 1 ? 8 : 4
        if (at + length > bytes.length) throw new TypeError('the ONNX file is cut short')
        add(this.#bytes, field, new Uint8Array(view.buffer, view.byteOffset + at, length))
        at += length
      } else throw new TypeError(`the ONNX file has a field of the unknown kind ${kind}`)
    }
  }

  number(field: number): number | null {
    const value = this.#numbers.get(field)?.at(-1)
    return value === undefined ? null : Number(BigInt.asIntN(64, value))
  }

  /** A repeated integer, packed or not. */
  numbers(field: number): number[] {
    const packed = this.bytes(field).flatMap((bytes) => {
      // A packed list contains varints without tags: insert a tag before each and parse it as a message.
      const spaced = new Uint8Array(bytes.length * 2)
      let to = 0
      let isStart = true
      for (const byte of bytes) {
        if (isStart) spaced[to++] = 8
        spaced[to++] = byte
        isStart = byte < 128
      }
      return new Fields(spaced.subarray(0, to)).numbers(1)
    })
    const plain = (this.#numbers.get(field) ?? []).map((value) => Number(BigInt.asIntN(64, value)))
    return [...plain, ...packed]
  }

  bytes(field: number): Uint8Array[] {
    return this.#bytes.get(field) ?? []
  }

  messages(field: number): Fields[] {
    return this.bytes(field).map((bytes) => new Fields(bytes))
  }

  texts(field: number): string[] {
    return this.bytes(field).map((bytes) => utf8.decode(bytes))
  }

  text(field: number): string {
    return this.texts(field).at(-1) ?? ''
  }

  float(field: number): number {
    const bytes = this.bytes(field).at(-1)
    return bytes ? new DataView(bytes.buffer, bytes.byteOffset, 4).getFloat32(0, true) : 0
  }
}

const elementTypes: Record<number, ElementType> = {
  1: 'float32',
  2: 'uint8',
  6: 'int32',
  7: 'int64',
  10: 'float16',
}

function readTensor(tensor: Fields): Initializer {
  const code = tensor.number(2) ?? 0
  const type = elementTypes[code]
  if (!type) throw new TypeError(`the tensor ${tensor.text(8)} has the unknown element type ${code}`)
  const [raw] = tensor.bytes(9)
  const shape = tensor.numbers(1)
  if (shape.includes(0)) return { type, shape, data: new Uint8Array(0) }
  if (raw) return { type, shape, data: raw }
  if (type === 'int64') {
    const values = BigInt64Array.from(tensor.numbers(7), BigInt)
    return { type, shape, data: new Uint8Array(values.buffer) }
  }
  if (type === 'int32')
    return { type, shape, data: new Uint8Array(Int32Array.from(tensor.numbers(5)).buffer) }
  const [packed] = tensor.bytes(4)
  if (type !== 'float32' || !packed) throw new TypeError(`the tensor ${tensor.text(8)} has no values`)
  return { type, shape, data: packed }
}

function readAttribute(attribute: Fields): Attribute {
  const kind = attribute.number(20)
  if (kind === 1) return { float: attribute.float(2) }
  if (kind === 2) return attribute.number(3) ?? 0
  if (kind === 3) return attribute.text(4)
  if (kind === 7) return attribute.numbers(8)
  throw new TypeError(`the attribute ${attribute.text(1)} is of the unknown kind ${kind}`)
}

function readValue(value: Fields): readonly [string, readonly Dimension[]] {
  const shape = value.messages(2)[0]?.messages(1)[0]?.messages(2)[0]
  const dimensions = (shape?.messages(1) ?? []).map((size): Dimension => size.number(1) ?? size.text(2))
  return [value.text(1), dimensions]
}

/** The constants of a graph: its initializers, and the values of its `Constant` nodes. */
function readConstants(graph: Fields): Map<string, Initializer> {
  const constants = new Map(graph.messages(5).map((tensor) => [tensor.text(8), readTensor(tensor)] as const))
  for (const node of graph.messages(1)) {
    const tensor = node.text(4) === 'Constant' ? node.messages(5)[0]?.messages(5)[0] : undefined
    if (tensor) constants.set(node.text(2), readTensor(tensor))
  }
  return constants
}

/** @throws {TypeError} if the bytes are no ONNX file, or use unsupported features */
export function readOnnx(bytes: Uint8Array): OnnxFile {
  // A message that comes in several parts is their sum: a file can be extended by appending to it.
  const model = new Fields(bytes)
  const parts = model.bytes(7)
  const [first, ...others] = parts
  const graph = first ? new Fields(others.length > 0 ? joinBytes(parts) : first) : null
  if (!graph) throw new TypeError('the ONNX file has no graph')
  const initializers = readConstants(graph)
  const nodes = graph.messages(1).filter((node) => node.text(4) !== 'Constant')
  return {
    nodes: nodes.map((node) => ({
      op: node.text(4),
      inputs: node.texts(1),
      outputs: node.texts(2),
      attributes: Object.fromEntries(node.messages(5).map((item) => [item.text(1), readAttribute(item)])),
    })),
    initializers,
    inputs: graph
      .messages(11)
      .map(readValue)
      .filter(([name]) => !initializers.has(name)),
    outputs: graph.messages(12).map(readValue),
    operatorSet:
      model
        .messages(8)
        .find((set) => set.text(1) === '')
        ?.number(2) ?? 1,
  }
}

/** The value of a fraction's last bit, by exponent. */
const halfSteps = Array.from({ length: 31 }, (_, exponent) => 2 ** (Math.max(1, exponent) - 25))

/** IEEE 754 binary16 to a number. */
export function halfToNumber(bits: number): number {
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  const size =
    exponent === 31
      ? fraction
        ? Number.NaN
        : Number.POSITIVE_INFINITY
      : (exponent > 0 ? fraction + 1024 : fraction) * halfSteps[exponent]!
  return bits & 0x8000 ? -size : size
}

/** The values of a float32 tensor in row-major order. */
export function readFloats({ type, data }: Initializer): Float32Array {
  if (type !== 'float32') throw new TypeError(`the tensor holds ${type} instead of float32`)
  return new Float32Array(data.slice().buffer)
}
