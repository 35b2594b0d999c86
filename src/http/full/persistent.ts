/** All routes of the persistent service. */

import { Hono } from 'hono'
import type { PersistentServices } from '../../compose/services.ts'
import { deliveryAnswer } from '../../contract/answers/accounts.ts'
import { listOf } from '../../contract/answers/parts.ts'
import { deliveryFields } from '../../contract/full/list-fields.ts'
import { listPieces } from '../../contract/full/list-view.ts'
import { seconds } from '../../contract/full/media-view.ts'
import { parseListQuery } from '../../contract/list-query.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeEndpoint, json } from '../describe-endpoint.ts'
import { requireToken } from '../middleware/require-token.ts'
import { replyPieces } from '../reply.ts'
import { analysisRoutes, folderAnalysesRoutes } from './analyses.ts'
import { collectionRoutes } from './collections.ts'
import { companyRoutes } from './companies.ts'
import { deviceSettingsRoutes } from './device-settings.ts'
import { eventSessionRoutes } from './event-sessions.ts'
import { folderRoutes } from './folders.ts'
import { folderMediaRoutes, mediumRoutes } from './media.ts'
import { metadataRoutes } from './metadata.ts'
import { imageRoutes, personRoutes } from './persons.ts'
import { reportTemplateRoutes } from './report-templates.ts'
import { folderReportRoutes, reportRoutes } from './reports.ts'
import { settingsRoutes } from './settings.ts'
import { statisticsRoutes } from './statistics.ts'
import { userRoutes } from './users.ts'
import { webhookSecretRoutes } from './webhook-secret.ts'

/** The log of webhook deliveries. This path is our own, not part of the contract. */
const deliveryRoutes = ({ platform }: Deps, { webhooks }: PersistentServices) =>
  new Hono<AppEnv>().get(
    '/',
    describeEndpoint({
      tag: 'Webhooks',
      summary: 'Attempts at deliveries',
      answers: { 200: json('A page of the log', listOf(deliveryAnswer)) },
      list: deliveryFields,
    }),
    async (c) => {
      const scope = c.var.authority.list('delivery_log')
      const query = parseListQuery(new URL(c.req.url).searchParams, deliveryFields, platform.nowMs())
      const { items, total } = await webhooks.deliveries(query, scope)
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

export const persistentRoutes = (deps: Deps, services: PersistentServices) => {
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
    'reports',
    'report_templates',
    'webhook_deliveries',
    'event_sessions',
    'statistics',
    'settings',
  ]) {
    routes.use(`/${path}`, token).use(`/${path}/*`, token)
  }
  return routes
    .route('/companies', companyRoutes(deps, services))
    .route('/companies', webhookSecretRoutes(deps, services))
    .route('/users', userRoutes(deps, services))
    .route('/folders', folderRoutes(deps, services))
    .route('/folders', folderMediaRoutes(deps, services))
    .route('/folders', folderAnalysesRoutes(deps, services))
    .route('/media', mediumRoutes(deps, services))
    .route('/analyses', analysisRoutes(deps, services))
    .route('/collections', collectionRoutes(deps, services))
    .route('/collections', personRoutes(deps, services))
    .route('/images', imageRoutes(deps, services))
    .route('/folders', folderReportRoutes(deps, services))
    .route('/reports', reportRoutes(deps, services))
    .route('/report_templates', reportTemplateRoutes(deps, services))
    .route('/webhook_deliveries', deliveryRoutes(deps, services))
    .route('/statistics', statisticsRoutes(deps, services))
    .route('/settings', settingsRoutes(deps))
    .route('/event_sessions', eventSessionRoutes(deps, services))
    .route('/device_settings', deviceSettingsRoutes(deps, services))
    .route('/', metadataRoutes(deps, services))
}
