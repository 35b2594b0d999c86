/** Metadata of users, folders, media, analyses, collections and persons: one set of four methods for all. */
import { type Context, Hono } from 'hono'
import { metadataSchema } from '../../contract/full/folder-bodies.ts'
import { refuseExcess } from '../../contract/metadata.ts'
import type { Json } from '../../contract/spaced-json.ts'
import { AppError } from '../../errors.ts'
import type { Metadata } from '../../records/medium.ts'
import type { Stateful } from '../../services.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { described } from '../described.ts'
import { readJsonAs } from '../json-body.ts'
import { reply } from '../reply.ts'
import { pathId, reached, requireMetadataScope, requireScope } from './access.ts'
import { collectionFor, personFor } from './collection-access.ts'
import { analysisFor, folderFor, mediumFor, type Use } from './folder-access.ts'

const description = (summary: string) =>
  described({ tag: 'Metadata', summary, answers: { 200: 'The metadata', 204: 'It is gone' } })

/** An object that has metadata, as far as the caller reaches it. */
interface Holder {
  metadata: Metadata
  change(change: (metadata: Metadata) => Metadata): Promise<Metadata | null>
}

const merged = (metadata: Metadata, fields: Metadata): Metadata =>
  Object.fromEntries([...Object.entries(metadata), ...Object.entries(fields)])

/** A field set to `null` goes. */
const patched = (metadata: Metadata, fields: Metadata): Metadata =>
  Object.fromEntries(Object.entries(merged(metadata, fields)).filter(([, value]) => value !== null))

function methods(path: string, holderOf: (c: Context<AppEnv>, use: Use) => Promise<Holder>) {
  const write = async (
    c: Context<AppEnv>,
    change: (metadata: Metadata, fields: Metadata) => Metadata,
  ): Promise<Response> => {
    const holder = await holderOf(c, 'metadata')
    const fields = await readJsonAs(c, metadataSchema)
    const metadata = await holder.change((now) => refuseExcess(change(now, fields)))
    if (!metadata) throw new AppError('not_found', '')
    return reply(c, metadata as Json)
  }
  return new Hono<AppEnv>()
    .get(path, description('Read metadata'), async (c) =>
      reply(c, (await holderOf(c, 'read')).metadata as Json),
    )
    .post(path, description('Add or replace fields'), (c) => write(c, merged))
    .patch(path, description('Change fields; null removes one'), (c) => write(c, patched))
    .delete(path, description('Remove all fields'), async (c) => {
      const holder = await holderOf(c, 'metadata')
      await holder.change(() => ({}))
      return c.body(null, 204)
    })
}

export const metadataRoutes = ({ platform }: Deps, stateful: Stateful) => {
  const { nowMs } = platform
  const { folders, media, analyses, users, collections, persons } = stateful
  return new Hono<AppEnv>()
    .route(
      '/',
      methods('/folders/:folder/meta_data', async (c, use) => {
        const { id, metadata, isCleared } = await folderFor(c, stateful, 'folder', use)
        if (isCleared && use === 'metadata')
          throw new AppError('not_lawful', 'Personal data of the folder was removed')
        return { metadata, change: (change) => folders.changeMetadata(id, change, nowMs()) }
      }),
    )
    .route(
      '/',
      methods('/media/:medium/meta_data', async (c, use) => {
        const { id, metadata } = (await mediumFor(c, stateful, use)).medium
        return { metadata, change: (change) => media.changeMetadata(id, change, nowMs()) }
      }),
    )
    .route(
      '/',
      methods('/analyses/:analysis/meta_data', async (c, use) => {
        const { id, metadata } = (await analysisFor(c, stateful, use)).analysis
        return { metadata, change: (change) => analyses.changeMetadata(id, change, nowMs()) }
      }),
    )
    .route(
      '/',
      methods('/collections/:collection/meta_data', async (c, use) => {
        const { id, metadata } = await collectionFor(c, stateful, use)
        return { metadata, change: (change) => collections.changeMetadata(id, change, nowMs()) }
      }),
    )
    .route(
      '/',
      methods('/collections/:collection/persons/:person/meta_data', async (c, use) => {
        const { id, metadata } = await personFor(c, stateful, use)
        return { metadata, change: (change) => persons.changeMetadata(id, change, nowMs()) }
      }),
    )
    .route(
      '/',
      methods('/users/:user/meta_data', async (c, use) => {
        const scope = use === 'metadata' ? requireMetadataScope(c, 'user') : requireScope(c, 'user', use)
        const known = await users.find(pathId(c, 'user'))
        const user = reached(c, scope, known, ({ companyId, id }) => ({ companyId, userId: id }))
        return { metadata: user.metadata, change: (change) => users.changeMetadata(user.id, change, nowMs()) }
      }),
    )
}
