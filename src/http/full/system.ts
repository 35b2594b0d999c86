/** Version, health and configuration of the full service. */
import { Hono } from 'hono'
import type { PersistentServices } from '../../compose/services.ts'
import { withTimeout } from '../../queue/timers.ts'
import { contractVersion, softwareVersion } from '../../version.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeEndpoint } from '../describe-endpoint.ts'
import { reply } from '../reply.ts'

const description = (summary: string, answers: Record<number, string>) =>
  describeEndpoint({ tag: 'System', summary, answers })

const checkMaxMs = 5000

/** Whether a check succeeds within `checkMaxMs`. */
async function succeedsInTime(check: () => Promise<unknown>): Promise<boolean> {
  const passed = check().then(
    () => true,
    () => false,
  )
  return withTimeout(passed, checkMaxMs, () => false)
}

/** Health of the database and the media storage; empty without persistence. */
async function checkStores(
  persistent: PersistentServices | null,
): Promise<Record<string, { status: string }>> {
  const states = Object.entries(persistent?.checks ?? {}).map(async ([name, check]) => {
    return [name, { status: (await succeedsInTime(check)) ? 'ok' : 'error' }] as const
  })
  return Object.fromEntries(await Promise.all(states))
}

export const systemRoutes = ({ platform, settings, services }: Deps) =>
  new Hono<AppEnv>()
    .get('/version', description('Version of the service', { 200: 'Versions' }), (c) =>
      reply(c, {
        core: contractVersion,
        version: contractVersion,
        service: 'vivace',
        service_version: softwareVersion,
      }),
    )
    .get(
      '/healthcheck',
      description('Health of the components', { 200: 'Ready', 503: 'A part does not answer' }),
      async (c) => {
        const { ready, workers, waiting, waitingMax, replaced } = platform.assessor.health()
        const { profileName, profile, entries, cohort } = platform.models
        const stores = await checkStores(services.persistent)
        const healthy = ready > 0 && Object.values(stores).every(({ status }) => status === 'ok')
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
                networks: entries.map(({ id, version, task, licence }) => ({ id, version, task, licence })),
              },
              ...stores,
            },
            runtime: platform.runtime,
            licence: { status: 'ok', type: 'open-source', expires: null },
          },
          healthy ? 200 : 503,
        )
      },
    )
    .get('/config', description('Time zone and language', { 200: 'Configuration' }), (c) =>
      reply(c, { timezone: settings.timeZone, language: settings.languageCode }),
    )
