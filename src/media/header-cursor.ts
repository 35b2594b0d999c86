/**
 * Reads the headers of files that callers send. Such a file must not decide how long a thread is held: readers go through it with this
 * cursor alone, and all that they pass counts.
 */
import { AppError } from '../errors.ts'

/** A header goes on behind what may be read of it: `media_unreadable` where nobody reads on. */
export class HeaderTooLong extends AppError {
  constructor() {
    super('media_unreadable', 'The headers of the file do not end. Send another copy', { reason: 'damaged' })
  }
}

/** What may be read of the headers of one medium, however many readers share it. */
export class HeaderBudget {
  #steps: number
  #bytes: number

  /**
   * @param steps units, such as chunks, segments, boxes and entries of directories
   * @param bytes searched one by one, such as coded data between two markers
   */
  constructor(steps: number, bytes: number) {
    this.#steps = steps
    this.#bytes = bytes
  }

  get bytesLeft(): number {
    return this.#bytes
  }

  /** @throws {HeaderTooLong} if less is left */
  spend(steps: number, bytes: number): void {
    this.#steps -= steps
    this.#bytes -= bytes
    if (this.#steps < 0 || this.#bytes < 0) throw new HeaderTooLong()
  }
}

/** For threads that nothing else waits for: a tenth of a second. A clip in fragments, of some minutes, has some ten thousand units. */
export const threadBudget = (): HeaderBudget => new HeaderBudget(2 ** 19, Number.POSITIVE_INFINITY)

/** For the event loop: some milliseconds. A photo has a few dozen units, an archive of 120 photos a few thousand. */
export const loopBudget = (): HeaderBudget => new HeaderBudget(4096, 2 ** 22)

/** The name of a unit, as the number that its four letters are (big-endian). */
export const fourLetters = (name: string): number =>
  [...name].reduce((number, letter) => ((number << 8) | letter.charCodeAt(0)) >>> 0, 0)

/** Stands at the beginning of a unit. Offsets count from there; what lies behind the end throws a `RangeError`. */
export class HeaderCursor {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #budget: HeaderBudget
  #at = 0

  constructor(bytes: Uint8Array, budget: HeaderBudget) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#budget = budget
  }

  /** Where it stands, in bytes from the beginning. */
  get at(): number {
    return this.#at
  }

  /** Bytes from here to the end. */
  get left(): number {
    return this.#bytes.length - this.#at
  }

  /** Goes forward, usually to the next unit. @throws {HeaderTooLong} */
  skip(length: number): void {
    this.#budget.spend(1, 0)
    this.#at += length
  }

  /**
   * Goes to the next two bytes of which the first is `first` and the second one of some, or to the end.
   * @param seconds for each byte 1 if it may be the second, else 0
   * @returns whether there are such bytes
   * @throws {HeaderTooLong}
   */
  seekPair(first: number, seconds: Uint8Array): boolean {
    const bytes = this.#bytes
    const last = bytes.length - 1
    const end = Math.min(last, this.#at + this.#budget.bytesLeft + 1)
    let at = this.#at
    // Each byte is read once: a megabyte takes a millisecond or two, whatever it holds.
    let byte = bytes[at]
    while (at < end) {
      const next = bytes[at + 1]!
      if (byte === first && seconds[next] === 1) break
      byte = next
      at++
    }
    this.#budget.spend(1, at - this.#at)
    this.#at = at < last ? at : bytes.length
    return at < last
  }

  uint8(offset: number): number {
    return this.#view.getUint8(this.#at + offset)
  }

  uint16(offset: number, isLittle = false): number {
    return this.#view.getUint16(this.#at + offset, isLittle)
  }

  uint32(offset: number, isLittle = false): number {
    return this.#view.getUint32(this.#at + offset, isLittle)
  }

  uint64(offset: number): number {
    return Number(this.#view.getBigUint64(this.#at + offset))
  }

  float32(offset: number): number {
    return this.#view.getFloat32(this.#at + offset)
  }

  float64(offset: number): number {
    return this.#view.getFloat64(this.#at + offset)
  }

  /** A view of some bytes; shorter at the end of the file. */
  bytes(offset: number, length: number): Uint8Array {
    return this.#bytes.subarray(this.#at + offset, this.#at + offset + length)
  }

  /** A cursor at the beginning of some bytes, with the same budget. */
  part(offset: number, length = Number.POSITIVE_INFINITY): HeaderCursor {
    return new HeaderCursor(this.bytes(offset, length), this.#budget)
  }
}
