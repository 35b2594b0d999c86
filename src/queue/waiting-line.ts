/** Order of waiting work: companies by their past cost, within a company addresses likewise, within an address cheap work first. */
import type { Caller } from './caller.ts'

export interface Waiting {
  /** To whom its cost is charged. */
  caller: Caller
  /** Estimated milliseconds of work. */
  costMs: number
}

/** An item can be overtaken by cheaper ones of the same caller that arrive within this multiple of its own cost. */
const patience = 4
/** Head start of idle callers over those that always have work waiting. */
const creditMs = 1000

interface Line<T> {
  readonly length: number
  /** Sum of the costs of all waiting items. */
  readonly waitingMs: number
  add(item: T, dueMs: number): void
  /** The next item that may run. */
  first(mayRun: (item: T) => boolean): T | null
  /**
   * The item that would be served last and is displaced if the queue is full.
   * @param newcomer the new item, if it belongs to this line
   * @returns `null` if that is the newcomer
   */
  last(newcomer: T | null): T | null
  remove(item: T): boolean
  /** Charges the estimated cost of an item that is taken. */
  charge(item: T): void
  /** Charges the cost beyond the estimate; a negative value refunds. */
  correct(item: T, byMs: number): void
  /** Drops callers without waiting items and without debt. */
  prune(): void
  items(): T[]
}

/** The items of one caller. A later item overtakes only more expensive ones that have not waited long. */
class OwnLine<T extends Waiting> implements Line<T> {
  readonly #places: { item: T; dueMs: number }[] = []
  waitingMs = 0

  get length(): number {
    return this.#places.length
  }

  add(item: T, dueMs: number): void {
    const at = this.#places.findIndex((place) => place.dueMs > dueMs)
    this.#places.splice(at < 0 ? this.#places.length : at, 0, { item, dueMs })
    this.waitingMs += item.costMs
  }

  first(mayRun: (item: T) => boolean): T | null {
    return this.#places.find(({ item }) => mayRun(item))?.item ?? null
  }

  last(newcomer: T | null): T | null {
    return newcomer ? null : (this.#places.at(-1)?.item ?? null)
  }

  remove(item: T): boolean {
    const at = this.#places.findIndex((place) => place.item === item)
    if (at < 0) return false
    this.#places.splice(at, 1)
    this.waitingMs -= item.costMs
    return true
  }

  charge(): void {}
  correct(): void {}
  prune(): void {}

  items(): T[] {
    return this.#places.map(({ item }) => item)
  }
}

const longAgo = Number.NEGATIVE_INFINITY

interface Share<T> {
  line: Line<T>
  /** Used time on the common clock of the sibling shares. */
  usedUpToMs: number
  /** Value of that clock when this share was last active. */
  seenMs: number
}

/**
 * Weighted fair queueing with equal weights (Demers, Keshav, Shenker 1989): all shares use one virtual clock, which advances as
 * fast as one share is served. An idle share starts slightly behind the clock, and so ahead of shares that always wait.
 */
class SharedLine<T extends Waiting> implements Line<T> {
  readonly #keyOf: (item: T) => string
  readonly #openLine: () => Line<T>
  readonly #shares = new Map<string, Share<T>>()
  #clockMs = 0
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
    const share: Share<T> = { line: this.#openLine(), usedUpToMs: longAgo, seenMs: longAgo }
    this.#shares.set(key, share)
    return share
  }

  /** Start time of a share's next item. A share with waiting items keeps its place. */
  #startOf({ line, usedUpToMs, seenMs }: Share<T>): number {
    return line.length > 0 ? usedUpToMs : Math.max(usedUpToMs, seenMs, this.#clockMs - creditMs)
  }

  add(item: T, dueMs: number): void {
    const share = this.#findShare(item)
    share.usedUpToMs = this.#startOf(share)
    share.line.add(item, dueMs)
    this.length++
    this.waitingMs += item.costMs
  }

  first(mayRun: (item: T) => boolean): T | null {
    let next: T | null = null
    let nextEndMs = Number.POSITIVE_INFINITY
    for (const share of this.#shares.values()) {
      const first = share.line.first(mayRun)
      if (!first) continue
      const endMs = this.#startOf(share) + first.costMs
      if (endMs < nextEndMs) [next, nextEndMs] = [first, endMs]
    }
    return next
  }

  last(newcomer: T | null): T | null {
    const own = newcomer && this.#findShare(newcomer)
    const endOf = (share: Share<T>) =>
      this.#startOf(share) + share.line.waitingMs + (share === own ? newcomer!.costMs : 0)
    let latest = own
    for (const share of this.#shares.values()) {
      if (share.line.length > 0 && (!latest || endOf(share) > endOf(latest))) latest = share
    }
    return latest?.line.last(latest === own ? newcomer : null) ?? null
  }

  remove(item: T): boolean {
    if (!this.#shares.get(this.#keyOf(item))?.line.remove(item)) return false
    this.length--
    this.waitingMs -= item.costMs
    return true
  }

  charge(item: T): void {
    const share = this.#findShare(item)
    const beginMs = this.#startOf(share)
    const others = [...this.#shares.values()].filter(({ line }) => line.length > 0 && line !== share.line)
    share.usedUpToMs = beginMs + item.costMs
    this.#clockMs = Math.max(this.#clockMs + item.costMs / (others.length + 1), beginMs)
    share.seenMs = this.#clockMs
    share.line.charge(item)
  }

  correct(item: T, byMs: number): void {
    const share = this.#findShare(item)
    share.usedUpToMs = this.#startOf(share) + byMs
    share.seenMs = this.#clockMs
    share.line.correct(item, byMs)
  }

  prune(): void {
    for (const [key, { line, usedUpToMs, seenMs }] of this.#shares) {
      if (line.length === 0 && Math.max(usedUpToMs, seenMs) <= this.#clockMs - creditMs)
        this.#shares.delete(key)
      else line.prune()
    }
  }

  items(): T[] {
    return [...this.#shares.values()].flatMap(({ line }) => line.items())
  }
}

export class WaitingLine<T extends Waiting> {
  #companies = this.#open()
  /** Number of items that are taken and not settled. */
  #running = 0

  #open(): SharedLine<T> {
    const ofAddresses = () =>
      new SharedLine<T>(
        ({ caller }) => caller.address,
        () => new OwnLine(),
      )
    return new SharedLine<T>(({ caller }) => caller.company, ofAddresses)
  }

  get length(): number {
    return this.#companies.length
  }

  /** @param nowMs time of a monotonic clock */
  add(item: T, nowMs: number): void {
    this.#companies.add(item, nowMs + patience * item.costMs)
  }

  /** Adds an item in front of its caller's other items. */
  addFirst(item: T): void {
    this.#companies.add(item, Number.NEGATIVE_INFINITY)
  }

  /** Takes the next item that may run and charges its estimated cost. */
  take(mayRun: (item: T) => boolean = () => true): T | null {
    const item = this.#companies.first(mayRun)
    if (!item) return null
    this.#companies.charge(item)
    this.#companies.remove(item)
    this.#running++
    this.#prune()
    return item
  }

  /** Settles a taken item: charges the cost beyond the estimate, or refunds the rest. */
  settle(item: T, spentMs: number): void {
    this.#running--
    this.#companies.correct(item, spentMs - item.costMs)
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
    this.#companies = this.#open()
    return items
  }

  /** Drops callers without debt; all of them if nothing waits or runs. */
  #prune(): void {
    if (this.length === 0 && this.#running === 0) this.#companies = this.#open()
    else this.#companies.prune()
  }
}
