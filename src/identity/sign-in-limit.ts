/** Limits password guessing, without locking out the owner of an account. */
import type { Caller } from '../queue/caller.ts'
import { MissLimit } from './miss-limit.ts'

const windowMs = 15 * 60_000
/** Failed attempts per account and address: people mistype. */
const pairMissesMax = 10
/** Failed attempts per account over all addresses. Above it, each address has fewer attempts. */
const accountMissesMax = 50
const pairMissesMaxUnderAttack = 3
/** Failed attempts per address, which a whole office may share. */
const addressMissesMax = 200
/** Wrong codes of a second factor per account over all addresses: there are a million codes, and three count at a time. */
const codeMissesMax = 10
/** Number of remembered pairs of account and address with a successful sign-in. */
const familiarMax = 50_000

/**
 * Counts wrong passwords by account and address. While an account is attacked from many addresses, each address still has
 * a few attempts. So its owner is never locked out, unless the attack comes from the owner's address.
 */
export class SignInLimit {
  /** Pairs of account and address with a successful sign-in, the least recent one first. */
  readonly #familiar = new Set<string>()
  readonly #pairs: MissLimit
  readonly #accounts: MissLimit
  readonly #addresses: MissLimit
  readonly #codes: MissLimit

  constructor(monotonicMs: () => number) {
    this.#pairs = new MissLimit({ missesMax: pairMissesMax, windowMs }, monotonicMs)
    this.#accounts = new MissLimit({ missesMax: accountMissesMax, windowMs }, monotonicMs)
    this.#addresses = new MissLimit({ missesMax: addressMissesMax, windowMs }, monotonicMs)
    this.#codes = new MissLimit({ missesMax: codeMissesMax, windowMs }, monotonicMs)
  }

  /**
   * @param account a hash of the account's name, whether it exists or not
   * @returns whole seconds to wait before the next attempt, 0 to go ahead
   */
  waitS(account: string, address: string): number {
    const pair = `${account} ${address}`
    if (this.#familiar.has(pair)) return this.#pairs.waitS(pair)
    const isAttacked = this.#accounts.waitS(account) > 0
    const pairMax = isAttacked ? pairMissesMaxUnderAttack : pairMissesMax
    return Math.max(this.#addresses.waitS(address), this.#pairs.waitS(pair, pairMax))
  }

  /**
   * The caller whose share of work a password check uses. Pairs with a successful sign-in do not queue behind many strangers.
   */
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

  /**
   * Tries a code after the right password: a pair with a successful sign-in by its own count, all strangers by one.
   * @returns whether it failed
   * @throws {AppError} as `MissLimit.attempt`
   */
  attemptCode(account: string, address: string, fails: () => Promise<boolean>): Promise<boolean> {
    const pair = `${account} ${address}`
    return this.#codes.attempt(this.#familiar.has(pair) ? pair : account, fails)
  }

  /** Starts a check, which counts as a wrong password while it runs. @returns as `waitS`; nothing starts if not 0 */
  begin(account: string, address: string): number {
    const waitS = this.waitS(account, address)
    if (waitS > 0) return waitS
    this.#pairs.start(`${account} ${address}`)
    this.#accounts.start(account)
    this.#addresses.start(address)
    return 0
  }

  /** Ends a check that found a wrong password. */
  fail(account: string, address: string): void {
    this.#pairs.fail(`${account} ${address}`)
    this.#accounts.fail(account)
    this.#addresses.fail(address)
  }

  /** Ends a check that found no wrong password. */
  giveBack(account: string, address: string): void {
    this.#pairs.giveBack(`${account} ${address}`)
    this.#accounts.giveBack(account)
    this.#addresses.giveBack(address)
  }
}
