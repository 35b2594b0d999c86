/** Password hashes: scrypt over the normalised text, with a random salt for each. */
import { bytesFromBase64, encodeBase64 } from '../base64.ts'
import { AppError, invariant } from '../errors.ts'
import type { Caller } from '../queue/caller.ts'

/** Parameters of scrypt: N = 2^`costLog2`, r = `blockSize`, p = `parallelism`. It needs 128·N·r bytes of memory. */
interface ScryptCost {
  costLog2: number
  blockSize: number
  parallelism: number
}

/** scrypt of RFC 7914, run off the event loop. `length` is in bytes. */
export type Scrypt = (
  password: Uint8Array,
  salt: Uint8Array,
  cost: ScryptCost,
  length: number,
) => Promise<Uint8Array>

/**
 * scrypt that uses the share of work of a caller.
 * @param onTurn called when the caller's turn comes; if it throws, nothing is hashed
 */
export type ScryptFor = (caller: Caller, onTurn?: () => void) => Scrypt

/** Returns cryptographically random bytes. */
export type RandomBytes = (length: number) => Uint8Array

export const randomBytes: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length))

/** Longest password in bytes of UTF-8. */
export const passwordBytesMax = 1024

const currentCost: ScryptCost = { costLog2: 15, blockSize: 8, parallelism: 1 }
const saltBytes = 16
const hashBytes = 32
/** Upper limits for the cost that a stored hash may ask for. */
const memoryBytesMax = 2 ** 27
const parallelismMax = 4

interface StoredPassword {
  cost: ScryptCost
  salt: Uint8Array
  hash: Uint8Array
}

/** Used if there is no stored password, so that the check takes the same time. */
const nobody: StoredPassword = {
  cost: currentCost,
  salt: new Uint8Array(saltBytes),
  hash: new Uint8Array(hashBytes),
}

/**
 * scrypt ignores NULs at the end, so a password of NULs would have the hash of the empty one. All lone surrogates are
 * encoded as the same bytes.
 */
const inexact = /\0|\p{Cs}/u

/**
 * The bytes of a password to hash. NFKC makes different ways to type a character equal. `null` if the password is empty,
 * too long, or would have the same bytes as another one.
 */
export function passwordBytes(password: string): Uint8Array | null {
  if (password === '' || password.length > passwordBytesMax || inexact.test(password)) return null
  const bytes = new TextEncoder().encode(password.normalize('NFKC'))
  return bytes.length > passwordBytesMax ? null : bytes
}

/** Base64 without padding, as in the PHC string format. */
const toPhcText = (bytes: Uint8Array): string => encodeBase64(bytes).replace(/=+$/, '')

/** @throws {TypeError} for a text that `hashPassword` cannot have returned */
function parseStored(stored: string): StoredPassword {
  const form = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/
  const [, costLog2, blockSize, parallelism, salt = '', hash = ''] = form.exec(stored) ?? []
  const cost = {
    costLog2: Number(costLog2),
    blockSize: Number(blockSize),
    parallelism: Number(parallelism),
  }
  const memoryBytes = 128 * 2 ** cost.costLog2 * cost.blockSize
  const isAffordable = memoryBytes <= memoryBytesMax && cost.parallelism <= parallelismMax
  const isSound = cost.costLog2 >= 1 && cost.blockSize >= 1 && cost.parallelism >= 1
  invariant(isAffordable && isSound, 'a stored password is in no form of ours')
  return { cost, salt: bytesFromBase64(salt), hash: bytesFromBase64(hash) }
}

/** Compares in constant time. */
function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length
  for (let i = 0; i < one.length; i++) difference |= one[i]! ^ (other[i] ?? 0)
  return difference === 0
}

function toStored(salt: Uint8Array, hash: Uint8Array): string {
  const { costLog2, blockSize, parallelism } = currentCost
  return `$scrypt$ln=${costLog2},r=${blockSize},p=${parallelism}$${toPhcText(salt)}$${toPhcText(hash)}`
}

/** The stored form of a password that nobody knows, for users who sign in by other means. */
export const unknownPassword = (randomBytes: RandomBytes): string =>
  toStored(randomBytes(saltBytes), randomBytes(hashBytes))

/**
 * Hashes a password into its stored form: `$scrypt$ln=15,r=8,p=1$<salt>$<hash>`.
 * @throws {AppError} `password_weak` for a password that is empty, longer than 1024 bytes, or contains NUL or a lone surrogate
 */
export async function hashPassword(
  password: string,
  scrypt: Scrypt,
  randomBytes: RandomBytes,
): Promise<string> {
  const bytes = passwordBytes(password)
  if (!bytes)
    throw new AppError(
      'password_weak',
      `A password has 1 to ${passwordBytesMax} bytes and no control characters`,
    )
  const salt = randomBytes(saltBytes)
  invariant(salt.length === saltBytes, 'a salt has 16 bytes')
  return toStored(salt, await scrypt(bytes, salt, currentCost, hashBytes))
}

/**
 * Whether a password matches the stored one. `null` stands for a user who does not exist or has no password: the answer
 * is no, after the same time as for a wrong password.
 * @throws {TypeError} if the stored text is malformed or its cost is too high
 */
export async function verifyPassword(
  password: string,
  stored: string | null,
  scrypt: Scrypt,
): Promise<boolean> {
  const bytes = passwordBytes(password)
  if (!bytes) return false
  const { cost, salt, hash } = stored === null ? nobody : parseStored(stored)
  const found = await scrypt(bytes, salt, cost, hash.length)
  return isEqual(found, hash) && stored !== null
}
