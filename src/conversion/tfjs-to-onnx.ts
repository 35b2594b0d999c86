/**
 * Converts a TensorFlow.js graph model (channels last) to ONNX (channels first).
 *
 * Supports the operators of the MediaPipe graphs in `@vladmandic/human`. Other operators are an error at build time.
 */
import { OnnxGraph } from './onnx-graph.ts'
import {
  addWeight,
  decodeWeight,
  permuteAxes,
  readStoredWeights,
  type StoredWeight,
  type WeightEntry,
} from './stored-weights.ts'

interface TfNode {
  name: string
  op: string
  input?: string[]
  attr?: Record<string, { s?: string; b?: boolean; i?: string; list?: { i?: string[]; s?: string[] } }>
}

/** The used part of a graph model's `model.json`. */
export interface TfjsModel {
  modelTopology: { node: TfNode[] }
  weightsManifest: { weights: WeightEntry[] }[]
}

export interface TfjsConversion {
  name: string
  /** `[height, width]` of the input picture. */
  inputSize: readonly [number, number]
  /** By ONNX output name: the node of the graph and its shape. */
  outputs: Record<string, { node: string; shape: readonly (number | string)[] }>
}

const decodeText = (base64: string | undefined): string => atob(base64 ?? '')

class GraphConverter {
  readonly #graph: OnnxGraph
  readonly #nodes: Map<string, TfNode>
  readonly #weights: Map<string, StoredWeight>
  /** Converted values by node name; `spatial` values are channels first, others are as in the source. */
  readonly #values = new Map<string, { name: string; spatial: boolean }>()
  readonly #input: string

  constructor(graph: OnnxGraph, model: TfjsModel, weights: Map<string, StoredWeight>, input: string) {
    this.#graph = graph
    this.#nodes = new Map(model.modelTopology.node.map((node) => [node.name, node]))
    this.#weights = weights
    this.#input = input
  }

  /** Converts a node and its inputs; each node only once. */
  convertNode(reference: string): { name: string; spatial: boolean } {
    const key = reference.replace(/:\d+$/, '')
    const known = this.#values.get(key)
    if (known) return known
    const node = this.#nodes.get(key)
    if (!node) throw new TypeError(`the graph has no node named ${key}`)
    const value = this.#convert(node)
    this.#values.set(key, value)
    return value
  }

  #weight(reference: string): StoredWeight {
    const weight = this.#weights.get(reference)
    if (!weight) throw new TypeError(`${reference} is not a constant`)
    return weight
  }

  #inputs(node: TfNode): string[] {
    return (node.input ?? []).filter((name) => !name.startsWith('^'))
  }

  #integers(node: TfNode, attribute: string): number[] {
    return (node.attr?.[attribute]?.list?.i ?? []).map(Number)
  }

  #convert(node: TfNode): { name: string; spatial: boolean } {
    const [a = '', b = ''] = this.#inputs(node)
    const graph = this.#graph
    const spatial = (name: string) => ({ name, spatial: true })
    switch (node.op) {
      case 'Placeholder':
        return spatial(this.#input)
      case 'Identity':
        return this.convertNode(a)
      case 'Conv2D':
      case '_FusedConv2D':
        return spatial(this.#convolution(node, false))
      case 'DepthwiseConv2dNative':
      case 'FusedDepthwiseConv2dNative':
        return spatial(this.#convolution(node, true))
      case 'MaxPool':
        return spatial(
          graph.node('MaxPool', [this.convertNode(a).name], {
            kernel_shape: this.#integers(node, 'ksize').slice(1, 3),
            strides: this.#integers(node, 'strides').slice(1, 3),
            auto_pad: this.#padding(node),
          }),
        )
      case 'Prelu':
        return spatial(graph.node('PRelu', [this.convertNode(a).name, this.#channelConstant(b)]))
      case 'Relu':
      case 'Sigmoid':
        return { ...this.convertNode(a), name: graph.node(node.op, [this.convertNode(a).name]) }
      case 'Add':
      case 'AddV2':
        return {
          ...this.convertNode(a),
          name: graph.node('Add', [this.convertNode(a).name, this.convertNode(b).name]),
        }
      case 'Pad':
        return spatial(graph.node('Pad', [this.convertNode(a).name, graph.integers(this.#paddings(b))]))
      case 'Reshape':
        return this.#reshape(a, b)
      default:
        throw new TypeError(`operator ${node.op} (${node.name}) is not covered`)
    }
  }

  #padding(node: TfNode): string {
    const padding = decodeText(node.attr?.padding?.s)
    if (padding === 'SAME') return 'SAME_UPPER'
    if (padding === 'VALID') return 'VALID'
    throw new TypeError(`padding ${padding} is not covered`)
  }

  #convolution(node: TfNode, depthwise: boolean): string {
    const graph = this.#graph
    const [x = '', filters = '', ...rest] = this.#inputs(node)
    const stored = this.#weight(filters)
    const [height, width, channels, multiplier] = stored.shape as [number, number, number, number]
    if (depthwise && multiplier !== 1)
      throw new TypeError(`${node.name}: depth multiplier ${multiplier} is not covered`)
    const weight = permuteAxes(stored, depthwise ? [2, 3, 0, 1] : [3, 2, 0, 1])
    const fused = (node.attr?.fused_ops?.list?.s ?? []).map(decodeText)
    const inputs = [this.convertNode(x).name, addWeight(graph, weight)]
    if (fused[0] === 'BiasAdd') inputs.push(addWeight(graph, this.#weight(rest[0] ?? '')))
    const out = graph.node('Conv', inputs, {
      kernel_shape: [height, width],
      strides: this.#integers(node, 'strides').slice(1, 3),
      group: depthwise ? channels : 1,
      auto_pad: this.#padding(node),
    })
    return this.#activation(out, fused[0] === 'BiasAdd' ? fused[1] : fused[0], rest[1])
  }

  #activation(x: string, kind: string | undefined, slope: string | undefined): string {
    if (kind === undefined) return x
    if (kind === 'Relu') return this.#graph.node('Relu', [x])
    if (kind === 'Prelu') return this.#graph.node('PRelu', [x, this.#channelConstant(slope ?? '')])
    throw new TypeError(`fused activation ${kind} is not covered`)
  }

  /** The slopes of a PReLU, one per channel, shaped for a channels-first map. */
  #channelConstant(reference: string): string {
    const weight = this.#weight(reference)
    const channels = weight.shape.at(-1) ?? 1
    if (weight.shape.some((size, axis) => size !== 1 && axis !== weight.shape.length - 1)) {
      throw new TypeError(`${reference} has more than one value per channel`)
    }
    return addWeight(this.#graph, weight, [channels, 1, 1])
  }

  /** Converts paddings `[[n,n],[h,h],[w,w],[c,c]]` to ONNX order: all starts, then all ends, channels first. */
  #paddings(reference: string): number[] {
    const values = decodeWeight(this.#weight(reference))
    const order = [0, 3, 1, 2]
    return [...order.map((axis) => values[axis * 2]!), ...order.map((axis) => values[axis * 2 + 1]!)]
  }

  /** Reshapes a value; maps are transposed back to channels last first. */
  #reshape(a: string, b: string): { name: string; spatial: boolean } {
    const x = this.convertNode(a)
    const flat = x.spatial ? this.#graph.node('Transpose', [x.name], { perm: [0, 2, 3, 1] }) : x.name
    const shape = this.#graph.integers([...decodeWeight(this.#weight(b))])
    return { name: this.#graph.node('Reshape', [flat, shape]), spatial: false }
  }
}

/**
 * Converts a graph model.
 * @returns ONNX with input `image` float32 `[1,3,H,W]` (colour order and range of the source model) and the named outputs
 * @throws {TypeError} if the graph uses unsupported features
 */
export function convertTfjsGraph(
  model: TfjsModel,
  bytes: Uint8Array,
  conversion: TfjsConversion,
): Uint8Array {
  const weights = readStoredWeights(
    model.weightsManifest.flatMap((part) => part.weights),
    bytes,
  )
  const graph = new OnnxGraph(conversion.name)
  const input = graph.input('image', [1, 3, ...conversion.inputSize])
  const converter = new GraphConverter(graph, model, weights, input)
  for (const [output, { node, shape }] of Object.entries(conversion.outputs)) {
    graph.node('Identity', [converter.convertNode(node).name], {}, output)
    graph.output(output, shape)
  }
  return graph.toBytes()
}
