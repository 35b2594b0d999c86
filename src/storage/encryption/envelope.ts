/**
 * Envelope encryption with Web Crypto. A key-encryption key (KEK), which no store holds, wraps the data-encryption key (DEK) of
 * each folder and collection. Of a DEK come, by HKDF-SHA-256, the key of its rows and one key for each file.
 *
 * Everything is AES-256-GCM, and bound to its place: what is moved to another row, file or owner does not open.
 */
import { AppError } from '../../errors.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** A key of the operator that wraps others. */
export interface KeyEncryptionKey {
  id: string
  key: CryptoKey
}

/** What encrypts the data of one owner. */
export interface DataKey {
  rows: CryptoKey
  /** From which the keys of files are derived. */
  base: CryptoKey
}

const cipher = { name: 'AES-GCM', length: 256 } as const
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

const utf8 = (text: string): Bytes => new TextEncoder().encode(text) as Bytes
const randomBytes = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length))

export const importKek = async (id: string, bytes: Uint8Array): Promise<KeyEncryptionKey> => ({
  id,
  key: await crypto.subtle.importKey('raw', bytes as Bytes, cipher, false, ['encrypt', 'decrypt']),
})

/** @returns nonce, ciphertext and tag */
async function encrypt(key: CryptoKey, plain: Uint8Array, place: string): Promise<Bytes> {
  const iv = randomBytes(nonceBytes)
  const options = { name: cipher.name, iv, additionalData: utf8(place) }
  const sealed = new Uint8Array(await crypto.subtle.encrypt(options, key, plain as Bytes))
  const whole = new Uint8Array(nonceBytes + sealed.length)
  whole.set(iv)
  whole.set(sealed, nonceBytes)
  return whole
}

/** @returns `null` if the key, the place or a byte is another one */
async function decrypt(key: CryptoKey, whole: Uint8Array, place: string): Promise<Bytes | null> {
  const [iv, sealed] = [whole.subarray(0, nonceBytes) as Bytes, whole.subarray(nonceBytes) as Bytes]
  const options = { name: cipher.name, iv, additionalData: utf8(place) }
  return crypto.subtle.decrypt(options, key, sealed).then(
    (plain) => new Uint8Array(plain),
    () => null,
  )
}

const keyPlace = (kekId: string, ownerId: string): string => `vivace data key ${kekId} ${ownerId}`

/** A wrapped random key for an owner. */
export async function makeDataKey(kek: KeyEncryptionKey, ownerId: string): Promise<Uint8Array> {
  const bytes = randomBytes(keyBytes)
  return encrypt(kek.key, bytes, keyPlace(kek.id, ownerId)).finally(() => bytes.fill(0))
}

/** @returns `null` if another key wrapped it, or for another owner */
export async function unwrapDataKey(
  kek: KeyEncryptionKey,
  ownerId: string,
  wrapped: Uint8Array,
): Promise<DataKey | null> {
  const bytes = await decrypt(kek.key, wrapped, keyPlace(kek.id, ownerId))
  if (!bytes) return null
  const base = await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey'])
  bytes.fill(0)
  return { base, rows: await deriveKey(base, new Uint8Array(), 'vivace rows') }
}

/** The same key, wrapped by another one. @returns `null` as `unwrapDataKey` */
export async function rewrapDataKey(
  from: KeyEncryptionKey,
  to: KeyEncryptionKey,
  ownerId: string,
  wrapped: Uint8Array,
): Promise<Uint8Array | null> {
  const bytes = await decrypt(from.key, wrapped, keyPlace(from.id, ownerId))
  if (!bytes) return null
  return encrypt(to.key, bytes, keyPlace(to.id, ownerId)).finally(() => bytes.fill(0))
}

const deriveKey = (base: CryptoKey, salt: Bytes, info: string): Promise<CryptoKey> =>
  crypto.subtle.deriveKey({ name: 'HKDF', hash: 'SHA-256', salt, info: utf8(info) }, base, cipher, false, [
    'encrypt',
    'decrypt',
  ])

/** The first byte of an encrypted value of a row. With it the value is longer by no multiple of four, unlike floats. */
const rowForm = 1

/** @param place names row and column */
export async function encryptRow(key: DataKey, place: string, plain: Uint8Array): Promise<Uint8Array> {
  const sealed = await encrypt(key.rows, plain, place)
  const whole = new Uint8Array(1 + sealed.length)
  whole[0] = rowForm
  whole.set(sealed, 1)
  return whole
}

/** @returns `null` if the key, the place or a byte is another one */
export async function decryptRow(key: DataKey, place: string, whole: Uint8Array): Promise<Uint8Array | null> {
  return whole[0] === rowForm ? decrypt(key.rows, whole.subarray(1), place) : null
}

/**
 * An encrypted file is a head (these bytes, then the salt of its key) and pieces, each with its tag. The nonce of a piece is its
 * number, and says whether it is the last: none can be moved, left out or cut off (the STREAM construction).
 */
const fileForm = Uint8Array.of(0, 0x56, 0x49, 0x56, 0x41, 0x43, 0x45, 1)
const saltBytes = 16
export const headBytes = fileForm.length + saltBytes
export const pieceBytes = 65_536
export const sealedPieceBytes = pieceBytes + tagBytes

/** Whether these are the first bytes of an encrypted file: no format of media, and no text, begins so. */
export const isEncryptedHead = (head: Uint8Array): boolean =>
  head.length >= headBytes && fileForm.every((byte, place) => head[place] === byte)

const countPieces = (sealedBytes: number): number => Math.ceil((sealedBytes - headBytes) / sealedPieceBytes)

/** The size of the plain file. */
export const plainBytes = (sealedBytes: number): number =>
  Math.max(sealedBytes - headBytes - countPieces(sealedBytes) * tagBytes, 0)

/** Decrypts the pieces of one file. */
export interface FileCipher {
  /** @throws {AppError} `external_failed` if the key, the file, the place of the piece or a byte is another one */
  decrypt(piece: number, sealed: Uint8Array): Promise<Uint8Array>
}

const fileKey = (key: DataKey, name: string, salt: Bytes): Promise<CryptoKey> =>
  deriveKey(key.base, salt, `vivace file ${name}`)

function pieceNonce(piece: number, isLast: boolean): Bytes {
  const nonce = new Uint8Array(nonceBytes)
  new DataView(nonce.buffer).setUint32(nonceBytes - 5, piece)
  nonce[nonceBytes - 1] = isLast ? 1 : 0
  return nonce
}

/**
 * @param name of the file, with which alone it opens
 * @param head its first bytes
 * @param sealedBytes its size
 */
export async function openFileCipher(
  key: DataKey,
  name: string,
  head: Uint8Array,
  sealedBytes: number,
): Promise<FileCipher> {
  const pieceKey = await fileKey(key, name, head.slice(fileForm.length, headBytes) as Bytes)
  const last = countPieces(sealedBytes) - 1
  return {
    async decrypt(piece, sealed) {
      const options = { name: cipher.name, iv: pieceNonce(piece, piece === last) }
      try {
        return new Uint8Array(await crypto.subtle.decrypt(options, pieceKey, sealed as Bytes))
      } catch {
        const cause = new Error('a file is damaged')
        throw new AppError('external_failed', 'the media storage failed', { cause })
      }
    },
  }
}

export async function encryptFile(key: DataKey, name: string, plain: Uint8Array): Promise<Uint8Array> {
  const pieces = Math.max(Math.ceil(plain.length / pieceBytes), 1)
  const whole = new Uint8Array(headBytes + plain.length + pieces * tagBytes)
  const salt = randomBytes(saltBytes)
  whole.set(fileForm)
  whole.set(salt, fileForm.length)
  const pieceKey = await fileKey(key, name, salt)
  for (let piece = 0; piece < pieces; piece++) {
    const start = piece * pieceBytes
    const options = { name: cipher.name, iv: pieceNonce(piece, piece === pieces - 1) }
    const part = plain.subarray(start, start + pieceBytes) as Bytes
    const sealed = await crypto.subtle.encrypt(options, pieceKey, part)
    whole.set(new Uint8Array(sealed), headBytes + piece * sealedPieceBytes)
  }
  return whole
}
