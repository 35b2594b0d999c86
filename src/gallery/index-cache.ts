import type { CollectionIndex } from './collection-index.ts'
import { IndexMemoryError } from './template-index.ts'

interface IndexCacheDeps {
  open(collectionId: string, count: number): CollectionIndex
  memoryMaxBytes: number
  /** Called when an index was dropped because its collection is gone or changes were missed. */
  onLost(collectionId: string): void
  /** Called once per collection if there is no memory for its index. */
  onNoMemory(facts: { templates: number; bytes: number }): void
  nowMs(): number
}

/** A collection whose index did not fit into the memory. */
interface Refusal {
  /** Number of templates at that time. */
  count: number
  /** When it may fit again, even if it is as large as it was. */
  untilMs: number
}

/** The memory that the machine refused may be free by then: until an index has been tried again, each search reads all templates. */
const refusedMs = 60_000

/** Cache of the indices in memory; evicts the least recently used ones. */
export class IndexCache {
  readonly #deps: IndexCacheDeps
  /** Least recently used first. */
  readonly #loaded = new Map<string, CollectionIndex>()
  readonly #refused = new Map<string, Refusal>()
  #lastLoad: Promise<unknown> = Promise.resolve()

  constructor(deps: IndexCacheDeps) {
    this.#deps = deps
  }

  entries(): [collectionId: string, index: CollectionIndex][] {
    return [...this.#loaded]
  }

  has(collectionId: string): boolean {
    return this.#loaded.has(collectionId)
  }

  /**
   * The index of a collection, containing everything enrolled before the call; `null` if there is no memory for it or the
   * collection is gone.
   * @param count expected number of templates
   */
  async loadCurrent(collectionId: string, count: number): Promise<CollectionIndex | null> {
    const refused = this.#refused.get(collectionId)
    if (refused && count >= refused.count && this.#deps.nowMs() < refused.untilMs) return null
    if (!this.#loaded.has(collectionId)) await this.#load(collectionId, count)
    const index = this.#loaded.get(collectionId)
    if (!index) return null
    // Re-inserting keeps the map in order of use.
    this.#loaded.delete(collectionId)
    this.#loaded.set(collectionId, index)
    return (await this.update(collectionId, index)) ? index : null
  }

  /** Updates an index; `false` if it can no longer be used. */
  async update(collectionId: string, index: CollectionIndex): Promise<boolean> {
    try {
      const isCurrent = (await index.catchUp()) === 'current'
      if (isCurrent) return this.#makeRoom(collectionId, index)
      if (this.#loaded.get(collectionId) === index) await this.unload(collectionId)
      this.#deps.onLost(collectionId)
    } catch (error) {
      if (!(error instanceof IndexMemoryError)) throw error
      this.#refuse(collectionId, index, this.#deps.nowMs() + refusedMs)
    }
    return false
  }

  /** Drops an index and overwrites its memory. */
  async unload(collectionId: string): Promise<void> {
    const index = this.#loaded.get(collectionId)
    this.#loaded.delete(collectionId)
    await index?.close()
  }

  /** Drops the index of a collection and the note that it did not fit. */
  async forget(collectionId: string): Promise<void> {
    this.#refused.delete(collectionId)
    await this.unload(collectionId)
  }

  /** Loads one index at a time: indices that are being filled would evict each other. */
  #load(collectionId: string, count: number): Promise<void> {
    const load = async () => {
      if (this.#loaded.has(collectionId)) return
      const index = this.#deps.open(collectionId, count)
      this.#loaded.set(collectionId, index)
      if (this.#makeRoom(collectionId, index)) await this.update(collectionId, index)
    }
    const result = this.#lastLoad.then(load)
    this.#lastLoad = result.catch(() => {})
    return result
  }

  /**
   * Evicts the least recently used indices until the rest fits into the limit. Searches running on them complete normally.
   * @returns whether the given index itself fits
   */
  #makeRoom(collectionId: string, index: CollectionIndex): boolean {
    const { memoryMaxBytes } = this.#deps
    if (index.bytes > memoryMaxBytes) {
      this.#refuse(collectionId, index, Number.POSITIVE_INFINITY)
      return false
    }
    let bytes = [...this.#loaded.values()].reduce((sum, loaded) => sum + loaded.bytes, 0)
    for (const [other, loaded] of this.entries()) {
      if (bytes <= memoryMaxBytes) break
      if (other === collectionId) continue
      this.#loaded.delete(other)
      bytes -= loaded.bytes
    }
    return true
  }

  #refuse(collectionId: string, index: CollectionIndex, untilMs: number): void {
    this.#loaded.delete(collectionId)
    if (!this.#refused.has(collectionId))
      this.#deps.onNoMemory({ templates: index.count, bytes: index.bytes })
    this.#refused.set(collectionId, { count: index.count, untilMs })
  }
}
