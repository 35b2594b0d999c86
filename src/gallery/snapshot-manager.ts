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
export const calmLooks = 10
/** Share of new templates that is worth another snapshot. */
const staleShare = 0.05

/** A snapshot on disk. */
interface Kept {
  removedUpTo: number
  /** Templates in it; `null` when another process wrote it. */
  count: number | null
}

/**
 * The snapshots of this process. What was removed must not live on in one: a removal takes the snapshot with it, and a new
 * one is written when it has become calm. They are read, written and removed one at a time.
 */
export class SnapshotManager {
  readonly #parts: SnapshotManagerDeps
  readonly #mutex = new Mutex()
  readonly #kept = new Map<string, Kept>()
  /** What could not be removed yet. */
  readonly #doomed = new Set<string>()
  readonly #calm = new WeakMap<TemplateIndex, { version: number; looks: number }>()
  #isListed = false

  constructor(parts: SnapshotManagerDeps) {
    this.#parts = parts
  }

  /** `null` when there is none that can be used; what cannot is removed. */
  load(collectionId: string): Promise<{ index: TemplateIndex; watermarks: Watermarks } | null> {
    return this.#mutex.run(async () => {
      if (this.#doomed.has(collectionId)) return null
      const bytes = await this.#parts.snapshots.read(collectionId)
      const found = bytes && readSnapshot(this.#parts.kernel, bytes, this.#key(collectionId))
      if (found) {
        const { removedUpTo } = found.watermarks
        this.#kept.set(collectionId, { removedUpTo, count: found.index.count })
      } else if (bytes) await this.#parts.snapshots.remove(collectionId)
      return found
    })
  }

  drop(collectionId: string): Promise<void> {
    this.#doomed.add(collectionId)
    return this.#mutex.run(async () => {
      await this.#parts.snapshots.remove(collectionId)
      this.#kept.delete(collectionId)
      this.#doomed.delete(collectionId)
    })
  }

  /**
   * Writes a snapshot of a large index that has been calm for some looks, when there is none or an old one.
   * @throws {Error} when the index changes meanwhile, or the disk fails
   */
  async look(collectionId: string, { templates, watermarks }: CollectionIndex): Promise<void> {
    if (!templates || !watermarks || templates.count < snapshotMin) return
    const calm = this.#calm.get(templates)
    const { version, count } = templates
    if (calm?.version !== version) {
      this.#calm.set(templates, { version, looks: 0 })
      return
    }
    if (++calm.looks !== calmLooks) return
    const written = this.#kept.get(collectionId)?.count ?? 0
    if (count - written <= written * staleShare) return
    const { addedUpTo, removedUpTo } = watermarks
    await this.#mutex.run(async () => {
      const before = this.#kept.get(collectionId)
      this.#kept.set(collectionId, { removedUpTo, count })
      try {
        const parts = writeSnapshot(templates, this.#key(collectionId), { addedUpTo, removedUpTo })
        await this.#parts.snapshots.write(collectionId, parts)
      } catch (error) {
        // Tried again when as much time has gone by.
        calm.looks = 0
        if (before) this.#kept.set(collectionId, before)
        else this.#kept.delete(collectionId)
        throw error
      }
    })
  }

  /** Removes snapshots with templates that are no longer there, of collections without an index that follows the source. */
  async sweep(isFollowed: (collectionId: string) => boolean): Promise<void> {
    for (const collectionId of this.#doomed) await this.drop(collectionId)
    await this.#list()
    for (const [collectionId, { removedUpTo }] of this.#kept) {
      if (!isFollowed(collectionId) && !(await this.#isTrue(collectionId, removedUpTo)))
        await this.drop(collectionId)
    }
  }

  /** What earlier processes have left; what cannot be used is removed. */
  async #list(): Promise<void> {
    if (this.#isListed) return
    for (const collectionId of await this.#parts.snapshots.list()) {
      if (this.#kept.has(collectionId)) continue
      const bytes = await this.#parts.snapshots.read(collectionId)
      const watermarks = bytes && readWatermarks(bytes, this.#key(collectionId))
      if (watermarks) this.#kept.set(collectionId, { removedUpTo: watermarks.removedUpTo, count: null })
      else await this.drop(collectionId)
    }
    this.#isListed = true
  }

  async #isTrue(collectionId: string, removedUpTo: number): Promise<boolean> {
    const { source } = this.#parts
    const removals = await source.removed(collectionId, removedUpTo, 1)
    const state = await source.state(collectionId)
    return state !== null && removals.length === 0 && state.removedBefore <= removedUpTo + 1
  }

  #key(collectionId: string): string {
    return `${this.#parts.models} ${collectionId}`
  }
}
