/** Removes persons and collections. One transaction removes the records and schedules their files for deletion. */
import { dropMediumFiles, type RecordFiles } from '../folders/record-files.ts'
import { workOff } from '../queue/work-off.ts'
import type { CollectionStore } from '../storage/collections/collection-store.ts'
import type { PersonStore, RemovableImage } from '../storage/collections/person-store.ts'

export interface WithdrawalDeps {
  files: RecordFiles
  collections: CollectionStore
  persons: PersonStore
  nowMs(): number
  /** Tells the search index that templates were removed. */
  onWithdrawn(): void
  /** Told of what could not be removed; it is tried again, and stops nothing else. */
  onError(error: unknown): void
}

const personsAtOnce = 50
/** How long the removal of collections may delay other housekeeping, and the shutdown. */
const removingMaxMs = 5000

async function removePersons(deps: WithdrawalDeps, collectionId: string, ids: readonly string[]) {
  const nowMs = deps.nowMs()
  await deps.persons.delete(collectionId, ids, nowMs, dropMediumFiles(collectionId, nowMs))
  deps.onWithdrawn()
  await deps.files.remove({ ownerId: collectionId, dueMs: nowMs })
}

/** Removes a person with photos and templates. */
export const removePerson = (deps: WithdrawalDeps, collectionId: string, id: string): Promise<void> =>
  removePersons(deps, collectionId, [id])

/** Removes one photo of a person and its template. */
export async function removeImage(deps: WithdrawalDeps, image: RemovableImage): Promise<void> {
  const nowMs = deps.nowMs()
  const { collectionId } = image.person
  await deps.persons.deleteImage(image, nowMs, dropMediumFiles(collectionId, nowMs))
  deps.onWithdrawn()
  await deps.files.remove({ ownerId: collectionId, dueMs: nowMs })
}

/** How far a removal got: finished, out of time, or failed with the next attempt pending. */
type RemovalProgress = 'all' | 'some' | 'failed'

async function continueRemoval(
  deps: WithdrawalDeps,
  id: string,
  isLate: () => boolean,
): Promise<RemovalProgress> {
  const { persons, collections, onError } = deps
  const remove = (some: readonly string[]) => removePersons(deps, id, some)
  const failed: string[] = []
  for (;;) {
    const ids = await persons.listIds(id, personsAtOnce, failed)
    if (ids.length > 0)
      failed.push(...(await workOff(ids, remove, { onError, check: () => collections.find(id) })))
    if (ids.length < personsAtOnce) break
    if (isLate()) return 'some'
  }
  if (failed.length > 0) return 'failed'
  await collections.delete(id)
  return 'all'
}

/**
 * Continues the removal of collections, in batches of persons, for some seconds. A failure does not stop the others.
 * @param companyId the company whose collections are all removed; `null` to continue with all collections marked for removal
 */
export async function removeCollections(
  deps: WithdrawalDeps,
  companyId: string | null,
): Promise<RemovalProgress> {
  const { collections, nowMs, onError } = deps
  const endMs = nowMs() + removingMaxMs
  const isLate = () => nowMs() >= endMs
  if (companyId !== null) await collections.beginDeletion({ companyId }, nowMs())
  const results = new Set<RemovalProgress>()
  for (const id of await collections.inDeletion(companyId)) {
    const removed = continueRemoval(deps, id, isLate).catch((error: unknown): RemovalProgress => {
      onError(error)
      return 'failed'
    })
    results.add(await removed)
    if (isLate()) break
  }
  if (isLate() && !results.has('failed')) return 'some'
  return results.has('failed') ? 'failed' : results.has('some') ? 'some' : 'all'
}

/**
 * Removes a collection with its persons. It is inaccessible at once; housekeeping removes the rest of a large one step by
 * step.
 */
export async function removeCollection(deps: WithdrawalDeps, id: string): Promise<RemovalProgress> {
  await deps.collections.beginDeletion({ id }, deps.nowMs())
  deps.onWithdrawn()
  return continueRemoval(deps, id, () => true)
}
