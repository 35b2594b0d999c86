/** Bounds how many passwords may be guessed, without keeping the owner of an account out. */
import type { Caller } from '../queue/caller.ts'
import { MissLimit } from './miss-limit.ts'

const windowMs = 15 * 60_000
/** Of one account from one address: people mistype. */
const pairMissesMax = 10
/** Of one account from all addresses, before each of them has fewer. */
const accountMissesMax = 50
const pairMissesMaxUnderAttack = 3
/** From one address, which a whole office may share. */
const addressMissesMax = 200
/** Pairs that signed in are remembered up to this many. */
const familiarMax = 50_000

/**
 * Passwords that were wrong are counted by account and address. An account that is attacked from many addresses is open
 * to each of them a few times: so its owner always has tries of their own, unless the attack comes from the owner's address.
 */
export class SignInLimit {
  /** Accounts with addresses that they have signed in from, the one not seen for longest first. */
  readonly #familiar = new Set<string>()
  readonly #pairs: MissLimit
  readonly #accounts: MissLimit
  readonly #addresses: MissLimit

  constructor(monotonicMs: () => number) {
    this.#pairs = new MissLimit({ missesMax: pairMissesMax, windowMs }, monotonicMs)
    this.#accounts = new MissLimit({ missesMax: accountMissesMax, windowMs }, monotonicMs)
    this.#addresses = new MissLimit({ missesMax: addressMissesMax, windowMs }, monotonicMs)
  }

  /**
   * @param account what tells accounts apart, known or not: a hash
   * @returns whole seconds to wait before the next try, 0 to go ahead
   */
  waitS(account: string, address: string): number {
    const pair = `${account} ${address}`
    if (this.#familiar.has(pair)) return this.#pairs.waitS(pair)
    const isAttacked = this.#accounts.waitS(account) > 0
    const pairMax = isAttacked ? pairMissesMaxUnderAttack : pairMissesMax
    return Math.max(this.#addresses.waitS(address), this.#pairs.waitS(pair, pairMax))
  }

  /** At whose charge a password is checked: who has signed in from there before does not wait for a crowd of strangers. */
  identifyCaller(account: string, address: string): Caller {
    const pair = `${account} ${address}`
    return this.#familiar.has(pair)
      ? { company: 'familiar', address: pair }
      : { company: 'strangers', address }
  }

  recordSuccess(account: string, address: string): void {
    const pair = `${account} ${address}`
    this.#familiar.delete(pair)
    this.#familiar.add(pair)
    const [oldest] = this.#familiar
    if (oldest !== undefined && this.#familiar.size > familiarMax) this.#familiar.delete(oldest)
  }

  /** A password was wrong. */
  recordMiss(account: string, address: string): void {
    this.#pairs.add(`${account} ${address}`)
    this.#accounts.add(account)
    this.#addresses.add(address)
  }
}
