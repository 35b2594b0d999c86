import { Hono } from 'hono'
import { newCollectionSchema } from '../../contract/full/collection-bodies.ts'
import { collectionView } from '../../contract/full/collection-view.ts'
import { collectionFields } from '../../contract/full/list-fields.ts'
import { arrayPieces } from '../../contract/full/list-view.ts'
import { parseListQuery } from '../../contract/list-query.ts'
import { refuseExcess } from '../../contract/metadata.ts'
import { removeCollection } from '../../enrolment/withdraw.ts'
import { AppError } from '../../errors.ts'
import type { CollectionRecord } from '../../records/collection.ts'
import type { Stateful } from '../../services.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { described } from '../described.ts'
import { readJsonAs } from '../json-body.ts'
import { reply, replyPieces } from '../reply.ts'
import { requireScope, withinScope } from './access.ts'
import { collectionFor } from './collection-access.ts'

const description = (summary: string) =>
  described({
    tag: 'Collections',
    summary,
    answers: {
      200: 'The collection',
      403: 'The role does not allow it',
      404: 'There is no such collection',
    },
  })

export const collectionRoutes = ({ platform }: Deps, stateful: Stateful) => {
  const { collections } = stateful
  const { nowMs, randomId } = platform
  return new Hono<AppEnv>()
    .post('/', description('Create a collection'), async (c) => {
      const scope = requireScope(c, 'collection', 'create')
      const { alias, company_id, meta_data } = await readJsonAs(c, newCollectionSchema)
      const companyId = company_id ?? c.var.principal.companyId
      if (companyId === null || (scope !== 'all' && companyId !== c.var.principal.companyId))
        throw new AppError('forbidden', '')
      const now = nowMs()
      const collection: CollectionRecord = {
        ...{ id: randomId(), companyId, alias, metadata: refuseExcess(meta_data) },
        createdAtMs: now,
        updatedAtMs: now,
      }
      await collections.insert(collection)
      return reply(c, collectionView(collection), 201)
    })
    .get('/', description('List collections'), async (c) => {
      const within = withinScope(c, requireScope(c, 'collection', 'read'))
      const query = parseListQuery(new URL(c.req.url).searchParams, collectionFields, nowMs())
      return replyPieces(
        c,
        arrayPieces(await collections.list(query, within.companyId ?? null), collectionView),
      )
    })
    .get('/:collection', description('One collection'), async (c) =>
      reply(c, collectionView(await collectionFor(c, stateful, 'read'))),
    )
    .delete('/:collection', description('Remove a collection with its persons'), async (c) => {
      const { id } = await collectionFor(c, stateful, 'delete')
      await removeCollection({ ...stateful, nowMs }, id)
      return c.body(null, 204)
    })
}
