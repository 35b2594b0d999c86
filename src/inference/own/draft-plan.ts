import type { OnnxFile, OnnxNode } from '../onnx-reader.ts'
import { foldConstants } from './constants.ts'
import type { Draft } from './draft.ts'
import { DraftGraph, type DraftTensor, isSequence } from './draft-graph.ts'
import { attend, fromSequence, normalisePixels, toSequence } from './draft-sequence.ts'
import { averageWindow, unfoldPixels } from './draft-window.ts'
import { fuseNodes } from './fuse.ts'
import { readNumber, readNumbers, readPadding, readStride, readStrides } from './node-attributes.ts'
import { isBare } from './plan.ts'
import { UnsupportedNetwork } from './unsupported-network.ts'

/** `[rows,columns]` to `[columns,rows]`. */
function transpose(values: Float32Array, rows: number, columns: number): Float32Array {
  const out = new Float32Array(values.length)
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      out[column * rows + row] = values[row * columns + column]!
  return out
}

const isUniform = (values: Float32Array) => values.every((value) => value === values[0])

/** Operators whose output has the shape of their input. */
const isElementwise = new Set(['Add', 'Sub', 'Mul', 'Div', 'Relu', 'PRelu'])

const ones = (length: number) => new Float32Array(length).fill(1)

/** Translates the nodes of a graph one by one, and folds what can be into the step before. */
class Drafting {
  readonly #graph: DraftGraph

  constructor(graph: DraftGraph) {
    this.#graph = graph
  }

  #convolve(node: OnnxNode): void {
    const [name, weightName, biasName] = node.inputs
    const { value: input, isVector } = this.#graph.tensor(name)
    const { shape, values: weights } = this.#graph.ownConstant(weightName)
    const [outChannels = 0, perGroup = 0, rows = 1, columns = 1] = shape
    const inChannels = this.#graph.channels[input]!
    const groups = readNumber(node, 'group', 1)
    const [stride, columnStride] = readStrides(node)
    const shared = {
      ...{ input, inChannels, outChannels, rows, columns, weights, slope: null },
      ...{ stride, columnStride },
      padding: readPadding(node),
      bias: biasName ? this.#graph.perChannel(biasName, outChannels).slice() : new Float32Array(outChannels),
    }
    if (groups === 1 && perGroup === inChannels)
      this.#graph.add(node, outChannels, isVector, (output) => ({
        kind: 'convolve',
        residual: null,
        output,
        ...shared,
      }))
    else if (groups === inChannels && outChannels === inChannels)
      this.#graph.add(node, outChannels, isVector, (output) => ({
        kind: 'convolve-depthwise',
        output,
        ...shared,
      }))
    else
      throw new UnsupportedNetwork(
        `the node ${node.outputs[0]} has ${groups} groups for ${inChannels} channels`,
      )
  }

  /** `[1,K]` or `[1,pixels,K]` times a matrix: a convolution of single pixels. */
  #multiplyMatrix(node: OnnxNode, isTransposed: boolean): void {
    const { value: input, isVector, shape: given } = this.#graph.tensor(node.inputs[0])
    const isPlain = readNumber(node, 'alpha', 1) === 1 && readNumber(node, 'beta', 1) === 1
    if (!(isVector || isSequence(given)) || !isPlain || readNumber(node, 'transA', 0) !== 0)
      throw new UnsupportedNetwork(
        `the node ${node.outputs[0]} multiplies other than one vector and a matrix`,
      )
    const { shape, values } = this.#graph.ownConstant(node.inputs[1])
    const [first = 0, second = 0] = shape
    const [outChannels, inChannels] = isTransposed ? [first, second] : [second, first]
    if (inChannels !== this.#graph.channels[input])
      throw new UnsupportedNetwork(`the matrix of ${node.outputs[0]} has ${inChannels} rows`)
    const weights = isTransposed ? values : transpose(values, inChannels, outChannels)
    const bias = node.inputs[2]
      ? this.#graph.perChannel(node.inputs[2], outChannels).slice()
      : new Float32Array(outChannels)
    this.#graph.add(node, outChannels, isVector, (output) => ({
      ...{
        kind: 'convolve',
        residual: null,
        slope: null,
        stride: 1,
        columnStride: 1,
        rows: 1,
        columns: 1,
        padding: [0, 0, 0, 0],
      },
      ...{ input, output, inChannels, outChannels, weights, bias },
    }))
    this.#graph.keepShape(node, isVector ? [1, -1] : [1, -1, outChannels])
  }

  /** `factor · x + shift` per channel: folded into a convolution before it, else a step. */
  #scale(node: OnnxNode, name: string | undefined, factor: Float32Array, shift: Float32Array): void {
    const tensor = this.#graph.tensor(name)
    const maker = this.#graph.soleMaker(name)
    if (maker && 'weights' in maker && !maker.slope && !('residual' in maker && maker.residual !== null)) {
      const perChannel = maker.weights.length / maker.outChannels
      for (let out = 0, at = 0; out < maker.outChannels; out++)
        for (const end = at + perChannel; at < end; at++)
          maker.weights[at] = maker.weights[at]! * factor[out]!
      maker.bias = maker.bias.map((bias, i) => bias * factor[i]! + shift[i]!)
      this.#graph.fold(node, tensor, maker)
      return
    }
    if (maker?.kind === 'hard-swish' && isUniform(factor) && isUniform(shift)) {
      maker.factor *= factor[0]!
      maker.shift = maker.shift * factor[0]! + shift[0]!
      this.#graph.fold(node, tensor, maker)
      return
    }
    if (maker?.kind === 'scale' && 'constant' in maker.factor && !maker.slope) {
      maker.factor = { constant: maker.factor.constant.map((value, i) => value * factor[i]!) }
      maker.shift = maker.shift.map((value, i) => value * factor[i]! + shift[i]!)
      this.#graph.fold(node, tensor, maker)
      return
    }
    this.#graph.add(node, factor.length, tensor.isVector, (output) => ({
      ...{ kind: 'scale', input: tensor.value, output, factor: { constant: factor }, shift, slope: null },
    }))
  }

  #normalise(node: OnnxNode): void {
    const [name, ...parameters] = node.inputs
    const channels = this.#graph.channels[this.#graph.tensor(name).value]!
    const [gain, offset, mean, variance] = parameters.map((item) => this.#graph.perChannel(item, channels))
    const epsilon = readNumber(node, 'epsilon', 1e-5)
    const factor = gain!.map((value, i) => value / Math.sqrt(variance![i]! + epsilon))
    this.#scale(
      node,
      name,
      factor,
      offset!.map((value, i) => value - mean![i]! * factor[i]!),
    )
  }

  #activate(node: OnnxNode, slope: Float32Array): void {
    const [name] = node.inputs
    const tensor = this.#graph.tensor(name)
    const maker = this.#graph.soleMaker(name)
    if (maker && 'slope' in maker && !maker.slope) {
      maker.slope = slope
      this.#graph.fold(node, tensor, maker)
      return
    }
    this.#graph.add(node, slope.length, tensor.isVector, (output) => ({
      ...{ kind: 'scale', input: tensor.value, output, slope },
      ...{ factor: { constant: ones(slope.length) }, shift: new Float32Array(slope.length) },
    }))
  }

  /** Adds two values. If the younger one is made by a convolution alone, the convolution adds the other. */
  #addValues(node: OnnxNode, a: string, b: string): void {
    const tensors = [this.#graph.tensor(a), this.#graph.tensor(b)] as const
    if (
      this.#graph.channelsOf(a) !== this.#graph.channelsOf(b) ||
      tensors[0].isVector !== tensors[1].isVector
    )
      throw new UnsupportedNetwork(`the node ${node.outputs[0]} adds values of different shapes`)
    const [older, younger] = tensors[0].value < tensors[1].value ? [a, b] : [b, a]
    const [other, sum] = [this.#graph.tensor(older), this.#graph.tensor(younger)]
    const maker = this.#graph.soleMaker(younger)
    if (maker?.kind === 'convolve' && !maker.slope && maker.residual === null) {
      maker.residual = other.value
      this.#graph.fold(node, sum, maker)
      return
    }
    this.#graph.add(node, this.#graph.channels[sum.value]!, sum.isVector, (output) => ({
      ...{ kind: 'add', input: other.value, other: sum.value, output, slope: null },
    }))
  }

  /** Add, Sub, Mul and Div, of two values or of a value and a constant per channel. */
  #combine(node: OnnxNode): void {
    const [a = '', b = ''] = node.inputs
    if (this.#graph.isConstant(a) && (node.op === 'Add' || node.op === 'Mul')) {
      this.#combine({ ...node, inputs: [b, a] })
    } else if (this.#graph.isConstant(b)) {
      const channels = this.#graph.channelsOf(a)
      const constant = this.#graph.alongChannels(b, this.#graph.tensor(a))
      const none = new Float32Array(channels)
      if (node.op === 'Mul' && constant.every((value) => value === 1))
        this.#graph.define(node.outputs[0], this.#graph.tensor(a))
      else if (node.op === 'Mul') this.#scale(node, a, constant, none)
      else if (node.op === 'Div')
        this.#scale(
          node,
          a,
          constant.map((value) => 1 / value),
          none,
        )
      else
        this.#scale(node, a, ones(channels), node.op === 'Add' ? constant : constant.map((value) => -value))
    } else if (node.op === 'Add') this.#addValues(node, a, b)
    else this.#multiplyValues(node, a, b)
  }

  /** Multiplies two values; one may have one pixel, which holds for all pixels of the other. */
  #multiplyValues(node: OnnxNode, a: string, b: string): void {
    const [first, second] = [this.#graph.tensor(a), this.#graph.tensor(b)]
    const [input, gate] = first.isVector ? [second, first] : [first, second]
    const channels = this.#graph.channels[input.value]!
    if (node.op !== 'Mul' || channels !== this.#graph.channels[gate.value])
      throw new UnsupportedNetwork(`the node ${node.outputs[0]} combines two values with ${node.op}`)
    if (input.isVector === gate.isVector)
      this.#graph.add(node, channels, input.isVector, (output) => ({
        ...{ kind: 'multiply', input: input.value, other: gate.value, output },
      }))
    else
      this.#graph.add(node, channels, false, (output) => ({
        ...{ kind: 'scale', input: input.value, output, factor: { value: gate.value }, slope: null },
        shift: new Float32Array(channels),
      }))
  }

  #concatenate(node: OnnxNode): void {
    const [first = '', second = '', ...others] = node.inputs
    if (others.length > 0) {
      const joined = `${node.outputs[0]}:${others.length}`
      this.#concatenate({ ...node, inputs: [first, second], outputs: [joined] })
      this.#concatenate({ ...node, inputs: [joined, ...others] })
      return
    }
    const [a, b] = [this.#graph.tensor(first), this.#graph.tensor(second)]
    if (readNumber(node, 'axis', 0) !== 1 || a.isVector !== b.isVector)
      throw new UnsupportedNetwork(
        `the node ${node.outputs[0]} joins other things than the channels of two values`,
      )
    const channels = this.#graph.channels[a.value]! + this.#graph.channels[b.value]!
    this.#graph.add(node, channels, a.isVector, (output) => ({
      ...{ kind: 'concatenate', input: a.value, other: b.value, output },
    }))
  }

  #pool(node: OnnxNode): void {
    const { value: input } = this.#graph.tensor(node.inputs[0])
    const isGlobal = node.op === 'GlobalAveragePool' || node.op === 'ReduceMean'
    const { axes } = node.attributes
    if (node.op === 'ReduceMean' && String(axes) !== '2,3')
      throw new UnsupportedNetwork(`the node ${node.outputs[0]} averages other axes than rows and columns`)
    const [size = 1, columns = 1] = readNumbers(node, 'kernel_shape', [1, 1])
    const padding = readPadding(node)
    if (node.op === 'AveragePool' && size !== columns && isBare(padding)) {
      averageWindow(this.#graph, node, size, columns)
      return
    }
    const isPartial = padding === 'same' && size === 2 && readStride(node) === 2
    if (size !== columns || (!isPartial && !isBare(padding)) || readNumber(node, 'ceil_mode', 0) !== 0)
      throw new UnsupportedNetwork(`the node ${node.outputs[0]} has a window that is not supported`)
    const whole = 2 ** 15
    this.#graph.add(node, this.#graph.channels[input]!, isGlobal, (output) => ({
      ...{ kind: 'pool', input, output, isMean: node.op !== 'MaxPool' },
      ...{
        isPartial: isPartial || isGlobal,
        size: isGlobal ? whole : size,
        stride: isGlobal ? whole : readStride(node),
      },
    }))
  }

  /** `clip(alpha · x + beta, 0, 1)` */
  #hardSigmoid(node: OnnxNode): void {
    const channels = this.#graph.channelsOf(node.inputs[0])
    const scaled = `${node.outputs[0]}:scaled`
    this.#scale(
      ...([{ ...node, outputs: [scaled] }, node.inputs[0]] as const),
      ones(channels).fill(readNumber(node, 'alpha', 0.2)),
      ones(channels).fill(readNumber(node, 'beta', 0.5)),
    )
    this.#applyEach({ ...node, inputs: [scaled] }, { kind: 'clip', low: 0, high: 1 })
  }

  #extend(node: OnnxNode): void {
    const { value: input } = this.#graph.tensor(node.inputs[0])
    const { mode = 'constant' } = node.attributes
    const filling = node.inputs[2] ? this.#graph.constant(node.inputs[2]).values[0] : 0
    if (mode !== 'constant' || filling !== 0)
      throw new UnsupportedNetwork(`the node ${node.outputs[0]} pads with other values than zero`)
    const [, , top, left, , channels = 0, rows = 0, columns = 0] = this.#graph.constant(node.inputs[1]).values
    const [batch, before, , , after] = this.#graph.constant(node.inputs[1]).values
    if (batch || before || top || left || after)
      throw new UnsupportedNetwork(`the node ${node.outputs[0]} pads other sides than the last ones`)
    this.#graph.add(node, this.#graph.channels[input]! + channels, false, (output) => ({
      ...{ kind: 'extend', input, output, rows, columns },
    }))
  }

  #double(node: OnnxNode): void {
    const { value: input } = this.#graph.tensor(node.inputs[0])
    const factors = this.#graph.constant(node.inputs[2]).values
    const { mode, nearest_mode: rounding, coordinate_transformation_mode: places } = node.attributes
    const isKnown = mode === 'nearest' && rounding === 'floor' && places === 'asymmetric'
    const factor = factors[2]!
    const isPower = factor >= 2 && Number.isInteger(Math.log2(factor))
    if (!isKnown || !isPower || String(factors) !== `1,1,${factor},${factor}`)
      throw new UnsupportedNetwork(`the node ${node.outputs[0]} resizes other than by doubling`)
    let from = input
    for (let done = 1; done < factor; done *= 2) {
      const step = from
      this.#graph.add(node, this.#graph.channels[input]!, false, (output) => ({
        kind: 'double',
        input: step,
        output,
      }))
      from = this.#graph.tensor(node.outputs[0]).value
    }
  }

  /** A function of each value by itself. */
  #applyEach(
    node: OnnxNode,
    step:
      | { kind: 'clip'; low: number; high: number }
      | { kind: 'hard-swish'; factor: number; shift: number }
      | { kind: 'sigmoid' | 'square-root' | 'softmax' },
  ): void {
    const { value: input, isVector, shape } = this.#graph.tensor(node.inputs[0])
    this.#graph.add(node, this.#graph.channels[input]!, isVector, (output) => ({ ...step, input, output }))
    this.#graph.keepShape(node, shape)
  }

  #clip(node: OnnxNode): void {
    const limits = node.inputs.slice(1).map((name) => this.#graph.constant(name).values[0])
    const [low, high] = [
      limits[0] ?? readNumber(node, 'min', Number.NaN),
      limits[1] ?? readNumber(node, 'max', Number.NaN),
    ]
    if (Number.isNaN(low) || Number.isNaN(high))
      throw new UnsupportedNetwork(`the node ${node.outputs[0]} has no limits`)
    this.#applyEach(node, { kind: 'clip', low, high })
  }

  #softmax(node: OnnxNode): void {
    const { isVector, shape } = this.#graph.tensor(node.inputs[0])
    const axis = readNumber(node, 'axis', -1)
    const isLast = isSequence(shape)
      ? axis === 2 || axis === -1
      : axis === 1 || (axis === -1 && shape !== null)
    if (!(isVector || isSequence(shape)) || !isLast || (shape && shape.length > 3))
      throw new UnsupportedNetwork(`the node ${node.outputs[0]} shares other than the channels of one pixel`)
    this.#applyEach(node, { kind: 'softmax' })
  }

  /** A node that changes the shape but not the order of the values in memory. */
  #rename(node: OnnxNode): void {
    const tensor = this.#graph.tensor(node.inputs[0])
    this.#graph.define(node.outputs[0], this.#reshape(node, tensor))
  }

  #reshape(node: OnnxNode, tensor: DraftTensor): DraftTensor {
    if (node.op === 'Identity') return tensor
    if (node.op === 'Transpose') {
      const { perm } = node.attributes
      if (String(perm) !== '0,2,3,1')
        throw new UnsupportedNetwork(`the node ${node.outputs[0]} moves other axes than the channels`)
      return { ...tensor, shape: [1, -1, this.#graph.channels[tensor.value]!] }
    }
    const shape = node.op === 'Flatten' ? [1, -1] : [...this.#graph.constant(node.inputs[1]).values]
    if (shape.includes(0)) throw new UnsupportedNetwork(`the node ${node.outputs[0]} copies a dimension`)
    if (tensor.shape) return { ...tensor, shape }
    // In `[1,C,H,W]` the channels are not last: the order is the same for one pixel only.
    this.#graph.onePixel.add(tensor.value)
    return { ...tensor, isVector: true, shape }
  }

  readonly #translators: Readonly<Record<string, (node: OnnxNode) => void>> = {
    Conv: (node) => this.#convolve(node),
    Gemm: (node) => this.#multiplyMatrix(node, readNumber(node, 'transB', 0) === 1),
    MatMul: (node) => this.#multiplyMatrix(node, false),
    BatchNormalization: (node) => this.#normalise(node),
    Relu: (node) => this.#activate(node, new Float32Array(this.#graph.channelsOf(node.inputs[0]))),
    PRelu: (node) =>
      this.#activate(node, this.#graph.alongChannels(node.inputs[1], this.#graph.tensor(node.inputs[0]))),
    Add: (node) => this.#combine(node),
    Sub: (node) => this.#combine(node),
    Mul: (node) => this.#combine(node),
    Div: (node) => this.#combine(node),
    MaxPool: (node) => this.#pool(node),
    AveragePool: (node) => this.#pool(node),
    GlobalAveragePool: (node) => this.#pool(node),
    ReduceMean: (node) => this.#pool(node),
    Clip: (node) => this.#clip(node),
    HardSigmoid: (node) => this.#hardSigmoid(node),
    HardSwish: (node) => this.#applyEach(node, { kind: 'hard-swish', factor: 1, shift: 0 }),
    ConvTranspose: (node) => unfoldPixels(this.#graph, node),
    LayerNormalization: (node) => normalisePixels(this.#graph, node),
    Attend: (node) => attend(this.#graph, node),
    ToSequence: (node) => toSequence(this.#graph, node),
    FromSequence: (node) => fromSequence(this.#graph, node),
    Sigmoid: (node) => this.#applyEach(node, { kind: 'sigmoid' }),
    Sqrt: (node) => this.#applyEach(node, { kind: 'square-root' }),
    Softmax: (node) => this.#softmax(node),
    Concat: (node) => this.#concatenate(node),
    Pad: (node) => this.#extend(node),
    Resize: (node) => this.#double(node),
    Identity: (node) => this.#rename(node),
    Transpose: (node) => this.#rename(node),
    Flatten: (node) => this.#rename(node),
    Reshape: (node) => this.#rename(node),
  }

  translate(node: OnnxNode): void {
    const translator = Object.hasOwn(this.#translators, node.op) ? this.#translators[node.op] : undefined
    if (!translator) throw new UnsupportedNetwork(`the operator ${node.op} is not supported`)
    const given = node.inputs.map((name) => this.#graph.shapeOf(name)).find(isSequence) ?? null
    translator(node)
    if (isSequence(given) && isElementwise.has(node.op)) this.#graph.keepShape(node, given)
  }
}

/**
 * Translates an ONNX network into steps. Scales, shifts, activations and residuals become part of the convolution before them.
 * @throws {UnsupportedNetwork} if the network has an operator, or a form of one, that the kernel does not have
 */
export function draftPlan(original: OnnxFile): Draft {
  const file = fuseNodes(original)
  const { nodes, constants } = foldConstants(file)
  const graph = new DraftGraph(file, nodes, constants)
  const drafting = new Drafting(graph)
  for (const node of nodes) drafting.translate(node)
  const outputs = file.outputs.map(([name]) => graph.toOutput(name))
  const [, , height, width] = file.inputs[0]![1]
  const size = typeof height === 'number' && typeof width === 'number' ? { width, height } : null
  return { size, channels: graph.channels, steps: graph.steps, outputs, onePixel: graph.onePixel }
}
