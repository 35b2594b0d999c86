/**
 * 1:N search in collections.
 *
 * The database is the source of truth. Each replica keeps an index of quantised templates per collection in memory, in sync
 * with the database. The index returns the templates that may be nearest; these are read from the database and compared
 * exactly. So the index affects only the speed of a search, never its result. See `docs/identification.md`.
 */
import type { NormalizedTemplate } from '../decide/comparison.ts'
import { invariant } from '../errors.ts'
import { BestSubjects } from './best-subjects.ts'
import { CollectionIndex } from './collection-index.ts'
import { scanSource } from './exact-scan.ts'
import { IndexCache } from './index-cache.ts'
import { SnapshotManager } from './snapshot-manager.ts'
import type { Candidate, GallerySnapshots, GallerySource, Pause } from './source.ts'
import { shortlistMax } from './template-index.ts'

export interface GalleryDeps {
  source: GallerySource
  /** The compiled module of `wasm/gallery`. */
  kernel: WebAssembly.Module
  /** `null`: indices are always built from the source. */
  snapshots: GallerySnapshots | null
  /** Key of the template method and cohort; snapshots with another key are not used. */
  models: string
  /** Number of components of a template. */
  templateLength: number
  /** Limit for all indices together. A collection that alone needs more is scanned exactly. */
  memoryMaxBytes: number
  /** Collections of up to this number of templates have no index and are scanned exactly. */
  scanMax: number
  pause: Pause
  nowMs(): number
  /** Called once per collection that has no index because of the memory limit. */
  onNoMemory(facts: { templates: number; bytes: number }): void
  /** Called when background work failed; it is retried. */
  onError(error: unknown): void
}

/** Minimum number of templates in a shortlist, which are read from the source and compared exactly. */
const shortlistMin = 64
/** Factor by which an insufficient shortlist grows. */
const growth = 4

/**
 * Finds the subjects of a collection that are most similar to a probe. Collections of up to `scanMax` templates are scanned
 * exactly, larger ones with an index in memory; the result is the same. Searches and `refresh` may run concurrently. If the source
 * fails, a search is rejected, and background work calls `onError`.
 * @example
 * ```ts
 * import { MemorySource, testKernel } from '../../test/fixtures/gallery.ts'
 * import { Gallery } from './gallery.ts'
 *
 * const template = (value: number) => ({ vector: new Float32Array(16).fill(value), threshold: 0.5, scale: 0.02 })
 * const source = new MemorySource()
 * source.create('staff')
 * source.enrol('staff', 'Ada', template(0.1))
 * source.enrol('staff', 'Grace', template(0.9))
 *
 * const gallery = new Gallery({
 *   source,
 *   kernel: await testKernel(),
 *   snapshots: null,
 *   models: 'network-1 cohort-1',
 *   templateLength: 16,
 *   memoryMaxBytes: 64e6,
 *   scanMax: 1,
 *   pause: async () => {},
 *   nowMs: () => Date.now(),
 *   onNoMemory() {},
 *   onError() {},
 * })
 * const found = await gallery.search('staff', template(0.8), 1)
 * found?.map(({ subjectId }) => subjectId) // → ['Grace']
 * await gallery.search('nobody', template(0.8), 1) // → null
 * ```
 */
export class Gallery {
  readonly #deps: GalleryDeps
  readonly #snapshots: SnapshotManager | null
  readonly #indices: IndexCache

  constructor(deps: GalleryDeps) {
    this.#deps = deps
    const { kernel, source, snapshots, models, memoryMaxBytes, onNoMemory, nowMs } = deps
    this.#snapshots = snapshots && new SnapshotManager({ kernel, source, snapshots, models })
    this.#indices = new IndexCache({
      memoryMaxBytes,
      onNoMemory,
      nowMs,
      open: (collectionId, count) => this.#open(collectionId, count),
      onLost: (collectionId) => this.#dropSnapshot(collectionId),
    })
  }

  /** Number of templates in a collection; `null` if it does not exist. */
  async count(collectionId: string): Promise<number | null> {
    return (await this.#deps.source.state(collectionId))?.count ?? null
  }

  /**
   * Finds the subjects most similar to the probe, each with its best template, best first; ties go to the lower number. The
   * result reflects everything enrolled or removed before the call. Templates removed during the search are left out.
   * @param probe of `templateLength` components, normalised with the template method and cohort of `models`
   * @returns at most `countMax` candidates; `null` if the collection does not exist
   * @throws {TypeError} if `countMax` is not a positive integer
   */
  async search(
    collectionId: string,
    probe: NormalizedTemplate,
    countMax: number,
  ): Promise<Candidate[] | null> {
    invariant(Number.isInteger(countMax) && countMax > 0, 'a search wants some candidates')
    const { source } = this.#deps
    const state = await source.state(collectionId)
    if (!state) {
      await this.forget(collectionId)
      return null
    }
    const found = await this.#candidates(collectionId, state.count, probe, countMax)
    // Distinguish an empty result from a collection that was removed in the meantime.
    return found.length > 0 || (await source.state(collectionId)) ? found : null
  }

  async #candidates(
    collectionId: string,
    count: number,
    probe: NormalizedTemplate,
    countMax: number,
  ): Promise<Candidate[]> {
    const { source, pause, scanMax } = this.#deps
    if (count <= scanMax) await this.#indices.unload(collectionId)
    else {
      const index = await this.#indices.loadCurrent(collectionId, count)
      const found = index && (await this.#searchIndex(index, collectionId, probe, countMax))
      if (found) return found
    }
    return scanSource(source, pause, collectionId, probe, countMax)
  }

  /**
   * Updates all indices; call it about once a second. Removals by other replicas are applied to memory and snapshots, and
   * snapshots are written for indices that have stopped changing.
   */
  async refresh(): Promise<void> {
    for (const [collectionId, index] of this.#indices.entries()) {
      await this.#attempt(async () => {
        if (await this.#indices.update(collectionId, index))
          await this.#snapshots?.writeIfCalm(collectionId, index)
      })
    }
    await this.#attempt(async () => this.#snapshots?.sweep((collectionId) => this.#indices.has(collectionId)))
  }

  /** Removes index and snapshot of a removed collection. */
  async forget(collectionId: string): Promise<void> {
    await this.#indices.forget(collectionId)
    await this.#snapshots?.drop(collectionId)
  }

  #open(collectionId: string, count: number): CollectionIndex {
    const { source, kernel, pause, templateLength } = this.#deps
    return new CollectionIndex(
      {
        source,
        kernel,
        pause,
        collectionId,
        templateLength,
        restore: async () => (await this.#snapshots?.load(collectionId)) ?? null,
        onRemoved: () => this.#dropSnapshot(collectionId),
      },
      count,
    )
  }

  /** @returns `null` if the index cannot return enough subjects, or was closed in the meantime */
  async #searchIndex(
    index: CollectionIndex,
    collectionId: string,
    probe: NormalizedTemplate,
    countMax: number,
  ): Promise<Candidate[] | null> {
    const { source, pause } = this.#deps
    for (let kept = Math.max(shortlistMin, growth * countMax); kept <= shortlistMax; kept *= growth) {
      const { templates } = index
      if (!templates) return null
      const { numbers, others } = await templates.findNearest(probe, kept, pause)
      const present = await source.read(collectionId, numbers)
      if (index.templates !== templates) return null
      index.discard(findMissing(numbers, present))
      const best = new BestSubjects(probe, countMax)
      for (const template of present) best.add(template)
      const candidates = best.list()
      const last = candidates[countMax - 1]
      if (others === Number.POSITIVE_INFINITY || (last && last.normalisedDistance < others)) return candidates
    }
    return null
  }

  /** Runs in the background, so that nobody waits for the disk. */
  #dropSnapshot(collectionId: string): void {
    void this.#attempt(async () => this.#snapshots?.drop(collectionId))
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#deps.onError(error)
    }
  }
}

function findMissing(numbers: readonly number[], present: readonly { number: number }[]): number[] {
  const found = new Set(present.map(({ number }) => number))
  return numbers.filter((number) => !found.has(number))
}
