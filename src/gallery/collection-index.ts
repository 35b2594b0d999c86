import type { Watermarks } from './snapshot.ts'
import type { EnrolledTemplate, GallerySource, Pause } from './source.ts'
import { bytesFor, TemplateIndex } from './template-index.ts'

/** Templates read from the source per page: about a millisecond of work. */
const templatesPerPage = 1000
/** Removals read per page; each moves half a block on average. */
const removalsPerPage = 100

/** `gone`: the collection no longer exists. `stale`: removals were missed, so the index must be rebuilt. */
type SyncStatus = 'current' | 'gone' | 'stale'

interface CollectionIndexDeps {
  kernel: WebAssembly.Module
  source: GallerySource
  pause: Pause
  collectionId: string
  /** Number of components of a template. */
  templateLength: number
  /** Restores an index from a snapshot; `null` if there is none and everything must be read. */
  restore(): Promise<{ index: TemplateIndex; watermarks: Watermarks } | null>
  /** Called when templates were removed that a snapshot may contain. */
  onRemoved(): void
}

function computeMean(templates: readonly EnrolledTemplate[]): Float32Array {
  const mean = new Float32Array(templates[0]?.vector.length ?? 0)
  for (const { vector } of templates) {
    for (let i = 0; i < mean.length; i++) mean[i]! += vector[i]! / templates.length
  }
  return mean
}

/** The index of one collection, kept in sync with the source. */
export class CollectionIndex {
  readonly #deps: CollectionIndexDeps
  #templates: TemplateIndex | null = null
  #watermarks: Watermarks | null = null
  #running: Promise<SyncStatus> = Promise.resolve('current')
  #next: Promise<SyncStatus> | null = null
  readonly #expected: number
  #isClosed = false
  /**
   * True for an index restored from a snapshot until it was compared with the source. If the database was restored from a
   * backup, numbers are assigned again, and a newer snapshot skips templates that it never contained.
   */
  #isUnverified = false

  /** @param count expected number of templates */
  constructor(deps: CollectionIndexDeps, count: number) {
    this.#deps = deps
    this.#expected = count
  }

  /** `null` until templates were read, and after closing. */
  get templates(): TemplateIndex | null {
    return this.#isClosed ? null : this.#templates
  }

  get watermarks(): Watermarks | null {
    return this.#watermarks
  }

  /** Number of templates loaded or expected, whichever is larger. */
  get count(): number {
    return Math.max(this.#expected, this.#templates?.count ?? 0)
  }

  /** Memory in bytes, used or expected, whichever is larger. */
  get bytes(): number {
    return Math.max(bytesFor(this.#expected, this.#deps.templateLength), this.#templates?.bytes ?? 0)
  }

  /**
   * Resolves when everything added or removed before the call is in the index. Calls during a synchronisation share the next
   * one, because the running one may already have read past their changes.
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

  /** Removes templates that the source no longer has. */
  discard(numbers: readonly number[]): void {
    const removed = numbers.filter((number) => this.templates?.remove(number))
    if (removed.length > 0) this.#deps.onRemoved()
  }

  /** Closes the index and overwrites its memory. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#templates?.clear(this.#deps.pause)
  }

  async #synchronize(): Promise<SyncStatus> {
    if (!this.#watermarks && !(await this.#restoreOrStart())) return 'gone'
    const removedBefore = this.#watermarks!.removedUpTo
    await this.#readAdded()
    await this.#readRemoved()
    // Read last: removals that are no longer listed now may have been missing in the pages above.
    const state = await this.#deps.source.state(this.#deps.collectionId)
    if (!state || this.#isClosed) return 'gone'
    if (this.#isUnverified && this.#templates?.count !== state.count) return 'stale'
    this.#isUnverified = false
    return state.removedBefore > removedBefore + 1 ? 'stale' : 'current'
  }

  /** Starts from a snapshot, or empty. Returns false if the collection is gone. */
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
