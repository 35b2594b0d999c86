/** Limits the memory that the bodies of all requests take together. */
import { AppError, invariant } from '../errors.ts'
import { KeyedCount } from '../queue/keyed-count.ts'

/** Share of the memory that one caller may take. */
const callerShare = 0.75

/**
 * One limit for all bodies in memory. A body may take half of the free memory, and half of what its caller may still take.
 * So large bodies never take all of it, and there is memory left for small ones and for other callers.
 */
export class BodyMemoryBudget {
  readonly #bytesMax: number
  readonly #taken = new KeyedCount()

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Bytes in use. */
  get taken(): number {
    return this.#taken.total
  }

  /**
   * Creates an empty claim for one request.
   * @param caller returns the key of the caller whose share is used; called when the first byte is claimed
   */
  claim(caller: () => string): BodyClaim {
    return new BodyClaim(this, caller)
  }

  /** @throws {AppError} `overloaded` */
  take(caller: string, held: number, bytes: number): void {
    const free = this.#bytesMax - this.taken + held
    const freeOfCaller = this.#bytesMax * callerShare - this.#taken.of(caller) + held
    if (bytes > Math.min(free, freeOfCaller) / 2)
      throw new AppError('overloaded', 'Too many bodies are being received')
    this.#taken.add(caller, bytes - held)
  }

  giveBack(caller: string, held: number): void {
    this.#taken.add(caller, -held)
  }
}

/** The memory that one request holds. */
export class BodyClaim {
  readonly #budget: BodyMemoryBudget
  readonly #findCaller: () => string
  #caller: string | null = null
  #held = 0

  constructor(budget: BodyMemoryBudget, findCaller: () => string) {
    this.#budget = budget
    this.#findCaller = findCaller
  }

  /**
   * Grows the claim to this total number of bytes.
   * @throws {AppError} `overloaded`; the claim then keeps its size
   */
  growTo(bytes: number): void {
    invariant(!Number.isNaN(bytes), 'bytes are counted')
    if (bytes <= this.#held) return
    this.#caller ??= this.#findCaller()
    this.#budget.take(this.#caller, this.#held, bytes)
    this.#held = bytes
  }

  release(): void {
    if (this.#caller !== null) this.#budget.giveBack(this.#caller, this.#held)
    this.#held = 0
  }
}
