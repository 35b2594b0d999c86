import * as ort from 'onnxruntime-web'
import { describe, expect, it } from 'vitest'
import { OnnxGraph } from '../../../src/conversion/onnx-graph.ts'
import {
  addWeight,
  decodeWeight,
  permuteAxes,
  readStoredWeights,
  type StoredWeight,
} from '../../../src/conversion/stored-weights.ts'
import { convertTfjsGraph, type TfjsModel } from '../../../src/conversion/tfjs-to-onnx.ts'
import { readTorchState } from '../../../src/conversion/torch-state.ts'
import { concat } from '../../fixtures/pictures.ts'

async function run(bytes: Uint8Array, name: string, data: number[], dims: number[]): Promise<number[]> {
  const session = await ort.InferenceSession.create(bytes, { executionProviders: ['wasm'] })
  const outputs = await session.run({ [name]: new ort.Tensor('float32', Float32Array.from(data), dims) })
  return [...(Object.values(outputs)[0]!.data as Float32Array)]
}

const stored = (change: Partial<StoredWeight>): StoredWeight => ({
  name: 'w',
  shape: [2, 3],
  type: 'uint8',
  scale: 0.5,
  min: -1,
  data: Uint8Array.of(0, 1, 2, 3, 4, 5),
  ...change,
})

describe('ONNX files', () => {
  it('written ONNX files run in the ONNX runtime', async () => {
    const graph = new OnnxGraph('sum')
    const x = graph.input('x', ['n', 2])
    graph.node('Add', [x, graph.floats([10, 20])], {}, 'y')
    graph.output('y', ['n', 2])
    expect(await run(graph.toBytes(), 'x', [1, 2, 3, 4], [2, 2])).toEqual([11, 22, 13, 24])
  })

  it('stored weights of ONNX files are decoded exactly', async () => {
    const graph = new OnnxGraph('weights')
    const x = graph.input('x', [2, 3])
    graph.node('Mul', [x, addWeight(graph, stored({}))], {}, 'y')
    graph.output('y', [2, 3])
    expect(await run(graph.toBytes(), 'x', [1, 1, 1, 1, 1, 1], [2, 3])).toEqual([-1, -0.5, 0, 0.5, 1, 1.5])
  })
})

describe('stored weights', () => {
  it('stored weights are cut out of the file in order', () => {
    const entries = [
      { name: 'a', shape: [2], dtype: 'float32' },
      { name: 'b', shape: [3], dtype: 'float32', quantization: { dtype: 'uint8', scale: 2, min: 1 } },
    ]
    const bytes = concat(new Uint8Array(Float32Array.of(1.5, -2).buffer), Uint8Array.of(0, 1, 2))
    const weights = readStoredWeights(entries, bytes)
    expect([...decodeWeight(weights.get('a')!)]).toEqual([1.5, -2])
    expect([...decodeWeight(weights.get('b')!)]).toEqual([1, 3, 5])
    expect(() => readStoredWeights(entries, bytes.subarray(1))).toThrow(TypeError)
  })

  it('stored weights are reordered by axes', () => {
    const turned = permuteAxes(stored({}), [1, 0])
    expect(turned.shape).toEqual([3, 2])
    expect([...turned.data]).toEqual([0, 3, 1, 4, 2, 5])
  })

  it('weights of half precision are decoded', () => {
    const halves = Uint16Array.of(0x3c00, 0xc000, 0x0001, 0x7bff)
    const values = decodeWeight(stored({ type: 'float16', shape: [4], data: new Uint8Array(halves.buffer) }))
    expect([...values]).toEqual([1, -2, Math.fround(2 ** -24), 65504])
  })
})

describe('TensorFlow.js graphs', () => {
  const constant = (name: string) => ({ name, op: 'Const' })
  const model = (op: string): TfjsModel => ({
    modelTopology: {
      node: [
        { name: 'in', op: 'Placeholder' },
        constant('filter'),
        constant('slope'),
        {
          name: 'conv',
          op: '_FusedConv2D',
          input: ['in', 'filter', 'bias'],
          attr: {
            strides: { list: { i: ['1', '1', '1', '1'] } },
            padding: { s: btoa('VALID') },
            fused_ops: { list: { s: [btoa('BiasAdd')] } },
          },
        },
        { name: 'out', op, input: ['conv', 'slope'] },
      ],
    },
    weightsManifest: [
      {
        weights: [
          { name: 'filter', shape: [1, 1, 3, 2], dtype: 'float32' },
          { name: 'bias', shape: [2], dtype: 'float32' },
          { name: 'slope', shape: [1, 1, 2], dtype: 'float32' },
        ],
      },
    ],
  })
  // Channels last: filter[input channel][output channel], then bias, then slopes.
  const bytes = new Uint8Array(Float32Array.of(1, 0, 0, 1, 1, -1, 0.5, -3, 0.1, 0.2).buffer)
  const conversion = {
    name: 't',
    inputSize: [1, 1],
    outputs: { y: { node: 'out', shape: [1, 2, 1, 1] } },
  } as const

  it('TensorFlow.js graphs become channels first', async () => {
    const onnx = convertTfjsGraph(model('Prelu'), bytes, conversion)
    // conv = (a + c + 0.5, b − c − 3) = (4.5, −4), then the negative one times its slope 0.2
    const [first, second] = await run(onnx, 'image', [1, 2, 3], [1, 3, 1, 1])
    expect(first).toBeCloseTo(4.5, 6)
    expect(second).toBeCloseTo(-0.8, 6)
  })

  it('a TensorFlow.js graph with an unknown operator is refused', () => {
    expect(() => convertTfjsGraph(model('Softplus'), bytes, conversion)).toThrow(/Softplus/)
  })
})

describe('PyTorch checkpoints', () => {
  const text = (value: string) => {
    const encoded = new TextEncoder().encode(value)
    const head = new Uint8Array(5)
    head[0] = 0x58
    new DataView(head.buffer).setUint32(1, encoded.length, true)
    return concat(head, encoded)
  }
  const raw = (...bytes: (number | string)[]) =>
    concat(
      ...bytes.map((item) =>
        typeof item === 'number' ? Uint8Array.of(item) : new TextEncoder().encode(item),
      ),
    )
  const proto = raw(0x80, 2)
  const none = raw(0x80, 2, 'N.')

  /** A checkpoint with the tensor `w` of shape [2, 2], stored from element 1 on. */
  function checkpoint(callable = 'torch._utils\n_rebuild_tensor_v2\n'): Uint8Array {
    const storage = concat(
      raw('(('),
      text('storage'),
      raw('ctorch\nFloatStorage\n'),
      text('key'),
      text('cpu'),
      raw('K', 5, 'NtQ'),
    )
    const tensor = concat(
      raw('c', callable),
      storage,
      raw('K', 1, 'K', 2, 'K', 2, 0x86, 'K', 2, 'K', 1, 0x86, 0x89, '}tR'),
    )
    const state = concat(proto, raw('}'), text('w'), tensor, raw('s.'))
    const keys = concat(proto, raw(']('), text('key'), raw('e.'))
    const count = new Uint8Array(8)
    new DataView(count.buffer).setBigInt64(0, 5n, true)
    return concat(none, none, none, state, keys, count, new Uint8Array(Float32Array.of(9, 1, 2, 3, 4).buffer))
  }

  it('tensors are read from PyTorch checkpoints', () => {
    const tensor = readTorchState(checkpoint()).get('w')
    expect(tensor?.shape).toEqual([2, 2])
    expect([...(tensor?.data ?? [])]).toEqual([1, 2, 3, 4])
  })

  it('a PyTorch checkpoint that calls a function is refused', () => {
    expect(() => readTorchState(checkpoint('os\nsystem\n'))).toThrow(/os system/)
  })
})
