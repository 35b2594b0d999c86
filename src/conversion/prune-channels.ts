/**
 * Removes channels that change nothing. Training leaves such channels behind where it shrinks weights: half of those of some layers of
 * the `faceplugin` networks, many of them with weights so small that processors multiply them slowly.
 */
import {
  type Attribute,
  type Initializer,
  type OnnxFile,
  type OnnxNode,
  readFloats,
} from '../inference/onnx-reader.ts'

/** A convolution with its activation, as one step. */
interface Step {
  node: OnnxNode
  /** `[outChannels,perGroup,rows,columns]` */
  shape: readonly number[]
  weights: Float32Array
  bias: Float32Array
  activation: OnnxNode | null
  /** Factors below zero, one per channel. */
  slope: Float32Array | null
  /** The name of its result. */
  output: string
}

/**
 * A convolution, the depthwise ones that follow it, and the convolutions that read the last result. All results between have the same
 * channels, and nothing else reads them.
 */
interface Strand {
  steps: readonly Step[]
  readers: readonly Step[]
}

/** What is less than this share of the largest channel is lost in a float32 sum. */
const negligible = 2 ** -24

const tapsOf = ({ shape: [, , rows = 1, columns = 1] }: Step): number => rows * columns

const isDense = ({ node: { attributes } }: Step): boolean => (attributes.group ?? 1) === 1

const isDepthwise = ({ node: { attributes }, shape: [outChannels, perGroup] }: Step): boolean =>
  perGroup === 1 && outChannels !== 1 && attributes.group === outChannels

/** Whether the window of a convolution reads nothing outside its input. */
function readsInside({ node: { attributes } }: Step): boolean {
  const { pads, auto_pad: automatic = 'NOTSET' } = attributes
  const isBare = pads === undefined || (Array.isArray(pads) && pads.every((size) => size === 0))
  return isBare && (automatic === 'NOTSET' || automatic === 'VALID')
}

/** The graph of a file, by names. */
class Links {
  readonly #file: OnnxFile
  readonly #readers = new Map<string, OnnxNode[]>()
  readonly #outputs: ReadonlySet<string>

  constructor(file: OnnxFile) {
    this.#file = file
    this.#outputs = new Set(file.outputs.map(([name]) => name))
    for (const node of file.nodes)
      for (const name of node.inputs) this.#readers.set(name, [...(this.#readers.get(name) ?? []), node])
  }

  /** The nodes that read a result, once for each of their inputs; `null` if it is a result of the network as well. */
  readersOf(name: string): readonly OnnxNode[] | null {
    return this.#outputs.has(name) ? null : (this.#readers.get(name) ?? [])
  }

  /** The values of a constant that one node alone uses. */
  #ownFloats(name: string | undefined): { tensor: Initializer; values: Float32Array } | null {
    const tensor = this.#file.initializers.get(name ?? '')
    if (tensor?.type !== 'float32' || this.#readers.get(name!)?.length !== 1) return null
    return { tensor, values: readFloats(tensor) }
  }

  #slopeOf(activation: OnnxNode, channels: number): Float32Array | null {
    if (activation.op === 'Relu') return new Float32Array(channels)
    const slope = this.#ownFloats(activation.inputs[1])
    return slope?.values.length === channels ? slope.values : null
  }

  /** A convolution with constant weights, and the activation that alone reads it; `null` for other nodes. */
  step(node: OnnxNode): Step | null {
    const [weights, bias] = node.op === 'Conv' ? [1, 2].map((i) => this.#ownFloats(node.inputs[i])) : []
    const [output] = node.outputs
    if (!weights || !bias || output === undefined) return null
    const { shape } = weights.tensor
    const step = { node, shape, weights: weights.values, bias: bias.values }
    const [next, ...others] = this.readersOf(output) ?? []
    const isActive = others.length === 0 && (next?.op === 'PRelu' || next?.op === 'Relu')
    const slope = next && isActive ? this.#slopeOf(next, shape[0]!) : null
    return next && slope
      ? { ...step, activation: next, slope, output: next.outputs[0]! }
      : { ...step, activation: null, slope: null, output }
  }

  /** The convolutions that read a result; `null` if anything else does. */
  #readingSteps(name: string): Step[] | null {
    const readers = this.readersOf(name)
    const steps = readers?.flatMap((node) => this.step(node) ?? []) ?? []
    return steps.length > 0 && steps.length === readers!.length ? steps : null
  }

  /** The strand that begins with a convolution; `null` if there is none. */
  strand(head: Step): Strand | null {
    const steps = [head]
    for (;;) {
      const readers = this.#readingSteps(steps.at(-1)!.output)
      const [first, ...others] = readers ?? []
      if (first && others.length === 0 && isDepthwise(first)) steps.push(first)
      else return readers?.every(isDense) ? { steps, readers } : null
    }
  }
}

/** Sums of the absolute weights of each output channel. */
const sumWeights = ({ weights, shape: [outChannels = 0] }: Step): number[] => {
  const length = weights.length / outChannels
  return Array.from({ length: outChannels }, (_, out) =>
    weights.subarray(out * length, (out + 1) * length).reduce((sum, weight) => sum + Math.abs(weight), 0),
  )
}

/** The largest weights with which each output channel of a convolution reads each of its input channels. */
function findLargestWeights(step: Step): Float64Array[] {
  const [outChannels = 0, inChannels = 0] = step.shape
  const rows = Array.from({ length: outChannels }, () => new Float64Array(inChannels))
  const taps = tapsOf(step)
  for (const [at, weight] of step.weights.entries()) {
    const channel = Math.floor(at / taps)
    const row = rows[Math.floor(channel / inChannels)]!
    row[channel % inChannels] = Math.max(row[channel % inChannels]!, Math.abs(weight))
  }
  return rows
}

/** How much an input of at most 1 changes each channel of the last result, before its bias. */
function measureVariation(steps: readonly Step[]): number[] {
  let [varies, reaches]: [number[], number[] | null] = [[], null]
  for (const step of steps) {
    varies = sumWeights(step).map((sum, i) => sum * (reaches?.[i] ?? 1))
    reaches = varies.map(
      (most, i) => (most + Math.abs(step.bias[i]!)) * Math.max(1, Math.abs(step.slope?.[i] ?? 1)),
    )
  }
  return varies
}

/** The channels that change a sum of a reader, or whose constants its padding would interrupt. */
function findKept({ steps, readers }: Strand): number[] {
  const { bias } = steps.at(-1)!
  const varies = measureVariation(steps)
  const kept = new Set<number>()
  for (const reader of readers) {
    for (const row of findLargestWeights(reader)) {
      const shares = row.map((weight, channel) => weight * varies[channel]!)
      const least = Math.max(...shares) * negligible
      for (const [channel, share] of shares.entries()) if (share > least) kept.add(channel)
    }
    if (!readsInside(reader))
      for (const [channel, value] of bias.entries()) if (value !== 0) kept.add(channel)
  }
  // Every result has a channel.
  return kept.size > 0 ? [...kept].sort((a, b) => a - b) : [0]
}

/** Some parts of equal length, in their order. */
function pick(values: Float32Array, kept: readonly number[], length: number): Float32Array {
  const picked = new Float32Array(kept.length * length)
  for (const [to, from] of kept.entries())
    picked.set(values.subarray(from * length, (from + 1) * length), to * length)
  return picked
}

/** What a channel is where its weights change nothing. */
const toConstant = ({ bias, slope }: Step, channel: number): number => {
  const value = bias[channel]!
  return value < 0 ? value * (slope?.[channel] ?? 1) : value
}

/** What becomes of the nodes and constants of a file. */
class Pruning {
  readonly initializers: Map<string, Initializer>
  readonly #attributes = new Map<OnnxNode, Record<string, Attribute>>()

  constructor({ initializers }: OnnxFile) {
    this.initializers = new Map(initializers)
  }

  #set(name: string, shape: readonly number[], values: Float32Array): void {
    this.initializers.set(name, { type: 'float32', shape, data: new Uint8Array(values.buffer) })
  }

  /** Keeps some output channels of a convolution. */
  keepOutputs(step: Step, kept: readonly number[]): void {
    const [, weightName = '', biasName = ''] = step.node.inputs
    const [outChannels = 0, ...others] = step.shape
    const length = step.weights.length / outChannels
    this.#set(weightName, [kept.length, ...others], pick(step.weights, kept, length))
    this.#set(biasName, [kept.length], pick(step.bias, kept, 1))
    if (step.activation?.op === 'PRelu') {
      const name = step.activation.inputs[1]!
      const [, ...ones] = this.initializers.get(name)!.shape
      this.#set(name, [kept.length, ...ones], pick(step.slope!, kept, 1))
    }
    if (isDepthwise(step)) this.#attributes.set(step.node, { ...step.node.attributes, group: kept.length })
  }

  /**
   * Keeps some input channels of a convolution.
   * @param constants what each of the others is; of those that are kept, 0
   */
  keepInputs(reader: Step, kept: readonly number[], constants: readonly number[]): void {
    const [, weightName = '', biasName = ''] = reader.node.inputs
    const [outChannels = 0, inChannels = 0, ...window] = reader.shape
    const taps = tapsOf(reader)
    const bias = reader.bias.map((start, out) => {
      const length = inChannels * taps
      const row = reader.weights.subarray(out * length, (out + 1) * length)
      return row.reduce((sum, weight, at) => sum + weight * constants[Math.floor(at / taps)]!, start)
    })
    const rows = Array.from({ length: outChannels }, (_, out) => out * inChannels)
    const inputs = rows.flatMap((row) => kept.map((channel) => row + channel))
    this.#set(weightName, [outChannels, kept.length, ...window], pick(reader.weights, inputs, taps))
    this.#set(biasName, [outChannels], bias)
  }

  toNode(node: OnnxNode): OnnxNode {
    return { ...node, attributes: this.#attributes.get(node) ?? node.attributes }
  }
}

/**
 * Removes a channel between convolutions if what the input changes of it is lost in the float32 sums of those that read it. Its constant
 * becomes part of their bias.
 */
export function pruneChannels(file: OnnxFile): OnnxFile {
  let pruned = file
  for (const position of file.nodes.keys()) {
    const links = new Links(pruned)
    const head = links.step(pruned.nodes[position]!)
    const strand = head && isDense(head) ? links.strand(head) : null
    if (!strand) continue
    const kept = findKept(strand)
    const last = strand.steps.at(-1)!
    if (kept.length === last.bias.length) continue
    const constants = Array.from(last.bias, (_, i) => (kept.includes(i) ? 0 : toConstant(last, i)))
    const pruning = new Pruning(pruned)
    for (const step of strand.steps) pruning.keepOutputs(step, kept)
    for (const reader of strand.readers) pruning.keepInputs(reader, kept, constants)
    const nodes = pruned.nodes.map((node) => pruning.toNode(node))
    pruned = { ...pruned, nodes, initializers: pruning.initializers }
  }
  return pruned
}
