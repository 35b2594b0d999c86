import { Hono } from 'hono'
import * as v from 'valibot'
import type { PersistentServices } from '../../compose/services.ts'
import { collectionAnswer } from '../../contract/answers/others.ts'
import { newCollectionSchema } from '../../contract/full/collection-bodies.ts'
import { collectionView } from '../../contract/full/collection-view.ts'
import { collectionFields } from '../../contract/full/list-fields.ts'
import { arrayPieces } from '../../contract/full/list-view.ts'
import { refuseExcess } from '../../contract/metadata.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeTag, json, jsonBody } from '../describe-endpoint.ts'
import { readJsonAs } from '../json-body.ts'
import { readListQuery } from '../list-query.ts'
import { reply, replyPieces } from '../reply.ts'
import { pathId } from '../request-ids.ts'

const description = describeTag('Collections')

export const collectionRoutes = ({ platform }: Deps, { collections }: PersistentServices) =>
  new Hono<AppEnv>()
    .post(
      '/',
      description(
        'Create a collection',
        { 201: json('The collection', collectionAnswer) },
        { body: jsonBody(newCollectionSchema), example: { alias: 'blacklist' } },
      ),
      async (c) => {
        const { authority } = c.var
        authority.scope('create', 'collection')
        const { alias, company_id, meta_data } = await readJsonAs(c, newCollectionSchema)
        const company = authority.companyFor('collection', company_id ?? null)
        return reply(
          c,
          collectionView(await collections.create(company, alias, refuseExcess(meta_data))),
          201,
        )
      },
    )
    .get(
      '/',
      description(
        'List collections',
        { 200: json('The collections', v.array(collectionAnswer)) },
        { list: collectionFields },
      ),
      async (c) => {
        const scope = c.var.authority.list('collection')
        const query = readListQuery(c, collectionFields, platform.nowMs())
        return replyPieces(
          c,
          arrayPieces(await collections.list(query, scope), (collection) => collectionView(collection)),
        )
      },
    )
    .get(
      '/:collection',
      description('One collection', { 200: json('The collection', collectionAnswer) }),
      async (c) => {
        const id = pathId(c, 'collection')
        const collection = await collections.find(c.var.authority, 'read', 'collection', id)
        return reply(c, collectionView(collection, await collections.searchRates(collection)))
      },
    )
    .delete(
      '/:collection',
      description('Remove a collection with its persons', { 204: 'The collection is removed' }),
      async (c) => {
        await collections.remove(await collections.findToRemove(c.var.authority, pathId(c, 'collection')))
        return c.body(null, 204)
      },
    )
