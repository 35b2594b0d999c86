/** Who is next: companies in turn by what they have cost, in each its addresses, of an address what is cheap first. */
import type { Caller } from './caller.ts'

export interface Waiting {
  /** Whose share pays for it. */
  caller: Caller
  /** Milliseconds of work, estimated. */
  costMs: number
}

/** Something lets others of its caller pass that come within this many times its own cost. */
const patience = 4
/** Who was idle may begin this far ahead of those who always wait. */
const creditMs = 1000

interface Line<T> {
  readonly length: number
  /** Costs of all that wait here. */
  readonly waitingMs: number
  add(item: T, dueMs: number): void
  /** What would be next of all that may run. */
  first(mayRun: (item: T) => boolean): T | null
  /**
   * What goes when there is no room: the last one of what would be served last.
   * @param newcomer of this line, if it is
   * @returns `null` when that is the newcomer
   */
  last(newcomer: T | null): T | null
  remove(item: T): boolean
  /** Counts work that is taken up. */
  charge(item: T): void
  /** Counts what work cost beyond its estimate; less than nothing gives back. */
  correct(item: T, byMs: number): void
  /** Forgets callers that owe nothing. */
  prune(): void
  items(): T[]
}

/** What one caller waits for. Who comes later passes only what is dearer and has not waited long. */
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
  /** What it has used, on the clock of the shares beside it. */
  usedUpToMs: number
  /** That clock when it was last at work. */
  seenMs: number
}

/**
 * Weighted fair queueing with equal weights (Demers, Keshav, Shenker 1989): shares have one clock, which runs as fast as
 * a share is served. Who was idle begins a little behind it, and so goes ahead of those who always wait.
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

  /** Who waits keeps its place, however long. */
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
  /** Taken and not settled. */
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

  /** @param nowMs a clock that only runs forward */
  add(item: T, nowMs: number): void {
    this.#companies.add(item, nowMs + patience * item.costMs)
  }

  /** To the front of what its caller waits for. */
  addFirst(item: T): void {
    this.#companies.add(item, Number.NEGATIVE_INFINITY)
  }

  /** The next one of those that may run; its cost is charged. */
  take(mayRun: (item: T) => boolean = () => true): T | null {
    const item = this.#companies.first(mayRun)
    if (!item) return null
    this.#companies.charge(item)
    this.#companies.remove(item)
    this.#running++
    this.#prune()
    return item
  }

  /** Something that was taken is done: charges what it cost beyond its estimate, or gives back what it did not. */
  settle(item: T, spentMs: number): void {
    this.#running--
    this.#companies.correct(item, spentMs - item.costMs)
    this.#prune()
  }

  remove(item: T): boolean {
    return this.#companies.remove(item)
  }

  /**
   * Who must go so that a newcomer may wait: what would be served last.
   * @returns `null` when that is the newcomer
   */
  findDisplaced(newcomer: T): T | null {
    return this.#companies.last(newcomer)
  }

  /** Takes all that wait, in no particular order. */
  clear(): T[] {
    const items = this.#companies.items()
    this.#companies = this.#open()
    return items
  }

  /** Where nothing waits or runs, nobody owes anything. */
  #prune(): void {
    if (this.length === 0 && this.#running === 0) this.#companies = this.#open()
    else this.#companies.prune()
  }
}
