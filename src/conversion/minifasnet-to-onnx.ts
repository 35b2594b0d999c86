/**
 * Converts the MiniFASNet checkpoints of minivision-ai/Silent-Face-Anti-Spoofing (Apache-2.0) to ONNX.
 *
 * The state dictionary contains names and sizes of the layers; their connections are defined here: a stem, three stages of
 * inverted residuals, each after a strided block, a depthwise head and two linear layers. Batch normalisation is folded into
 * the preceding layer.
 */
import type { Attribute } from '../inference/onnx-reader.ts'
import { OnnxGraph } from './onnx-graph.ts'
import { readTorchState, type TorchTensor } from './torch-state.ts'

const epsilon = 1e-5

class MiniFasNetWriter {
  readonly #graph: OnnxGraph
  readonly #tensors: Map<string, TorchTensor>

  constructor(graph: OnnxGraph, tensors: Map<string, TorchTensor>) {
    this.#graph = graph
    this.#tensors = tensors
  }

  has(name: string): boolean {
    return this.#tensors.has(`module.${name}`)
  }

  #tensor(name: string): TorchTensor {
    const tensor = this.#tensors.get(`module.${name}`)
    if (!tensor) throw new TypeError(`the checkpoint has no tensor named ${name}`)
    return tensor
  }

  /** Weights and bias of a layer, with the following batch normalisation folded in. */
  #foldNorm(
    weightName: string,
    normName: string,
  ): { shape: readonly number[]; weight: Float32Array; bias: Float32Array } {
    const { shape, data } = this.#tensor(weightName)
    const [gamma, beta, mean, variance] = ['weight', 'bias', 'running_mean', 'running_var'].map(
      (part) => this.#tensor(`${normName}.${part}`).data,
    )
    const channels = shape[0]!
    const perChannel = data.length / channels
    const factor = Float64Array.from(gamma!, (value, c) => value / Math.sqrt(variance![c]! + epsilon))
    return {
      shape,
      weight: data.map((value, i) => value * factor[Math.floor(i / perChannel)]!),
      bias: Float32Array.from(beta!, (value, c) => value - mean![c]! * factor[c]!),
    }
  }

  convolution(x: string, weightName: string, normName: string, stride: number, pad: number): string {
    const { shape, weight, bias } = this.#foldNorm(weightName, normName)
    const [channels, perGroup, kernel] = shape as [number, number, number]
    const attributes: Record<string, Attribute> = {
      kernel_shape: [kernel, kernel],
      strides: [stride, stride],
      pads: [pad, pad, pad, pad],
      group: perGroup === 1 && channels > 1 ? channels : 1,
    }
    return this.#graph.node(
      'Conv',
      [x, this.#graph.floats(weight, shape), this.#graph.floats(bias)],
      attributes,
    )
  }

  /** Convolution, normalisation and, if the checkpoint has one, a PReLU. */
  block(x: string, name: string, stride: number, pad: number): string {
    const out = this.convolution(x, `${name}.conv.weight`, `${name}.bn`, stride, pad)
    if (!this.has(`${name}.prelu.weight`)) return out
    const { data } = this.#tensor(`${name}.prelu.weight`)
    return this.#graph.node('PRelu', [out, this.#graph.floats(data, [data.length, 1, 1])])
  }

  /** Pointwise, depthwise, pointwise. */
  bottleneck(x: string, name: string, stride: number): string {
    const expanded = this.block(x, `${name}.conv`, 1, 0)
    const filtered = this.block(expanded, `${name}.conv_dw`, stride, 1)
    return this.block(filtered, `${name}.project`, 1, 0)
  }

  /** Squeeze and excitation: channel weights computed from the channel means. */
  #attention(x: string, name: string): string {
    const graph = this.#graph
    const mean = graph.node('GlobalAveragePool', [x])
    const squeezed = graph.node('Relu', [this.convolution(mean, `${name}.fc1.weight`, `${name}.bn1`, 1, 0)])
    const excited = this.convolution(squeezed, `${name}.fc2.weight`, `${name}.bn2`, 1, 0)
    return graph.node('Mul', [x, graph.node('Sigmoid', [excited])])
  }

  /** All bottlenecks with a shortcut that the checkpoint has in this stage. */
  stage(x: string, name: string): string {
    let out = x
    for (let i = 0; this.has(`${name}.model.${i}.conv.conv.weight`); i++) {
      const block = `${name}.model.${i}`
      let inner = this.bottleneck(out, block, 1)
      if (this.has(`${block}.se_module.fc1.weight`)) inner = this.#attention(inner, `${block}.se_module`)
      out = this.#graph.node('Add', [out, inner])
    }
    return out
  }

  linear(x: string, name: string, normName: string | null, output?: string): string {
    const graph = this.#graph
    const { shape, data } = this.#tensor(`${name}.weight`)
    const folded = normName ? this.#foldNorm(`${name}.weight`, normName) : null
    const inputs = [x, graph.floats(folded?.weight ?? data, shape)]
    if (folded) inputs.push(graph.floats(folded.bias))
    return graph.node('Gemm', inputs, { transB: 1 }, output)
  }
}

/**
 * Converts a checkpoint.
 * @param checkpoint bytes of the `.pth` file
 * @returns ONNX: input `image` float32 `[n,3,80,80]` BGR 0…255; output `logits` `[n,3]` (print, live, replay)
 */
export function convertMiniFasNet(checkpoint: Uint8Array, name: string): Uint8Array {
  const graph = new OnnxGraph(name)
  const writer = new MiniFasNetWriter(graph, readTorchState(checkpoint))
  let x = graph.input('image', ['n', 3, 80, 80])
  x = writer.block(x, 'conv1', 2, 1)
  x = writer.block(x, 'conv2_dw', 1, 1)
  for (const [down, stage] of [
    ['conv_23', 'conv_3'],
    ['conv_34', 'conv_4'],
    ['conv_45', 'conv_5'],
  ] as const) {
    x = writer.stage(writer.bottleneck(x, down, 2), stage)
  }
  x = writer.block(x, 'conv_6_sep', 1, 0)
  x = writer.block(x, 'conv_6_dw', 1, 0)
  x = graph.node('Flatten', [x], { axis: 1 })
  writer.linear(writer.linear(x, 'linear', 'bn'), 'prob', null, 'logits')
  graph.output('logits', ['n', 3])
  return graph.toBytes()
}
