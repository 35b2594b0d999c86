/** Who the frames of a clip show: which of them agree, and which of these shows the subject best. */

/** What the frames of a clip say about who is in it. */
export interface IdentityFindings {
  /** Frames looked at closely, and those of them that show the face from the front. */
  frames: number
  facing: number
  /** The frames from the front that show the subject of the clip: the one whom most of them show. */
  agreeing: number
  /**
   * Normalised distance of the second least alike frame from the subject, so that one frame gone wrong does not count; `null`
   * for fewer than two frames from the front. Above 0 it is somebody else.
   */
  distance: number | null
}

/** Normalised distance of two templates: 0 where strangers begin. */
export type CompareTemplates = (a: Float32Array, b: Float32Array) => number

/** A frame from the front. */
interface FacingFrame {
  vector: Float32Array
}

/** Candidates for the best shot that are kept in full size, one for each person who seems to be in the clip. */
const candidatesMax = 3
/** A frame replaces a candidate when it is better by this share: full size costs time. */
const betterBy = 1.05

export class ClipIdentity<Shot extends { score: number }> {
  readonly #compare: CompareTemplates
  readonly #facing: FacingFrame[] = []
  #frames = 0
  /** Of frames without a template there is one candidate. */
  readonly #candidates: { frame: FacingFrame | null; shot: Shot }[] = []
  /** A turned frame, for a clip without any other. */
  #turned: Shot | null = null

  constructor(compare: CompareTemplates) {
    this.#compare = compare
  }

  /** A frame whose face is turned too far to tell whose it is. */
  async addTurned(capture: () => Promise<Shot>): Promise<void> {
    this.#frames++
    if (this.#candidates.length === 0) this.#turned ??= await capture()
  }

  add(frame: FacingFrame): void {
    this.#frames++
    this.#facing.push(frame)
  }

  #isSame(a: FacingFrame | null, b: FacingFrame | null): boolean {
    return a === null || b === null || this.#compare(a.vector, b.vector) <= 0
  }

  /**
   * Keeps a frame when it shows its person better than the ones before.
   * @param look `null` where nobody asked who it is
   */
  async offer(frame: FacingFrame | null, score: number, capture: () => Promise<Shot>): Promise<void> {
    const index = this.#candidates.findIndex((candidate) => this.#isSame(candidate.frame, frame))
    const known = this.#candidates[index]
    if (known ? score < known.shot.score * betterBy : this.#candidates.length === candidatesMax) return
    const candidate = { frame, shot: await capture() }
    if (known) this.#candidates[index] = candidate
    else this.#candidates.push(candidate)
  }

  /** The frame that most frames agree with. */
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

  /** The best frame of the subject; `null` where there is no frame. */
  best(): Shot | null {
    const subject = this.#findSubject()
    const shots = this.#candidates.filter(({ frame }) => this.#isSame(frame, subject)).map(({ shot }) => shot)
    return shots.sort((a, b) => b.score - a.score)[0] ?? this.#turned
  }

  findings(): IdentityFindings {
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
