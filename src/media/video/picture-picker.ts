/** Tolerance for times, which are computed from other units. */
const toleranceS = 1e-6

/** Picks, from pictures in order of time, the first at or after each wanted time. Two times that fall on one picture pick it once. */
export class PicturePicker {
  readonly #timesS: readonly number[] | null
  #next = 0
  #lastS = Number.NEGATIVE_INFINITY
  #picked = 0

  /** @param timesS ascending; `null` for every picture */
  constructor(timesS: readonly number[] | null) {
    this.#timesS = timesS
  }

  /** Whether to use a picture. Those before the first one of the clip, and those that go back in time, are not used. */
  pick(timeS: number): boolean {
    if (!(timeS >= -toleranceS && timeS >= this.#lastS)) return false
    if (this.#timesS !== null && !this.#passWanted(this.#timesS, timeS)) return false
    this.#lastS = timeS
    this.#picked++
    return true
  }

  #passWanted(timesS: readonly number[], timeS: number): boolean {
    const before = this.#next
    while (this.#next < timesS.length && timesS[this.#next]! <= timeS + toleranceS) this.#next++
    return this.#next > before
  }

  /** The times that no picture was picked for yet; `null` for every later picture. */
  get restS(): readonly number[] | null {
    return this.#timesS?.slice(this.#next) ?? null
  }

  /** Time of the last picture that was picked; −∞ before the first. */
  get lastS(): number {
    return this.#lastS
  }

  /** Number of pictures that were picked. */
  get picked(): number {
    return this.#picked
  }

  get isDone(): boolean {
    return this.#next === this.#timesS?.length
  }
}
