/** Keeps the search engine in step with the database, and the templates in step with the networks. */
import type { Gallery } from '../gallery/gallery.ts'
import { type RenewalParts, renewTemplates } from './renew-templates.ts'

export interface KeeperParts extends Omit<RenewalParts, 'signal'> {
  gallery: Pick<Gallery, 'refresh'>
  /** Between two looks for what other replicas enrolled or removed. */
  pollMs: number
}

export class GalleryKeeper {
  readonly #parts: KeeperParts
  readonly #end = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #followed: Promise<void> = Promise.resolve()
  #renewed: Promise<void> = Promise.resolve()

  constructor(parts: KeeperParts) {
    this.#parts = parts
  }

  start(): void {
    this.#renewed = renewTemplates({ ...this.#parts, signal: this.#end.signal }).catch(this.#parts.onTrouble)
    this.#schedule()
  }

  async stop(): Promise<void> {
    this.#end.abort()
    clearTimeout(this.#timer)
    await Promise.all([this.#followed, this.#renewed])
  }

  #schedule(): void {
    if (this.#end.signal.aborted) return
    this.#timer = setTimeout(() => {
      this.#followed = this.#parts.gallery
        .refresh()
        .catch(this.#parts.onTrouble)
        .finally(() => this.#schedule())
    }, this.#parts.pollMs)
  }

  /** Templates were taken away: they leave the memory now. */
  async follow(): Promise<void> {
    await this.#parts.gallery.refresh().catch(this.#parts.onTrouble)
  }
}
