/**
 * Reads the tensors of a PyTorch checkpoint in the format used before version 1.6: four pickles (magic number,
 * protocol, system, the state), a pickle with the keys of the storages, then each storage as a count and raw elements.
 *
 * Supports only the opcodes that such a file needs. No function named in the file is ever called: the two allowed ones are
 * recognised by name and replaced by plain data.
 */

export interface TorchTensor {
  shape: readonly number[]
  data: Float32Array
}

interface Storage {
  key: string
  elementBytes: number
}

interface TensorRecipe {
  storage: Storage
  offset: number
  shape: number[]
}

type Value = unknown

const mark = Symbol('mark')
const elementBytes: Record<string, number> = { 'torch FloatStorage': 4, 'torch LongStorage': 8 }

class PickleReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  at: number

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.at = at
  }

  #line(): string {
    const end = this.#bytes.indexOf(10, this.at)
    const text = new TextDecoder().decode(this.#bytes.subarray(this.at, end))
    this.at = end + 1
    return text
  }

  #uint8(): number {
    return this.#view.getUint8(this.at++)
  }

  #uint32(): number {
    const value = this.#view.getUint32(this.at, true)
    this.at += 4
    return value
  }

  #text(length: number): string {
    const text = new TextDecoder().decode(this.#bytes.subarray(this.at, this.at + length))
    this.at += length
    return text
  }

  /** Reads one pickle up to its STOP. */
  read(): Value {
    const stack: Value[] = []
    const memo = new Map<number, Value>()
    const sinceMark = (): Value[] => stack.splice(stack.lastIndexOf(mark)).slice(1)
    for (;;) {
      const opcode = String.fromCharCode(this.#uint8())
      switch (opcode) {
        case '\x80': // PROTO
          this.#uint8()
          break
        case '.': // STOP
          return stack.pop()
        case '(': // MARK
          stack.push(mark)
          break
        case 'c': // GLOBAL
          stack.push(`${this.#line()} ${this.#line()}`)
          break
        case 'q': // BINPUT
          memo.set(this.#uint8(), stack.at(-1))
          break
        case 'r': // LONG_BINPUT
          memo.set(this.#uint32(), stack.at(-1))
          break
        case 'h': // BINGET
          stack.push(memo.get(this.#uint8()))
          break
        case 'j': // LONG_BINGET
          stack.push(memo.get(this.#uint32()))
          break
        case 'X': // BINUNICODE
          stack.push(this.#text(this.#uint32()))
          break
        case 'K': // BININT1
          stack.push(this.#uint8())
          break
        case 'M': // BININT2
          stack.push(this.#uint8() + this.#uint8() * 256)
          break
        case 'J': // BININT
          stack.push(this.#uint32() | 0)
          break
        case '\x8a': // LONG1: used only by the magic number, whose value is not needed
          this.#text(this.#uint8())
          stack.push(null)
          break
        case 'N': // NONE
          stack.push(null)
          break
        case '\x88': // NEWTRUE
          stack.push(true)
          break
        case '\x89': // NEWFALSE
          stack.push(false)
          break
        case ')': // EMPTY_TUPLE
          stack.push([])
          break
        case ']': // EMPTY_LIST
          stack.push([])
          break
        case '}': // EMPTY_DICT
          stack.push(new Map())
          break
        case '\x85': // TUPLE1
          stack.push(stack.splice(-1))
          break
        case '\x86': // TUPLE2
          stack.push(stack.splice(-2))
          break
        case 't': // TUPLE
          stack.push(sinceMark())
          break
        case 'e': // APPENDS
          {
            const items = sinceMark()
            ;(stack.at(-1) as Value[]).push(...items)
          }
          break
        case 's': // SETITEM
          {
            const [key, value] = stack.splice(-2)
            ;(stack.at(-1) as Map<Value, Value>).set(key, value)
          }
          break
        case 'u': // SETITEMS
          {
            const items = sinceMark()
            const target = stack.at(-1) as Map<Value, Value>
            for (let i = 0; i < items.length; i += 2) target.set(items[i], items[i + 1])
          }
          break
        case 'b': // BUILD: attributes of the state, not needed
          stack.pop()
          break
        case 'Q': // BINPERSID
          stack.push(toStorage(stack.pop() as Value[]))
          break
        case 'R': // REDUCE
          {
            const [callable, args] = stack.splice(-2) as [string, Value[]]
            stack.push(reduce(callable, args))
          }
          break
        default:
          throw new TypeError(`pickle opcode ${JSON.stringify(opcode)} is not covered`)
      }
    }
  }
}

/** A persistent id: ('storage', storage class, key, location, element count, view). */
function toStorage(id: Value[]): Storage {
  const bytes = elementBytes[String(id[1])]
  if (!bytes) throw new TypeError(`storage ${String(id[1])} is not covered`)
  return { key: String(id[2]), elementBytes: bytes }
}

function reduce(callable: string, args: Value[]): Value {
  if (callable === 'collections OrderedDict') return new Map()
  if (callable !== 'torch._utils _rebuild_tensor_v2') throw new TypeError(`the checkpoint calls ${callable}`)
  const [storage, offset, shape] = args as [Storage, number, number[]]
  return { storage, offset, shape } satisfies TensorRecipe
}

/**
 * Reads a checkpoint.
 * @returns the float tensors by name; integer tensors (batch counters) are left out
 * @throws {TypeError} if the file is not such a checkpoint
 */
export function readTorchState(bytes: Uint8Array): Map<string, TorchTensor> {
  const reader = new PickleReader(bytes, 0)
  for (let pickle = 0; pickle < 3; pickle++) reader.read()
  const state = reader.read() as Map<string, TensorRecipe>
  const keys = reader.read() as string[]

  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const widths = new Map([...state.values()].map(({ storage }) => [storage.key, storage.elementBytes]))
  const starts = new Map<string, number>()
  let at = reader.at
  for (const key of keys) {
    const count = Number(view.getBigInt64(at, true))
    starts.set(key, at + 8)
    at += 8 + count * (widths.get(key) ?? 4)
  }

  const tensors = new Map<string, TorchTensor>()
  for (const [name, { storage, offset, shape }] of state) {
    if (storage.elementBytes !== 4) continue
    const start = starts.get(storage.key)
    if (start === undefined) throw new TypeError(`the checkpoint has no storage for ${name}`)
    const count = shape.reduce((product, size) => product * size, 1)
    const data = Float32Array.from({ length: count }, (_, i) =>
      view.getFloat32(start + (offset + i) * 4, true),
    )
    tensors.set(name, { shape, data })
  }
  return tensors
}
