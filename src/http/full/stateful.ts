/** All doors of the service that keeps folders and users. */
import { Hono } from 'hono'
import { deliveryFields } from '../../contract/full/list-fields.ts'
import { listPieces } from '../../contract/full/list-view.ts'
import { seconds } from '../../contract/full/media-view.ts'
import { parseListQuery } from '../../contract/list-query.ts'
import type { Stateful } from '../../services.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { described } from '../described.ts'
import { requireToken } from '../middleware/require-token.ts'
import { replyPieces } from '../reply.ts'
import { requireScope, withinScope } from './access.ts'
import { analysisRoutes, folderAnalysesRoutes } from './analyses.ts'
import { collectionRoutes } from './collections.ts'
import { companyRoutes } from './companies.ts'
import { folderRoutes } from './folders.ts'
import { folderMediaRoutes, mediumRoutes } from './media.ts'
import { metadataRoutes } from './metadata.ts'
import { imageRoutes, personRoutes } from './persons.ts'
import { userRoutes } from './users.ts'
import { webhookSecretRoutes } from './webhook-secret.ts'

/** The log of webhook deliveries; a path of our own. */
const deliveryRoutes = ({ platform }: Deps, { deliveries }: Stateful) =>
  new Hono<AppEnv>().get(
    '/',
    described({ tag: 'Webhooks', summary: 'Attempts at deliveries', answers: { 200: 'The log' } }),
    async (c) => {
      const within = withinScope(c, requireScope(c, 'delivery_log', 'read'))
      const query = parseListQuery(new URL(c.req.url).searchParams, deliveryFields, platform.nowMs())
      const { items, total } = await deliveries.list(query, within.companyId ?? null)
      return replyPieces(
        c,
        listPieces(
          query,
          { batches: [items], total },
          ({ eventId, folderId, attempt, status, reason, atMs }) => ({
            event_id: eventId,
            folder_id: folderId,
            attempt,
            status,
            error: reason,
            time_created: seconds(atMs),
          }),
        ),
      )
    },
  )

export const statefulRoutes = (deps: Deps, stateful: Stateful) => {
  const token = requireToken(deps)
  const routes = new Hono<AppEnv>()
  for (const path of [
    'companies',
    'users',
    'folders',
    'media',
    'analyses',
    'collections',
    'images',
    'webhook_deliveries',
  ]) {
    routes.use(`/${path}`, token).use(`/${path}/*`, token)
  }
  return routes
    .route('/companies', companyRoutes(deps, stateful))
    .route('/companies', webhookSecretRoutes(deps, stateful))
    .route('/users', userRoutes(deps, stateful))
    .route('/folders', folderRoutes(deps, stateful))
    .route('/folders', folderMediaRoutes(deps, stateful))
    .route('/folders', folderAnalysesRoutes(deps, stateful))
    .route('/media', mediumRoutes(deps, stateful))
    .route('/analyses', analysisRoutes(deps, stateful))
    .route('/collections', collectionRoutes(deps, stateful))
    .route('/collections', personRoutes(deps, stateful))
    .route('/images', imageRoutes(deps, stateful))
    .route('/webhook_deliveries', deliveryRoutes(deps, stateful))
    .route('/', metadataRoutes(deps, stateful))
}
