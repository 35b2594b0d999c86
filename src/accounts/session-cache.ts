/** Remembers for seconds who calls with a token, so that not every call asks a database server. */
import type { UserRecord } from '../records/account.ts'
import type { StoredSession } from '../storage/accounts/session-store.ts'

export interface KnownSession {
  session: StoredSession
  user: UserRecord
}

const entriesMax = 10_000

/**
 * Sessions by the hash of their token. What this process changes is forgotten at once (`forgetAll`); changes by other
 * processes are noticed when an entry is `ageMaxMs` old.
 */
export class SessionCache {
  readonly #ageMaxMs: number
  readonly #nowMs: () => number
  readonly #entries = new Map<string, KnownSession & { readAtMs: number }>()
  #generation = 0

  /**
   * @param ageMaxMs 0 to remember nothing
   * @param nowMs of a monotonic clock
   */
  constructor(ageMaxMs: number, nowMs: () => number) {
    this.#ageMaxMs = ageMaxMs
    this.#nowMs = nowMs
  }

  /**
   * The session of a token, remembered or read.
   * @param read `null` if there is none; that is not remembered
   */
  async find(hash: string, read: () => Promise<KnownSession | null>): Promise<KnownSession | null> {
    const nowMs = this.#nowMs()
    const known = this.#entries.get(hash)
    if (known && nowMs - known.readAtMs < this.#ageMaxMs) return known
    this.#entries.delete(hash)
    const generation = this.#generation
    const found = await read()
    // What was read before a change must not be remembered after it.
    if (found && this.#ageMaxMs > 0 && generation === this.#generation) {
      this.#makeRoom(nowMs)
      this.#entries.set(hash, { ...found, readAtMs: nowMs })
    }
    return found
  }

  /** Forgets one session, whose row has changed. */
  forget(hash: string): void {
    this.#entries.delete(hash)
  }

  /** Forgets all sessions: a user or a session was changed or removed. */
  forgetAll(): void {
    this.#generation++
    this.#entries.clear()
  }

  /** Entries are in the order in which they were read. */
  #makeRoom(nowMs: number): void {
    for (const [hash, { readAtMs }] of this.#entries) {
      if (this.#entries.size < entriesMax && nowMs - readAtMs < this.#ageMaxMs) return
      this.#entries.delete(hash)
    }
  }
}
