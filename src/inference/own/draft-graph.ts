import type { OnnxFile, OnnxNode } from '../onnx-reader.ts'
import type { Constant } from './constants.ts'
import type { DraftStep } from './draft.ts'
import type { PlanOutput } from './plan.ts'
import { UnsupportedNetwork } from './unsupported-network.ts'

/** A name of the graph that stands for a value. */
export interface DraftTensor {
  value: number
  /** One pixel: the shape `[1,channels,1,1]` or `[1,channels]`. */
  isVector: boolean
  /** The shape that the graph gave to it, with its channels last; `null` for `[1,C,H,W]`. */
  shape: readonly number[] | null
}

/** Whether a tensor is `[1,pixels,channels]`. */
export const isSequence = (shape: readonly number[] | null): boolean => shape?.length === 3

/** What the names of a graph stand for, and the steps that have been drafted. */
export class DraftGraph {
  readonly channels: number[] = []
  readonly steps: DraftStep[] = []
  readonly onePixel = new Set<number>()
  readonly #tensors = new Map<string, DraftTensor>()
  readonly #makers = new Map<string, DraftStep>()
  readonly #constants: ReadonlyMap<string, Constant>
  /** How many nodes and outputs use a name. */
  readonly #uses = new Map<string, number>()
  /** And the values of a constant, which may have several names. */
  readonly #valueUses = new Map<Float32Array, number>()

  constructor(file: OnnxFile, nodes: readonly OnnxNode[], constants: ReadonlyMap<string, Constant>) {
    this.#constants = constants
    for (const name of [...nodes.flatMap(({ inputs }) => inputs), ...file.outputs.map(([name]) => name)])
      this.#uses.set(name, (this.#uses.get(name) ?? 0) + 1)
    for (const [name, count] of this.#uses) {
      const values = constants.get(name)?.values
      if (values) this.#valueUses.set(values, (this.#valueUses.get(values) ?? 0) + count)
    }
    const [input, ...others] = file.inputs
    const channels = input?.[1][1]
    if (!input || others.length > 0 || input[1].length !== 4 || typeof channels !== 'number')
      throw new UnsupportedNetwork('the network does not have one input [N,C,H,W]')
    this.define(input[0], { value: this.#newValue(channels), isVector: false, shape: null })
  }

  #newValue(channels: number): number {
    return this.channels.push(channels) - 1
  }

  define(name: string | undefined, tensor: DraftTensor): void {
    this.#tensors.set(name ?? '', tensor)
  }

  tensor(name: string | undefined): DraftTensor {
    const tensor = this.#tensors.get(name ?? '')
    if (!tensor) throw new UnsupportedNetwork(`the value ${name} is not known`)
    return tensor
  }

  constant(name: string | undefined): Constant {
    const constant = this.#constants.get(name ?? '')
    if (!constant) throw new UnsupportedNetwork(`${name} is not a constant`)
    return constant
  }

  /** A constant whose values may be changed: a copy, unless nothing else uses them. */
  ownConstant(name: string | undefined): Constant {
    const { shape, values } = this.constant(name)
    return { shape, values: this.#valueUses.get(values) === 1 ? values : values.slice() }
  }

  /** The shape that the graph gave to a tensor; `null` for others, and for constants. */
  shapeOf(name: string | undefined): readonly number[] | null {
    return this.#tensors.get(name ?? '')?.shape ?? null
  }

  isConstant(name: string): boolean {
    return this.#constants.has(name)
  }

  /** A constant that is combined with a tensor and has one number per channel. */
  alongChannels(name: string | undefined, { value, isVector, shape: given }: DraftTensor): Float32Array {
    const { shape } = this.constant(name)
    if (isSequence(given) && shape.length === 1) return this.perChannel(name, this.channels[value]!)
    // Shapes are aligned at their end: without rows and columns, `[C]` would run along the columns.
    const isAligned = shape.length < 3 || (shape.at(-1) === 1 && shape.at(-2) === 1)
    const isSingle = shape.every((size) => size === 1)
    if (!isSingle && !(isVector ? isAligned : isAligned && shape.length >= 3))
      throw new UnsupportedNetwork(`the constant ${name} does not have one number per channel`)
    return this.perChannel(name, this.channels[value]!)
  }

  /** A constant with one number per channel. */
  perChannel(name: string | undefined, channels: number): Float32Array {
    const { values } = this.constant(name)
    if (values.length === channels) return values
    if (values.length === 1) return new Float32Array(channels).fill(values[0]!)
    throw new UnsupportedNetwork(`the constant ${name} does not have one number per channel`)
  }

  /** The step that makes the value of this name, if nothing else uses it: then the next node can be folded into it. */
  soleMaker(name: string | undefined): DraftStep | null {
    return this.#uses.get(name ?? '') === 1 ? (this.#makers.get(name ?? '') ?? null) : null
  }

  /** Adds a step that makes a new value. */
  add(node: OnnxNode, channels: number, isVector: boolean, toStep: (output: number) => DraftStep): void {
    const value = this.#newValue(channels)
    const step = toStep(value)
    this.steps.push(step)
    this.#makers.set(node.outputs[0] ?? '', step)
    this.define(node.outputs[0], { value, isVector, shape: null })
  }

  /** The output of a node has a shape that the graph gave to its input. */
  keepShape({ outputs: [name] }: OnnxNode, shape: readonly number[] | null): void {
    this.define(name, { ...this.tensor(name), shape })
  }

  /** The node became part of the step that makes its input. */
  fold(node: OnnxNode, tensor: DraftTensor, maker: DraftStep): void {
    this.#makers.set(node.outputs[0] ?? '', maker)
    this.define(node.outputs[0], tensor)
  }

  channelsOf(name: string | undefined): number {
    return this.channels[this.tensor(name).value]!
  }

  toOutput(name: string): PlanOutput {
    const constant = this.#constants.get(name)
    if (constant) return { name, value: null, constant: constant.values, shape: constant.shape }
    const { value, shape, isVector } = this.tensor(name)
    if (!shape && !isVector && this.channels[value] === 1) return { name, value, shape: null }
    if (!shape && !isVector)
      throw new UnsupportedNetwork(`the output ${name} does not have its channels last`)
    return { name, value, shape: shape ?? [1, -1, 1, 1] }
  }
}
