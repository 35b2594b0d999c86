/** Translates windows that become several steps, or another kind of step. */
import type { OnnxNode } from '../onnx-reader.ts'
import type { DraftGraph } from './draft-graph.ts'
import { readNumber, readPadding, readStride, readStrides } from './node-attributes.ts'
import { isBare, toLanes } from './plan.ts'
import { UnsupportedNetwork } from './unsupported-network.ts'

/** The mean of windows that are no squares, as a convolution of each channel. */
export function averageWindow(graph: DraftGraph, node: OnnxNode, rows: number, columns: number): void {
  const { value: input } = graph.tensor(node.inputs[0])
  const channels = graph.channels[input]!
  const [stride, columnStride] = readStrides(node)
  if (readNumber(node, 'ceil_mode', 0) !== 0)
    throw new UnsupportedNetwork(`the node ${node.outputs[0]} has a window that is not supported`)
  graph.add(node, channels, false, (output) => ({
    ...{ kind: 'convolve-depthwise', input, output, inChannels: channels, outChannels: channels },
    ...{ rows, columns, stride, columnStride, padding: [0, 0, 0, 0], slope: null },
    weights: new Float32Array(channels * rows * columns).fill(1 / (rows * columns)),
    bias: new Float32Array(channels),
  }))
}

/** A transposed convolution whose windows do not overlap: 2 × 2 pixels for each pixel. */
export function unfoldPixels(graph: DraftGraph, node: OnnxNode): void {
  const { value: input } = graph.tensor(node.inputs[0])
  const { shape, values } = graph.constant(node.inputs[1])
  const [inChannels = 0, channels = 0, rows, columns] = shape
  const isPlain = rows === 2 && columns === 2 && readStride(node) === 2 && readNumber(node, 'group', 1) === 1
  if (!isPlain || !isBare(readPadding(node)) || inChannels !== graph.channels[input])
    throw new UnsupportedNetwork(`the node ${node.outputs[0]} has a window that is not supported`)
  // The channels of each of the four pixels start at a whole vector.
  const lanes = toLanes(channels)
  const weights = new Float32Array(4 * lanes * inChannels)
  const bias = new Float32Array(4 * lanes)
  const biases = node.inputs[2] ? graph.perChannel(node.inputs[2], channels) : new Float32Array(channels)
  for (let part = 0; part < 4; part++)
    for (let out = 0; out < channels; out++) {
      bias[part * lanes + out] = biases[out]!
      for (let channel = 0; channel < inChannels; channel++)
        weights[(part * lanes + out) * inChannels + channel] = values[(channel * channels + out) * 4 + part]!
    }
  const wide = `${node.outputs[0]}:wide`
  graph.add({ ...node, outputs: [wide] }, 4 * lanes, false, (output) => ({
    ...{ kind: 'convolve', residual: null, slope: null, input, output, inChannels, outChannels: 4 * lanes },
    ...{ rows: 1, columns: 1, stride: 1, columnStride: 1, padding: [0, 0, 0, 0], weights, bias },
  }))
  const { value } = graph.tensor(wide)
  graph.add(node, channels, false, (output) => ({ kind: 'unfold', input: value, output }))
}
