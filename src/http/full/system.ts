/** Version, health and configuration of the full service. */
import { Hono } from 'hono'
import { contractVersion, softwareVersion } from '../../version.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { described } from '../described.ts'
import { reply } from '../reply.ts'

const description = (summary: string, answers: Record<number, string>) =>
  described({ tag: 'System', summary, answers })

export const systemRoutes = ({ platform, settings }: Deps) =>
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
      description('Health of the components', { 200: 'Ready', 503: 'No worker is ready' }),
      (c) => {
        const { ready, workers, waiting, waitingMax, replaced } = platform.assessor.health()
        const { profileName, profile, entries, cohort } = platform.models
        const healthy = ready > 0
        return reply(
          c,
          {
            status: healthy ? 'ok' : 'error',
            components: {
              assessor: {
                status: healthy ? 'ok' : 'error',
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
