/**
 * Writes ONNX files: builds a graph node by node and serialises it as protobuf.
 *
 * Supports only the messages of the ONNX schema that feed-forward networks need
 * (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto, IR version 8, operator set 17).
 */

import type {
  Attribute,
  Dimension,
  ElementType,
  Initializer,
  OnnxFile,
  OnnxNode,
} from '../inference/onnx-reader.ts'
import { joinBytes } from '../join-bytes.ts'

const elementCode: Record<ElementType, number> = { float32: 1, uint8: 2, int32: 6, int64: 7, float16: 10 }

const irVersion = 8
const currentOperatorSet = 17

/** Writes a protobuf message field by field. */
class Message {
  readonly #chunks: Uint8Array[] = []

  #varint(value: number): void {
    const bytes: number[] = []
    let rest = BigInt.asUintN(64, BigInt(value))
    do {
      const low = Number(rest & 127n)
      rest >>= 7n
      bytes.push(rest > 0n ? low | 128 : low)
    } while (rest > 0n)
    this.#chunks.push(Uint8Array.from(bytes))
  }

  integer(field: number, value: number): this {
    this.#varint(field * 8)
    this.#varint(value)
    return this
  }

  float(field: number, value: number): this {
    this.#varint(field * 8 + 5)
    this.#chunks.push(new Uint8Array(new Float32Array([value]).buffer))
    return this
  }

  bytes(field: number, value: Uint8Array): this {
    this.#varint(field * 8 + 2)
    this.#varint(value.length)
    this.#chunks.push(value)
    return this
  }

  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value))
  }

  message(field: number, value: Message): this {
    return this.bytes(field, value.toBytes())
  }

  toBytes(): Uint8Array {
    return joinBytes(this.#chunks)
  }
}

function encodeTensor(name: string, tensor: Initializer): Message {
  const message = new Message()
  for (const size of tensor.shape) message.integer(1, size)
  return message.integer(2, elementCode[tensor.type]).text(8, name).bytes(9, tensor.data)
}

function encodeAttribute(name: string, value: Attribute): Message {
  const message = new Message().text(1, name)
  if (typeof value === 'number') return message.integer(3, value).integer(20, 2)
  if (typeof value === 'string') return message.text(4, value).integer(20, 3)
  if ('float' in value) return message.float(2, value.float).integer(20, 1)
  for (const item of value) message.integer(8, item)
  return message.integer(20, 7)
}

function encodeNode(node: OnnxNode): Message {
  const message = new Message()
  for (const input of node.inputs) message.text(1, input)
  for (const output of node.outputs) message.text(2, output)
  message.text(3, node.outputs[0] ?? node.op).text(4, node.op)
  for (const [name, value] of Object.entries(node.attributes))
    message.message(5, encodeAttribute(name, value))
  return message
}

function encodeValue(name: string, dimensions: readonly Dimension[]): Message {
  const shape = new Message()
  for (const size of dimensions) {
    shape.message(1, typeof size === 'number' ? new Message().integer(1, size) : new Message().text(2, size))
  }
  const tensorType = new Message().integer(1, elementCode.float32).message(2, shape)
  return new Message().text(1, name).message(2, new Message().message(1, tensorType))
}

/** Builds a network. Methods return the name of the value they add, so that calls can be nested. */
export class OnnxGraph {
  readonly #name: string
  readonly #operatorSet: number
  readonly #nodes: OnnxNode[] = []
  readonly #initializers = new Map<string, Initializer>()
  readonly #inputs: [string, readonly Dimension[]][] = []
  readonly #outputs: [string, readonly Dimension[]][] = []
  #count = 0

  constructor(name: string, operatorSet = currentOperatorSet) {
    this.#name = name
    this.#operatorSet = operatorSet
  }

  /** Declares a float32 input. */
  input(name: string, dimensions: readonly Dimension[]): string {
    this.#inputs.push([name, dimensions])
    return name
  }

  /** Declares the float32 value `name` as an output. */
  output(name: string, dimensions: readonly Dimension[]): void {
    this.#outputs.push([name, dimensions])
  }

  /** Adds a constant. */
  constant(tensor: Initializer, name = `c${this.#count++}`): string {
    this.#initializers.set(name, tensor)
    return name
  }

  floats(values: ArrayLike<number>, shape: readonly number[] = [values.length]): string {
    return this.constant({ type: 'float32', shape, data: new Uint8Array(Float32Array.from(values).buffer) })
  }

  integers(values: readonly number[]): string {
    const data = new Uint8Array(BigInt64Array.from(values, BigInt).buffer)
    return this.constant({ type: 'int64', shape: [values.length], data })
  }

  /** Adds an operator with one output. */
  node(
    op: string,
    inputs: readonly string[],
    attributes: Record<string, Attribute> = {},
    output = `v${this.#count++}`,
  ): string {
    this.#nodes.push({ op, inputs, outputs: [output], attributes })
    return output
  }

  /** Serialises a `ModelProto`. Deterministic: the same calls give the same bytes. */
  toBytes(): Uint8Array {
    const graph = new Message()
    for (const node of this.#nodes) graph.message(1, encodeNode(node))
    graph.text(2, this.#name)
    for (const [name, tensor] of this.#initializers) graph.message(5, encodeTensor(name, tensor))
    for (const [name, dimensions] of this.#inputs) graph.message(11, encodeValue(name, dimensions))
    for (const [name, dimensions] of this.#outputs) graph.message(12, encodeValue(name, dimensions))
    return new Message()
      .integer(1, irVersion)
      .text(2, 'vivace')
      .message(7, graph)
      .message(8, new Message().text(1, '').integer(2, this.#operatorSet))
      .toBytes()
  }
}

/**
 * Writes a file that was read, or one made from it.
 * @throws {TypeError} if a node has several outputs
 */
export function writeOnnx(name: string, file: OnnxFile): Uint8Array {
  const graph = new OnnxGraph(name, file.operatorSet)
  for (const [input, dimensions] of file.inputs) graph.input(input, dimensions)
  for (const [constant, tensor] of file.initializers) graph.constant(tensor, constant)
  for (const { op, inputs, outputs, attributes } of file.nodes) {
    if (outputs.length !== 1) throw new TypeError(`the node ${outputs[0]} has several outputs`)
    graph.node(op, inputs, attributes, outputs[0])
  }
  for (const [output, dimensions] of file.outputs) graph.output(output, dimensions)
  return graph.toBytes()
}

/**
 * Adds an output to a file that is always the same. All that was in the file stays as it is: protobuf merges the parts of a message that
 * follow each other.
 */
export function addConstantOutput(file: Uint8Array, name: string, values: ArrayLike<number>): Uint8Array {
  const data = new Uint8Array(Float32Array.from(values).buffer)
  const node = { op: 'Identity', inputs: [`${name}.values`], outputs: [name], attributes: {} }
  const graph = new Message()
    .message(1, encodeNode(node))
    .message(5, encodeTensor(`${name}.values`, { type: 'float32', shape: [values.length], data }))
    .message(12, encodeValue(name, [values.length]))
  const added = new Message().message(7, graph).toBytes()
  const extended = new Uint8Array(file.length + added.length)
  extended.set(file)
  extended.set(added, file.length)
  return extended
}
