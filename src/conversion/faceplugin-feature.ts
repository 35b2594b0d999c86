/**
 * Converts the template network of `faceplugin-face-recognition-js` and reduces the number of its outputs.
 *
 * The last layer has 512 outputs, but its weights have rank 160 to within a thousandth. So the outputs are projected onto an
 * orthonormal basis of that space, which preserves the distances between templates (`models/cards/faceplugin-feature.md`). Channels
 * that change nothing are removed.
 */

import { type OnnxNode, readFloats, readOnnx } from '../inference/onnx-reader.ts'
import { OnnxGraph, writeOnnx } from './onnx-graph.ts'
import { findPrincipalSpace, type Matrix, project } from './principal-space.ts'
import { pruneChannels } from './prune-channels.ts'

const templateLength = 160

/** @throws {TypeError} if the file is not the expected network */
export function convertFaceFeature(bytes: Uint8Array): Uint8Array {
  const { nodes, initializers, inputs } = readOnnx(bytes)
  const [reshape, last, ...before] = nodes.toReversed() as [OnnxNode, OnnxNode, ...OnnxNode[]]
  const weights = last && initializers.get(last.inputs[1]!)
  const bias = last && initializers.get(last.inputs[2]!)
  if (reshape?.op !== 'Reshape' || last.op !== 'Conv' || !weights || !bias || inputs.length !== 1)
    throw new TypeError('the template network ends otherwise than expected')
  const [outputs, channels] = weights.shape as [number, number]
  const layer: Matrix = {
    rows: outputs,
    columns: channels,
    values: Float64Array.from(readFloats(weights)),
  }
  const basis = findPrincipalSpace(layer, templateLength)
  const offset: Matrix = { rows: outputs, columns: 1, values: Float64Array.from(readFloats(bias)) }

  const graph = new OnnxGraph('faceplugin-feature')
  const [[input, dimensions]] = inputs as [readonly [string, readonly (number | string)[]]]
  graph.input(input, dimensions)
  for (const [name, tensor] of initializers) {
    if (!last.inputs.includes(name) && !reshape.inputs.includes(name)) graph.constant(tensor, name)
  }
  for (const { op, inputs: from, outputs: to, attributes } of before.toReversed())
    graph.node(op, from, attributes, to[0]!)
  const shorter = graph.node(
    'Conv',
    [
      last.inputs[0]!,
      graph.floats(project(basis, layer).values, [templateLength, channels, 1, 1]),
      graph.floats(project(basis, offset).values),
    ],
    last.attributes,
  )
  graph.node('Flatten', [shorter], { axis: 1 }, 'template')
  graph.output('template', [1, templateLength])
  return writeOnnx('faceplugin-feature', pruneChannels(readOnnx(graph.toBytes())))
}
