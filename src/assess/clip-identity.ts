/** Identity over the frames of a clip: which frames show the same person, and which of them shows the subject best. */

/** Agreement of a clip's frames about the person they show. */
export interface IdentityFindings {
  /** Number of compared frames: key frames and the first ones behind a cut; and of those with a frontal face. */
  frames: number
  facing: number
  /** Number of frontal frames that show the subject, who is the person in most of them. */
  agreeing: number
  /**
   * Normalised distance between the subject and the second least similar frame, so that one outlier does not count. Above 0
   * it is a different person. `null` for fewer than two frontal frames.
   */
  distance: number | null
}

/** Normalised distance of two templates; above 0 they belong to different persons. */
export type CompareTemplates = (a: Float32Array, b: Float32Array) => number

/** A frame with a frontal face. */
interface FacingFrame {
  vector: Float32Array
}

/** Maximum number of best shot candidates that are kept, one for each apparent person. */
const candidatesMax = 3
/** A frame replaces a candidate if its score is higher by this factor, because keeping it in full size costs time. */
const betterBy = 1.05

export class ClipIdentity<Shot extends { score: number }> {
  readonly #compare: CompareTemplates
  readonly #facing: FacingFrame[] = []
  #frames = 0
  /** Without templates there is only one candidate. */
  readonly #candidates: { frame: FacingFrame | null; shot: Shot }[] = []
  /** Fallback for clips without a frontal frame. */
  #turned: Shot | null = null

  constructor(compare: CompareTemplates) {
    this.#compare = compare
  }

  /** Adds a key frame whose face is turned too far for identification. */
  addTurned(keep: () => Shot): void {
    this.#frames++
    if (this.#candidates.length === 0) this.#turned ??= keep()
  }

  add(frame: FacingFrame): void {
    this.#frames++
    this.#facing.push(frame)
  }

  #isSame(a: FacingFrame | null, b: FacingFrame | null): boolean {
    return a === null || b === null || this.#compare(a.vector, b.vector) <= 0
  }

  /**
   * Offers a frame as the best shot; kept if it shows its person better than earlier frames.
   * @param frame `null` if identity was not requested
   * @param keep keeps the frame in full size
   */
  offer(frame: FacingFrame | null, score: number, keep: () => Shot): void {
    const index = this.#candidates.findIndex((candidate) => this.#isSame(candidate.frame, frame))
    const known = this.#candidates[index]
    if (known ? score < known.shot.score * betterBy : this.#candidates.length === candidatesMax) return
    const candidate = { frame, shot: keep() }
    if (known) this.#candidates[index] = candidate
    else this.#candidates.push(candidate)
  }

  /** The frame with which most frames agree; ties go to the smallest sum of distances. */
  #findSubject(): FacingFrame | null {
    let best: { frame: FacingFrame; agreeing: number; sum: number } | null = null
    for (const frame of this.#facing) {
      const distances = this.#facing.map((other) =>
        other === frame ? 0 : this.#compare(frame.vector, other.vector),
      )
      const agreeing = distances.filter((distance) => distance <= 0).length
      const sum = distances.reduce((total, distance) => total + distance, 0)
      if (!best || agreeing > best.agreeing || (agreeing === best.agreeing && sum < best.sum))
        best = { frame, agreeing, sum }
    }
    return best?.frame ?? null
  }

  /**
   * The best frame of the subject; `null` if there is no frame. If only others were offered, the best frame of these: their
   * distance then keeps the clip from being accepted.
   */
  findBest(): Shot | null {
    const subject = this.#findSubject()
    const own = this.#candidates.filter(({ frame }) => this.#isSame(frame, subject))
    const shots = (own.length > 0 ? own : this.#candidates).map(({ shot }) => shot)
    return shots.sort((a, b) => b.score - a.score)[0] ?? this.#turned
  }

  /** Normalised distances of frontal frames to the subject, by their templates. */
  measureDistances(): ReadonlyMap<Float32Array, number> {
    const subject = this.#findSubject()
    return new Map(
      subject
        ? this.#facing.map(({ vector }) => [vector, this.#compare(subject.vector, vector)] as const)
        : [],
    )
  }

  measureAgreement(): IdentityFindings {
    const subject = this.#findSubject()
    const distances = subject
      ? this.#facing
          .filter((frame) => frame !== subject)
          .map((frame) => this.#compare(subject.vector, frame.vector))
          .sort((a, b) => b - a)
      : []
    return {
      frames: this.#frames,
      facing: this.#facing.length,
      agreeing: subject ? 1 + distances.filter((distance) => distance <= 0).length : 0,
      distance: distances[Math.min(1, distances.length - 1)] ?? null,
    }
  }
}
