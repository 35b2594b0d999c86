/** scrypt of the servers' own crypto library, on threads of the runtime: the request loop stays free. */
import { scrypt } from 'node:crypto'
import type { Scrypt, ScryptFor } from '../identity/passwords.ts'
import { FairTurns } from '../queue/fair-turns.ts'

export interface ScryptLimits {
  /** Calls that work at the same time. Each holds a thread and 32 MB; Deno would start as many as are asked for. */
  atOnceMax: number
  /** Calls that may wait for their turn. */
  waitingMax: number
}

const waitMaxMs = 10_000
/** What a call took, on one core. */
const callMs = 80

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
 * scrypt for one process, fair between those who ask for it.
 * @throws {AppError} (its calls) `overloaded` when too many wait already
 */
export function openServerScrypt(limits: ScryptLimits = { atOnceMax: 2, waitingMax: 300 }): ScryptFor {
  const turns = new FairTurns({ ...limits, waitMaxMs, busy: 'Too many passwords are waiting' })
  return (caller) =>
    (...asked) =>
      turns.run(caller, callMs, () => threadedScrypt(...asked))
}
