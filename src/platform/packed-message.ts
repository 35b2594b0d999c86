/**
 * Messages between threads. Deno looks at every member of a message that arrives by `node:worker_threads`, each number of a typed array
 * among them: 4 to 9 s for a medium of 24 MB. So typed arrays cross as their buffers, which have no members.
 */

const arrays = {
  Uint8Array,
  Uint8ClampedArray,
  Int8Array,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
}

interface TypedArray extends ArrayBufferView {
  readonly length: number
}

/** A typed array, laid apart. */
class Packed {
  readonly packed: keyof typeof arrays
  readonly buffer: ArrayBufferLike
  readonly offset: number
  readonly length: number

  constructor(array: TypedArray) {
    // A `Buffer` arrives as what it extends.
    this.packed = array instanceof Uint8Array ? 'Uint8Array' : (array.constructor.name as keyof typeof arrays)
    this.buffer = array.buffer
    this.offset = array.byteOffset
    this.length = array.length
  }
}

const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype

/** Copies lists, maps and plain objects; all other values stay what they are. */
function mapMembers(value: object, change: (member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change)
  if (value instanceof Map) return new Map([...value].map(([key, member]) => [key, change(member)]))
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member)]))
}

/** Lays typed arrays apart. Their buffers may be transferred. */
export function packMessage(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return new Packed(value as TypedArray)
  return mapMembers(value, packMessage)
}

/** What callers send as JSON has no buffers. */
const isPacked = (value: object): value is Packed =>
  'packed' in value &&
  'buffer' in value &&
  (value.buffer instanceof ArrayBuffer || value.buffer instanceof SharedArrayBuffer)

/** Undoes `packMessage` on the other side. @typeParam Message what was packed */
export const unpackMessage = <Message>(value: unknown): Message => unpack(value) as Message

function unpack(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (!isPacked(value)) return mapMembers(value, unpack)
  return new arrays[value.packed](value.buffer as ArrayBuffer, value.offset, value.length)
}
