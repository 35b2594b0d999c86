/** Who is next: callers in turn by what they have cost, each caller's cheap media before the dear ones. */

export interface Waiting {
  /** Whose share pays for it. */
  caller: string
  /** Milliseconds of a worker, estimated. */
  costMs: number
}

interface Place<T> {
  item: T
  /** From when on nothing that comes later passes it within its share. */
  dueMs: number
}

interface Share<T> {
  places: Place<T>[]
  /** What the caller has used, on the clock of all shares. */
  usedUpToMs: number
}

/** A medium lets others of its caller pass that come within this many times its own cost. */
const patience = 4

/**
 * Weighted fair queueing with equal weights (Demers, Keshav, Shenker 1989): the shares have one clock, which runs as fast as
 * a share is served. A caller who was idle begins where it stands; one who had much begins behind it.
 */
export class WaitingLine<T extends Waiting> {
  readonly #shares = new Map<string, Share<T>>()
  #clockMs = 0
  #length = 0
  /** Taken and not settled. */
  #running = 0

  get length(): number {
    return this.#length
  }

  #shareOf(caller: string): Share<T> {
    const known = this.#shares.get(caller)
    if (known) return known
    const share: Share<T> = { places: [], usedUpToMs: this.#clockMs }
    this.#shares.set(caller, share)
    return share
  }

  /** @param nowMs a clock that only runs forward */
  add(item: T, nowMs: number): void {
    const { places } = this.#shareOf(item.caller)
    places.push({ item, dueMs: nowMs + patience * item.costMs })
    places.sort((a, b) => a.dueMs - b.dueMs)
    this.#length++
  }

  /** Back to the front of its share. */
  addFirst(item: T): void {
    this.#shareOf(item.caller).places.unshift({ item, dueMs: Number.NEGATIVE_INFINITY })
    this.#length++
  }

  /** The next one; its cost is charged. */
  take(): T | undefined {
    let next: Share<T> | undefined
    let nextEndMs = Number.POSITIVE_INFINITY
    let waiting = 0
    for (const share of this.#shares.values()) {
      const [first] = share.places
      if (!first) continue
      waiting++
      const endMs = Math.max(share.usedUpToMs, this.#clockMs) + first.item.costMs
      if (endMs < nextEndMs) [next, nextEndMs] = [share, endMs]
    }
    const place = next?.places.shift()
    if (!next || !place) return undefined
    this.#length--
    this.#running++
    const { costMs } = place.item
    next.usedUpToMs = nextEndMs
    this.#clockMs = Math.max(this.#clockMs + costMs / waiting, nextEndMs - costMs)
    this.#forgetIdle()
    return place.item
  }

  /** Something that was taken is done: charges what it cost beyond its estimate, or gives back what it did not. */
  settle({ caller, costMs }: T, spentMs: number): void {
    this.#running--
    this.#shareOf(caller).usedUpToMs += spentMs - costMs
    this.#forgetIdle()
  }

  remove(item: T): boolean {
    const share = this.#shares.get(item.caller)
    const at = share?.places.findIndex((place) => place.item === item) ?? -1
    if (at < 0) return false
    share!.places.splice(at, 1)
    this.#length--
    return true
  }

  /**
   * Who must go so that a newcomer may wait: the last one of the caller that waits for most.
   * @returns `null` when that caller is the newcomer's own
   */
  displacedBy({ caller, costMs }: T): T | null {
    const waitingMs = ({ places }: Share<T>): number => places.reduce((sum, { item }) => sum + item.costMs, 0)
    const own = this.#shares.get(caller)
    let most = costMs + (own ? waitingMs(own) : 0)
    let greediest: Share<T> | null = null
    for (const share of this.#shares.values()) {
      const sum = waitingMs(share)
      if (share !== own && sum > most) [greediest, most] = [share, sum]
    }
    return greediest?.places.at(-1)?.item ?? null
  }

  /** Takes all that wait, in no particular order. */
  clear(): T[] {
    const items = [...this.#shares.values()].flatMap(({ places }) => places.map(({ item }) => item))
    this.#shares.clear()
    this.#length = 0
    return items
  }

  /** A share that is behind the clock owes nothing; where nothing waits or runs, nobody does. */
  #forgetIdle(): void {
    if (this.#length === 0 && this.#running === 0) this.#shares.clear()
    for (const [caller, { places, usedUpToMs }] of this.#shares) {
      if (places.length === 0 && usedUpToMs <= this.#clockMs) this.#shares.delete(caller)
    }
  }
}
