/** scrypt of the servers' own crypto library, on threads of the runtime: the request loop stays free. */
import { scrypt } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { Scrypt } from '../identity/passwords.ts'

export interface ScryptLimits {
  /** Calls that work at the same time. Each holds a thread and 32 MB; Deno would start as many as are asked for. */
  atOnceMax: number
  /** Calls that may wait for their turn. */
  waitingMax: number
}

/** OpenSSL counts its work space (128·r bytes for each of N, p and two more) against the limit. */
const workBytes = (cost: number, blockSize: number, parallelism: number): number =>
  128 * blockSize * (cost + parallelism + 2)

const threadedScrypt: Scrypt = (password, salt, { costLog2, blockSize, parallelism }, length) => {
  const cost = 2 ** costLog2
  const maxmem = 2 * workBytes(cost, blockSize, parallelism)
  const options = { N: cost, r: blockSize, p: parallelism, maxmem }
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, options, (error, hash) =>
      error ? reject(error) : resolve(new Uint8Array(hash)),
    )
  })
}

/**
 * scrypt for one process.
 * @throws {AppError} (its calls) `overloaded` when too many wait already
 */
export function openServerScrypt(limits: ScryptLimits = { atOnceMax: 2, waitingMax: 100 }): Scrypt {
  const waiting: (() => void)[] = []
  let free = limits.atOnceMax

  const takeTurn = async (): Promise<void> => {
    if (free > 0) free--
    else if (waiting.length >= limits.waitingMax)
      throw new AppError('overloaded', 'Too many passwords are waiting')
    // Whoever ends hands its turn on, so that nobody overtakes.
    else await new Promise<void>((resolve) => waiting.push(resolve))
  }

  const endTurn = (): void => {
    const next = waiting.shift()
    if (next) next()
    else free++
  }

  return async (...asked) => {
    await takeTurn()
    try {
      return await threadedScrypt(...asked)
    } finally {
      endTurn()
    }
  }
}
