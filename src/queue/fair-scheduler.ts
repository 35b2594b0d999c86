/** Order of waiting work: companies by their past cost, within a company addresses likewise, within an address cheap work first. */
import { invariant } from '../errors.ts'
import type { Caller } from './caller.ts'

export interface Waiting {
  /** To whom its cost is charged. */
  caller: Caller
  /** Estimated milliseconds of work. */
  costMs: number
}

/**
 * Where work runs: in one of the ordinary places, or beside them, where only some of it may run. What is used of one place takes nothing
 * away from the other, so each has its own accounts.
 */
export type Place = 'ordinary' | 'beside'

const places = ['ordinary', 'beside'] as const

/** An item can be overtaken by cheaper ones of the same caller that arrive within this multiple of its own cost. */
const patience = 4
/** Head start of idle callers on the clock. */
const headStartMs = 1000
/** What those who always have work keep of it; they pay back the rest, so that others have a head start over them. */
const keptMs = headStartMs / 2
/** Paid back at most, as a share of the work done. */
const payBackRate = 0.5

interface Line<T> {
  readonly length: number
  /** Sum of the costs of all waiting items. */
  readonly waitingMs: number
  add(item: T, dueMs: number): void
  /** The next item that may run in a place. */
  first(place: Place): T | null
  /**
   * The item that would be served last and is displaced if the queue is full.
   * @param newcomer the new item, if it belongs to this line
   * @returns `null` if that is the newcomer
   */
  last(newcomer: T | null): T | null
  remove(item: T): boolean
  /** Charges the estimated cost of an item that is taken. */
  charge(item: T, place: Place): void
  /** Replaces the estimated cost of an item that was taken by its real one. */
  settle(item: T, spentMs: number, place: Place): void
  /** Drops callers without waiting items and without debt. */
  prune(): void
  items(): T[]
}

/** The items of one caller. A later item overtakes only more expensive ones that have not waited long. */
class OwnLine<T extends Waiting> implements Line<T> {
  readonly #queued: { item: T; dueMs: number }[] = []
  readonly #mayRunBeside: (item: T) => boolean
  waitingMs = 0

  constructor(mayRunBeside: (item: T) => boolean) {
    this.#mayRunBeside = mayRunBeside
  }

  get length(): number {
    return this.#queued.length
  }

  add(item: T, dueMs: number): void {
    const at = this.#queued.findIndex((other) => other.dueMs > dueMs)
    this.#queued.splice(at < 0 ? this.#queued.length : at, 0, { item, dueMs })
    this.waitingMs += item.costMs
  }

  first(place: Place): T | null {
    const next = this.#queued.find(({ item }) => place === 'ordinary' || this.#mayRunBeside(item))
    return next?.item ?? null
  }

  last(newcomer: T | null): T | null {
    return newcomer ? null : (this.#queued.at(-1)?.item ?? null)
  }

  remove(item: T): boolean {
    const at = this.#queued.findIndex((queued) => queued.item === item)
    if (at < 0) return false
    this.#queued.splice(at, 1)
    this.waitingMs = this.length === 0 ? 0 : this.waitingMs - item.costMs
    return true
  }

  charge(): void {}
  settle(): void {}
  prune(): void {}

  items(): T[] {
    return this.#queued.map(({ item }) => item)
  }
}

/** What a share has used of a place. */
interface Account {
  /** Used time on the place's clock, with the estimates of items that are taken. */
  usedUpToMs: number
  /** These estimates alone. */
  takenMs: number
  /** Number of items that are taken and not settled. */
  taken: number
}

interface Share<T> {
  line: Line<T>
  accounts: Record<Place, Account>
}

const openAccount = (): Account => ({ usedUpToMs: Number.NEGATIVE_INFINITY, takenMs: 0, taken: 0 })

/**
 * Weighted fair queueing with equal weights (Demers, Keshav, Shenker 1989): all shares use one virtual clock for each place, which
 * advances as fast as one share is served. An idle share starts slightly behind the clock, and so ahead of shares that always wait.
 *
 * The clock counts real costs alone. With estimates it would lead those who always wait, and who comes now and then would wait until
 * they have caught up.
 */
class SharedLine<T extends Waiting> implements Line<T> {
  readonly #keyOf: (item: T) => string
  readonly #openLine: () => Line<T>
  readonly #shares = new Map<string, Share<T>>()
  readonly #clockMs: Record<Place, number> = { ordinary: 0, beside: 0 }
  length = 0
  waitingMs = 0

  constructor(keyOf: (item: T) => string, openLine: () => Line<T>) {
    this.#keyOf = keyOf
    this.#openLine = openLine
  }

  #findShare(item: T): Share<T> {
    const key = this.#keyOf(item)
    const known = this.#shares.get(key)
    if (known) return known
    const accounts = { ordinary: openAccount(), beside: openAccount() }
    const share: Share<T> = { line: this.#openLine(), accounts }
    this.#shares.set(key, share)
    return share
  }

  /**
   * Start time of a share's next item. While it waits, its share falls behind the clock as far as puts the item before those of
   * newcomers, and no further: otherwise any number of later items could follow it.
   */
  #startOf({ line, accounts }: Share<T>, place: Place): number {
    const { usedUpToMs, takenMs } = accounts[place]
    const waitingMs = line.first(place)?.costMs ?? 0
    return Math.max(usedUpToMs - takenMs, this.#clockMs[place] - headStartMs - waitingMs) + takenMs
  }

  add(item: T, dueMs: number): void {
    const share = this.#findShare(item)
    for (const place of places) share.accounts[place].usedUpToMs = this.#startOf(share, place)
    share.line.add(item, dueMs)
    this.length++
    this.waitingMs += item.costMs
  }

  first(place: Place): T | null {
    let next: T | null = null
    let nextEndMs = Number.POSITIVE_INFINITY
    for (const share of this.#shares.values()) {
      const first = share.line.first(place)
      if (!first) continue
      const endMs = this.#startOf(share, place) + first.costMs
      if (endMs < nextEndMs) [next, nextEndMs] = [first, endMs]
    }
    return next
  }

  last(newcomer: T | null): T | null {
    const own = newcomer && this.#findShare(newcomer)
    const endOf = (share: Share<T>) =>
      this.#startOf(share, 'ordinary') + share.line.waitingMs + (share === own ? newcomer!.costMs : 0)
    let latest = own
    for (const share of this.#shares.values()) {
      if (share.line.length > 0 && (!latest || endOf(share) > endOf(latest))) latest = share
    }
    return latest?.line.last(latest === own ? newcomer : null) ?? null
  }

  remove(item: T): boolean {
    if (!this.#shares.get(this.#keyOf(item))?.line.remove(item)) return false
    this.length--
    this.waitingMs = this.length === 0 ? 0 : this.waitingMs - item.costMs
    return true
  }

  charge(item: T, place: Place): void {
    const share = this.#findShare(item)
    const account = share.accounts[place]
    const beginMs = this.#startOf(share, place)
    this.#clockMs[place] = Math.max(this.#clockMs[place], beginMs - account.takenMs)
    account.usedUpToMs = beginMs + item.costMs
    account.takenMs += item.costMs
    account.taken++
    share.line.charge(item, place)
  }

  settle(item: T, spentMs: number, place: Place): void {
    const share = this.#findShare(item)
    const account = share.accounts[place]
    account.usedUpToMs += spentMs - item.costMs
    account.taken--
    // Exactly 0 in the end, whatever was rounded.
    account.takenMs = account.taken === 0 ? 0 : account.takenMs - item.costMs
    this.#clockMs[place] += spentMs / this.#countActive(share, place)
    account.usedUpToMs += this.#payBack(account, spentMs, this.#clockMs[place])
    share.line.settle(item, spentMs, place)
  }

  /** What a share pays of its head start after work of `spentMs`. */
  #payBack({ usedUpToMs, takenMs }: Account, spentMs: number, clockMs: number): number {
    const aheadMs = clockMs - (usedUpToMs - takenMs)
    return Math.min(spentMs * payBackRate, Math.max(0, aheadMs - keptMs))
  }

  /** Shares that take part in the service: those that wait, and those that were served ahead of the clock. */
  #countActive(served: Share<T>, place: Place): number {
    let active = 0
    for (const share of this.#shares.values()) {
      const { usedUpToMs, takenMs } = share.accounts[place]
      const isAhead = usedUpToMs - takenMs > this.#clockMs[place]
      if (share === served || isAhead || share.line.first(place)) active++
    }
    return active
  }

  prune(): void {
    for (const [key, { line, accounts }] of this.#shares) {
      const owes = places.some((place) => {
        const { usedUpToMs, taken } = accounts[place]
        return taken > 0 || usedUpToMs > this.#clockMs[place] - headStartMs
      })
      if (line.length === 0 && !owes) this.#shares.delete(key)
      else line.prune()
    }
  }

  items(): T[] {
    return [...this.#shares.values()].flatMap(({ line }) => line.items())
  }
}

interface FairSchedulerOptions<T> {
  /** How long an item can be overtaken at most; default: in proportion to its cost. */
  patienceMaxMs?: number
  /** Which items may run beside the others; default: all. */
  mayRunBeside?: (item: T) => boolean
}

export class FairScheduler<T extends Waiting> {
  readonly #patienceMaxMs: number
  readonly #mayRunBeside: (item: T) => boolean
  #companies: SharedLine<T>
  /** Where the items run that are taken and not settled. */
  readonly #running = new Map<T, Place>()

  constructor({
    patienceMaxMs = Number.POSITIVE_INFINITY,
    mayRunBeside = () => true,
  }: FairSchedulerOptions<T> = {}) {
    this.#patienceMaxMs = patienceMaxMs
    this.#mayRunBeside = mayRunBeside
    this.#companies = this.#open()
  }

  #open(): SharedLine<T> {
    const ofAddresses = () =>
      new SharedLine<T>(
        ({ caller }) => caller.address,
        () => new OwnLine(this.#mayRunBeside),
      )
    return new SharedLine<T>(({ caller }) => caller.company, ofAddresses)
  }

  get length(): number {
    return this.#companies.length
  }

  /** @param nowMs time of a monotonic clock */
  add(item: T, nowMs: number): void {
    this.#companies.add(item, nowMs + Math.min(this.#patienceMaxMs, patience * item.costMs))
  }

  /** Adds an item in front of its caller's other items. */
  addFirst(item: T): void {
    this.#companies.add(item, Number.NEGATIVE_INFINITY)
  }

  /** Takes the next item for a place and charges its estimated cost. */
  take(place: Place = 'ordinary'): T | null {
    const item = this.#companies.first(place)
    if (!item) return null
    this.#companies.charge(item, place)
    this.#companies.remove(item)
    this.#running.set(item, place)
    this.#prune()
    return item
  }

  /** Settles a taken item: charges its real cost instead of the estimate. */
  settle(item: T, spentMs: number): void {
    const place = this.#running.get(item)
    invariant(place, 'an item is settled once, after it was taken')
    this.#running.delete(item)
    this.#companies.settle(item, spentMs, place)
    this.#prune()
  }

  remove(item: T): boolean {
    return this.#companies.remove(item)
  }

  /**
   * The item that has to give way to a newcomer: the one that would be served last.
   * @returns `null` if that is the newcomer
   */
  findDisplaced(newcomer: T): T | null {
    return this.#companies.last(newcomer)
  }

  /** Removes and returns all waiting items, in no particular order. */
  clear(): T[] {
    const items = this.#companies.items()
    for (const item of items) this.#companies.remove(item)
    this.#prune()
    return items
  }

  /** Drops callers without debt; all of them if nothing waits or runs. */
  #prune(): void {
    if (this.length === 0 && this.#running.size === 0) this.#companies = this.#open()
    else this.#companies.prune()
  }
}
