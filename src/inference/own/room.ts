/** Rounds up to a multiple of 64. */
const toBlocks = (bytes: number): number => Math.ceil(bytes / 64) * 64

/** Gives out addresses, and takes them back. */
export class Room {
  readonly #free: { start: number; end: number }[]
  /** The highest address that was given out. */
  end: number

  constructor(start: number) {
    this.#free = [{ start, end: Number.POSITIVE_INFINITY }]
    this.end = start
  }

  /** @returns the address of `bytes` bytes, a multiple of 64 */
  take(bytes: number): number {
    const length = toBlocks(bytes)
    const gap = this.#free.find(({ start, end }) => end - start >= length)!
    const { start } = gap
    gap.start += length
    this.end = Math.max(this.end, gap.start)
    return start
  }

  giveBack(start: number, bytes: number): void {
    const end = start + toBlocks(bytes)
    const next = this.#free.findIndex((gap) => gap.start >= end)
    this.#free.splice(next, 0, { start, end })
    for (let i = Math.max(1, next); i <= next + 1 && i < this.#free.length; ) {
      const [before, after] = [this.#free[i - 1]!, this.#free[i]!]
      if (before.end === after.start) {
        before.end = after.end
        this.#free.splice(i, 1)
      } else i++
    }
  }
}
