/** Parts of a clip whose frames have one shape: a phone that is turned, or a recorder that adapts, changes it on the way. */
import type { VideoFrame } from '../media/video/video-decoder.ts'
import { ClipDirection } from './clip-direction.ts'

interface ClipPart {
  fromS: number
  /** Width divided by height, as stored. */
  aspect: number
  direction: ClipDirection
}

/** Relative difference up to which two aspect ratios are the same, but for rounding. */
const sameAspect = 0.02

/** Follows the shape of the frames, whose direction may change with it. */
export class ClipParts {
  readonly #known: readonly (number | null)[]
  readonly #parts: ClipPart[] = []
  #width = 0
  #height = 0

  /** @param known clockwise quarter turns that make each part upright, if they were found before */
  constructor(known: readonly (number | null)[]) {
    this.#known = known
  }

  /** Comes first for each frame. @returns whether its size is another one than before */
  follow({ timeS, image: { width, height } }: VideoFrame): boolean {
    if (this.#width === width && this.#height === height) return false
    this.#width = width
    this.#height = height
    const aspect = width / height
    const now = this.#parts.at(-1)
    if (!now || Math.abs(aspect / now.aspect - 1) > sameAspect) {
      const direction = new ClipDirection(this.#known[this.#parts.length] ?? null)
      this.#parts.push({ fromS: timeS, aspect, direction })
    }
    return true
  }

  /** Number of the present part. */
  get segment(): number {
    return this.#parts.length - 1
  }

  /** That of the present part. */
  get direction(): ClipDirection {
    return this.#parts[this.segment]!.direction
  }

  /** Clockwise quarter turns of a frame; 0 until a face was found. */
  turnsAt(timeS: number): number {
    return this.#parts.findLast(({ fromS }) => fromS <= timeS)?.direction.quarterTurns ?? 0
  }

  /**
   * Quarter turns of each part (`null` if no face was found), if more frames of one need others than those by which all were
   * turned; `null` if these were right.
   */
  get betterTurns(): readonly (number | null)[] | null {
    const directions = this.#parts.map(({ direction }) => direction)
    return directions.some(({ better }) => better !== null)
      ? directions.map(({ better, found }) => better ?? found)
      : null
  }
}
