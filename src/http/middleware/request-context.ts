/** What frames every request: an id, the time it took, one line in the log. */
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import { isUuid } from '../../uuid.ts'
import type { AppEnv, Deps } from '../app-env.ts'

const requestIdHeader = 'X-Request-Id'
/** Some runtimes let callers make up methods. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** Stands in the log for a caller who left before the answer, as proxies have it. */
const callerLeft = 499

/**
 * Gives each request an id (the caller's own where it is a UUID), answers with `Server-Timing`, lets no cache
 * keep an answer whose route does not say otherwise, and writes one line that names the route, never the path or anything
 * else the caller chose.
 */
export const requestContext = ({ platform }: Deps) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const sent = c.req.header(requestIdHeader)
    // Anything wider could carry words, and the id is logged.
    const requestId = sent && isUuid(sent) ? sent : platform.randomId()
    c.set('requestId', requestId)
    c.set('stageMs', {})
    const start = platform.monotonicMs()
    await next()
    const total = platform.monotonicMs() - start
    const times = Object.entries({ ...c.var.stageMs, total })
    c.header('Server-Timing', times.map(([stage, ms]) => `${stage};dur=${ms.toFixed(1)}`).join(', '))
    c.header(requestIdHeader, requestId)
    // Answers hold personal data, templates and tokens, unless their route says otherwise.
    if (!c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'no-store')
    platform.log('info', 'request', {
      request_id: requestId,
      method: knownMethods.has(c.req.method) ? c.req.method : 'OTHER',
      route: routePath(c, -1),
      status: c.req.raw.signal.aborted ? callerLeft : c.res.status,
      ms: Math.round(total),
    })
  })
