/** Decodes the transfer encoding that parts name, and refuses media whose encoding nobody named. */
import { decodeBase64 } from '../contract/base64.ts'
import { AppError } from '../errors.ts'
import { loopTurns } from '../queue/loop-turns.ts'
import type { Part } from './multipart.ts'

/** Encodings that change nothing. */
const plain = new Set(['7bit', '8bit', 'binary'])

/**
 * Decodes the transfer encoding of a part, in place. RFC 7578 deprecates it, and clients still send it.
 * @throws {AppError} `structure_invalid` for bytes that are not base64, or another encoding
 */
export async function decodePart(part: Part): Promise<Part> {
  const { name, transferEncoding } = part
  if (transferEncoding === null || plain.has(transferEncoding)) return part
  const bytes = transferEncoding === 'base64' ? await decodeBase64(part.bytes, loopTurns()) : null
  if (bytes) return { ...part, bytes }
  const message =
    transferEncoding === 'base64'
      ? 'A part is not base64, as its Content-Transfer-Encoding says'
      : 'The Content-Transfer-Encoding of a part must be binary or base64'
  throw new AppError('structure_invalid', message, { details: { key_path: name }, place: '*' })
}

const start = (bytes: Uint8Array): string => String.fromCharCode(...bytes.subarray(0, 64))

export const isDataUrl = (bytes: Uint8Array): boolean => /^data:[^,]*[;,]/i.test(start(bytes))

/** Whether a part is in the encoding that a header of the request names for all: it has none of its own. */
export const isCodedLikeAll = ({ transferEncoding, bytes }: Part): boolean =>
  transferEncoding !== 'base64' && !isDataUrl(bytes)

/**
 * Refuses a medium that is text. No format that is read begins so.
 * @param what names it
 * @throws {AppError} `media_unsupported`
 */
export function refuseText(bytes: Uint8Array, what: string, details?: Record<string, string>): void {
  const refuse = (text: string): never => {
    throw new AppError('media_unsupported', `${what} is ${text}`, details ? { details, place: '*' } : {})
  }
  if (isDataUrl(bytes)) refuse('a data URL; send the bytes that it encodes')
  if (/^[A-Za-z0-9+/\r\n]{64}$/.test(start(bytes)))
    refuse('base64 text; send its bytes, or with it the header Content-Transfer-Encoding: base64')
}
