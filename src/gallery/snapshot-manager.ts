import { Mutex } from '../queue/mutex.ts'
import type { CollectionIndex } from './collection-index.ts'
import { readSnapshot, readWatermarks, type Watermarks, writeSnapshot } from './snapshot.ts'
import type { GallerySnapshots, GallerySource } from './source.ts'
import type { TemplateIndex } from './template-index.ts'

interface SnapshotManagerDeps {
  kernel: WebAssembly.Module
  source: GallerySource
  snapshots: GallerySnapshots
  /** Key of the template method and cohort. */
  models: string
}

/** Minimum number of templates for a snapshot; smaller indices are built from the source fast enough. */
export const snapshotMin = 20_000
/** Number of refreshes without a change before a snapshot is written. */
export const calmRefreshes = 10
/** Share of new templates from which a snapshot is replaced. */
const staleShare = 0.05

/** A snapshot on disk. */
interface StoredSnapshot {
  removedUpTo: number
  /** Number of templates in it; `null` if another process wrote it. */
  count: number | null
}

/**
 * Manages the snapshots of this process. Removed templates must not survive in a snapshot: a removal deletes the snapshot, and
 * a new one is written when the index has stopped changing. Reads, writes and removals run one at a time.
 */
export class SnapshotManager {
  readonly #deps: SnapshotManagerDeps
  readonly #mutex = new Mutex()
  readonly #stored = new Map<string, StoredSnapshot>()
  /** Snapshots that are still to be removed. */
  readonly #pendingRemovals = new Set<string>()
  readonly #calm = new WeakMap<TemplateIndex, { version: number; refreshes: number }>()
  #isListed = false

  constructor(deps: SnapshotManagerDeps) {
    this.#deps = deps
  }

  /** Loads a snapshot; `null` if there is no usable one. Unusable snapshots are removed. */
  load(collectionId: string): Promise<{ index: TemplateIndex; watermarks: Watermarks } | null> {
    return this.#mutex.run(async () => {
      if (this.#pendingRemovals.has(collectionId)) return null
      const bytes = await this.#read(collectionId)
      const found = bytes && readSnapshot(this.#deps.kernel, bytes, this.#key(collectionId))
      if (found) {
        const { removedUpTo } = found.watermarks
        this.#stored.set(collectionId, { removedUpTo, count: found.index.count })
      } else if (bytes) {
        this.#pendingRemovals.add(collectionId)
        // The sweeps try again, and report it.
        await this.#remove(collectionId).catch(() => {})
      }
      return found
    })
  }

  drop(collectionId: string): Promise<void> {
    this.#pendingRemovals.add(collectionId)
    return this.#mutex.run(() => this.#remove(collectionId))
  }

  async #remove(collectionId: string): Promise<void> {
    await this.#deps.snapshots.remove(collectionId)
    this.#stored.delete(collectionId)
    this.#pendingRemovals.delete(collectionId)
  }

  /**
   * Writes a snapshot of a large index that has not changed for some refreshes, if there is none or an outdated one.
   * @throws {Error} if the index changes while it is written, or the disk fails
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
        // Retried after the same number of refreshes.
        calm.refreshes = 0
        if (before) this.#stored.set(collectionId, before)
        else this.#stored.delete(collectionId)
        throw error
      }
    })
  }

  /**
   * Removes outdated snapshots of collections that have no index in memory. One that cannot be removed stops no other.
   * @throws {Error} the first failure; the next call tries again
   */
  async sweep(isFollowed: (collectionId: string) => boolean): Promise<void> {
    await this.#listStored()
    const failures: unknown[] = []
    const attempt = (work: Promise<unknown>) => work.catch((error: unknown) => void failures.push(error))
    for (const [collectionId, { removedUpTo }] of this.#stored) {
      const dropOutdated = async () => {
        if (!(await this.#isCurrent(collectionId, removedUpTo))) this.#pendingRemovals.add(collectionId)
      }
      if (!isFollowed(collectionId)) await attempt(dropOutdated())
    }
    for (const collectionId of [...this.#pendingRemovals]) await attempt(this.drop(collectionId))
    if (failures.length > 0) throw failures[0]
  }

  /** Lists the snapshots of earlier processes once; unusable ones are to be removed. */
  async #listStored(): Promise<void> {
    if (this.#isListed) return
    for (const collectionId of await this.#deps.snapshots.list()) {
      if (this.#stored.has(collectionId)) continue
      const bytes = await this.#read(collectionId)
      const watermarks = bytes && readWatermarks(bytes, this.#key(collectionId))
      if (watermarks) this.#stored.set(collectionId, { removedUpTo: watermarks.removedUpTo, count: null })
      else this.#pendingRemovals.add(collectionId)
    }
    this.#isListed = true
  }

  /** The bytes of a snapshot; none for one that cannot be read, which is as unusable as a damaged one. */
  #read(collectionId: string): Promise<Uint8Array | null> {
    return this.#deps.snapshots.read(collectionId).catch(() => new Uint8Array())
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
