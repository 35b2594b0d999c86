/**
 * Converts the face recognition network of `@vladmandic/face-api` to ONNX.
 *
 * The network is dlib's ResNet with 29 convolutions (http://blog.dlib.net/2017/02/high-quality-face-recognition-with-deep.html),
 * its weights are in the public domain (CC0) and stored by the package as uint8. The package contains only the weights, so the
 * structure is defined here.
 */
import { OnnxGraph } from './onnx-graph.ts'
import {
  addWeight,
  permuteAxes,
  readStoredWeights,
  type StoredWeight,
  type WeightEntry,
} from './stored-weights.ts'

/** A value of the graph with the shape of its square map: channels and side. */
interface Map2d {
  name: string
  channels: number
  side: number
}

class ResNetWriter {
  readonly #graph: OnnxGraph
  readonly #weights: Map<string, StoredWeight>

  constructor(graph: OnnxGraph, weights: Map<string, StoredWeight>) {
    this.#graph = graph
    this.#weights = weights
  }

  #weight(name: string): StoredWeight {
    const weight = this.#weights.get(name)
    if (!weight) throw new TypeError(`the package has no weight named ${name}`)
    return weight
  }

  /** Convolution with bias, followed by a learned scale and offset per channel. No padding if the stride is 2. */
  convolution(x: Map2d, prefix: string, stride: 1 | 2, relu: boolean): Map2d {
    const graph = this.#graph
    const filters = permuteAxes(this.#weight(`${prefix}/conv/filters`), [3, 2, 0, 1])
    const [channels, , kernel] = filters.shape as [number, number, number]
    const pad = stride === 1 ? (kernel - 1) / 2 : 0
    const perChannel = (name: string) => addWeight(graph, this.#weight(`${prefix}/${name}`), [channels, 1, 1])
    const convolved = graph.node(
      'Conv',
      [x.name, addWeight(graph, filters), addWeight(graph, this.#weight(`${prefix}/conv/bias`))],
      { kernel_shape: [kernel, kernel], strides: [stride, stride], pads: [pad, pad, pad, pad] },
    )
    const scaled = graph.node('Mul', [convolved, perChannel('scale/weights')])
    const shifted = graph.node('Add', [scaled, perChannel('scale/biases')])
    const name = relu ? graph.node('Relu', [shifted]) : shifted
    return { name, channels, side: Math.floor((x.side + 2 * pad - kernel) / stride) + 1 }
  }

  #addRelu(a: string, b: string): string {
    return this.#graph.node('Relu', [this.#graph.node('Add', [a, b])])
  }

  residual(x: Map2d, prefix: string): Map2d {
    const inner = this.convolution(x, `${prefix}/conv1`, 1, true)
    const out = this.convolution(inner, `${prefix}/conv2`, 1, false)
    return { ...out, name: this.#addRelu(out.name, x.name) }
  }

  /** Residual block that halves the map. The shortcut is average-pooled; the smaller operand is padded with zeros. */
  residualDown(x: Map2d, prefix: string): Map2d {
    const graph = this.#graph
    const inner = this.convolution(x, `${prefix}/conv1`, 2, true)
    const out = this.convolution(inner, `${prefix}/conv2`, 1, false)
    const pooled = graph.node('AveragePool', [x.name], { kernel_shape: [2, 2], strides: [2, 2] })
    const side = Math.floor(x.side / 2)
    const path = this.#fill(out.name, 0, side - out.side)
    const shortcut = this.#fill(pooled, out.channels - x.channels, 0)
    return { name: this.#addRelu(shortcut, path), channels: out.channels, side }
  }

  /** Appends zero channels, and zero rows and columns at the bottom and right. */
  #fill(name: string, channels: number, pixels: number): string {
    if (channels === 0 && pixels === 0) return name
    return this.#graph.node('Pad', [name, this.#graph.integers([0, 0, 0, 0, 0, channels, pixels, pixels])])
  }
}

/**
 * Converts the network.
 * @param manifest parsed `face_recognition_model-weights_manifest.json`
 * @param bytes `face_recognition_model.bin`
 * @returns ONNX: input `image` float32 `[n,3,150,150]`, RGB 0…255; output `template` `[n,128]`, not normalised. The mean
 *   (122.782, 117.001, 104.298) is subtracted and the result divided by 255 inside the network, as in the package.
 */
export function convertFaceRecognition(
  manifest: { weights: WeightEntry[] }[],
  bytes: Uint8Array,
): Uint8Array {
  const weights = readStoredWeights(
    manifest.flatMap((part) => part.weights),
    bytes,
  )
  const graph = new OnnxGraph('dlib-resnet29')
  const writer = new ResNetWriter(graph, weights)
  const image = graph.input('image', ['n', 3, 150, 150])
  const centred = graph.node('Sub', [image, graph.floats([122.782, 117.001, 104.298], [3, 1, 1])])
  const input = graph.node('Mul', [centred, graph.floats([1 / 255], [])])

  const stem = writer.convolution({ name: input, channels: 3, side: 150 }, 'conv32_down', 2, true)
  const pooled = graph.node('MaxPool', [stem.name], { kernel_shape: [3, 3], strides: [2, 2] })
  let x: Map2d = { ...stem, name: pooled, side: Math.floor((stem.side - 3) / 2) + 1 }
  for (const name of ['conv32_1', 'conv32_2', 'conv32_3']) x = writer.residual(x, name)
  x = writer.residualDown(x, 'conv64_down')
  for (const name of ['conv64_1', 'conv64_2', 'conv64_3']) x = writer.residual(x, name)
  x = writer.residualDown(x, 'conv128_down')
  for (const name of ['conv128_1', 'conv128_2']) x = writer.residual(x, name)
  x = writer.residualDown(x, 'conv256_down')
  for (const name of ['conv256_1', 'conv256_2']) x = writer.residual(x, name)
  x = writer.residualDown(x, 'conv256_down_out')

  const mean = graph.node('GlobalAveragePool', [x.name])
  const flat = graph.node('Flatten', [mean], { axis: 1 })
  const projection = weights.get('fc')
  if (!projection) throw new TypeError('the package has no weight named fc')
  graph.node('MatMul', [flat, addWeight(graph, projection)], {}, 'template')
  graph.output('template', ['n', 128])
  return graph.toBytes()
}
