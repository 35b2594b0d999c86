/** Our engine against plain loops, operator by operator, and against the ONNX runtime for whole networks. */
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { OnnxGraph } from '../../../src/conversion/onnx-graph.ts'
import type { Tensor } from '../../../src/inference/engine.ts'
import { goldenInput } from '../../../src/inference/golden.ts'
import { readOnnx } from '../../../src/inference/onnx-reader.ts'
import { arrange } from '../../../src/inference/own/arrange.ts'
import { openInferenceKernel } from '../../../src/inference/own/kernel.ts'
import { makePlan } from '../../../src/inference/own/make-plan.ts'
import { UnsupportedNetwork } from '../../../src/inference/own/unsupported-network.ts'
import { openOwnEngine } from '../../../src/inference/own-engine.ts'
import { planNetworks } from '../../../src/inference/plan-networks.ts'
import { openLocalEngine } from '../../../src/platform/server-engine.ts'
import { openModels } from '../../../src/platform/server-models.ts'
import { compileInferenceKernel } from '../../../src/platform/server-wasm.ts'
import { readSettings } from '../../../src/settings.ts'
import { buildModule } from '../../../wasm/build-module.mjs'
import { generator } from '../../fixtures/gallery.ts'
import { openReferenceEngine } from '../../fixtures/reference-engine.ts'
import { runReference } from '../../fixtures/reference-network.ts'

const kernel = await compileInferenceKernel()

describe('the committed kernel module', () => {
  it('is identical to a build of its source', async () => {
    const committed = (name: string) => readFile(new URL(`../../../wasm/inference/${name}`, import.meta.url))
    const { bytes, sha256 } = await buildModule('inference')
    expect(Buffer.from(bytes).equals(await committed('kernel.wasm'))).toBe(true)
    expect((await committed('kernel.wasm.sha256')).toString()).toBe(`${sha256}  kernel.wasm\n`)
  })
})

/** Adds nodes to a graph; returns the name of the last one's output, `[1,C,H,W]`. */
type Build = (graph: OnnxGraph, input: string, random: () => number) => string

/** A network under test and the shape of its input. */
interface Case {
  seed: number
  channels: number
  height: number
  width: number
  build: Build
}

const signed = (random: () => number, length: number) => Float32Array.from({ length }, () => random() * 2 - 1)

/** Runs a case with plain loops and with our engine. */
async function runCase({ seed, channels, height, width, build }: Case, quantised: boolean) {
  const random = generator(seed)
  const graph = new OnnxGraph('case')
  const input = graph.input('x', [1, channels, height, width])
  const output = build(graph, input, random)
  graph.output(graph.node('Transpose', [output], { perm: [0, 2, 3, 1] }, 'out'), [1, 1, 1, 1])
  const bytes = graph.toBytes()
  const shape = [1, channels, height, width]
  const image: Tensor = { data: signed(random, channels * height * width), shape }
  const engine = openOwnEngine(kernel, new Map([['case', makePlan(bytes, { quantised })]]))
  // A run before leaves other values in the memory.
  await engine.run('case', { data: image.data.map((value) => value * 1e3), shape })
  const { out: actual } = await engine.run('case', image)
  const { out: expected } = runReference(readOnnx(bytes), image)
  return { actual: actual!, expected: expected! }
}

async function expectSame(test: Case, tolerance: number, quantised = false): Promise<void> {
  const { actual, expected } = await runCase(test, quantised)
  expect(actual.data.length).toBe(expected.data.length)
  const scale = expected.data.reduce((most, value) => Math.max(most, Math.abs(value)), 1)
  let deviation = 0
  // A difference that is no number counts as the largest.
  for (const [i, value] of actual.data.entries()) {
    const difference = Math.abs(value - expected.data[i]!)
    if (!(difference <= deviation))
      deviation = Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference
  }
  expect(deviation / scale).toBeLessThan(tolerance)
}

interface Convolution {
  out: number
  side: number
  stride: number
  /** Rows and columns on each side, or SAME padding. */
  pad: number | 'same'
  isDepthwise?: boolean
}

function addConvolution(
  graph: OnnxGraph,
  input: string,
  channels: number,
  random: () => number,
  { out, side, stride, pad, isDepthwise = false }: Convolution,
): string {
  const perGroup = isDepthwise ? 1 : channels
  const weights = graph.floats(signed(random, out * perGroup * side * side), [out, perGroup, side, side])
  return graph.node('Conv', [input, weights, graph.floats(signed(random, out))], {
    kernel_shape: [side, side],
    strides: [stride, stride],
    group: isDepthwise ? channels : 1,
    ...(pad === 'same' ? { auto_pad: 'SAME_UPPER' } : { pads: [pad, pad, pad, pad] }),
  })
}

/** Channels, height and width of the input, and the window. */
type Shape = [channels: number, height: number, width: number, Convolution]

const dense: Shape[] = [
  [3, 9, 11, { out: 16, side: 3, stride: 2, pad: 1 }],
  [3, 8, 8, { out: 5, side: 5, stride: 2, pad: 'same' }],
  [13, 7, 7, { out: 64, side: 1, stride: 1, pad: 0 }],
  [64, 5, 5, { out: 13, side: 1, stride: 1, pad: 0 }],
  [32, 1, 1, { out: 12, side: 1, stride: 1, pad: 0 }],
  [16, 1, 3, { out: 8, side: 1, stride: 1, pad: 0 }],
  [20, 40, 41, { out: 24, side: 1, stride: 1, pad: 0 }],
  [160, 12, 12, { out: 9, side: 1, stride: 2, pad: 0 }],
  [24, 6, 9, { out: 24, side: 3, stride: 1, pad: 1 }],
  [24, 7, 6, { out: 10, side: 3, stride: 2, pad: 0 }],
  [4, 6, 6, { out: 3, side: 3, stride: 3, pad: 0 }],
]

const depthwise: Shape[] = [
  [13, 7, 9, { out: 13, side: 3, stride: 1, pad: 1, isDepthwise: true }],
  [8, 7, 7, { out: 8, side: 3, stride: 2, pad: 1, isDepthwise: true }],
  [24, 8, 6, { out: 24, side: 3, stride: 2, pad: 'same', isDepthwise: true }],
  [5, 1, 1, { out: 5, side: 3, stride: 1, pad: 1, isDepthwise: true }],
  [5, 2, 3, { out: 5, side: 3, stride: 1, pad: 1, isDepthwise: true }],
  [16, 5, 5, { out: 16, side: 5, stride: 1, pad: 0, isDepthwise: true }],
  [4, 6, 5, { out: 4, side: 5, stride: 1, pad: 2, isDepthwise: true }],
  [10, 9, 4, { out: 10, side: 3, stride: 1, pad: 0, isDepthwise: true }],
  [4, 6, 2, { out: 4, side: 3, stride: 2, pad: 'same', isDepthwise: true }],
]

const titled = (shapes: Shape[]) => shapes.map((shape) => [JSON.stringify(shape), shape] as const)

const ofShape = ([channels, height, width, window]: Shape): Case => ({
  ...{ seed: channels + height, channels, height, width },
  build: (graph, input, random) => addConvolution(graph, input, channels, random, window),
})

describe('convolutions', () => {
  it.each(titled([...dense, ...depthwise]))('in float32: %s', async (_title, shape) => {
    await expectSame(ofShape(shape), 2e-6)
  })

  // 13 bits for the input and 12 or more for the weights.
  it.each(titled(dense))('quantised: %s', async (_title, shape) => {
    await expectSame(ofShape(shape), 4e-4, true)
  })

  it('do not overflow with the largest factors of one sign', async () => {
    const channels = 1024
    const build: Build = (graph, input) => {
      const one = graph.node('Clip', [input, graph.floats([1], []), graph.floats([1], [])])
      const weights = graph.floats(new Float32Array(channels * 8).fill(1), [8, channels, 1, 1])
      return graph.node('Conv', [one, weights], { kernel_shape: [1, 1], strides: [1, 1] })
    }
    const { actual } = await runCase({ seed: 1, channels, height: 2, width: 2, build }, true)
    for (const value of actual.data) expect(Math.abs(value - channels)).toBeLessThan(0.5)
  })

  it('give zeros for zeros', async () => {
    const build: Build = (graph, input, random) => {
      const zero = graph.node('Mul', [input, graph.floats([0], [])])
      const weights = graph.floats(signed(random, 16 * 8), [8, 16, 1, 1])
      return graph.node('Conv', [zero, weights], { kernel_shape: [1, 1] })
    }
    const { actual } = await runCase({ seed: 2, channels: 16, height: 3, width: 3, build }, true)
    expect([...actual.data].every((value) => value === 0)).toBe(true)
  })
})

const perChannel = (graph: OnnxGraph, random: () => number, channels = 6) =>
  graph.floats(signed(random, channels), [channels, 1, 1])

const single =
  (op: string, attributes: Record<string, number | number[] | { float: number }> = {}): Build =>
  (graph, input) =>
    graph.node(op, [input], attributes)

const conv = (graph: OnnxGraph, input: string, random: () => number, out = 6, channels = 6) =>
  addConvolution(graph, input, channels, random, { out, side: 1, stride: 1, pad: 0 })

const enlarge = (graph: OnnxGraph, input: string, by: number) =>
  graph.node('Resize', [input, graph.floats([], [0]), graph.floats([1, 1, by, by])], {
    mode: 'nearest',
    nearest_mode: 'floor',
    coordinate_transformation_mode: 'asymmetric',
  })

/** Other operators, and chains of them that a plan folds together, on 6 channels of 6 × 8 pixels. */
const chains: Record<string, Build> = {
  'Relu alone': single('Relu'),
  Sigmoid: single('Sigmoid'),
  'MaxPool 2': single('MaxPool', { kernel_shape: [2, 2], strides: [2, 2] }),
  'MaxPool 3 with a stride of 2': single('MaxPool', { kernel_shape: [3, 3], strides: [2, 2] }),
  'AveragePool 2': single('AveragePool', { kernel_shape: [2, 2], strides: [2, 2] }),
  GlobalAveragePool: single('GlobalAveragePool'),
  'PRelu after a convolution': (graph, input, random) =>
    graph.node('PRelu', [conv(graph, input, random), perChannel(graph, random)]),
  'PRelu, then Relu, after a convolution': (graph, input, random) =>
    graph.node('Relu', [graph.node('PRelu', [conv(graph, input, random), perChannel(graph, random)])]),
  'a factor and a shift after a convolution': (graph, input, random) => {
    const scaled = graph.node('Mul', [conv(graph, input, random), perChannel(graph, random)])
    return graph.node('Add', [scaled, perChannel(graph, random)])
  },
  'a factor after an activation': (graph, input, random) => {
    const active = graph.node('Relu', [conv(graph, input, random)])
    return graph.node('Mul', [active, perChannel(graph, random)])
  },
  'a constant that is subtracted, and one that divides': (graph, input, random) =>
    graph.node('Div', [graph.node('Sub', [input, perChannel(graph, random)]), graph.floats([0.5], [])]),
  'a residual': (graph, input, random) => graph.node('Add', [input, conv(graph, input, random)]),
  'a residual, then an activation': (graph, input, random) => {
    const sum = graph.node('Add', [conv(graph, input, random), input])
    return graph.node('PRelu', [sum, perChannel(graph, random)])
  },
  'a residual of an active convolution': (graph, input, random) =>
    graph.node('Add', [input, graph.node('Relu', [conv(graph, input, random)])]),
  'a convolution that is used twice': (graph, input, random) => {
    const once = conv(graph, input, random)
    return graph.node('Add', [graph.node('Relu', [once]), once])
  },
  'the sum of two convolutions': (graph, input, random) =>
    graph.node('Relu', [graph.node('Add', [conv(graph, input, random), conv(graph, input, random)])]),
  'channel gates': (graph, input, random) => {
    const pooled = graph.node('GlobalAveragePool', [input])
    const hidden = graph.node('Relu', [conv(graph, pooled, random, 2)])
    const gates = graph.node('Sigmoid', [conv(graph, hidden, random, 6, 2)])
    return graph.node('Mul', [input, gates])
  },
  'a residual of the picture around a window': (graph, input, random) =>
    graph.node('Add', [
      input,
      addConvolution(graph, input, 6, random, { out: 6, side: 3, stride: 1, pad: 1 }),
    ]),
  'more channels after the logistic function': (graph, input) =>
    graph.node('Pad', [graph.node('Sigmoid', [input]), graph.integers([0, 0, 0, 0, 0, 2, 0, 0])]),
  'the square root of a square': (graph, input) => graph.node('Sqrt', [graph.node('Mul', [input, input])]),
  'joined channels': (graph, input, random) =>
    graph.node('Concat', [conv(graph, input, random, 3), conv(graph, input, random, 5)], { axis: 1 }),
  'more channels, rows and columns': (graph, input) =>
    graph.node('Pad', [input, graph.integers([0, 0, 0, 0, 0, 5, 1, 2])]),
  'a doubled picture': (graph, input) => enlarge(graph, input, 2),
  'a picture that is doubled three times': (graph, input) => enlarge(graph, input, 8),
  'three values joined': (graph, input, random) =>
    graph.node('Concat', [conv(graph, input, random, 3), input, conv(graph, input, random, 5)], { axis: 1 }),
  'limits as attributes': single('Clip', { min: { float: -0.25 }, max: { float: 0.5 } }),
  HardSigmoid: single('HardSigmoid', { alpha: { float: 0.2 }, beta: { float: 0.5 } }),
  'HardSigmoid after a convolution': (graph, input, random) =>
    graph.node('HardSigmoid', [conv(graph, input, random)]),
  'weights of two names in two convolutions, each scaled': (graph, input, random) => {
    const weights = graph.floats(signed(random, 6 * 6), [6, 6, 1, 1])
    const second = graph.node('Identity', [weights])
    const scaled = [weights, second, weights].map((name) =>
      graph.node('Mul', [
        graph.node('Conv', [input, name], { kernel_shape: [1, 1] }),
        perChannel(graph, random),
      ]),
    )
    return graph.node('Concat', scaled, { axis: 1 })
  },
  'HardSwish, then a factor and a shift': (graph, input) => {
    const active = graph.node('HardSwish', [graph.node('Mul', [input, graph.floats([7], [])])])
    return graph.node('Add', [graph.node('Mul', [active, graph.floats([0.3])]), graph.floats([-0.7])])
  },
  'HardSwish of five channels, then a shift': (graph, input, random) =>
    graph.node('Add', [graph.node('HardSwish', [conv(graph, input, random, 5)]), graph.floats([0.4])]),
  'HardSwish as exporters write it': (graph, input, random) => {
    const first = graph.node('Mul', [conv(graph, input, random), graph.floats([5])])
    const sum = graph.node('Add', [first, graph.floats([3], [])])
    const clipped = graph.node('Clip', [sum], { min: { float: 0 }, max: { float: 6 } })
    return graph.node('Div', [graph.node('Mul', [first, clipped]), graph.floats([6], [])])
  },
  'factors that follow each other after an activation': (graph, input, random) => {
    const active = graph.node('Relu', [conv(graph, input, random)])
    const scaled = graph.node('Add', [
      graph.node('Mul', [active, perChannel(graph, random)]),
      perChannel(graph, random),
    ])
    return graph.node('PRelu', [
      graph.node('Mul', [scaled, perChannel(graph, random)]),
      perChannel(graph, random),
    ])
  },
  'a factor of one': (graph, input, random) => {
    const once = conv(graph, input, random)
    return graph.node('Mul', [
      once,
      graph.node('Sigmoid', [graph.node('Mul', [once, graph.floats([1], [])])]),
    ])
  },
  'a transposed convolution': (graph, input, random) => {
    const weights = graph.floats(signed(random, 6 * 5 * 4), [6, 5, 2, 2])
    const options = { kernel_shape: [2, 2], strides: [2, 2] }
    const wide = graph.node('ConvTranspose', [input, weights, graph.floats(signed(random, 5))], options)
    return graph.node('Relu', [graph.node('Add', [wide, perChannel(graph, random, 5)])])
  },
  'AveragePool of 3 rows and 2 columns': single('AveragePool', { kernel_shape: [3, 2], strides: [3, 2] }),
  'a convolution of one row of taps': (graph, input, random) => {
    const weights = graph.floats(signed(random, 4 * 6 * 3), [4, 6, 1, 3])
    return graph.node('Conv', [input, weights], { kernel_shape: [1, 3], pads: [0, 1, 0, 1] })
  },
  'a convolution with a stride for rows': (graph, input, random) => {
    const weights = graph.floats(signed(random, 16 * 6 * 9), [16, 6, 3, 3])
    return graph.node('Conv', [input, weights], { kernel_shape: [3, 3], strides: [2, 1], pads: [1, 1, 1, 1] })
  },
  'depthwise convolutions with unequal strides': (graph, input, random) => {
    const deep = (from: string, side: number, strides: number[]) => {
      const weights = graph.floats(signed(random, 6 * side * side), [6, 1, side, side])
      const pad = (side - 1) / 2
      return graph.node('Conv', [from, weights], {
        ...{ kernel_shape: [side, side], strides, group: 6, pads: [pad, pad, pad, pad] },
      })
    }
    return deep(deep(deep(input, 5, [1, 1]), 3, [1, 2]), 5, [2, 1])
  },
  'normalised pixels': (graph, input, random) => {
    const sequence = graph.node('ToSequence', [input])
    const [gain, bias] = [graph.floats(signed(random, 6)), graph.floats(signed(random, 6))]
    const normal = graph.node('LayerNormalization', [sequence, gain, bias], { epsilon: { float: 1e-5 } })
    return graph.node('FromSequence', [graph.node('Add', [normal, sequence])])
  },
  'attention among pixels': (graph, input, random) => {
    const sequence = graph.node('ToSequence', [input])
    const all = graph.node('MatMul', [sequence, graph.floats(signed(random, 6 * 30), [6, 30])])
    const biased = graph.node('Add', [all, graph.floats(signed(random, 30))])
    const attended = graph.node('Attend', [biased], { heads: 2, factor: { float: 0.4 } })
    return graph.node('FromSequence', [graph.node('Softmax', [attended], { axis: 2 })])
  },
}

describe('other operators', () => {
  it.each(Object.entries(chains))('%s', async (_title, build) => {
    await expectSame({ seed: 5, channels: 6, height: 6, width: 8, build }, 2e-6)
  })

  it('shares of one pixel', async () => {
    const build: Build = (graph, input, random) => {
      const pooled = graph.node('GlobalAveragePool', [input])
      return graph.node('Softmax', [conv(graph, pooled, random, 5)], { axis: 1 })
    }
    await expectSame({ seed: 6, channels: 6, height: 4, width: 4, build }, 2e-6)
  })

  it('a layer after shares of one pixel', async () => {
    const build: Build = (graph, input, random) => {
      const pooled = graph.node('GlobalAveragePool', [input])
      const shares = graph.node('Softmax', [conv(graph, pooled, random, 258)], { axis: 1 })
      return conv(graph, shares, random, 16, 258)
    }
    await expectSame({ seed: 28, channels: 6, height: 4, width: 4, build }, 1e-3, true)
  })

  it('the logistic function far from zero', async () => {
    const build: Build = (graph, input) =>
      graph.node('Sigmoid', [graph.node('Mul', [input, graph.floats([300], [])])])
    await expectSame({ seed: 7, channels: 4, height: 3, width: 3, build }, 1e-6)
  })
})

describe('chains of convolutions on long pictures, computed band by band', () => {
  /** A pointwise convolution, a depthwise one, and what may follow. */
  const chain =
    (window: Omit<Convolution, 'out'>, last: Build): Build =>
    (graph, input, random) => {
      const wide = addConvolution(graph, input, 3, random, { out: 32, side: 1, stride: 1, pad: 0 })
      const deep = addConvolution(graph, wide, 32, random, { ...window, out: 32, isDepthwise: true })
      return last(graph, graph.node('Relu', [deep]), random)
    }
  const pool = single('MaxPool', { kernel_shape: [2, 2], strides: [2, 2] })
  const three = { side: 3, stride: 1, pad: 1 }
  const nothing: Build = (_graph, input) => input

  it.each<[string, Build]>([
    ['3 × 3', chain(three, nothing)],
    ['3 × 3 and a pool', chain(three, pool)],
    ['3 × 3 with a stride of 2, SAME padding, and a pool', chain({ side: 3, stride: 2, pad: 'same' }, pool)],
    [
      'activations between and behind',
      (graph, input, random) => {
        const wide = addConvolution(graph, input, 3, random, { out: 32, side: 1, stride: 1, pad: 0 })
        const active = graph.node('Add', [graph.node('HardSwish', [wide]), graph.floats([0.3])])
        const deep = addConvolution(graph, active, 32, random, { ...three, out: 32, isDepthwise: true })
        return pool(graph, graph.node('HardSwish', [deep]), random)
      },
    ],
    ['5 × 5', chain({ side: 5, stride: 1, pad: 2 }, nothing)],
    ['3 × 3 without padding', chain({ side: 3, stride: 1, pad: 0 }, nothing)],
    [
      'two of them',
      chain(three, (graph, input, random) => {
        const narrow = addConvolution(graph, input, 32, random, { out: 3, side: 1, stride: 1, pad: 0 })
        return chain(three, pool)(graph, narrow, random)
      }),
    ],
    [
      'after a convolution with a border',
      (graph, input, random) => {
        const first = addConvolution(graph, input, 3, random, { out: 3, side: 3, stride: 1, pad: 1 })
        return chain(three, pool)(graph, first, random)
      },
    ],
  ])('%s', async (_title, build) => {
    await expectSame({ seed: 9, channels: 3, height: 301, width: 64, build }, 2e-6)
    await expectSame({ seed: 9, channels: 3, height: 301, width: 64, build }, 1e-3, true)
  })

  it('3 × 3 and a pool on a wide picture', async () => {
    await expectSame({ seed: 9, channels: 3, height: 40, width: 640, build: chain(three, pool) }, 2e-6)
  })

  const wide: Build = (graph, input, random) =>
    graph.node('HardSwish', [
      addConvolution(graph, input, 3, random, { out: 32, side: 1, stride: 1, pad: 0 }),
    ])
  /** Twice as many rows and columns. */
  const unfold =
    (from: number, to: number): Build =>
    (graph, input, random) => {
      const weights = graph.floats(signed(random, from * to * 4), [from, to, 2, 2])
      const options = { kernel_shape: [2, 2], strides: [2, 2] }
      return graph.node('ConvTranspose', [input, weights, graph.floats(signed(random, to))], options)
    }
  /** Gates of 32 channels. */
  const gates: Build = (graph, input, random) => {
    const pooled = graph.node('GlobalAveragePool', [input])
    return graph.node('HardSigmoid', [conv(graph, pooled, random, 32, 32)], {
      alpha: { float: 0.2 },
      beta: { float: 0.5 },
    })
  }

  it.each<[string, { height: number; width: number }, Build]>([
    [
      'twice, with activations and a convolution between',
      { height: 64, width: 64 },
      (graph, input, random) => {
        const first = unfold(32, 24)(graph, wide(graph, input, random), random)
        const active = graph.node('Relu', [graph.node('Mul', [first, perChannel(graph, random, 24)])])
        const narrow = conv(graph, active, random, 8, 24)
        return graph.node('Sigmoid', [unfold(8, 1)(graph, narrow, random)])
      },
    ],
    [
      'a doubled value added to one that is there',
      { height: 66, width: 64 },
      (graph, input, random) => {
        const small = wide(graph, input, random)
        const large = unfold(32, 32)(graph, small, random)
        return graph.node('Add', [large, enlarge(graph, small, 2)])
      },
    ],
    [
      'a doubled value to which one is added that is needed later',
      { height: 66, width: 64 },
      (graph, input, random) => {
        const small = wide(graph, input, random)
        const large = unfold(32, 32)(graph, small, random)
        const sum = graph.node('Relu', [graph.node('Add', [enlarge(graph, small, 2), large])])
        return graph.node('Mul', [graph.node('Sigmoid', [sum]), large])
      },
    ],
    [
      'a value and its product with gates',
      { height: 150, width: 120 },
      (graph, input, random) => {
        const value = wide(graph, input, random)
        return graph.node('Add', [value, graph.node('Mul', [value, gates(graph, value, random)])])
      },
    ],
    [
      'a window around a value that is needed later',
      { height: 101, width: 96 },
      (graph, input, random) => {
        const value = wide(graph, input, random)
        const window = { out: 4, side: 3, stride: 1, pad: 1 } as const
        const once = graph.node('Sigmoid', [addConvolution(graph, value, 32, random, window)])
        const clipped = graph.node('Clip', [once], { min: { float: 0.3 }, max: { float: 0.7 } })
        return graph.node('Concat', [clipped, value], { axis: 1 })
      },
    ],
  ])('rows that become more, and sums: %s', async (_title, size, build) => {
    await expectSame({ seed: 11, channels: 3, ...size, build }, 2e-6)
    await expectSame({ seed: 11, channels: 3, ...size, build }, 1e-3, true)
  })

  it('take the room of a value that nothing else needs', async () => {
    const whole = 400 * 128 * 32 * 4
    const graph = new OnnxGraph('sums')
    const input = graph.input('x', [1, 3, 400, 128])
    const value = wide(graph, input, generator(3))
    const gated = graph.node('Add', [value, graph.node('Mul', [value, gates(graph, value, generator(4))])])
    const output = graph.node('Sigmoid', [graph.node('Sqrt', [graph.node('Mul', [gated, gated])])])
    graph.output(graph.node('Transpose', [output], { perm: [0, 2, 3, 1] }, 'y'), [1, 400, 128, 32])
    const { end } = arrange(makePlan(graph.toBytes(), { quantised: true }), { width: 128, height: 400 }, 0)
    // The input has 4 values per pixel.
    expect(end).toBeLessThan(whole + whole / 8 + 2 ** 21)
  })

  it('copy a part of the input at a time, where windows need a border', async () => {
    const whole = 400 * 128 * 32 * 4
    const graph = new OnnxGraph('window')
    const input = graph.input('x', [1, 3, 400, 128])
    const value = wide(graph, input, generator(3))
    const window = { out: 4, side: 3, stride: 1, pad: 1 } as const
    const output = addConvolution(graph, value, 32, generator(5), window)
    graph.output(graph.node('Transpose', [output], { perm: [0, 2, 3, 1] }, 'y'), [1, 400, 128, 4])
    const { end } = arrange(makePlan(graph.toBytes(), { quantised: true }), { width: 128, height: 400 }, 0)
    expect(end).toBeLessThan(whole + whole / 8 + 2 ** 21)
  })

  // Of the wide one, bands that fit into the cache would repeat half of their rows.
  it.each([
    ['narrow', 128, 2000],
    ['wide', 640, 400],
  ])('take much less memory than their inner values: %s', async (_, width, height) => {
    const inner = height * width * 32 * 4
    const graph = new OnnxGraph('long')
    const input = graph.input('x', [1, 3, height, width])
    const output = chain(three, pool)(graph, input, generator(3))
    const outputShape = [1, height / 2, width / 2, 32]
    graph.output(graph.node('Transpose', [output], { perm: [0, 2, 3, 1] }, 'y'), outputShape)
    const { end } = arrange(makePlan(graph.toBytes(), { quantised: true }), { width, height }, 0)
    // The input has 4 values per pixel, the output a quarter of the pixels.
    expect(end).toBeLessThan(inner / 8 + inner / 4 + 2 ** 21)
  })
})

describe('forms of operators that the kernel does not have', () => {
  const refusal = (build: Build) => {
    const graph = new OnnxGraph('form')
    const input = graph.input('x', [1, 6, 6, 6])
    const output = build(graph, input, generator(4))
    graph.output(graph.node('Transpose', [output], { perm: [0, 2, 3, 1] }, 'y'), [1, 1, 1, 1])
    return () => makePlan(graph.toBytes(), { quantised: false })
  }

  it.each<[string, Build, RegExp]>([
    [
      'sums of different sizes',
      (graph, input) =>
        graph.node('Add', [graph.node('MaxPool', [input], { kernel_shape: [2, 2], strides: [2, 2] }), input]),
      /3 × 3/,
    ],
    [
      'sums of different channels',
      (graph, input, random) => graph.node('Add', [input, conv(graph, input, random, 7)]),
      /different shapes/,
    ],
    [
      'the sum with one pixel',
      (graph, input) => graph.node('Add', [input, graph.node('GlobalAveragePool', [input])]),
      /different shapes/,
    ],
    [
      'a constant along the columns',
      (graph, input) => graph.node('Mul', [input, graph.floats([1, 2, 3, 4, 5, 6])]),
      /per channel/,
    ],
    [
      'mirrored padding',
      (graph, input) =>
        graph.node('Pad', [input, graph.integers([0, 0, 0, 0, 0, 0, 1, 1])], { mode: 'reflect' }),
      /other values/,
    ],
    [
      'doubling with other places',
      (graph, input) =>
        graph.node('Resize', [input, graph.floats([], [0]), graph.floats([1, 1, 2, 2])], {
          ...{ mode: 'nearest', nearest_mode: 'floor', coordinate_transformation_mode: 'half_pixel' },
        }),
      /doubling/,
    ],
    [
      'a matrix for many pixels',
      (graph, input, random) => graph.node('MatMul', [input, graph.floats(signed(random, 36), [6, 6])]),
      /one vector/,
    ],
    [
      'a scaled matrix',
      (graph, input, random) =>
        graph.node(
          'Gemm',
          [graph.node('GlobalAveragePool', [input]), graph.floats(signed(random, 36), [6, 6])],
          {
            alpha: { float: 0.5 },
          },
        ),
      /one vector/,
    ],
    [
      'windows in the padding',
      (graph, input, random) =>
        addConvolution(graph, input, 6, random, { out: 6, side: 3, stride: 1, pad: 3, isDepthwise: true }),
      /padding/,
    ],
    [
      'SAME pools of three',
      (graph, input) =>
        graph.node('MaxPool', [input], { kernel_shape: [3, 3], strides: [3, 3], auto_pad: 'SAME_UPPER' }),
      /window/,
    ],
  ])('%s', (_title, build, text) => {
    expect(refusal(build)).toThrow(UnsupportedNetwork)
    expect(refusal(build)).toThrow(text)
  })
})

describe('what our engine cannot run', () => {
  const withNode = (op: string, attributes = {}) => {
    const graph = new OnnxGraph('other')
    graph.output(graph.node(op, [graph.input('x', [1, 3, 8, 8])], attributes, 'y'), [1, 3, 8, 8])
    return graph.toBytes()
  }

  it.each([
    ['Erf', {}, /Erf is not supported/],
    ['Transpose', { perm: [0, 3, 1, 2] }, /axes/],
    ['MaxPool', { kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1] }, /window/],
    ['Relu', {}, /channels last/],
    ['Softmax', { axis: 1 }, /channels of one pixel/],
    ['Conv', { kernel_shape: [1, 1] }, /undefined is not a constant|not a constant/],
    ['Flatten', {}, /8 × 8 pixels instead of one/],
  ])('%s %j is refused', (op, attributes, text) => {
    expect(() => makePlan(withNode(op, attributes), { quantised: false })).toThrow(text)
  })

  it('is named in the error', () => {
    const files = new Map([['other', withNode('Erf')]])
    expect(() => planNetworks(files)).toThrow(/our engine cannot run other: .*Erf/)
  })

  it('is an error: a picture with other channels, values or sizes, or of what is no number', async () => {
    const graph = new OnnxGraph('window')
    const input = graph.input('x', [1, 3, 8, 8])
    const sum = addConvolution(graph, input, 3, generator(1), { out: 4, side: 5, stride: 1, pad: 0 })
    graph.output(graph.node('Transpose', [sum], { perm: [0, 2, 3, 1] }, 'y'), [1, 4, 4, 4])
    const engine = openOwnEngine(kernel, new Map([['a', makePlan(graph.toBytes(), { quantised: false })]]))
    const run = (model: string, ...shape: number[]) =>
      engine.run(model, { data: new Float32Array(4 * 64), shape })
    const noNumber = { data: new Float32Array(3 * 64).fill(Number.NaN), shape: [1, 3, 8, 8] }
    for (const answer of [
      run('a', 1, 4, 8, 8),
      run('a', 1, 3, 4, 8),
      run('a', 1, 3, 8, 8),
      run('a', 0, 3, 8, 8),
      run('b', 1, 3, 8, 8),
      engine.run('a', noNumber),
    ])
      await expect(answer).rejects.toMatchObject({ code: 'engine_unavailable' })
  })
})

describe('joining planes', () => {
  const { joinPlanes, memory, reserve } = openInferenceKernel(kernel)
  const [planesAt, out] = [1024, 8192]
  reserve(65_536)
  const floats = new Float32Array(memory.buffer)

  it.each([
    [1, 1, 1],
    [1, 7, 3],
    [3, 4, 2],
    [3, 5, 3],
    [4, 9, 2],
    [6, 6, 3],
  ])('puts %i planes of %i × %i together, and finds what is no number', (channels, width, height) => {
    const count = channels * width * height
    const pixel = Math.ceil(channels / 4) * 16
    const row = width * pixel + 32
    const join = () => joinPlanes(planesAt, channels, width, height, out, row, pixel)
    floats.fill(Number.NaN)
    const planes = floats.subarray(planesAt / 4, planesAt / 4 + count)
    for (let i = 0; i < count; i++) planes[i] = i + 1
    expect(join()).toBe(1)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const at = (out + y * row + x * pixel) / 4
        const expected = Array.from({ length: pixel / 4 }, (_, channel) =>
          channel < channels ? (channel * height + y) * width + x + 1 : 0,
        )
        expect([...floats.subarray(at, at + pixel / 4)]).toEqual(expected)
      }
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
      for (let i = 0; i < count; i++) {
        planes[i] = value
        expect([i, join()]).toEqual([i, 0])
        planes[i] = -3e38
      }
    expect(join()).toBe(1)
  })
})

describe('the networks of the profile', async () => {
  const { chosen, files } = await openModels(readSettings(process.env))
  const exact = await openLocalEngine(files, { quantised: false })
  const quantised = await openLocalEngine(files)
  const runtime = await openReferenceEngine(files)

  it.each(chosen.entries.map((entry) => [entry.id, entry] as const))('%s', async (id, { golden }) => {
    const image = { data: goldenInput(golden), shape: golden.shape }
    const expected = await runtime.run(id, image)
    const plain = await exact.run(id, image)
    const coarse = await quantised.run(id, image)
    for (const [name, { data, shape }] of Object.entries(expected)) {
      const scale = data.reduce((most, value) => Math.max(most, Math.abs(value)), 1)
      const deviation = (outputs: Record<string, Tensor>) =>
        data.reduce((most, value, i) => Math.max(most, Math.abs(value - outputs[name]!.data[i]!)), 0) / scale
      expect(plain[name]!.shape, name).toEqual(shape)
      expect(deviation(plain), name).toBeLessThan(2e-5)
      expect(deviation(coarse), name).toBeLessThan(1e-2)
    }
  })

  it('take several pictures at once', async () => {
    const { template } = chosen.profile
    const { golden } = chosen.entries.find(({ id }) => id === template)!
    const one = goldenInput(golden)
    const other = one.map((value) => golden.range - value)
    const both = new Float32Array(one.length * 2)
    both.set(one)
    both.set(other, one.length)
    const run = async (data: Float32Array, count: number) =>
      (await exact.run(template, { data, shape: [count, ...golden.shape.slice(1)] }))[golden.output]!
    const [first, second, joined] = [await run(one, 1), await run(other, 1), await run(both, 2)]
    expect(joined.shape).toEqual([2, ...first.shape.slice(1)])
    expect([...joined.data]).toEqual([...first.data, ...second.data])
  })
})
