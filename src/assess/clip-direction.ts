/** The direction of the pictures of a clip, or of a part with pictures of one shape: some recorders store no orientation. */

/** Detections that decide together: one of them may see a turned or blurred face in a wrong direction. */
const votesWanted = 3

/** Counts in how many frames the subject is upright after how many quarter turns. */
export class ClipDirection {
  readonly #votes = [0, 0, 0, 0]
  /** It was found before, and is not looked for. */
  readonly isKnown: boolean
  #turns: number | null

  /** @param known clockwise quarter turns, if they were found before */
  constructor(known: number | null) {
    this.isKnown = known !== null
    this.#turns = known
  }

  /** Clockwise quarter turns of all frames; `null` until a face was found. */
  get found(): number | null {
    return this.#turns
  }

  /** The same; 0 until a face was found. */
  get quarterTurns(): number {
    return this.#turns ?? 0
  }

  /** Whether more frames should vote. */
  get isOpen(): boolean {
    return !this.isKnown && this.#votes.reduce((sum, count) => sum + count, 0) < votesWanted
  }

  /**
   * The first frame with a face decides how the following ones are turned.
   * @param further quarter turns that this frame needs on top
   * @returns whether it lies as all do
   */
  add(further: number): boolean {
    const turns = (this.quarterTurns + further) % 4
    this.#turns ??= turns
    if (!this.isKnown) this.#votes[turns]!++
    return turns === this.#turns
  }

  /** The direction of more frames than the present one; `null` if there is none. */
  get better(): number | null {
    const most = this.#votes.indexOf(Math.max(...this.#votes))
    return this.#votes[most]! > this.#votes[this.quarterTurns]! ? most : null
  }
}
