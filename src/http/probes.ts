/** Probes for orchestrators: alive means that the process answers, ready that its parts do. */
import { Hono } from 'hono'
import { livenessProbeAnswer, readinessProbeAnswer } from '../contract/answers/others.ts'
import type { AppEnv, Deps } from './app-env.ts'
import { describeTag, json } from './describe-endpoint.ts'
import { checkReadiness, type Status } from './readiness.ts'
import { reply } from './reply.ts'

const description = describeTag('System', 'open')

type Faults = Awaited<ReturnType<typeof checkReadiness>>

/** Tells the operator when parts fail or work again, and why: the probe itself answers anybody. The end has a line of its own. */
function openTeller({ platform }: Deps): (faults: Faults) => Faults {
  let told = ''
  return (faults) => {
    if ('shutdown' in faults) return faults
    const failing = Object.entries(faults).filter(([, fault]) => fault !== null)
    const parts = failing.map(([name]) => name).join(', ')
    if (parts !== told) {
      if (parts === '') platform.log('info', 'ready again', {})
      else platform.log('warn', 'not ready', { parts, cause: failing.map(([, fault]) => fault).join('; ') })
      told = parts
    }
    return faults
  }
}

export const probeRoutes = (deps: Deps) => {
  let running: Promise<Faults> | null = null
  const tellChange = openTeller(deps)
  /** Calls that arrive during a check share it, so that nobody can cause more than one at a time. */
  const check = () => {
    running ??= checkReadiness(deps)
      .then(tellChange)
      .finally(() => {
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
        const faults = Object.entries(await check())
        const isReady = faults.every(([, fault]) => fault === null)
        const components = Object.fromEntries(
          faults.map(([name, fault]): [string, Status] => [name, fault === null ? 'ok' : 'error']),
        )
        return reply(c, { status: isReady ? 'ok' : 'error', components }, isReady ? 200 : 503)
      },
    )
}
