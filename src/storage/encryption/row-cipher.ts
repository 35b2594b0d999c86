/** Encrypted values of rows, beside plain ones from before. */
import { AppError } from '../../errors.ts'

export interface RowCipher {
  /**
   * @param ownerId the folder or collection
   * @param place names row and column: elsewhere the value does not open
   */
  encrypt(ownerId: string, place: string, plain: Uint8Array): Promise<Uint8Array>
  /**
   * @returns `null` if the key of the owner is destroyed, or the value is damaged or belongs elsewhere
   * @throws {AppError} `database_failed`
   */
  decrypt(ownerId: string, place: string, bytes: Uint8Array): Promise<Uint8Array | null>
  /** Takes the key of an owner from memory, when it is destroyed. */
  forget(ownerId: string): void
}

/** Without STORAGE_KEYS values stay as they are. */
export const noCipher: RowCipher = {
  encrypt: async (_owner, _place, plain) => plain,
  decrypt: async () => {
    throw new AppError('database_failed', 'a query failed', {
      cause: new Error('a row is encrypted, and STORAGE_KEYS is empty'),
    })
  },
  forget() {},
}

/** A value of a row: where it belongs, and what to open it with. */
export interface Placed {
  cipher: RowCipher
  ownerId: string
  place: string
}

/** Floats take four bytes each; encrypted ones are longer by another number. */
const isPlainFloats = (bytes: Uint8Array): boolean => bytes.length % 4 === 0

export const toFloats = (bytes: Uint8Array): Float32Array => new Float32Array(bytes.slice().buffer)

export const encryptFloats = (
  { cipher, ownerId, place }: Placed,
  floats: Float32Array,
): Promise<Uint8Array> =>
  cipher.encrypt(ownerId, place, new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength).slice())

/** @returns `null` as `RowCipher.decrypt` */
export async function decryptFloats(
  { cipher, ownerId, place }: Placed,
  bytes: Uint8Array,
): Promise<Float32Array | null> {
  if (isPlainFloats(bytes)) return toFloats(bytes)
  const plain = await cipher.decrypt(ownerId, place, bytes)
  return plain && toFloats(plain)
}

/** @returns a text, or bytes if it is encrypted */
export async function encryptText(
  { cipher, ownerId, place }: Placed,
  text: string,
): Promise<string | Uint8Array> {
  const plain = new TextEncoder().encode(text)
  const bytes = await cipher.encrypt(ownerId, place, plain)
  return bytes === plain ? text : bytes
}

/** @returns `null` as `RowCipher.decrypt` */
export async function decryptText(
  { cipher, ownerId, place }: Placed,
  value: string | Uint8Array,
): Promise<string | null> {
  if (typeof value === 'string') return value
  const plain = await cipher.decrypt(ownerId, place, value)
  return plain && new TextDecoder().decode(plain)
}
