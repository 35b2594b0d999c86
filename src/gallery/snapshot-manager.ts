import { Mutex } from '../queue/mutex.ts'
import type { CollectionIndex } from './collection-index.ts'
import { readSnapshot, readWatermarks, type Watermarks, writeSnapshot } from './snapshot.ts'
import type { GallerySnapshots, GallerySource } from './source.ts'
import type { TemplateIndex } from './template-index.ts'

export interface SnapshotManagerDeps {
  kernel: WebAssembly.Module
  source: GallerySource
  snapshots: GallerySnapshots
  /** What templates are made and placed by. */
  models: string
}

/** Smaller indices are read from the source fast enough. */
export const snapshotMin = 20_000
/** Looks without a change before a snapshot is written. */
export const calmRefreshes = 10
/** Share of new templates that is worth another snapshot. */
const staleShare = 0.05

/** A snapshot on disk. */
interface StoredSnapshot {
  removedUpTo: number
  /** Templates in it; `null` when another process wrote it. */
  count: number | null
}

/**
 * The snapshots of this process. What was removed must not live on in one: a removal takes the snapshot with it, and a new
 * one is written when it has become calm. They are read, written and removed one at a time.
 */
export class SnapshotManager {
  readonly #deps: SnapshotManagerDeps
  readonly #mutex = new Mutex()
  readonly #stored = new Map<string, StoredSnapshot>()
  /** What could not be removed yet. */
  readonly #pendingRemovals = new Set<string>()
  readonly #calm = new WeakMap<TemplateIndex, { version: number; refreshes: number }>()
  #isListed = false

  constructor(deps: SnapshotManagerDeps) {
    this.#deps = deps
  }

  /** `null` when there is none that can be used; what cannot is removed. */
  load(collectionId: string): Promise<{ index: TemplateIndex; watermarks: Watermarks } | null> {
    return this.#mutex.run(async () => {
      if (this.#pendingRemovals.has(collectionId)) return null
      const bytes = await this.#deps.snapshots.read(collectionId)
      const found = bytes && readSnapshot(this.#deps.kernel, bytes, this.#key(collectionId))
      if (found) {
        const { removedUpTo } = found.watermarks
        this.#stored.set(collectionId, { removedUpTo, count: found.index.count })
      } else if (bytes) await this.#deps.snapshots.remove(collectionId)
      return found
    })
  }

  drop(collectionId: string): Promise<void> {
    this.#pendingRemovals.add(collectionId)
    return this.#mutex.run(async () => {
      await this.#deps.snapshots.remove(collectionId)
      this.#stored.delete(collectionId)
      this.#pendingRemovals.delete(collectionId)
    })
  }

  /**
   * Writes a snapshot of a large index that has been calm for some looks, when there is none or an old one.
   * @throws {Error} when the index changes meanwhile, or the disk fails
   */
  async writeIfCalm(collectionId: string, { templates, watermarks }: CollectionIndex): Promise<void> {
    if (!templates || !watermarks || templates.count < snapshotMin) return
    const calm = this.#calm.get(templates)
    const { version, count } = templates
    if (calm?.version !== version) {
      this.#calm.set(templates, { version, refreshes: 0 })
      return
    }
    if (++calm.refreshes !== calmRefreshes) return
    const written = this.#stored.get(collectionId)?.count ?? 0
    if (count - written <= written * staleShare) return
    const { addedUpTo, removedUpTo } = watermarks
    await this.#mutex.run(async () => {
      const before = this.#stored.get(collectionId)
      this.#stored.set(collectionId, { removedUpTo, count })
      try {
        const parts = writeSnapshot(templates, this.#key(collectionId), { addedUpTo, removedUpTo })
        await this.#deps.snapshots.write(collectionId, parts)
      } catch (error) {
        // Tried again when as much time has gone by.
        calm.refreshes = 0
        if (before) this.#stored.set(collectionId, before)
        else this.#stored.delete(collectionId)
        throw error
      }
    })
  }

  /** Removes snapshots with templates that are no longer there, of collections without an index that follows the source. */
  async sweep(isFollowed: (collectionId: string) => boolean): Promise<void> {
    for (const collectionId of this.#pendingRemovals) await this.drop(collectionId)
    await this.#listStored()
    for (const [collectionId, { removedUpTo }] of this.#stored) {
      if (!isFollowed(collectionId) && !(await this.#isCurrent(collectionId, removedUpTo)))
        await this.drop(collectionId)
    }
  }

  /** What earlier processes have left; what cannot be used is removed. */
  async #listStored(): Promise<void> {
    if (this.#isListed) return
    for (const collectionId of await this.#deps.snapshots.list()) {
      if (this.#stored.has(collectionId)) continue
      const bytes = await this.#deps.snapshots.read(collectionId)
      const watermarks = bytes && readWatermarks(bytes, this.#key(collectionId))
      if (watermarks) this.#stored.set(collectionId, { removedUpTo: watermarks.removedUpTo, count: null })
      else await this.drop(collectionId)
    }
    this.#isListed = true
  }

  async #isCurrent(collectionId: string, removedUpTo: number): Promise<boolean> {
    const { source } = this.#deps
    const removals = await source.removed(collectionId, removedUpTo, 1)
    const state = await source.state(collectionId)
    return state !== null && removals.length === 0 && state.removedBefore <= removedUpTo + 1
  }

  #key(collectionId: string): string {
    return `${this.#deps.models} ${collectionId}`
  }
}
