/**
 * The template network of `faceplugin-face-recognition-js`, its outputs counted in fewer numbers.
 *
 * The last layer makes 512 numbers, but its weights are of rank 160 to within a thousandth: they are counted in an
 * orthonormal basis of that space. Distances between templates stay what they were (`models/cards/faceplugin-feature.md`).
 */
import { OnnxGraph } from './onnx-graph.ts'
import { floatValues, type OnnxNode, readOnnx } from './onnx-reader.ts'
import { type Matrix, principalSpace, projected } from './principal-space.ts'

const templateLength = 160

/** @throws {TypeError} when the file is not the network that is expected */
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
    values: Float64Array.from(floatValues(weights)),
  }
  const basis = principalSpace(layer, templateLength)
  const offset: Matrix = { rows: outputs, columns: 1, values: Float64Array.from(floatValues(bias)) }

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
      graph.floats(projected(basis, layer).values, [templateLength, channels, 1, 1]),
      graph.floats(projected(basis, offset).values),
    ],
    last.attributes,
  )
  graph.node('Flatten', [shorter], { axis: 1 }, 'template')
  graph.output('template', [1, templateLength])
  return graph.toBytes()
}
