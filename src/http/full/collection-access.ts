/** Collections, persons and their photos, as far as the caller reaches. */
import type { Context } from 'hono'
import { AppError } from '../../errors.ts'
import type { RequestedAnalysis } from '../../records/analysis.ts'
import type { CollectionRecord, PersonRecord } from '../../records/collection.ts'
import type { Stateful } from '../../services.ts'
import type { PlacedImage } from '../../storage/collections/person-store.ts'
import type { AppEnv } from '../app-env.ts'
import { pathId, reached } from './access.ts'
import { scopeFor, type Use } from './folder-access.ts'

const ownerOf = ({ companyId }: { companyId: string }) => ({ companyId, userId: null })

/** @throws {AppError} `forbidden`, `not_found` */
export async function collectionFor(
  c: Context<AppEnv>,
  { collections }: Stateful,
  use: Use,
  resource: 'collection' | 'person' = 'collection',
): Promise<CollectionRecord> {
  const scope = scopeFor(c, resource, use)
  return reached(c, scope, await collections.find(pathId(c, 'collection')), ownerOf)
}

/** @throws {AppError} `forbidden`, `not_found` */
export async function personFor(c: Context<AppEnv>, { persons }: Stateful, use: Use): Promise<PersonRecord> {
  const scope = scopeFor(c, 'person', use)
  return reached(c, scope, await persons.find(pathId(c, 'collection'), pathId(c, 'person')), ownerOf)
}

/** @throws {AppError} `forbidden`, `not_found` */
export async function personImageFor(
  c: Context<AppEnv>,
  { persons }: Stateful,
  use: Use,
): Promise<PlacedImage> {
  const scope = scopeFor(c, 'person', use)
  return reached(c, scope, await persons.findImage(pathId(c, 'image')), ({ person }) => ownerOf(person))
}

/**
 * Settles where identifications look: in the collection they name, or the only one of the company.
 * @throws {AppError} `value_invalid` for a collection that the company does not have, `structure_invalid` where none is named
 * and the company has not exactly one
 */
export async function withCollections(
  { collections }: Stateful,
  companyId: string | null,
  requests: readonly RequestedAnalysis[],
): Promise<RequestedAnalysis[]> {
  const idOf = async (named: string | null): Promise<string> => {
    const found = named === null ? await collections.onlyOf(companyId ?? '') : await collections.find(named)
    if (found && found.companyId === companyId) return found.id
    const details = { details: { key_path: 'collection_id' } }
    if (named !== null)
      throw new AppError('value_invalid', 'collection_id names a collection that is not there', details)
    const message = 'collection_id is needed: the company has not exactly one collection'
    throw new AppError('structure_invalid', message, details)
  }
  return Promise.all(
    requests.map(async (request) => {
      const { search } = request
      return search
        ? { ...request, search: { ...search, collectionId: await idOf(search.collectionId) } }
        : request
    }),
  )
}
