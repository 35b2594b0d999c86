/** Keeps the search index in sync with the database, and the templates in sync with the networks. */
import type { Gallery } from '../gallery/gallery.ts'
import { type RenewalDeps, renewTemplates } from './renew-templates.ts'

export interface GallerySyncDeps {
  renewal: RenewalDeps
  gallery: Pick<Gallery, 'refresh'>
  /** Milliseconds between two checks for changes by other replicas. */
  pollMs: number
  /** Milliseconds until a failed renewal is retried. */
  renewalRetryMs: number
  /**
   * Milliseconds between two checks for templates of other models. It is long: during an upgrade, replicas of the older
   * release would otherwise extract again, with the older model, what is extracted here.
   */
  renewalPauseMs: number
  onError(error: unknown): void
}

/** Repeats a task until it is stopped. After each run the task returns the pause before the next one. */
class PeriodicTask {
  readonly #stopped = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> = Promise.resolve()

  /** @param work resolves to the milliseconds to pause after it; must not reject */
  start(pauseMs: number, work: (signal: AbortSignal) => Promise<number>): void {
    if (this.#stopped.signal.aborted) return
    this.#timer = setTimeout(() => {
      this.#running = work(this.#stopped.signal).then((nextMs) => this.start(nextMs, work))
    }, pauseMs)
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    clearTimeout(this.#timer)
    await this.#running
  }
}

export class GallerySync {
  readonly #deps: GallerySyncDeps
  readonly #following = new PeriodicTask()
  readonly #renewing = new PeriodicTask()

  constructor(deps: GallerySyncDeps) {
    this.#deps = deps
  }

  start(): void {
    const { pollMs } = this.#deps
    this.#following.start(pollMs, () => this.follow().then(() => pollMs))
    this.#renewing.start(0, (signal) => this.renew(signal))
  }

  async stop(): Promise<void> {
    await Promise.all([this.#following.stop(), this.#renewing.stop()])
  }

  /**
   * Extracts templates of other models again, until the signal ends it.
   * @returns milliseconds until it should be called again
   */
  async renew(signal: AbortSignal): Promise<number> {
    const { renewal, renewalPauseMs, renewalRetryMs, onError } = this.#deps
    try {
      await renewTemplates(renewal, signal)
      return renewalPauseMs
    } catch (error) {
      onError(error)
      return renewalRetryMs
    }
  }

  /** Brings the indexes in memory up to date now, so that removed templates leave it. */
  async follow(): Promise<void> {
    await this.#deps.gallery.refresh().catch(this.#deps.onError)
  }
}
