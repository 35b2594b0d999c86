/**
 * Replaces groups of nodes that together are one operator of the kernel, as exporters write them. Groups that look different stay as
 * they are.
 *
 * The new nodes are `HardSwish` and `LayerNormalization` of ONNX, and three of our own: `Attend` (queries, keys and values of all heads to
 * their results), `ToSequence` (`[1,C,H,W]` to `[1,H·W,C]`) and `FromSequence` (`[1,W,C]` to `[1,C,1,W]`).
 */
import type { OnnxFile, OnnxNode } from '../onnx-reader.ts'
import { readConstant } from './constants.ts'
import { readNumber, readNumbers } from './node-attributes.ts'

/** The nodes of a graph by the names that they make and use. */
class Links {
  readonly #file: OnnxFile
  readonly #makers: ReadonlyMap<string, OnnxNode>

  constructor(file: OnnxFile) {
    this.#file = file
    this.#makers = new Map(file.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)))
  }

  /** The node that makes an input of another, if it is of a kind. */
  maker(node: OnnxNode | null, input: number, op: string): OnnxNode | null {
    const maker = this.#makers.get(node?.inputs[input] ?? '')
    return maker?.op === op ? maker : null
  }

  /** The values of a constant input, also through a cast. */
  values(node: OnnxNode | null, input: number): Float32Array | null {
    const name = node?.inputs[input] ?? ''
    const constant = this.#file.initializers.get(name)
    if (constant) return readConstant(constant).values
    const cast = this.maker(node, input, 'Cast')
    return cast ? this.values(cast, 0) : null
  }

  /** A constant input that is one number. */
  number(node: OnnxNode | null, input: number): number | null {
    const values = this.values(node, input)
    return values?.length === 1 ? values[0]! : null
  }
}

type Fuse = (node: OnnxNode, links: Links) => OnnxNode | null

const near = (a: number | null, b: number) => a !== null && Math.abs(a - b) < 1e-6

const hasOrder = (node: OnnxNode | null, order: string) =>
  node !== null && String(node.attributes.perm) === order

/** `x · clip(x + 3, 0, 6) / 6` */
const fuseHardSwish: Fuse = (node, links) => {
  if (node.op !== 'Div' || !near(links.number(node, 1), 6)) return null
  const product = links.maker(node, 0, 'Mul')
  const clip = links.maker(product, 1, 'Clip')
  const sum = links.maker(clip, 0, 'Add')
  if (!product || !clip || !sum || sum.inputs[0] !== product.inputs[0]) return null
  const [low, high] = [links.number(clip, 1), links.number(clip, 2)]
  const isLimited =
    near(low ?? readNumber(clip, 'min', Number.NaN), 0) &&
    near(high ?? readNumber(clip, 'max', Number.NaN), 6)
  if (!isLimited || !near(links.number(sum, 1), 3)) return null
  return { op: 'HardSwish', inputs: [sum.inputs[0]!], outputs: node.outputs, attributes: {} }
}

const isMeanOfLast = (node: OnnxNode | null) => node !== null && String(node.attributes.axes) === '-1'

/** Mean and deviation of the last axis, then a gain and a bias. */
const fuseNormalisation: Fuse = (node, links) => {
  if (node.op !== 'Add' || !links.values(node, 1)) return null
  const gained = links.maker(node, 0, 'Mul')
  const ratio = links.maker(gained, 0, 'Div')
  const centred = links.maker(ratio, 0, 'Sub')
  const root = links.maker(ratio, 1, 'Sqrt')
  const sum = links.maker(root, 0, 'Add')
  const variance = links.maker(sum, 0, 'ReduceMean')
  const square = links.maker(variance, 0, 'Pow')
  const mean = links.maker(centred, 1, 'ReduceMean')
  const epsilon = links.number(sum, 1)
  if (!gained || !centred || !square || epsilon === null || !links.values(gained, 1)) return null
  const isWhole =
    isMeanOfLast(variance) &&
    isMeanOfLast(mean) &&
    near(links.number(square, 1), 2) &&
    square.inputs[0] === ratio!.inputs[0] &&
    mean!.inputs[0] === centred.inputs[0]
  if (!isWhole) return null
  const inputs = [centred.inputs[0]!, gained.inputs[1]!, node.inputs[1]!]
  const attributes = { axis: -1, epsilon: { float: epsilon } }
  return { op: 'LayerNormalization', inputs, outputs: node.outputs, attributes }
}

/** The third of the queries, keys and values that a slice takes; `null` if it is no such slice. */
function readPart(slice: OnnxNode): number | null {
  const [start, end, axis] = ['starts', 'ends', 'axes'].map((name) => readNumbers(slice, name, [])[0])
  return axis === 0 && start !== undefined && end === start + 1 ? start : null
}

/** From the node that restores `[1,pixels,channels]` back to queries, keys and values of several heads. */
const fuseAttention: Fuse = (node, links) => {
  const order = node.op === 'Reshape' ? links.maker(node, 0, 'Transpose') : null
  const result = links.maker(order, 0, 'MatMul')
  const shares = links.maker(result, 0, 'Softmax')
  const products = links.maker(shares, 0, 'MatMul')
  const scaled = links.maker(products, 0, 'Mul')
  const keys = links.maker(products, 1, 'Transpose')
  const parts = [
    links.maker(scaled, 0, 'Squeeze'),
    links.maker(keys, 0, 'Squeeze'),
    links.maker(result, 1, 'Squeeze'),
  ].map((squeeze) => links.maker(squeeze, 0, 'Slice'))
  const factor = links.number(scaled, 1)
  if (!hasOrder(order, '0,2,1,3') || !hasOrder(keys, '0,1,3,2') || factor === null) return null
  if (parts.some((part, i) => part === null || readPart(part) !== i)) return null
  const [split, ...others] = parts.map((part) => links.maker(part, 0, 'Transpose'))
  const heads = links.maker(split!, 0, 'Reshape')
  if (others.some((other) => other !== split) || !hasOrder(split!, '2,0,3,1,4') || !heads) return null
  // [0, pixels, 3, heads, size]
  const shape = links.maker(heads, 1, 'Concat')
  const count = links.number(shape, 3)
  if (shape?.inputs.length !== 5 || !near(links.number(shape, 2), 3) || count === null) return null
  const attributes = { heads: count, factor: { float: factor } }
  return { op: 'Attend', inputs: [heads.inputs[0]!], outputs: node.outputs, attributes }
}

/** The shape `[sizes of a tensor up to its channels, -1]`. */
function isFlattening(shape: OnnxNode | null, links: Links): boolean {
  const slice = links.maker(shape, 0, 'Slice')
  return (
    shape?.inputs.length === 2 && near(links.number(shape, 1), -1) && links.maker(slice, 0, 'Shape') !== null
  )
}

const fuseSequence: Fuse = (node, links) => {
  if (node.op !== 'Transpose') return null
  const reshape = links.maker(node, 0, 'Reshape')
  const squeeze = links.maker(node, 0, 'Squeeze')
  const shape = links.maker(reshape, 1, 'Concat')
  if (hasOrder(node, '0,2,1')) {
    if (reshape && isFlattening(shape, links))
      return { op: 'ToSequence', inputs: [reshape.inputs[0]!], outputs: node.outputs, attributes: {} }
    if (squeeze && String(squeeze.attributes.axes) === '2')
      return { op: 'ToSequence', inputs: [squeeze.inputs[0]!], outputs: node.outputs, attributes: {} }
  }
  // [0, 1, pixels, channels]
  const isRow = shape?.inputs.length === 4 && near(links.number(shape, 1), 1)
  return reshape && isRow && hasOrder(node, '0,3,1,2')
    ? { op: 'FromSequence', inputs: [reshape.inputs[0]!], outputs: node.outputs, attributes: {} }
    : null
}

const fusers: readonly Fuse[] = [fuseHardSwish, fuseNormalisation, fuseAttention, fuseSequence]

/** Drops nodes whose outputs nobody uses. */
function dropUnused(nodes: readonly OnnxNode[], outputs: readonly string[]): OnnxNode[] {
  const used = new Set(outputs)
  return nodes
    .toReversed()
    .filter((node) => {
      const isUsed = node.outputs.some((name) => used.has(name))
      if (isUsed) for (const name of node.inputs) used.add(name)
      return isUsed
    })
    .toReversed()
}

/** Replaces what can be replaced. */
export function fuseNodes(file: OnnxFile): OnnxFile {
  const links = new Links(file)
  const nodes = file.nodes.map((node) => {
    for (const fuse of fusers) {
      const fused = fuse(node, links)
      if (fused) return fused
    }
    return node
  })
  return {
    ...file,
    nodes: dropUnused(
      nodes,
      file.outputs.map(([name]) => name),
    ),
  }
}
