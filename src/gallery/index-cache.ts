import type { CollectionIndex } from './collection-index.ts'
import { IndexMemoryError } from './template-index.ts'

export interface IndexCacheDeps {
  open(collectionId: string, count: number): CollectionIndex
  memoryMaxBytes: number
  /** Told when an index cannot go on because of what happened to its collection. */
  onLost(collectionId: string): void
  /** Told once per collection that there is no memory for its index. */
  onNoMemory(facts: { templates: number; bytes: number }): void
}

/** The indices in memory; those used least recently make room for others. */
export class IndexCache {
  readonly #deps: IndexCacheDeps
  /** Least recently used first. */
  readonly #loaded = new Map<string, CollectionIndex>()
  /** Collections that the memory did not suffice for, and their templates then. */
  readonly #tooLarge = new Map<string, number>()
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
   * The index with everything in it that was enrolled before the call; `null` when there is none to be had.
   * @param count templates to expect
   */
  async loadCurrent(collectionId: string, count: number): Promise<CollectionIndex | null> {
    if (count >= (this.#tooLarge.get(collectionId) ?? Number.POSITIVE_INFINITY)) return null
    if (!this.#loaded.has(collectionId)) await this.#load(collectionId, count)
    const index = this.#loaded.get(collectionId)
    if (!index) return null
    // The map keeps the order of use.
    this.#loaded.delete(collectionId)
    this.#loaded.set(collectionId, index)
    return (await this.update(collectionId, index)) ? index : null
  }

  /** Brings an index up to date; `false` when it is of no use any more. */
  async update(collectionId: string, index: CollectionIndex): Promise<boolean> {
    try {
      const isCurrent = (await index.catchUp()) === 'current'
      if (isCurrent) return this.#makeRoom(collectionId, index)
      if (this.#loaded.get(collectionId) === index) await this.unload(collectionId)
      this.#deps.onLost(collectionId)
    } catch (error) {
      if (!(error instanceof IndexMemoryError)) throw error
      this.#refuse(collectionId, index)
    }
    return false
  }

  /** Lets go of an index and overwrites it. */
  async unload(collectionId: string): Promise<void> {
    const index = this.#loaded.get(collectionId)
    this.#loaded.delete(collectionId)
    await index?.close()
  }

  /** Forgets all about a collection. */
  async forget(collectionId: string): Promise<void> {
    this.#tooLarge.delete(collectionId)
    await this.unload(collectionId)
  }

  /** One at a time, or indices that are being filled would drive each other out. */
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
   * Lets go of indices used least recently until the rest keeps to the bound. Searches that still run on one of them end as
   * if nothing had happened.
   * @returns whether the index itself may stay
   */
  #makeRoom(collectionId: string, index: CollectionIndex): boolean {
    const { memoryMaxBytes } = this.#deps
    if (index.bytes > memoryMaxBytes) {
      this.#refuse(collectionId, index)
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

  #refuse(collectionId: string, index: CollectionIndex): void {
    this.#loaded.delete(collectionId)
    if (!this.#tooLarge.has(collectionId))
      this.#deps.onNoMemory({ templates: index.count, bytes: index.bytes })
    this.#tooLarge.set(collectionId, index.count)
  }
}
