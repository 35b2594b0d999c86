/** The context of each request: its id, its timing and its log line. */
import type { Context, Next } from 'hono'
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import { describeCause } from '../../errors.ts'
import { isAmong } from '../../network-address.ts'
import type { RequestOrigin, RequestOutcome } from '../../tracing/tracing.ts'
import { isUuid } from '../../uuid.ts'
import type { AppEnv, Deps } from '../app-env.ts'

const requestIdHeader = 'X-Request-Id'
/** Some runtimes accept any method name from callers. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** Routes that are asked every few seconds; their lines have level debug, and they have no spans. */
const probes = new Set(['/livez', '/readyz', '/metrics'])
/** Logged if the client disconnected before the answer, as proxies do. */
const callerLeft = 499

/**
 * Gives each request an id (the caller's own if it is a UUID), sets `Server-Timing`, forbids caching unless the route says
 * otherwise, and writes one log line. The line names the route, and of a refusal its code and member, never the path or anything else
 * that the caller chose.
 */
export const requestContext = ({ platform, settings }: Deps) => {
  /** Anybody else could choose which requests are sampled, and to which trace they belong. */
  const originOf = (c: Context<AppEnv>): RequestOrigin => ({
    isTrusted: isAmong(c.env?.clientAddress ?? '', settings.trustedProxies),
    header: (name) => c.req.header(name),
  })
  const answer = async (c: Context<AppEnv>, next: Next): Promise<RequestOutcome> => {
    const start = platform.monotonicMs()
    await next()
    const total = platform.monotonicMs() - start
    const times = Object.entries({ ...c.var.stageMs, total })
    c.header('Server-Timing', times.map(([stage, ms]) => `${stage};dur=${ms.toFixed(1)}`).join(', '))
    c.header(requestIdHeader, c.var.requestId)
    // Answers may hold personal data, templates and tokens.
    if (!c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'no-store')
    const { refusal } = c.var
    const method = knownMethods.has(c.req.method) ? c.req.method : 'OTHER'
    const route = routePath(c, -1)
    const status = c.req.raw.signal.aborted ? callerLeft : c.res.status
    const labels = { method, route, status: String(status), error_code: String(refusal?.code ?? '') }
    platform.metrics?.requests.add(labels)
    if (status >= 500) platform.metrics?.serverErrors.add({ status: labels.status })
    platform.metrics?.requestSeconds.observe({ route }, total / 1000)
    platform.log(probes.has(route) ? 'debug' : 'info', 'request', {
      request_id: c.var.requestId,
      method,
      route,
      status,
      ms: Math.round(total),
      ...(refusal ? { error_code: refusal.code } : {}),
      ...(refusal?.place ? { key_path: refusal.place } : {}),
    })
    return { method, route, status, errorCode: refusal?.code }
  }
  return createMiddleware<AppEnv>(async (c, next) => {
    const sent = c.req.header(requestIdHeader)
    // The id is logged, so it must not be able to carry text.
    c.set('requestId', sent && isUuid(sent) ? sent : platform.randomId())
    c.set('stageMs', {})
    c.set('answerBroke', (error) => {
      const cause = describeCause(error)
      platform.log('error', 'answer broke', { request_id: c.var.requestId, route: routePath(c, -1), cause })
    })
    const { tracing } = platform
    if (tracing && !probes.has(c.req.path)) await tracing.inRequestSpan(originOf(c), () => answer(c, next))
    else await answer(c, next)
  })
}
