import { AppError } from '../errors.ts'
import type { RequestedAnalysis } from '../records/analysis.ts'
import type { CollectionRecord } from '../records/collection.ts'

export interface KnownCollections {
  find(id: string): Promise<CollectionRecord | null>
  /** The collection of a company, if it has exactly one. */
  findOnly(companyId: string): Promise<CollectionRecord | null>
}

/**
 * Determines the collection that identifications search: the one they name, or the only one of the company.
 * @throws {AppError} `value_invalid` for a collection that the company does not have, `structure_invalid` where none is named
 * and the company has not exactly one
 */
export async function settleCollections(
  collections: KnownCollections,
  companyId: string | null,
  requests: readonly RequestedAnalysis[],
): Promise<RequestedAnalysis[]> {
  const idOf = async (named: string | null, index: number): Promise<string> => {
    const found = named === null ? await collections.findOnly(companyId ?? '') : await collections.find(named)
    if (found && found.companyId === companyId) return found.id
    const place = `analyses.${index}.params.collection_id`
    const details = { details: { key_path: place }, place }
    if (named !== null)
      throw new AppError('value_invalid', 'collection_id names a collection that is not there', details)
    const message = 'collection_id is needed: the company has not exactly one collection'
    throw new AppError('structure_invalid', message, details)
  }
  return Promise.all(
    requests.map(async (request, index) => {
      const { search } = request
      return search
        ? { ...request, search: { ...search, collectionId: await idOf(search.collectionId, index) } }
        : request
    }),
  )
}
