/** Limits how slowly a request body may arrive. */
import { AppError } from '../errors.ts'
import { withTimeout } from '../queue/timers.ts'

/** Milliseconds in which a slow sender may still send. */
const graceMs = 2000

export interface PaceLimits {
  bytesPerSecondMin: number
  /** Longest pause in milliseconds. Data that arrives faster than the minimum rate makes up for earlier pauses. */
  pauseMaxMs: number
  /** Longest time in milliseconds spent waiting for the whole body. */
  timeMaxMs: number
}

/**
 * Enforces the pace of one body. The sender starts with a time budget of `pauseMaxMs`: waiting uses it up, received bytes
 * restore it. So a sender of single bytes now and then is cut off as soon as one that withholds the last byte.
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

  /** Whether the sender was too slow. */
  get isOver(): boolean {
    return this.#timeLeftMs <= 0
  }

  /** The pace of what is left once the body is refused: a sender who was too slow gets a moment to read why. */
  ofRest(): BodyPace {
    if (!this.isOver) return this
    return new BodyPace({ ...this.#limits, pauseMaxMs: graceMs, timeMaxMs: graceMs })
  }

  /**
   * Waits for the next piece. Only the waiting counts, not the time to process a piece.
   * @throws {AppError} `body_too_slow`; the piece may still arrive
   */
  async next<Piece extends { value?: Uint8Array | undefined }>(coming: Promise<Piece>): Promise<Piece> {
    const { bytesPerSecondMin, pauseMaxMs } = this.#limits
    const began = performance.now()
    const patienceMs = Math.max(0, Math.min(this.#patienceMs, this.#timeLeftMs))
    const piece = await withTimeout(coming, patienceMs, () => {
      this.#timeLeftMs = 0
      throw new AppError('body_too_slow')
    })
    const waitedMs = performance.now() - began
    const earnedMs = ((piece.value?.length ?? 0) / bytesPerSecondMin) * 1000
    this.#timeLeftMs -= waitedMs
    this.#patienceMs = Math.min(pauseMaxMs, this.#patienceMs - waitedMs + earnedMs)
    return piece
  }
}
