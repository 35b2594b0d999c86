/** scrypt of the runtime's crypto library, on its threads, so that the event loop stays free. */
import { scrypt } from 'node:crypto'
import type { Scrypt, ScryptFor } from '../identity/passwords.ts'
import { FairSemaphore, type TurnOptions } from '../queue/fair-semaphore.ts'

interface ScryptLimits extends Pick<TurnOptions, 'heldMaxMs' | 'clockStandsStill'> {
  /** Number of concurrent calls. Each takes a thread and 32 MB, and Deno itself sets no limit. */
  atOnceMax: number
  /** Number of calls that may wait. */
  waitingMax: number
}

const waitMaxMs = 10_000
/** Measured time of a call on one core. */
const callMs = 80

/** OpenSSL counts its work memory (128·r bytes for each of N, p and two more) towards the limit. */
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
 * scrypt for one process, shared fairly between callers.
 * @throws {AppError} (its calls) `overloaded` if too many calls wait already
 */
export function openServerScrypt(
  limits: ScryptLimits = { atOnceMax: 2, waitingMax: 300 },
  scrypt: Scrypt = threadedScrypt,
): ScryptFor {
  const turns = new FairSemaphore({ ...limits, waitMaxMs, busy: 'Too many passwords are waiting' })
  return (caller, onTurn) =>
    (...asked) =>
      turns.run(caller, callMs, async () => {
        onTurn?.()
        return scrypt(...asked)
      })
}
