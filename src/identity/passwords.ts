/** Passwords as they are kept: scrypt over the normalised text, with a salt of its own for each. */
import { AppError, invariant } from '../errors.ts'
import type { Caller } from '../queue/caller.ts'

/** What one call of scrypt costs: N = 2^`costLog2`, `blockSize` r, `parallelism` p. Needs 128·N·r bytes of memory. */
export interface ScryptCost {
  costLog2: number
  blockSize: number
  parallelism: number
}

/** scrypt of RFC 7914, off the loop that answers requests. `length` is in bytes. */
export type Scrypt = (
  password: Uint8Array,
  salt: Uint8Array,
  cost: ScryptCost,
  length: number,
) => Promise<Uint8Array>

/** scrypt at the charge of a caller. */
export type ScryptFor = (caller: Caller) => Scrypt

/** Fills a new array with bytes nobody can foresee. */
export type RandomBytes = (length: number) => Uint8Array

export const randomBytes: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length))

/** Bytes of a password at most, as UTF-8: a longer one is not worth hashing. */
export const passwordBytesMax = 1024

const currentCost: ScryptCost = { costLog2: 15, blockSize: 8, parallelism: 1 }
const saltBytes = 16
const hashBytes = 32
/** A stored text may not make us spend more than this. */
const memoryBytesMax = 2 ** 27
const parallelismMax = 4

interface StoredPassword {
  cost: ScryptCost
  salt: Uint8Array
  hash: Uint8Array
}

/** Compared against where there is no password, so that the answer takes as long as any other. */
const nobody: StoredPassword = {
  cost: currentCost,
  salt: new Uint8Array(saltBytes),
  hash: new Uint8Array(hashBytes),
}

/**
 * NUL at the end makes no difference to scrypt, so that a password of NULs has the hash of the empty one. Halves of
 * characters all become the same bytes.
 */
const inexact = /\0|\p{Cs}/u

/**
 * Bytes a password is hashed as: NFKC, so that every keyboard's way to type it counts; `null` when it is empty, too long,
 * or would be hashed like another one.
 */
export function passwordBytes(password: string): Uint8Array | null {
  if (password === '' || password.length > passwordBytesMax || inexact.test(password)) return null
  const bytes = new TextEncoder().encode(password.normalize('NFKC'))
  return bytes.length > passwordBytesMax ? null : bytes
}

/** Base64 without padding, as the PHC string format has it. */
const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes)).replace(/=+$/, '')

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
}

/** @throws {TypeError} for a text that `hashPassword` cannot have written */
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
  return { cost, salt: fromBase64(salt), hash: fromBase64(hash) }
}

/** Takes the same time wherever the two differ. */
function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length
  for (let i = 0; i < one.length; i++) difference |= one[i]! ^ (other[i] ?? 0)
  return difference === 0
}

/**
 * Text under which a password is kept: `$scrypt$ln=15,r=8,p=1$<salt>$<hash>`.
 * @throws {AppError} `password_weak` for a password that is empty, over 1024 bytes, or holds NUL
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
  const hash = await scrypt(bytes, salt, currentCost, hashBytes)
  const { costLog2, blockSize, parallelism } = currentCost
  return `$scrypt$ln=${costLog2},r=${blockSize},p=${parallelism}$${toBase64(salt)}$${toBase64(hash)}`
}

/**
 * Whether a password is the stored one. `null` stands for a user who does not exist or has no password:
 * the answer is no, after the time a wrong password takes.
 * @throws {TypeError} when the stored text is damaged or asks for an absurd cost
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
