/**
 * Messages between threads. Deno looks at every member of a message that arrives by `node:worker_threads`, each number of a typed array
 * among them: 4 to 9 s for a medium of 24 MB. So typed arrays cross as their buffers, which have no members.
 */
import { invariant } from '../errors.ts'

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
interface Packed {
  packed: keyof typeof arrays
  buffer: ArrayBufferLike
  offset: number
  length: number
}

function isTypedArray(value: object): value is TypedArray {
  return ArrayBuffer.isView(value) && !(value instanceof DataView)
}

function packArray(array: TypedArray): Packed {
  // A `Buffer` arrives as what it extends.
  const name = array instanceof Uint8Array ? 'Uint8Array' : array.constructor.name
  invariant(Object.hasOwn(arrays, name), 'the kind of the array is known')
  const { buffer, byteOffset: offset, length } = array
  return { packed: name as keyof typeof arrays, buffer, offset, length }
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
  return isTypedArray(value) ? packArray(value) : mapMembers(value, packMessage)
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
