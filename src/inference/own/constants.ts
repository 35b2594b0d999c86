import { halfToNumber, type Initializer, type OnnxFile, type OnnxNode } from '../onnx-reader.ts'
import { UnsupportedNetwork } from './unsupported-network.ts'

/** A constant tensor; whole numbers and halves are floats here. */
export interface Constant {
  shape: readonly number[]
  values: Float32Array
}

export function readConstant({ type, shape, data }: Initializer): Constant {
  const { buffer } = data.slice()
  if (type === 'float32') return { shape, values: new Float32Array(buffer) }
  if (type === 'float16')
    return { shape, values: new Float32Array(new Uint16Array(buffer)).map(halfToNumber) }
  if (type === 'uint8') return { shape, values: new Float32Array(data) }
  if (type === 'int32') return { shape, values: Float32Array.from(new Int32Array(buffer)) }
  return { shape, values: Float32Array.from(new BigInt64Array(buffer), Number) }
}

type Combine = (a: number, b: number) => number

/** Operators on constants that appear in our networks. Two operands have the same length, or one is a single number. */
const combine: Readonly<Record<string, Combine>> = {
  Add: (a, b) => a + b,
  Sub: (a, b) => a - b,
  Mul: (a, b) => a * b,
}

function combineConstants(a: Constant, b: Constant, each: Combine): Constant | null {
  const [long, short] = a.values.length >= b.values.length ? [a, b] : [b, a]
  if (short.values.length !== 1 && short.values.length !== long.values.length) return null
  const values = new Float32Array(long.values.length)
  const [aStep, bStep] = [a.values.length === 1 ? 0 : 1, b.values.length === 1 ? 0 : 1]
  for (let i = 0; i < values.length; i++) values[i] = each(a.values[i * aStep]!, b.values[i * bStep]!)
  return { shape: long.shape, values }
}

/**
 * The value of a node whose inputs are all constants.
 * @returns `null` if the operator is not known for constants
 */
function evaluate({ op }: OnnxNode, [a, b, ...more]: readonly Constant[]): Constant | null {
  if (!a) return null
  if (op === 'Cast' || op === 'Unsqueeze' || op === 'Identity') return a
  if (op === 'Concat') {
    const values = [a, ...(b ? [b] : []), ...more].flatMap((item) => [...item.values])
    return { shape: [values.length], values: Float32Array.from(values) }
  }
  const each = combine[op]
  return b && each ? combineConstants(a, b, each) : null
}

/** A graph whose constant parts are evaluated: what is left depends on the input. */
interface FoldedGraph {
  nodes: readonly OnnxNode[]
  constants: ReadonlyMap<string, Constant>
}

/**
 * Evaluates the nodes that do not depend on the input. The first dimension of each tensor is 1: networks run one picture at a
 * time.
 */
export function foldConstants(file: OnnxFile): FoldedGraph {
  const constants = new Map([...file.initializers].map(([name, item]) => [name, readConstant(item)] as const))
  const shapes = new Set<string>()
  const nodes = file.nodes.filter((node) => {
    const [first = ''] = node.inputs
    const [output = ''] = node.outputs
    if (node.op === 'Shape') {
      shapes.add(output)
      return false
    }
    if (node.op === 'Gather' && shapes.has(first)) {
      const index = constants.get(node.inputs[1] ?? '')?.values
      if (index?.length !== 1 || index[0] !== 0)
        throw new UnsupportedNetwork(`the node ${output} reads a dimension other than the first`)
      constants.set(output, { shape: [], values: Float32Array.of(1) })
      return false
    }
    const operands = node.inputs.map((name) => constants.get(name))
    if (operands.length === 0 || !operands.every((item) => item !== undefined)) return true
    const result = evaluate(node, operands)
    if (result) constants.set(output, result)
    return !result
  })
  return { nodes, constants }
}
