/** Room in memory for the bodies of all requests together. */
import { AppError } from '../errors.ts'

/** Of the room, what one caller may take. */
const callerShare = 0.75

/** How much of the longest body there must be for one to be let in. */
export const roomPerBody = 2 / callerShare

/**
 * One bound on the bodies that are received and held. A body may take half of what is free, and half of what its caller may
 * still take: large ones never take all of it, so that there is room for small ones beside them, and for other callers.
 */
export class BodyRoom {
  readonly #bytesMax: number
  readonly #byCaller = new Map<string, number>()
  #taken = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Bytes that are taken now. */
  get taken(): number {
    return this.#taken
  }

  /**
   * A claim on room for one request, of nothing at first.
   * @param caller who pays, asked for when the first byte is claimed
   */
  claim(caller: () => string): BodyClaim {
    return new BodyClaim(this, caller)
  }

  /** @throws {AppError} `overloaded` */
  take(caller: string, held: number, bytes: number): void {
    const ofCaller = this.#byCaller.get(caller) ?? 0
    const free = this.#bytesMax - this.#taken + held
    const freeOfCaller = this.#bytesMax * callerShare - ofCaller + held
    if (bytes > Math.min(free, freeOfCaller) / 2)
      throw new AppError('overloaded', 'Too many bodies are being received')
    this.#taken += bytes - held
    this.#byCaller.set(caller, ofCaller + bytes - held)
  }

  giveBack(caller: string, held: number): void {
    this.#taken -= held
    const left = (this.#byCaller.get(caller) ?? 0) - held
    if (left > 0) this.#byCaller.set(caller, left)
    else this.#byCaller.delete(caller)
  }
}

/** What one request has taken of the room. */
export class BodyClaim {
  readonly #room: BodyRoom
  readonly #callerOf: () => string
  #caller: string | null = null
  #held = 0

  constructor(room: BodyRoom, callerOf: () => string) {
    this.#room = room
    this.#callerOf = callerOf
  }

  /**
   * Claims room for so many bytes in all.
   * @throws {AppError} `overloaded`; what was held before is still held
   */
  growTo(bytes: number): void {
    if (bytes <= this.#held) return
    this.#caller ??= this.#callerOf()
    this.#room.take(this.#caller, this.#held, bytes)
    this.#held = bytes
  }

  release(): void {
    if (this.#caller !== null) this.#room.giveBack(this.#caller, this.#held)
    this.#held = 0
  }
}
