/** Version, health and configuration of the full service. */

import { type Context, Hono } from 'hono'
import { configAnswer, healthAnswer, versionAnswer } from '../../contract/answers/others.ts'
import { usageView } from '../../contract/full/statistics-view.ts'
import type { Json } from '../../contract/spaced-json.ts'
import type { Authority } from '../../identity/authority.ts'
import { withTimeout } from '../../queue/timers.ts'
import { contractVersion, softwareVersion } from '../../version.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeTag, json } from '../describe-endpoint.ts'
import { authenticate, readToken, tenantNeedsToken } from '../middleware/require-token.ts'
import { isOwnPageHere } from '../own-page.ts'
import { checkMaxMs, checkStores } from '../readiness.ts'
import { reply } from '../reply.ts'

const description = describeTag('System', 'open')

type StatisticsScope = ReturnType<typeof Authority.prototype.list<'statistics'>>

/** Whose statistics a caller may read; `null` without a token of a role that reads any. */
async function findScope(c: Context<AppEnv>, deps: Deps): Promise<StatisticsScope | null> {
  if (!deps.services.persistent || readToken(c) === null) return null
  const scope = authenticate(c, deps).then((authority) => authority.list('statistics'))
  return withTimeout(
    scope.catch(() => null),
    checkMaxMs,
    () => null,
  )
}

/** The state of billing, with the usage of the month that the caller may see. */
async function checkBilling(
  { persistent }: Deps['services'],
  scope: Promise<StatisticsScope | null>,
): Promise<Json> {
  const readMonth = async () => {
    const allowed = await scope
    if (!persistent || !allowed) return null
    const { fromMs, usage } = await persistent.statistics.readMonth(allowed)
    return usageView(usage, fromMs)
  }
  return {
    status: 'ok',
    type: 'open-source',
    counted_in: persistent ? 'database' : 'log',
    ...(await withTimeout(
      readMonth().catch(() => null),
      checkMaxMs,
      () => null,
    )),
  }
}

/** The state of the stores, with figures for those who may read what concerns all companies. */
async function describeStores(
  { persistent }: Deps['services'],
  scope: Promise<StatisticsScope | null>,
): Promise<Awaited<ReturnType<typeof checkStores>>> {
  const [stores, allowed] = await Promise.all([checkStores(persistent), scope])
  if (allowed && allowed.companyId === undefined) return stores
  return Object.fromEntries(Object.entries(stores).map(([name, { status }]) => [name, { status }]))
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
        // Anybody may ask for health.
        const scope = findScope(c, deps)
        const [stores, billing] = await Promise.all([
          describeStores(services, scope),
          checkBilling(services, scope),
        ])
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
            sandbox: settings.sandbox,
            runtime: platform.runtime,
            licence: { status: 'ok', type: 'open-source', expires: null },
            billing,
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
          sandbox: settings.sandbox,
          accepted_types: [...platform.acceptedTypes],
          token_required: tenantNeedsToken(settings),
          pages_open: !tenantNeedsToken(settings) || isOwnPageHere(c, deps),
          organisation_sign_in: settings.oidcIssuer !== '',
        }),
    )
}
