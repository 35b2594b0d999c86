/** Keeps the search index in sync with the database, and the templates in sync with the networks. */
import { BackgroundLoop } from '../background/background-loop.ts'
import type { Gallery } from '../gallery/gallery.ts'
import { type RenewalDeps, renewTemplates } from './renew-templates.ts'

interface GallerySyncDeps {
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

export class GallerySync {
  readonly #deps: GallerySyncDeps
  readonly #following: BackgroundLoop
  readonly #renewing: BackgroundLoop

  constructor(deps: GallerySyncDeps) {
    this.#deps = deps
    const { pollMs, renewalPauseMs, renewalRetryMs, onError } = deps
    this.#following = new BackgroundLoop({ run: () => this.follow(), onError, pauseMs: pollMs })
    this.#renewing = new BackgroundLoop({
      run: (signal) => this.renew(signal),
      onError,
      failurePauseMs: () => renewalRetryMs,
      pauseMs: renewalPauseMs,
    })
  }

  start(): void {
    this.#following.start(this.#deps.pollMs)
    this.#renewing.start()
  }

  async stop(): Promise<void> {
    await Promise.all([this.#following.stop(), this.#renewing.stop()])
  }

  /** Extracts templates of other models again, until the signal ends it. Rejects if something else did. */
  renew(signal: AbortSignal): Promise<void> {
    return renewTemplates(this.#deps.renewal, signal)
  }

  /** Brings the indexes in memory up to date now, so that removed templates leave it. */
  async follow(): Promise<void> {
    await this.#deps.gallery.refresh().catch(this.#deps.onError)
  }
}
