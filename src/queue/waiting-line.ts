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
  /** The next item that may run. */
  first(mayRun: (item: T) => boolean): T | null
  /**
   * The item that would be served last and is displaced if the queue is full.
   * @param newcomer the new item, if it belongs to this line
   * @returns `null` if that is the newcomer
   */
  last(newcomer: T | null): T | null
  remove(item: T): boolean
  /**
   * Charges the estimated cost of an item that is taken.
   * @param isAside whether it was taken where others could not run: it is charged, but the clock stands still
   */
  charge(item: T, isAside: boolean): void
  /** Replaces the estimated cost of an item that was taken by its real one. */
  settle(item: T, spentMs: number, isAside: boolean): void
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
    this.waitingMs = this.length === 0 ? 0 : this.waitingMs - item.costMs
    return true
  }

  charge(): void {}
  settle(): void {}
  prune(): void {}

  items(): T[] {
    return this.#places.map(({ item }) => item)
  }
}

const longAgo = Number.NEGATIVE_INFINITY

interface Share<T> {
  line: Line<T>
  /** Used time on the common clock of the sibling shares, with the estimates of items that are taken. */
  usedUpToMs: number
  /** These estimates alone. */
  takenMs: number
  /** Number of items that are taken and not settled. */
  taken: number
}

/**
 * Weighted fair queueing with equal weights (Demers, Keshav, Shenker 1989): all shares use one virtual clock, which advances as
 * fast as one share is served. An idle share starts slightly behind the clock, and so ahead of shares that always wait.
 *
 * The clock counts real costs alone. With estimates it would lead those who always wait, and who comes now and then would wait until
 * they have caught up.
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
    const share: Share<T> = { line: this.#openLine(), usedUpToMs: longAgo, takenMs: 0, taken: 0 }
    this.#shares.set(key, share)
    return share
  }

  /** Start time of a share's next item. A share with waiting items keeps its place. */
  #startOf({ line, usedUpToMs, takenMs }: Share<T>): number {
    if (line.length > 0) return usedUpToMs
    return Math.max(usedUpToMs - takenMs, this.#clockMs - headStartMs) + takenMs
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
    this.waitingMs = this.length === 0 ? 0 : this.waitingMs - item.costMs
    return true
  }

  charge(item: T, isAside: boolean): void {
    const share = this.#findShare(item)
    const beginMs = this.#startOf(share)
    if (!isAside) this.#clockMs = Math.max(this.#clockMs, beginMs - share.takenMs)
    share.usedUpToMs = beginMs + item.costMs
    share.takenMs += item.costMs
    share.taken++
    share.line.charge(item, isAside)
  }

  settle(item: T, spentMs: number, isAside: boolean): void {
    const share = this.#findShare(item)
    share.usedUpToMs += spentMs - item.costMs
    share.taken--
    // Exactly 0 in the end, whatever was rounded.
    share.takenMs = share.taken === 0 ? 0 : share.takenMs - item.costMs
    if (!isAside) this.#clockMs += spentMs / this.#countActive(share)
    share.usedUpToMs += this.#payBack(share, spentMs)
    share.line.settle(item, spentMs, isAside)
  }

  /** What a share pays of its head start after work of `spentMs`. */
  #payBack({ usedUpToMs, takenMs }: Share<T>, spentMs: number): number {
    const aheadMs = this.#clockMs - (usedUpToMs - takenMs)
    return Math.min(spentMs * payBackRate, Math.max(0, aheadMs - keptMs))
  }

  /** Shares that take part in the service: those that wait, and those that were served ahead of the clock. */
  #countActive(served: Share<T>): number {
    let active = 0
    for (const share of this.#shares.values())
      if (share === served || share.line.length > 0 || share.usedUpToMs > this.#clockMs) active++
    return active
  }

  prune(): void {
    for (const [key, { line, usedUpToMs, taken }] of this.#shares) {
      const isIdle = line.length === 0 && taken === 0
      if (isIdle && usedUpToMs <= this.#clockMs - headStartMs) this.#shares.delete(key)
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
  /** Those of them that were taken where others could not run. */
  readonly #aside = new Set<T>()

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

  /**
   * Takes the next item and charges its estimated cost.
   * @param mayRun which items may be taken, for a place beside the others; default: all
   */
  take(mayRun?: (item: T) => boolean): T | null {
    const item = this.#companies.first(mayRun ?? (() => true))
    if (!item) return null
    if (mayRun) this.#aside.add(item)
    this.#companies.charge(item, mayRun !== undefined)
    this.#companies.remove(item)
    this.#running++
    this.#prune()
    return item
  }

  /** Settles a taken item: charges its real cost instead of the estimate. */
  settle(item: T, spentMs: number): void {
    this.#running--
    this.#companies.settle(item, spentMs, this.#aside.delete(item))
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
    if (this.length === 0 && this.#running === 0) this.#companies = this.#open()
    else this.#companies.prune()
  }
}
