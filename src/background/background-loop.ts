/** Work that is repeated in the background. */

/** Calls `run` once after `delayMs`. The returned function cancels it. */
export type SetTimer = (run: () => void, delayMs: number) => () => void

/** Sets timers that do not keep the process alive, if the runtime supports that. */
const setUnrefTimer: SetTimer = (run, delayMs) => {
  const timer = setTimeout(run, delayMs)
  ;(timer as { unref?(): unknown }).unref?.()
  return () => clearTimeout(timer)
}

export interface LoopOptions {
  /**
   * One round. There is never more than one at a time.
   * @param signal aborted by `stop`
   * @returns milliseconds until the next round; nothing for the usual pause
   */
  run(signal: AbortSignal): Promise<number | undefined> | Promise<void>
  /** Called when a round fails. */
  onError(error: unknown): void
  /** The pause after a round that fails, also if it was woken meanwhile. The usual pause by default. */
  failurePauseMs?(): number
  /** The usual pause after `start` and `wake`. */
  pauseMs: number
  /** The usual pause after many rounds without `wake`; `pauseMs` by default. */
  pauseMaxMs?: number
  setTimer?: SetTimer
}

const pauseGrowth = 1.5

/**
 * Repeats rounds of work, with pauses between them, until it is stopped. It may be started again.
 * @example
 * ```ts
 * import { BackgroundLoop } from './background-loop.ts'
 *
 * let rounds = 0
 * const loop = new BackgroundLoop({
 *   run: async () => void rounds++,
 *   onError: () => {},
 *   pauseMs: 1000,
 *   pauseMaxMs: 5000,
 * })
 * loop.start()
 * await loop.settled()
 * loop.wake()
 * await loop.stop()
 * rounds // → 2
 * ```
 */
export class BackgroundLoop {
  readonly #options: LoopOptions
  readonly #setTimer: SetTimer
  #pauseMs: number
  /** `null` while it is stopped. */
  #ending: AbortController | null = null
  #rounds: Promise<void> = Promise.resolve()
  #isRunning = false
  #isWoken = false
  #cancelTimer: () => void = () => {}

  constructor(options: LoopOptions) {
    this.#options = options
    this.#setTimer = options.setTimer ?? setUnrefTimer
    this.#pauseMs = options.pauseMs
  }

  get isStarted(): boolean {
    return this.#ending !== null
  }

  /** Whether a round runs. */
  get isRunning(): boolean {
    return this.#isRunning
  }

  /** @param delayMs before the first round, which otherwise begins at once */
  start(delayMs = 0): void {
    if (this.#ending) return
    this.#ending = new AbortController()
    this.#pauseMs = this.#options.pauseMs
    if (delayMs === 0) this.#begin()
    else this.#schedule(delayMs)
  }

  /** Begins a round now, or another one after the round that runs. */
  wake(): void {
    this.#pauseMs = this.#options.pauseMs
    this.#begin()
  }

  /** The next round begins after this time, unless one runs or `wake` is called. */
  postpone(delayMs: number): void {
    if (this.#ending && !this.#isRunning) this.#schedule(delayMs)
  }

  /** Resolves when no round runs. */
  async settled(): Promise<void> {
    await this.#rounds
  }

  /** Begins no round any more, and resolves when the one that runs has ended. */
  async stop(): Promise<void> {
    this.#ending?.abort()
    this.#ending = null
    this.#cancelTimer()
    await this.#rounds
  }

  #begin(): void {
    if (!this.#ending) return
    this.#isWoken = true
    if (!this.#isRunning) this.#rounds = this.#runRounds()
  }

  #schedule(delayMs: number): void {
    this.#cancelTimer()
    this.#cancelTimer = this.#setTimer(() => this.#begin(), delayMs)
  }

  async #runRounds(): Promise<void> {
    this.#isRunning = true
    this.#cancelTimer()
    let pauseMs: number | undefined
    while (this.#isWoken && this.#ending) {
      this.#isWoken = false
      pauseMs = await this.#runOnce(this.#ending.signal)
    }
    this.#isRunning = false
    if (this.#ending) this.#schedule(pauseMs ?? this.#takePause())
  }

  async #runOnce(signal: AbortSignal): Promise<number | undefined> {
    try {
      const pauseMs = await this.#options.run(signal)
      return typeof pauseMs === 'number' ? pauseMs : undefined
    } catch (error) {
      this.#isWoken = false
      this.#options.onError(error)
      return this.#options.failurePauseMs?.()
    }
  }

  #takePause(): number {
    const pauseMs = this.#pauseMs
    const { pauseMaxMs = this.#options.pauseMs } = this.#options
    this.#pauseMs = Math.min(pauseMaxMs, pauseMs * pauseGrowth)
    return pauseMs
  }
}
