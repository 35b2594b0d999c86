/** How slowly a body may come. */
import { AppError } from '../errors.ts'

export interface PaceLimits {
  bytesPerSecondMin: number
  /** Milliseconds without a byte at most; what comes faster than the least rate makes up for pauses up to that. */
  pauseMaxMs: number
  /** Milliseconds of waiting for the whole body at most. */
  timeMaxMs: number
}

const tooSlow = (): AppError => new AppError('body_too_slow', '')

/**
 * Holds one body to a pace. Its sender has as much patience as `pauseMaxMs`; waiting uses it up, bytes bring it back.
 * Whoever withholds the last byte is as late as one who sends a byte now and then.
 */
export class BodyPace {
  readonly #limits: PaceLimits
  #patienceMs: number
  #timeLeftMs: number

  constructor(limits: PaceLimits) {
    this.#limits = limits
    this.#patienceMs = limits.pauseMaxMs
    this.#timeLeftMs = limits.timeMaxMs
  }

  /**
   * Waits for the next piece. Only the waiting counts, not what is done with the pieces.
   * @throws {AppError} `body_too_slow`; the piece may still come
   */
  async next<Piece extends { value?: Uint8Array | undefined }>(coming: Promise<Piece>): Promise<Piece> {
    const { bytesPerSecondMin, pauseMaxMs } = this.#limits
    const began = performance.now()
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(tooSlow()), Math.max(0, Math.min(this.#patienceMs, this.#timeLeftMs)))
    })
    try {
      const piece = await Promise.race([coming, late])
      const waitedMs = performance.now() - began
      const earnedMs = ((piece.value?.length ?? 0) / bytesPerSecondMin) * 1000
      this.#timeLeftMs -= waitedMs
      this.#patienceMs = Math.min(pauseMaxMs, this.#patienceMs - waitedMs + earnedMs)
      return piece
    } finally {
      clearTimeout(timer)
    }
  }
}
