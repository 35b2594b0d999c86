/**
 * The file format of templates, which extract returns and compare accepts.
 *
 * Bytes, integers little-endian: `VVTP`, version (1 byte), length of the model id (1 byte), number of values (2 bytes),
 * the model id in ASCII, float32 values, and the first 8 bytes of the SHA-256 of everything before.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { AppError } from '../../errors.ts'
import type { Template } from '../../vision/templates/registry.ts'

export type { Template } from '../../vision/templates/registry.ts'

const magic = [0x56, 0x56, 0x54, 0x50]
const version = 1
const headerBytes = 8
const checksumBytes = 8
/** Plausible Euclidean lengths of vectors, with a wide margin: those of faces are between 1 and 1.5. */
const lengthMin = 0.1
const lengthMax = 4

export function writeTemplate(template: Template): Uint8Array {
  const id = new TextEncoder().encode(template.modelId)
  const { vector } = template
  const bytes = new Uint8Array(headerBytes + id.length + vector.length * 4 + checksumBytes)
  const view = new DataView(bytes.buffer)
  bytes.set(magic)
  bytes[4] = version
  bytes[5] = id.length
  view.setUint16(6, vector.length, true)
  bytes.set(id, headerBytes)
  vector.forEach((value, i) => {
    view.setFloat32(headerBytes + id.length + i * 4, value, true)
  })
  const end = bytes.length - checksumBytes
  bytes.set(sha256(bytes.subarray(0, end)).subarray(0, checksumBytes), end)
  return bytes
}

/** The kind of templates that this server can compare. */
export interface TemplateKind {
  templateModelId: string
  /** Number of values in a template. */
  length: number
}

/** Model ids that an error may repeat. */
const idPattern = /^[a-z0-9-]{1,40}$/

/**
 * @throws {AppError} `template_unreadable` for anything but an undamaged template of the network in use
 */
export function readTemplate(bytes: Uint8Array, kind: TemplateKind): Template {
  const refuse = (why: string) => new AppError('template_unreadable', `The template cannot be read: ${why}`)
  if (bytes.length < headerBytes + checksumBytes || magic.some((byte, i) => bytes[i] !== byte)) {
    throw refuse('not a template file')
  }
  if (bytes[4] !== version) throw refuse('unknown version')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const idLength = bytes[5]!
  const count = view.getUint16(6, true)
  const end = headerBytes + idLength + count * 4
  if (bytes.length !== end + checksumBytes) throw refuse('wrong length')
  const modelId = new TextDecoder().decode(bytes.subarray(headerBytes, headerBytes + idLength))
  // Checked before the checksum, which takes long for a template of another length.
  if (modelId !== kind.templateModelId || count !== kind.length) {
    const maker = idPattern.test(modelId) ? modelId : 'another network'
    throw refuse(
      `it was made by ${maker}, but this server uses ${kind.templateModelId}; extract it again from the photo`,
    )
  }
  const checksum = sha256(bytes.subarray(0, end))
  if (bytes.subarray(end).some((byte, i) => byte !== checksum[i])) throw refuse('damaged')
  const vector = Float32Array.from({ length: count }, (_, i) =>
    view.getFloat32(headerBytes + idLength + i * 4, true),
  )
  const length = Math.hypot(...vector)
  if (!(length >= lengthMin && length <= lengthMax)) throw refuse('its values are not those of a face')
  return { modelId, vector }
}
