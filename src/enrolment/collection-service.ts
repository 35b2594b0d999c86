/** Collections of persons. */
import type { SearchRate } from '../decide/comparison.ts'
import type { Authority, Authorized, ListScope, Use } from '../identity/authority.ts'
import type { CollectionRecord } from '../records/collection.ts'
import type { ListQuery } from '../records/list-query.ts'
import type { Metadata } from '../records/medium.ts'
import type { CollectionStore, RemovableCollection } from '../storage/collections/collection-store.ts'
import { removeCollection, type WithdrawalDeps } from './withdraw.ts'

interface CollectionServiceDeps {
  withdrawal: WithdrawalDeps
  collections: CollectionStore
  nowMs(): number
  randomId(): string
  /** How a search of a collection of this many templates decides. */
  rateOf(templates: number): SearchRate
  countTemplates(collectionId: string): Promise<number | null>
  /** Called when persons of a removed collection are left to housekeeping. */
  onLeft(): void
}

/** Sizes of collections that users compare theirs with. */
const comparedSizes = [100, 1000, 10_000, 100_000]

export const ownerOfCollection = ({ companyId }: { companyId: string }) => ({ companyId, userId: null })

export class CollectionService {
  readonly #deps: CollectionServiceDeps

  constructor(deps: CollectionServiceDeps) {
    this.#deps = deps
  }

  /**
   * Finds a collection, for the use of it or of its persons.
   * @throws {AppError} `forbidden`, `not_found`
   */
  find<U extends Use, R extends 'collection' | 'person'>(
    authority: Authority,
    use: U,
    resource: R,
    id: string,
  ): Promise<Authorized<CollectionRecord, `${U} ${R}`>> {
    return authority.require(use, resource, () => this.#deps.collections.find(id), ownerOfCollection)
  }

  /**
   * Finds a collection for removal, also a damaged one.
   * @throws {AppError} `forbidden`, `not_found`
   */
  findToRemove(
    authority: Authority,
    id: string,
  ): Promise<Authorized<RemovableCollection, 'delete collection'>> {
    const find = () => this.#deps.collections.findToRemove(id)
    return authority.require('delete', 'collection', find, ownerOfCollection)
  }

  /** How a search decides: of the collection as it is, then of larger and smaller ones. */
  async searchRates({ id }: Authorized<CollectionRecord, 'read collection'>): Promise<SearchRate[]> {
    const { countTemplates, rateOf } = this.#deps
    return [(await countTemplates(id)) ?? 0, ...comparedSizes].map(rateOf)
  }

  /** @throws {AppError} `value_invalid` if there is no such company, `already_exists` if it uses this alias */
  async create(
    { companyId }: Authorized<{ companyId: string }, 'create collection'>,
    alias: string,
    metadata: Metadata,
  ): Promise<CollectionRecord> {
    const { collections, nowMs, randomId } = this.#deps
    const now = nowMs()
    const collection = { id: randomId(), companyId, alias, metadata, createdAtMs: now, updatedAtMs: now }
    await collections.insert(collection)
    return collection
  }

  list(query: ListQuery, scope: Authorized<ListScope, 'read collection'>) {
    return this.#deps.collections.list(query, scope.companyId ?? null)
  }

  changeMetadata(
    { id }: Authorized<CollectionRecord, 'metadata collection'>,
    change: (metadata: Metadata) => Metadata,
  ): Promise<Metadata | null> {
    return this.#deps.collections.changeMetadata(id, change, this.#deps.nowMs())
  }

  /** Removes a collection with its persons; the rest of a large one a little later. */
  async remove({ id }: Authorized<RemovableCollection, 'delete collection'>): Promise<void> {
    const removed = await removeCollection(this.#deps.withdrawal, id)
    if (removed !== 'all') this.#deps.onLeft()
  }
}
