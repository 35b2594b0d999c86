/** Keeps the search engine in step with the database, and the templates in step with the networks. */
import type { Gallery } from '../gallery/gallery.ts'
import { type RenewalDeps, renewTemplates } from './renew-templates.ts'

export interface GallerySyncDeps {
  renewal: RenewalDeps
  gallery: Pick<Gallery, 'refresh'>
  /** Between two looks for what other replicas enrolled or removed. */
  pollMs: number
  /** After a renewal that failed. */
  renewalRetryMs: number
  /**
   * Between two looks for templates of other models: long, since replicas of an older release, which end soon, would make
   * the templates anew that are made anew here.
   */
  renewalPauseMs: number
  onError(error: unknown): void
}

/** Does something again and again until it is stopped; each time it says how long to pause. */
class PeriodicTask {
  readonly #stopped = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> = Promise.resolve()

  /** @param work gives the milliseconds to pause after it; never rejects */
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
    this.#renewing.start(0, (signal) => this.#renew(signal))
  }

  async stop(): Promise<void> {
    await Promise.all([this.#following.stop(), this.#renewing.stop()])
  }

  async #renew(signal: AbortSignal): Promise<number> {
    const { renewal, renewalPauseMs, renewalRetryMs, onError } = this.#deps
    try {
      await renewTemplates(renewal, signal)
      return renewalPauseMs
    } catch (error) {
      onError(error)
      return renewalRetryMs
    }
  }

  /** What was taken away leaves the memory, now. */
  async follow(): Promise<void> {
    await this.#deps.gallery.refresh().catch(this.#deps.onError)
  }
}
