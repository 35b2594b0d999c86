import { describe, expect, it } from 'vitest'
import { OnnxGraph, writeOnnx } from '../../../src/conversion/onnx-graph.ts'
import { pruneChannels } from '../../../src/conversion/prune-channels.ts'
import type { Tensor } from '../../../src/inference/engine.ts'
import { readOnnx } from '../../../src/inference/onnx-reader.ts'
import { generator } from '../../fixtures/gallery.ts'
import { runReference } from '../../fixtures/reference-network.ts'

const [channels, height, width] = [6, 7, 9]

type Change = (values: Float32Array) => void

interface Layer {
  side?: number
  weights?: Change
  bias?: Change
}

const none: Change = () => {}

/** A network with random weights, some of which are changed. */
class Network {
  readonly graph = new OnnxGraph('network', 9)
  readonly input = this.graph.input('x', [1, channels, height, width])
  readonly #random = generator(31)

  #values(length: number): Float32Array {
    return Float32Array.from({ length }, () => this.#random() * 2 - 1)
  }

  #convolve(input: string, shape: [number, number, number], { weights = none, bias = none }: Layer): string {
    const [out, perGroup, side] = shape
    const values = this.#values(out * perGroup * side * side)
    const shift = this.#values(out)
    weights(values)
    bias(shift)
    const pad = side >> 1
    return this.graph.node(
      'Conv',
      [input, this.graph.floats(values, [out, perGroup, side, side]), this.graph.floats(shift)],
      { kernel_shape: [side, side], pads: [pad, pad, pad, pad], group: perGroup === 1 ? out : 1 },
    )
  }

  dense(input: string, from: number, to: number, layer: Layer = {}): string {
    return this.#convolve(input, [to, from, layer.side ?? 1], layer)
  }

  depthwise(input: string, count: number, layer: Layer = {}): string {
    return this.#convolve(input, [count, 1, 3], layer)
  }

  activate(input: string, count: number): string {
    return this.graph.node('PRelu', [input, this.graph.floats(this.#values(count), [count, 1, 1])])
  }

  /** Prunes the network. Returns the output channels of its convolutions, and the largest difference of a result. */
  prune(...outputs: string[]) {
    for (const output of outputs) this.graph.output(output, [1, 'c', height, width])
    const file = readOnnx(this.graph.toBytes())
    const bytes = writeOnnx('pruned', pruneChannels(file))
    const pruned = readOnnx(bytes)
    expect(pruned.operatorSet).toBe(9)
    const image: Tensor = {
      data: this.#values(channels * height * width),
      shape: [1, channels, height, width],
    }
    const [before, after] = [runReference(file, image), runReference(pruned, image)]
    const differences = outputs.flatMap((name) =>
      [...after[name]!.data].map((value, i) => Math.abs(value - before[name]!.data[i]!)),
    )
    expect(outputs.map((name) => after[name]!.shape)).toEqual(outputs.map((name) => before[name]!.shape))
    const convolutions = pruned.nodes.filter(({ op }) => op === 'Conv')
    return {
      left: convolutions.map(({ inputs }) => pruned.initializers.get(inputs[1]!)!.shape[0]),
      difference: Math.max(...differences),
    }
  }
}

/** Fills the weights of some output channels. */
const fill =
  (length: number, outputs: readonly number[], value: number): Change =>
  (values) => {
    for (const out of outputs) values.fill(value, out * length, (out + 1) * length)
  }

/** Fills the weights of some input channels of single taps. */
const fillColumns =
  (from: number, inputs: readonly number[], value: number): Change =>
  (values) => {
    for (let at = 0; at < values.length; at++) if (inputs.includes(at % from)) values[at] = value
  }

/** A convolution to twelve channels, one over each of them, and one that reads them. */
function pruneBlock(window: Layer, last: Layer = {}, head: Layer = {}) {
  const network = new Network()
  const wide = network.activate(network.dense(network.input, channels, 12, head), 12)
  const deep = network.activate(network.depthwise(wide, 12, window), 12)
  return network.prune(network.dense(deep, 12, 5, last))
}

describe('channels whose window has no weights', () => {
  it('are removed, and their constants become part of the bias', () => {
    const { left, difference } = pruneBlock({ weights: fill(9, [0, 4, 11], 0) })
    expect(left).toEqual([9, 9, 5])
    expect(difference).toBeLessThan(1e-5)
  })

  it('are removed as well if their weights are lost in the sums', () => {
    const { left, difference } = pruneBlock({
      weights: fill(9, [3, 7], 1e-12),
      bias: fill(1, [3], 0),
    })
    expect(left).toEqual([10, 10, 5])
    expect(difference).toBeLessThan(1e-5)
  })

  it('are kept if a border would interrupt their constant', () => {
    const { left, difference } = pruneBlock(
      { weights: fill(9, [0, 4, 11], 0), bias: fill(1, [4], 0) },
      { side: 3 },
    )
    expect(left).toEqual([11, 11, 5])
    expect(difference).toBeLessThan(1e-5)
  })

  it('leave one channel if there is no other', () => {
    const { left, difference } = pruneBlock({ weights: (values) => values.fill(0) })
    expect(left).toEqual([1, 1, 5])
    expect(difference).toBeLessThan(1e-5)
  })
})

describe('channels that are constant before the window', () => {
  it('are removed if they are zero', () => {
    const { left, difference } = pruneBlock(
      {},
      {},
      { weights: fill(channels, [2, 6], 0), bias: fill(1, [2, 6], 0) },
    )
    expect(left).toEqual([10, 10, 5])
    expect(difference).toBeLessThan(1e-5)
  })

  it('are kept if the border of the window interrupts them', () => {
    const { left, difference } = pruneBlock({}, {}, { weights: fill(channels, [2, 6], 0) })
    expect(left).toEqual([12, 12, 5])
    expect(difference).toBe(0)
  })
})

describe('channels that nothing reads', () => {
  it('are removed', () => {
    const { left, difference } = pruneBlock({}, { weights: fillColumns(12, [1, 2, 10], 1e-11) })
    expect(left).toEqual([9, 9, 5])
    expect(difference).toBeLessThan(1e-5)
  })

  it('are kept if one of two convolutions reads them', () => {
    const network = new Network()
    const wide = network.activate(network.dense(network.input, channels, 12), 12)
    const first = network.dense(wide, 12, 5, { weights: fillColumns(12, [1, 2, 10], 0) })
    const second = network.dense(wide, 12, 5, { weights: fillColumns(12, [2, 3, 10], 0) })
    const { left, difference } = network.prune(first, second)
    expect(left).toEqual([10, 5, 5])
    expect(difference).toBeLessThan(1e-5)
  })

  it('are kept if they are added to others, or are a result', () => {
    const network = new Network()
    const first = network.dense(network.input, channels, 8, { weights: fill(channels, [2, 5], 0) })
    const second = network.dense(first, 8, 8, { weights: fillColumns(8, [1, 2], 0) })
    const third = network.dense(second, 8, 8, { weights: fillColumns(8, [3], 0) })
    const { left, difference } = network.prune(
      network.graph.node('Add', [first, network.graph.node('Relu', [third])]),
      second,
    )
    expect(left).toEqual([8, 8, 8])
    expect(difference).toBe(0)
  })
})

it('a channel with small weights that are multiplied by large ones is kept', () => {
  const { left, difference } = pruneBlock(
    { weights: fill(9, [3], 1e-8), bias: fill(1, [3], 0) },
    { weights: fillColumns(12, [3], 1e8) },
  )
  expect(left).toEqual([12, 12, 5])
  expect(difference).toBe(0)
})

it('a channel that only a small sum reads is kept, as the next layer may enlarge it', () => {
  const network = new Network()
  const wide = network.activate(network.dense(network.input, channels, 12), 12)
  const read = network.dense(wide, 12, 5, {
    // The second sum alone reads the fourth channel.
    weights: (values) => {
      for (let out = 0; out < 5; out++) values[out * 12 + 3] = 0
      for (let channel = 0; channel < 12; channel++) values[12 + channel] = 1e-9 * (channel + 1)
    },
    bias: fill(1, [1], 0),
  })
  const large = network.dense(read, 5, 5, { weights: fillColumns(5, [1], 1e9) })
  const { left, difference } = network.prune(large)
  expect(left).toEqual([12, 5, 5])
  expect(difference).toBe(0)
})
