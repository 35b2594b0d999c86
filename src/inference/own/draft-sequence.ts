/** Translates operators on sequences, `[1,pixels,channels]`. In memory they are as `[1,channels,1,pixels]`. */
import type { OnnxNode } from '../onnx-reader.ts'
import { type DraftGraph, isSequence } from './draft-graph.ts'
import { readNumber } from './node-attributes.ts'
import { UnsupportedNetwork } from './unsupported-network.ts'

/** Of the channels of each pixel. */
export function normalisePixels(graph: DraftGraph, node: OnnxNode): void {
  const { value: input, isVector, shape } = graph.tensor(node.inputs[0])
  const channels = graph.channels[input]!
  if (!isSequence(shape) || readNumber(node, 'axis', -1) !== -1)
    throw new UnsupportedNetwork(`the node ${node.outputs[0]} normalises other axes than the channels`)
  const gain = graph.perChannel(node.inputs[1], channels).slice()
  const bias = node.inputs[2]
    ? graph.perChannel(node.inputs[2], channels).slice()
    : new Float32Array(channels)
  const epsilon = readNumber(node, 'epsilon', 1e-5)
  graph.add(node, channels, isVector, (output) => ({
    ...{ kind: 'normalise', input, output, gain, bias, epsilon },
  }))
  graph.keepShape(node, shape)
}

export function attend(graph: DraftGraph, node: OnnxNode): void {
  const { value: input, shape } = graph.tensor(node.inputs[0])
  const channels = graph.channels[input]! / 3
  const [heads, factor] = [readNumber(node, 'heads', 1), readNumber(node, 'factor', 1)]
  if (!isSequence(shape) || !Number.isInteger(channels / heads))
    throw new UnsupportedNetwork(`the node ${node.outputs[0]} splits its channels unevenly`)
  graph.add(node, channels, false, (output) => ({ kind: 'attend', input, output, heads, factor }))
  graph.keepShape(node, [1, -1, channels])
}

export function toSequence(graph: DraftGraph, node: OnnxNode): void {
  const tensor = graph.tensor(node.inputs[0])
  if (tensor.shape)
    throw new UnsupportedNetwork(`the node ${node.outputs[0]} moves other axes than the channels`)
  const shape = [1, -1, graph.channels[tensor.value]!]
  graph.define(node.outputs[0], { ...tensor, isVector: false, shape })
}

export function fromSequence(graph: DraftGraph, node: OnnxNode): void {
  const tensor = graph.tensor(node.inputs[0])
  if (!isSequence(tensor.shape))
    throw new UnsupportedNetwork(`the node ${node.outputs[0]} moves other axes than the channels`)
  graph.define(node.outputs[0], { ...tensor, shape: null })
}
