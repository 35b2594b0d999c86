import { Hono } from 'hono'
import type { PersistentServices } from '../../compose/services.ts'
import { newCollectionSchema } from '../../contract/full/collection-bodies.ts'
import { collectionView } from '../../contract/full/collection-view.ts'
import { collectionFields } from '../../contract/full/list-fields.ts'
import { arrayPieces } from '../../contract/full/list-view.ts'
import { parseListQuery } from '../../contract/list-query.ts'
import { refuseExcess } from '../../contract/metadata.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeEndpoint } from '../describe-endpoint.ts'
import { readJsonAs } from '../json-body.ts'
import { reply, replyPieces } from '../reply.ts'
import { pathId } from '../request-ids.ts'

const description = (summary: string) =>
  describeEndpoint({
    tag: 'Collections',
    summary,
    answers: {
      200: 'The collection',
      403: 'The role does not allow it',
      404: 'There is no such collection',
    },
  })

export const collectionRoutes = ({ platform }: Deps, { collections }: PersistentServices) =>
  new Hono<AppEnv>()
    .post('/', description('Create a collection'), async (c) => {
      const { authority } = c.var
      authority.scope('create', 'collection')
      const { alias, company_id, meta_data } = await readJsonAs(c, newCollectionSchema)
      const company = authority.companyFor('collection', company_id ?? null)
      return reply(c, collectionView(await collections.create(company, alias, refuseExcess(meta_data))), 201)
    })
    .get('/', description('List collections'), async (c) => {
      const scope = c.var.authority.list('collection')
      const query = parseListQuery(new URL(c.req.url).searchParams, collectionFields, platform.nowMs())
      return replyPieces(c, arrayPieces(await collections.list(query, scope), collectionView))
    })
    .get('/:collection', description('One collection'), async (c) =>
      reply(
        c,
        collectionView(
          await collections.find(c.var.authority, 'read', 'collection', pathId(c, 'collection')),
        ),
      ),
    )
    .delete('/:collection', description('Remove a collection with its persons'), async (c) => {
      await collections.remove(
        await collections.find(c.var.authority, 'delete', 'collection', pathId(c, 'collection')),
      )
      return c.body(null, 204)
    })
