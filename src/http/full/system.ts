/** Version, health and configuration of the full service. */

import { type Context, Hono } from 'hono'
import { configAnswer, healthAnswer, versionAnswer } from '../../contract/answers/others.ts'
import { usageView } from '../../contract/full/statistics-view.ts'
import type { Json } from '../../contract/spaced-json.ts'
import { withTimeout } from '../../queue/timers.ts'
import { contractVersion, softwareVersion } from '../../version.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeEndpoint, json, type RouteDescription } from '../describe-endpoint.ts'
import { authenticate, readToken, tenantNeedsToken } from '../middleware/require-token.ts'
import { checkMaxMs, checkStores } from '../readiness.ts'
import { reply } from '../reply.ts'

const description = (summary: string, answers: RouteDescription['answers']) =>
  describeEndpoint({ tag: 'System', summary, access: 'open', answers })

/** The usage of the month that a caller may see; `null` without a token of a role that reads statistics. */
async function readBilling(c: Context<AppEnv>, deps: Deps): Promise<object | null> {
  const { persistent } = deps.services
  if (!persistent || readToken(c) === null) return null
  const scope = (await authenticate(c, deps)).list('statistics')
  const { fromMs, usage } = await persistent.statistics.readMonth(scope)
  return usageView(usage, fromMs)
}

/** The state of billing. Health needs no token, so counts are shown only to those who may read statistics. */
async function checkBilling(c: Context<AppEnv>, deps: Deps): Promise<Json> {
  const month = readBilling(c, deps).catch(() => null)
  return {
    status: 'ok',
    type: 'open-source',
    counted_in: deps.services.persistent ? 'database' : 'log',
    ...(await withTimeout(month, checkMaxMs, () => null)),
  }
}

export const systemRoutes = (deps: Deps) => {
  const { platform, settings, services } = deps
  return new Hono<AppEnv>()
    .get('/version', description('Version of the service', { 200: json('Versions', versionAnswer) }), (c) =>
      reply(c, {
        core: contractVersion,
        version: contractVersion,
        service: 'vivace',
        service_version: softwareVersion,
      }),
    )
    .get(
      '/healthcheck',
      description('Health of the components', {
        200: json('Ready', healthAnswer),
        503: json('A part does not answer', healthAnswer),
      }),
      async (c) => {
        const { ready, workers, waiting, waitingMax, replaced } = platform.assessor.health()
        const { profileName, profile, entries, cohort } = platform.models
        const stores = await checkStores(services.persistent)
        const healthy = ready > 0 && Object.values(stores).every(({ status }) => status !== 'error')
        return reply(
          c,
          {
            status: healthy ? 'ok' : 'error',
            components: {
              assessor: {
                status: ready > 0 ? 'ok' : 'error',
                workers,
                ready,
                waiting,
                waiting_max: waitingMax,
                replaced,
              },
              models: {
                status: 'ok',
                profile: profileName,
                assurance: profile.assurance,
                cohort: cohort.id,
                networks: entries.map(({ id, version, task, licence, card }) => ({
                  ...{ id, version, task, licence },
                  // As the guide names it.
                  card: card.replace(/^.*\/|\.md$/g, ''),
                })),
              },
              ...stores,
            },
            runtime: platform.runtime,
            licence: { status: 'ok', type: 'open-source', expires: null },
            billing: await checkBilling(c, deps),
          },
          healthy ? 200 : 503,
        )
      },
    )
    .get(
      '/config',
      description('Time zone, language, what is analysed, and the types of files that are read', {
        200: json('Configuration', configAnswer),
      }),
      (c) =>
        reply(c, {
          timezone: settings.timeZone,
          language: 'en',
          // Pages decide by these how to send a capture, before it is made, and what to ask for.
          container_analysis_enabled: settings.containerAnalysisEnabled,
          documents_analysis_enabled: services.processor.analysesDocuments,
          accepted_types: [...platform.acceptedTypes],
          token_required: tenantNeedsToken(settings),
        }),
    )
}
