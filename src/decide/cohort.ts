import { invariant } from '../errors.ts'
import { type Distances, type OpenDistances, openPlainDistances } from './distance.ts'

/** Properties of a cohort besides its members. */
export interface CohortFacts {
  id: string
  /** The template method that the cohort is for. */
  templateModelId: string
  /** Normalised distance with the score 0.85. Fitted on pairs of different persons only. */
  threshold: number
  /** Change of the score's log odds per standard deviation. */
  slope: number
}

/**
 * A fixed set of synthetic templates, each the mean of the templates of two strangers. It tells how dense the space around a
 * template is. Scores depend on it, so it has an id.
 */
export interface Cohort extends CohortFacts {
  /** Vectors of the members, `[count,length]`. */
  members: Float32Array
  count: number
  /** Number of components of a template. */
  length: number
  /** Measures the distances of a template to all members. */
  distances: Distances
}

/** `VCOH`, then version, count and length as little-endian integers, then float16 values `[count,length]`. */
const magic = 0x484f4356
const version = 1
const headerBytes = 12

/** The value of a fraction's last bit, by exponent. */
const halfSteps = Float64Array.from({ length: 32 }, (_, exponent) => 2 ** (Math.max(1, exponent) - 25))

function halfToNumber(bits: number): number {
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  const size = (exponent === 0 ? fraction : fraction + 1024) * halfSteps[exponent]!
  return bits & 0x8000 ? -size : size
}

function numberToHalf(value: number): number {
  const sign = value < 0 ? 0x8000 : 0
  const size = Math.abs(value)
  if (size < 2 ** -14) return sign | Math.round(size / 2 ** -24)
  const exponent = Math.floor(Math.log2(size))
  const fraction = Math.round((size / 2 ** exponent - 1) * 1024)
  return sign | (((exponent + 15) << 10) + fraction)
}

/** Creates a cohort from member vectors, which must have the same length. */
export function openCohort(facts: CohortFacts, vectors: readonly Float32Array[]): Cohort {
  const length = vectors[0]?.length ?? 0
  const members = new Float32Array(vectors.length * length)
  vectors.forEach((vector, index) => {
    members.set(vector, index * length)
  })
  return { ...facts, members, count: vectors.length, length, distances: openPlainDistances(members, length) }
}

export function writeCohort(members: readonly Float32Array[]): Uint8Array {
  const length = members[0]?.length ?? 0
  const bytes = new Uint8Array(headerBytes + members.length * length * 2)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, magic, true)
  view.setUint16(4, version, true)
  view.setUint32(6, members.length, true)
  view.setUint16(10, length, true)
  members.forEach((member, index) => {
    member.forEach((value, i) => {
      view.setUint16(headerBytes + (index * length + i) * 2, numberToHalf(value), true)
    })
  })
  return bytes
}

/**
 * Reads a cohort file.
 * @param openDistances implementation that measures distances to the members
 * @throws {TypeError} if the bytes are not a cohort of this version
 */
export function readCohort(
  { id, templateModelId, threshold, slope }: CohortFacts,
  bytes: Uint8Array,
  openDistances: OpenDistances = openPlainDistances,
): Cohort {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const known =
    bytes.length >= headerBytes && view.getUint32(0, true) === magic && view.getUint16(4, true) === version
  invariant(known, 'the cohort file has an unknown format')
  const count = view.getUint32(6, true)
  const length = view.getUint16(10, true)
  invariant(bytes.length === headerBytes + count * length * 2, 'the cohort file is cut short')
  const members = new Float32Array(count * length)
  for (let i = 0; i < members.length; i++)
    members[i] = halfToNumber(view.getUint16(headerBytes + i * 2, true))
  const facts = { id, templateModelId, threshold, slope }
  return { ...facts, members, count, length, distances: openDistances(members, length) }
}
