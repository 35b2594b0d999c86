import type { Watermarks } from './snapshot.ts'
import type { EnrolledTemplate, GallerySource, Pause } from './source.ts'
import { bytesFor, TemplateIndex } from './template-index.ts'

/** Templates read from the source at one time: a millisecond of work. */
const templatesPerPage = 1000
/** Removals likewise; each moves half a block. */
const removalsPerPage = 100

/** `gone`: there is no such collection any more; `outrun`: removals were missed, another index must be made. */
export type SyncStatus = 'current' | 'gone' | 'stale'

export interface CollectionIndexDeps {
  kernel: WebAssembly.Module
  source: GallerySource
  pause: Pause
  collectionId: string
  /** Components of a template. */
  templateLength: number
  /** An index to begin with; `null`: everything is read. */
  restore(): Promise<{ index: TemplateIndex; watermarks: Watermarks } | null>
  /** Told when templates are gone that a snapshot may hold. */
  onRemoved(): void
}

function computeMean(templates: readonly EnrolledTemplate[]): Float32Array {
  const mean = new Float32Array(templates[0]?.vector.length ?? 0)
  for (const { vector } of templates) {
    for (let i = 0; i < mean.length; i++) mean[i]! += vector[i]! / templates.length
  }
  return mean
}

/** The index of one collection, which follows the source. */
export class CollectionIndex {
  readonly #deps: CollectionIndexDeps
  #templates: TemplateIndex | null = null
  #watermarks: Watermarks | null = null
  #running: Promise<SyncStatus> = Promise.resolve('current')
  #next: Promise<SyncStatus> | null = null
  readonly #expected: number
  #isClosed = false
  /**
   * Begun from a snapshot that was not compared with the source yet. Where a database was put back to an earlier day, numbers
   * come a second time, and what a newer snapshot takes for known was never seen.
   */
  #isUnverified = false

  /** @param count templates to expect */
  constructor(deps: CollectionIndexDeps, count: number) {
    this.#deps = deps
    this.#expected = count
  }

  /** `null` while nothing was read, and when it was closed. */
  get templates(): TemplateIndex | null {
    return this.#isClosed ? null : this.#templates
  }

  get watermarks(): Watermarks | null {
    return this.#watermarks
  }

  /** Templates here, or expected. */
  get count(): number {
    return Math.max(this.#expected, this.#templates?.count ?? 0)
  }

  /** Memory held, or about to be. */
  get bytes(): number {
    return Math.max(bytesFor(this.#expected, this.#deps.templateLength), this.#templates?.bytes ?? 0)
  }

  /**
   * Resolves when everything is in that was added or removed before the call. Calls while a round runs share the next one:
   * the one that runs may have read too early for them.
   */
  catchUp(): Promise<SyncStatus> {
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#running = this.#next!
        this.#next = null
        return this.#synchronize()
      })
    return this.#next
  }

  /** Removes templates that are no longer in the source. */
  discard(numbers: readonly number[]): void {
    const removed = numbers.filter((number) => this.templates?.remove(number))
    if (removed.length > 0) this.#deps.onRemoved()
  }

  /** Overwrites everything; nothing comes in any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#templates?.clear(this.#deps.pause)
  }

  async #synchronize(): Promise<SyncStatus> {
    if (!this.#watermarks && !(await this.#restoreOrStart())) return 'gone'
    const removedBefore = this.#watermarks!.removedUpTo
    await this.#readAdded()
    await this.#readRemoved()
    // Asked last: what is no longer listed now may already have been missing from the lists above.
    const state = await this.#deps.source.state(this.#deps.collectionId)
    if (!state || this.#isClosed) return 'gone'
    if (this.#isUnverified && this.#templates?.count !== state.count) return 'stale'
    this.#isUnverified = false
    return state.removedBefore > removedBefore + 1 ? 'stale' : 'current'
  }

  /** From a snapshot, or from nothing. */
  async #restoreOrStart(): Promise<boolean> {
    const { source, collectionId, restore, onRemoved } = this.#deps
    const restored = await restore()
    const state = await source.state(collectionId)
    if (!state || this.#isClosed) return false
    if (restored && restored.watermarks.removedUpTo + 1 >= state.removedBefore) {
      this.#templates = restored.index
      this.#isUnverified = true
      this.#watermarks = { ...restored.watermarks }
    } else {
      if (restored) onRemoved()
      this.#watermarks = { addedUpTo: 0, removedUpTo: Math.max(0, state.removedBefore - 1) }
    }
    return true
  }

  async #readAdded(): Promise<void> {
    const { source, collectionId, kernel, pause } = this.#deps
    for (;;) {
      const page = await source.added(collectionId, this.#watermarks!.addedUpTo, templatesPerPage)
      if (page.length === 0 || this.#isClosed) return
      this.#templates ??= new TemplateIndex(kernel, computeMean(page))
      for (const template of page) {
        this.#templates.add(template.number, template)
        this.#watermarks!.addedUpTo = template.number
      }
      if (page.length < templatesPerPage) return
      await pause()
    }
  }

  async #readRemoved(): Promise<void> {
    const { source, collectionId, pause } = this.#deps
    for (;;) {
      const page = await source.removed(collectionId, this.#watermarks!.removedUpTo, removalsPerPage)
      if (page.length === 0 || this.#isClosed) return
      this.discard(page.map(({ templateNumber }) => templateNumber))
      this.#watermarks!.removedUpTo = page.at(-1)!.number
      if (page.length < removalsPerPage) return
      await pause()
    }
  }
}
