/** What frames every request: an id, the time it took, one line in the log. */
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import type { AppEnv, Deps } from '../app-env.ts'

const requestIdHeader = 'X-Request-Id'
const acceptableId = /^[\w-]{1,64}$/

/**
 * Gives each request an id (the caller's own where it is harmless), answers with `Server-Timing`, and writes one line
 * that names the route, never the path or anything else the caller chose.
 */
export const requestFrame = ({ platform }: Deps) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const sent = c.req.header(requestIdHeader)
    const requestId = sent && acceptableId.test(sent) ? sent : platform.randomId()
    c.set('requestId', requestId)
    c.set('stageMs', {})
    const start = platform.monotonicMs()
    await next()
    const total = platform.monotonicMs() - start
    const times = Object.entries({ ...c.var.stageMs, total })
    c.header('Server-Timing', times.map(([stage, ms]) => `${stage};dur=${ms.toFixed(1)}`).join(', '))
    c.header(requestIdHeader, requestId)
    platform.log('info', 'request', {
      request_id: requestId,
      method: c.req.method,
      route: routePath(c, -1),
      status: c.res.status,
      ms: Math.round(total),
    })
  })
