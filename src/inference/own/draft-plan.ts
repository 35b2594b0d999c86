import type { OnnxFile, OnnxNode } from '../onnx-reader.ts'
import { type Constant, foldConstants } from './constants.ts'
import type { Draft, DraftStep } from './draft.ts'
import type { Padding, PlanOutput } from './plan.ts'
import { UnsupportedNetwork } from './unsupported-network.ts'

/** A name of the graph that stands for a value. */
interface Tensor {
  value: number
  /** One pixel: the shape `[1,channels,1,1]` or `[1,channels]`. */
  isVector: boolean
  /** The shape that the graph gave to it, with its channels last; `null` for `[1,C,H,W]`. */
  shape: readonly number[] | null
}

function readNumbers({ attributes }: OnnxNode, name: string, usual: readonly number[]): readonly number[] {
  const value = attributes[name]
  return Array.isArray(value) ? value : usual
}

function readNumber({ attributes }: OnnxNode, name: string, usual: number): number {
  const value = attributes[name]
  if (typeof value === 'number') return value
  return typeof value === 'object' && 'float' in value ? value.float : usual
}

function readPadding(node: OnnxNode): Padding {
  const { auto_pad: automatic = 'NOTSET' } = node.attributes
  if (automatic === 'SAME_UPPER') return 'same'
  if (automatic === 'VALID') return [0, 0, 0, 0]
  if (automatic !== 'NOTSET') throw new UnsupportedNetwork(`the padding ${String(automatic)} is unknown`)
  const [top = 0, left = 0, bottom = 0, right = 0] = readNumbers(node, 'pads', [])
  const { kernel_shape: sides = [1, 1] } = node.attributes
  const least = Array.isArray(sides) ? Math.min(...sides) : 1
  if (Math.max(top, left, bottom, right) >= Math.max(2, least))
    throw new UnsupportedNetwork(`the node ${node.outputs[0]} has windows that lie wholly in the padding`)
  return [top, left, bottom, right]
}

/** Rows and columns have the same stride, and taps no gaps: the kernel supports no other. */
function readStride(node: OnnxNode): number {
  const [rows = 1, columns = 1] = readNumbers(node, 'strides', [1, 1])
  if (rows !== columns) throw new UnsupportedNetwork(`the node ${node.outputs[0]} has unequal strides`)
  if (readNumbers(node, 'dilations', [1, 1]).some((step) => step !== 1))
    throw new UnsupportedNetwork(`the node ${node.outputs[0]} has dilated taps`)
  return rows
}

/** `[rows,columns]` to `[columns,rows]`. */
function transpose(values: Float32Array, rows: number, columns: number): Float32Array {
  const out = new Float32Array(values.length)
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      out[column * rows + row] = values[row * columns + column]!
  return out
}

const ones = (length: number) => new Float32Array(length).fill(1)

/** Whether no value is added by the padding. */
const isBare = (padding: Padding) => padding !== 'same' && padding.every((size) => size === 0)

/** Translates the nodes of a graph one by one, and folds what can be into the step before. */
class Drafting {
  readonly channels: number[] = []
  readonly steps: DraftStep[] = []
  readonly onePixel = new Set<number>()
  readonly #tensors = new Map<string, Tensor>()
  readonly #makers = new Map<string, DraftStep>()
  readonly #constants: ReadonlyMap<string, Constant>
  /** How many nodes and outputs use a name. */
  readonly #uses = new Map<string, number>()

  constructor(file: OnnxFile, nodes: readonly OnnxNode[], constants: ReadonlyMap<string, Constant>) {
    this.#constants = constants
    for (const name of [...nodes.flatMap(({ inputs }) => inputs), ...file.outputs.map(([name]) => name)])
      this.#uses.set(name, (this.#uses.get(name) ?? 0) + 1)
    const [input, ...others] = file.inputs
    const channels = input?.[1][1]
    if (!input || others.length > 0 || input[1].length !== 4 || typeof channels !== 'number')
      throw new UnsupportedNetwork('the network does not have one input [N,C,H,W]')
    this.#define(input[0], { value: this.#newValue(channels), isVector: false, shape: null })
  }

  #newValue(channels: number): number {
    return this.channels.push(channels) - 1
  }

  #define(name: string | undefined, tensor: Tensor): void {
    this.#tensors.set(name ?? '', tensor)
  }

  #tensor(name: string | undefined): Tensor {
    const tensor = this.#tensors.get(name ?? '')
    if (!tensor) throw new UnsupportedNetwork(`the value ${name} is not known`)
    return tensor
  }

  #constant(name: string | undefined): Constant {
    const constant = this.#constants.get(name ?? '')
    if (!constant) throw new UnsupportedNetwork(`${name} is not a constant`)
    return constant
  }

  /** A constant that is combined with a tensor and has one number per channel. */
  #alongChannels(name: string | undefined, { value, isVector }: Tensor): Float32Array {
    const { shape } = this.#constant(name)
    // Shapes are aligned at their end: without rows and columns, `[C]` would run along the columns.
    const isAligned = shape.length < 3 || (shape.at(-1) === 1 && shape.at(-2) === 1)
    const isSingle = shape.every((size) => size === 1)
    if (!isSingle && !(isVector ? isAligned : isAligned && shape.length >= 3))
      throw new UnsupportedNetwork(`the constant ${name} does not have one number per channel`)
    return this.#perChannel(name, this.channels[value]!)
  }

  /** A constant with one number per channel. */
  #perChannel(name: string | undefined, channels: number): Float32Array {
    const { values } = this.#constant(name)
    if (values.length === channels) return values
    if (values.length === 1) return new Float32Array(channels).fill(values[0]!)
    throw new UnsupportedNetwork(`the constant ${name} does not have one number per channel`)
  }

  /** The step that makes the value of this name, if nothing else uses it: then the next node can be folded into it. */
  #soleMaker(name: string | undefined): DraftStep | null {
    return this.#uses.get(name ?? '') === 1 ? (this.#makers.get(name ?? '') ?? null) : null
  }

  /** Adds a step that makes a new value. */
  #add(node: OnnxNode, channels: number, isVector: boolean, toStep: (output: number) => DraftStep): void {
    const value = this.#newValue(channels)
    const step = toStep(value)
    this.steps.push(step)
    this.#makers.set(node.outputs[0] ?? '', step)
    this.#define(node.outputs[0], { value, isVector, shape: null })
  }

  /** The node became part of the step that makes its input. */
  #fold(node: OnnxNode, tensor: Tensor, maker: DraftStep): void {
    this.#makers.set(node.outputs[0] ?? '', maker)
    this.#define(node.outputs[0], tensor)
  }

  #convolve(node: OnnxNode): void {
    const [name, weightName, biasName] = node.inputs
    const { value: input, isVector } = this.#tensor(name)
    const { shape, values: weights } = this.#constant(weightName)
    const [outChannels = 0, perGroup = 0, rows = 1, columns = 1] = shape
    const inChannels = this.channels[input]!
    const groups = readNumber(node, 'group', 1)
    const shared = {
      ...{ input, inChannels, outChannels, rows, columns, weights: weights.slice(), slope: null },
      stride: readStride(node),
      padding: readPadding(node),
      bias: biasName ? this.#perChannel(biasName, outChannels).slice() : new Float32Array(outChannels),
    }
    if (groups === 1 && perGroup === inChannels)
      this.#add(node, outChannels, isVector, (output) => ({
        kind: 'convolve',
        residual: null,
        output,
        ...shared,
      }))
    else if (groups === inChannels && outChannels === inChannels)
      this.#add(node, outChannels, isVector, (output) => ({ kind: 'convolve-depthwise', output, ...shared }))
    else
      throw new UnsupportedNetwork(
        `the node ${node.outputs[0]} has ${groups} groups for ${inChannels} channels`,
      )
  }

  /** `[1,K]` times a matrix: a convolution of one pixel. */
  #multiplyMatrix(node: OnnxNode, isTransposed: boolean): void {
    const { value: input, isVector } = this.#tensor(node.inputs[0])
    const isPlain = readNumber(node, 'alpha', 1) === 1 && readNumber(node, 'beta', 1) === 1
    if (!isVector || !isPlain || readNumber(node, 'transA', 0) !== 0)
      throw new UnsupportedNetwork(
        `the node ${node.outputs[0]} multiplies other than one vector and a matrix`,
      )
    const { shape, values } = this.#constant(node.inputs[1])
    const [first = 0, second = 0] = shape
    const [outChannels, inChannels] = isTransposed ? [first, second] : [second, first]
    if (inChannels !== this.channels[input])
      throw new UnsupportedNetwork(`the matrix of ${node.outputs[0]} has ${inChannels} rows`)
    const weights = isTransposed ? values.slice() : transpose(values, inChannels, outChannels)
    const bias = node.inputs[2]
      ? this.#perChannel(node.inputs[2], outChannels).slice()
      : new Float32Array(outChannels)
    this.#add(node, outChannels, true, (output) => ({
      ...{
        kind: 'convolve',
        residual: null,
        slope: null,
        stride: 1,
        rows: 1,
        columns: 1,
        padding: [0, 0, 0, 0],
      },
      ...{ input, output, inChannels, outChannels, weights, bias },
    }))
    this.#define(node.outputs[0], { ...this.#tensor(node.outputs[0]), shape: [1, -1] })
  }

  /** `factor · x + shift` per channel: folded into a convolution before it, else a step. */
  #scale(node: OnnxNode, name: string | undefined, factor: Float32Array, shift: Float32Array): void {
    const tensor = this.#tensor(name)
    const maker = this.#soleMaker(name)
    if (maker && 'weights' in maker && !maker.slope && !('residual' in maker && maker.residual !== null)) {
      const perChannel = maker.weights.length / maker.outChannels
      for (let out = 0, at = 0; out < maker.outChannels; out++)
        for (const end = at + perChannel; at < end; at++)
          maker.weights[at] = maker.weights[at]! * factor[out]!
      maker.bias = maker.bias.map((bias, i) => bias * factor[i]! + shift[i]!)
      this.#fold(node, tensor, maker)
      return
    }
    this.#add(node, factor.length, tensor.isVector, (output) => ({
      ...{ kind: 'scale', input: tensor.value, output, factor: { constant: factor }, shift, slope: null },
    }))
  }

  #normalise(node: OnnxNode): void {
    const [name, ...parameters] = node.inputs
    const channels = this.channels[this.#tensor(name).value]!
    const [gain, offset, mean, variance] = parameters.map((item) => this.#perChannel(item, channels))
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
    const tensor = this.#tensor(name)
    const maker = this.#soleMaker(name)
    if (maker && 'slope' in maker && !maker.slope) {
      maker.slope = slope
      this.#fold(node, tensor, maker)
      return
    }
    this.#add(node, slope.length, tensor.isVector, (output) => ({
      ...{ kind: 'scale', input: tensor.value, output, slope },
      ...{ factor: { constant: ones(slope.length) }, shift: new Float32Array(slope.length) },
    }))
  }

  /** Adds two values. If the younger one is made by a convolution alone, the convolution adds the other. */
  #addValues(node: OnnxNode, a: string, b: string): void {
    const tensors = [this.#tensor(a), this.#tensor(b)] as const
    if (this.#channelsOf(a) !== this.#channelsOf(b) || tensors[0].isVector !== tensors[1].isVector)
      throw new UnsupportedNetwork(`the node ${node.outputs[0]} adds values of different shapes`)
    const [older, younger] = tensors[0].value < tensors[1].value ? [a, b] : [b, a]
    const [other, sum] = [this.#tensor(older), this.#tensor(younger)]
    const maker = this.#soleMaker(younger)
    if (maker?.kind === 'convolve' && !maker.slope && maker.residual === null) {
      maker.residual = other.value
      this.#fold(node, sum, maker)
      return
    }
    this.#add(node, this.channels[sum.value]!, sum.isVector, (output) => ({
      ...{ kind: 'add', input: other.value, other: sum.value, output, slope: null },
    }))
  }

  /** Add, Sub, Mul and Div, of two values or of a value and a constant per channel. */
  #combine(node: OnnxNode): void {
    const [a = '', b = ''] = node.inputs
    if (this.#constants.has(a) && (node.op === 'Add' || node.op === 'Mul')) {
      this.#combine({ ...node, inputs: [b, a] })
    } else if (this.#constants.has(b)) {
      const channels = this.#channelsOf(a)
      const constant = this.#alongChannels(b, this.#tensor(a))
      const none = new Float32Array(channels)
      if (node.op === 'Mul') this.#scale(node, a, constant, none)
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
    const [first, second] = [this.#tensor(a), this.#tensor(b)]
    const [input, gate] = first.isVector ? [second, first] : [first, second]
    const channels = this.channels[input.value]!
    if (node.op !== 'Mul' || channels !== this.channels[gate.value])
      throw new UnsupportedNetwork(`the node ${node.outputs[0]} combines two values with ${node.op}`)
    if (input.isVector === gate.isVector)
      this.#add(node, channels, input.isVector, (output) => ({
        ...{ kind: 'multiply', input: input.value, other: gate.value, output },
      }))
    else
      this.#add(node, channels, false, (output) => ({
        ...{ kind: 'scale', input: input.value, output, factor: { value: gate.value }, slope: null },
        shift: new Float32Array(channels),
      }))
  }

  #concatenate(node: OnnxNode): void {
    const [a, b, ...others] = node.inputs.map((name) => this.#tensor(name))
    if (!a || !b || others.length > 0 || readNumber(node, 'axis', 0) !== 1 || a.isVector !== b.isVector)
      throw new UnsupportedNetwork(
        `the node ${node.outputs[0]} joins other things than the channels of two values`,
      )
    const channels = this.channels[a.value]! + this.channels[b.value]!
    this.#add(node, channels, a.isVector, (output) => ({
      ...{ kind: 'concatenate', input: a.value, other: b.value, output },
    }))
  }

  #pool(node: OnnxNode): void {
    const { value: input } = this.#tensor(node.inputs[0])
    const isGlobal = node.op === 'GlobalAveragePool' || node.op === 'ReduceMean'
    const { axes } = node.attributes
    if (node.op === 'ReduceMean' && String(axes) !== '2,3')
      throw new UnsupportedNetwork(`the node ${node.outputs[0]} averages other axes than rows and columns`)
    const [size = 1, columns = 1] = readNumbers(node, 'kernel_shape', [1, 1])
    const padding = readPadding(node)
    const isPartial = padding === 'same' && size === 2 && readStride(node) === 2
    if (size !== columns || (!isPartial && !isBare(padding)) || readNumber(node, 'ceil_mode', 0) !== 0)
      throw new UnsupportedNetwork(`the node ${node.outputs[0]} has a window that is not supported`)
    const whole = 2 ** 15
    this.#add(node, this.channels[input]!, isGlobal, (output) => ({
      ...{ kind: 'pool', input, output, isMean: node.op !== 'MaxPool' },
      ...{
        isPartial: isPartial || isGlobal,
        size: isGlobal ? whole : size,
        stride: isGlobal ? whole : readStride(node),
      },
    }))
  }

  #extend(node: OnnxNode): void {
    const { value: input } = this.#tensor(node.inputs[0])
    const { mode = 'constant' } = node.attributes
    const filling = node.inputs[2] ? this.#constant(node.inputs[2]).values[0] : 0
    if (mode !== 'constant' || filling !== 0)
      throw new UnsupportedNetwork(`the node ${node.outputs[0]} pads with other values than zero`)
    const [, , top, left, , channels = 0, rows = 0, columns = 0] = this.#constant(node.inputs[1]).values
    const [batch, before, , , after] = this.#constant(node.inputs[1]).values
    if (batch || before || top || left || after)
      throw new UnsupportedNetwork(`the node ${node.outputs[0]} pads other sides than the last ones`)
    this.#add(node, this.channels[input]! + channels, false, (output) => ({
      ...{ kind: 'extend', input, output, rows, columns },
    }))
  }

  #double(node: OnnxNode): void {
    const { value: input } = this.#tensor(node.inputs[0])
    const factors = this.#constant(node.inputs[2]).values
    const { mode, nearest_mode: rounding, coordinate_transformation_mode: places } = node.attributes
    const isKnown = mode === 'nearest' && rounding === 'floor' && places === 'asymmetric'
    if (!isKnown || String(factors) !== '1,1,2,2')
      throw new UnsupportedNetwork(`the node ${node.outputs[0]} resizes other than by doubling`)
    this.#add(node, this.channels[input]!, false, (output) => ({ kind: 'double', input, output }))
  }

  /** A function of each value by itself. */
  #applyEach(
    node: OnnxNode,
    step: { kind: 'clip'; low: number; high: number } | { kind: 'sigmoid' | 'square-root' | 'softmax' },
  ): void {
    const { value: input, isVector, shape } = this.#tensor(node.inputs[0])
    this.#add(node, this.channels[input]!, isVector, (output) => ({ ...step, input, output }))
    this.#define(node.outputs[0], { value: this.channels.length - 1, isVector, shape })
  }

  #clip(node: OnnxNode): void {
    const [low, high] = node.inputs.slice(1).map((name) => this.#constant(name).values[0])
    if (low === undefined || high === undefined)
      throw new UnsupportedNetwork(`the node ${node.outputs[0]} has no limits`)
    this.#applyEach(node, { kind: 'clip', low, high })
  }

  #softmax(node: OnnxNode): void {
    const { isVector, shape } = this.#tensor(node.inputs[0])
    const axis = readNumber(node, 'axis', -1)
    const isLast = axis === 1 || (axis === -1 && shape !== null)
    if (!isVector || !isLast || (shape && shape.length !== 2))
      throw new UnsupportedNetwork(`the node ${node.outputs[0]} shares other than the channels of one pixel`)
    this.#applyEach(node, { kind: 'softmax' })
  }

  /** A node that changes the shape but not the order of the values in memory. */
  #rename(node: OnnxNode): void {
    const tensor = this.#tensor(node.inputs[0])
    this.#define(node.outputs[0], this.#reshape(node, tensor))
  }

  #reshape(node: OnnxNode, tensor: Tensor): Tensor {
    if (node.op === 'Identity') return tensor
    if (node.op === 'Transpose') {
      const { perm } = node.attributes
      if (String(perm) !== '0,2,3,1')
        throw new UnsupportedNetwork(`the node ${node.outputs[0]} moves other axes than the channels`)
      return { ...tensor, shape: [1, -1, this.channels[tensor.value]!] }
    }
    const shape = node.op === 'Flatten' ? [1, -1] : [...this.#constant(node.inputs[1]).values]
    if (shape.includes(0)) throw new UnsupportedNetwork(`the node ${node.outputs[0]} copies a dimension`)
    if (tensor.shape) return { ...tensor, shape }
    // In `[1,C,H,W]` the channels are not last: the order is the same for one pixel only.
    this.onePixel.add(tensor.value)
    return { ...tensor, isVector: true, shape }
  }

  #channelsOf(name: string | undefined): number {
    return this.channels[this.#tensor(name).value]!
  }

  readonly #translators: Readonly<Record<string, (node: OnnxNode) => void>> = {
    Conv: (node) => this.#convolve(node),
    Gemm: (node) => this.#multiplyMatrix(node, readNumber(node, 'transB', 0) === 1),
    MatMul: (node) => this.#multiplyMatrix(node, false),
    BatchNormalization: (node) => this.#normalise(node),
    Relu: (node) => this.#activate(node, new Float32Array(this.#channelsOf(node.inputs[0]))),
    PRelu: (node) => this.#activate(node, this.#alongChannels(node.inputs[1], this.#tensor(node.inputs[0]))),
    Add: (node) => this.#combine(node),
    Sub: (node) => this.#combine(node),
    Mul: (node) => this.#combine(node),
    Div: (node) => this.#combine(node),
    MaxPool: (node) => this.#pool(node),
    AveragePool: (node) => this.#pool(node),
    GlobalAveragePool: (node) => this.#pool(node),
    ReduceMean: (node) => this.#pool(node),
    Clip: (node) => this.#clip(node),
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
    translator(node)
  }

  toOutput(name: string): PlanOutput {
    const { value, shape, isVector } = this.#tensor(name)
    if (!shape && !isVector)
      throw new UnsupportedNetwork(`the output ${name} does not have its channels last`)
    return { name, value, shape: shape ?? [1, -1, 1, 1] }
  }
}

/**
 * Translates an ONNX network into steps. Scales, shifts, activations and residuals become part of the convolution before them.
 * @throws {UnsupportedNetwork} if the network has an operator, or a form of one, that the kernel does not have
 */
export function draftPlan(file: OnnxFile): Draft {
  const { nodes, constants } = foldConstants(file)
  const drafting = new Drafting(file, nodes, constants)
  for (const node of nodes) drafting.translate(node)
  const outputs = file.outputs.map(([name]) => drafting.toOutput(name))
  const [, , height, width] = file.inputs[0]![1]
  const size = typeof height === 'number' && typeof width === 'number' ? { width, height } : null
  return { size, channels: drafting.channels, steps: drafting.steps, outputs, onePixel: drafting.onePixel }
}
