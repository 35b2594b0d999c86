import { invariant } from '../errors.ts'
import { templateLength } from '../vision/template.ts'
import { type Distances, type OpenDistances, plainDistances } from './distance.ts'

/**
 * A fixed set of made-up templates, each the mean of two strangers' templates, that says how crowded the space around a
 * template is. Scores depend on it, so it has an id.
 */
export interface Cohort {
  id: string
  /** Vectors of the members, `[count,128]`. */
  members: Float32Array
  count: number
  /** Of a template to the members. */
  distances: Distances
}

/** `VCOH`, then version, count and length as little-endian integers, then float16 values `[count,length]`. */
const magic = 0x484f4356
const version = 1
const headerBytes = 12

function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

function numberToHalf(value: number): number {
  const sign = value < 0 ? 0x8000 : 0
  const size = Math.abs(value)
  if (size < 2 ** -14) return sign | Math.round(size / 2 ** -24)
  const exponent = Math.floor(Math.log2(size))
  const fraction = Math.round((size / 2 ** exponent - 1) * 1024)
  return sign | (((exponent + 15) << 10) + fraction)
}

/** Puts members together. */
export function openCohort(id: string, vectors: readonly Float32Array[]): Cohort {
  const members = new Float32Array(vectors.length * templateLength)
  vectors.forEach((vector, index) => {
    members.set(vector, index * templateLength)
  })
  return { id, members, count: vectors.length, distances: plainDistances(members) }
}

export function writeCohort(members: readonly Float32Array[]): Uint8Array {
  const bytes = new Uint8Array(headerBytes + members.length * templateLength * 2)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, magic, true)
  view.setUint16(4, version, true)
  view.setUint32(6, members.length, true)
  view.setUint16(10, templateLength, true)
  members.forEach((member, index) => {
    member.forEach((value, i) => {
      view.setUint16(headerBytes + (index * templateLength + i) * 2, numberToHalf(value), true)
    })
  })
  return bytes
}

/**
 * @param openDistances how distances to the members are measured
 * @throws {TypeError} when the bytes are not a cohort of this version
 */
export function readCohort(
  id: string,
  bytes: Uint8Array,
  openDistances: OpenDistances = plainDistances,
): Cohort {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const known =
    bytes.length >= headerBytes && view.getUint32(0, true) === magic && view.getUint16(4, true) === version
  invariant(known && view.getUint16(10, true) === templateLength, 'the cohort file has an unknown format')
  const count = view.getUint32(6, true)
  invariant(bytes.length === headerBytes + count * templateLength * 2, 'the cohort file is cut short')
  const members = Float32Array.from({ length: count * templateLength }, (_, i) =>
    halfToNumber(view.getUint16(headerBytes + i * 2, true)),
  )
  return { id, members, count, distances: openDistances(members) }
}
