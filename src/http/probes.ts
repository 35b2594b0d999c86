/** Probes for orchestrators: alive means that the process answers, ready that its parts do. */
import { Hono } from 'hono'
import { livenessProbeAnswer, readinessProbeAnswer } from '../contract/answers/others.ts'
import type { AppEnv, Deps } from './app-env.ts'
import { describeEndpoint, json, type RouteDescription } from './describe-endpoint.ts'
import { checkReadiness, type Status } from './readiness.ts'
import { reply } from './reply.ts'

const description = (summary: string, answers: RouteDescription['answers']) =>
  describeEndpoint({ tag: 'System', summary, access: 'open', answers })

export const probeRoutes = (deps: Deps) => {
  let running: Promise<Record<string, Status>> | null = null
  /** Calls that arrive during a check share it, so that nobody can cause more than one at a time. */
  const check = () => {
    running ??= checkReadiness(deps).finally(() => {
      running = null
    })
    return running
  }
  return new Hono<AppEnv>()
    .get(
      '/livez',
      description('Liveness probe: fails only if the process should be restarted', {
        200: json('The process answers', livenessProbeAnswer),
      }),
      (c) => reply(c, { status: 'ok' }),
    )
    .get(
      '/readyz',
      description('Readiness probe: fails while requests should go elsewhere', {
        200: json('Ready', readinessProbeAnswer),
        503: json('A part does not answer', readinessProbeAnswer),
      }),
      async (c) => {
        const components = await check()
        const isReady = Object.values(components).every((status) => status === 'ok')
        return reply(c, { status: isReady ? 'ok' : 'error', components }, isReady ? 200 : 503)
      },
    )
}
