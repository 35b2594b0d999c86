/** All routes of the persistent service. */

import { Hono } from 'hono'
import type { PersistentServices } from '../../compose/services.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { forgetRemoved } from '../middleware/forget-removed.ts'
import { requireToken } from '../middleware/require-token.ts'
import { analysisRoutes, folderAnalysesRoutes } from './analyses.ts'
import { captureRoutes } from './capture.ts'
import { captureLinkRoutes } from './capture-links.ts'
import { collectionRoutes } from './collections.ts'
import { companyRoutes } from './companies.ts'
import { folderDecisionRoutes } from './decisions.ts'
import { deviceSettingsRoutes } from './device-settings.ts'
import { eventSessionRoutes } from './event-sessions.ts'
import { folderRoutes } from './folders.ts'
import { folderMediaRoutes, mediumRoutes } from './media.ts'
import { metadataRoutes } from './metadata.ts'
import { imageRoutes, personRoutes } from './persons.ts'
import { queueRoutes } from './queue.ts'
import { reportTemplateRoutes } from './report-templates.ts'
import { folderReportRoutes, reportRoutes } from './reports.ts'
import { secondFactorRoutes } from './second-factor.ts'
import { sessionRoutes } from './sessions.ts'
import { settingsRoutes } from './settings.ts'
import { statisticsRoutes } from './statistics.ts'
import { userRoutes } from './users.ts'
import { deliveryRoutes } from './webhook-deliveries.ts'
import { webhookSecretRoutes } from './webhook-secret.ts'

export const persistentRoutes = (deps: Deps, services: PersistentServices) => {
  const token = requireToken(deps)
  const forget = forgetRemoved(services)
  const routes = new Hono<AppEnv>()
  for (const path of [
    'companies',
    'users',
    'folders',
    'queue',
    'media',
    'analyses',
    'capture_links',
    'collections',
    'images',
    'reports',
    'report_templates',
    'webhook_deliveries',
    'event_sessions',
    'statistics',
    'settings',
  ]) {
    routes.use(`/${path}`, forget, token).use(`/${path}/*`, forget, token)
  }
  return routes
    .route('/companies', companyRoutes(deps, services))
    .route('/companies', webhookSecretRoutes(deps, services))
    .route('/users', userRoutes(deps, services))
    .route('/users', secondFactorRoutes(deps, services))
    .route('/users', sessionRoutes(deps, services))
    .route('/folders', folderRoutes(deps, services))
    .route('/folders', folderMediaRoutes(deps, services))
    .route('/folders', folderAnalysesRoutes(deps, services))
    .route('/folders', folderDecisionRoutes(deps, services))
    .route('/queue', queueRoutes(deps, services))
    .route('/media', mediumRoutes(deps, services))
    .route('/analyses', analysisRoutes(deps, services))
    .route('/capture_links', captureLinkRoutes(deps, services))
    .route('/capture', captureRoutes(deps, services))
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
