/** Mounts the routes and handles errors. Independent of the runtime. */
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { Services } from './compose/services.ts'
import { asAppError, errorAnswer } from './contract/error-table.ts'
import { liteErrorAnswer } from './contract/lite/error-table.ts'
import { AppError } from './errors.ts'
import { makeApiDocument } from './http/api-document.ts'
import type { AppEnv, Deps } from './http/app-env.ts'
import { callContext } from './http/client-address.ts'
import { authorizeRoutes, keyRoutes, sessionTokenRoutes } from './http/full/authorize.ts'
import { instantKeepsNothing, instantRoutes, isBelowInstant } from './http/full/instant.ts'
import { oidcRoutes } from './http/full/oidc.ts'
import { persistentRoutes } from './http/full/persistent.ts'
import { systemRoutes } from './http/full/system.ts'
import { ignoredHeader } from './http/list-query.ts'
import { livenessRoutes } from './http/lite/liveness.ts'
import { patternRoutes } from './http/lite/pattern.ts'
import { liteVersionRoutes } from './http/lite/version.ts'
import { logFailure } from './http/log-failure.ts'
import { methodsByPath } from './http/methods.ts'
import { metricsRoutes } from './http/metrics.ts'
import { boundCalls } from './http/middleware/bound-calls.ts'
import { compressAnswers } from './http/middleware/compress-answers.ts'
import { requestContext } from './http/middleware/request-context.ts'
import { authenticate, requireToken } from './http/middleware/require-token.ts'
import { pageRoutes } from './http/pages.ts'
import { probeRoutes } from './http/probes.ts'
import { replyError, replyPieces } from './http/reply.ts'
import { staticRoutes } from './http/static.ts'
import type { Platform } from './platform/platform.ts'
import { isMeasured, type Settings } from './settings.ts'

export type App = Hono<AppEnv>

const litePath = /^\/(v1\/face\/|version\/?$)/

/** Headers that pages of other origins may send. */
const allowedHeaders = [
  'Content-Type',
  'Content-Transfer-Encoding',
  'X-Forensic-Access-Token',
  'X-Forensics-Access-Token',
  'X-Forensic-Company-Id',
  'X-Request-Id',
  'If-None-Match',
]

/** Handles CORS. An OPTIONS request that is not a preflight is handled like any other request. */
function allowOrigins(
  { corsOrigins }: Settings,
  methodsOf: (path: string) => string[],
): MiddlewareHandler<AppEnv> {
  const letIn = cors({
    origin: corsOrigins.includes('*') ? '*' : [...corsOrigins],
    allowMethods: (_, c) => methodsOf(c.req.path),
    allowHeaders: allowedHeaders,
    exposeHeaders: ['X-Request-Id', 'Server-Timing', 'ETag', ignoredHeader],
  })
  return async (c, next) => {
    if (c.req.method !== 'OPTIONS') return letIn(c, next)
    const isPreflight = c.req.header('Origin') && c.req.header('Access-Control-Request-Method')
    return isPreflight && methodsOf(c.req.path).length > 0 ? letIn(c, next) : next()
  }
}

/** What is wrong with a path that does not exist. */
function explainPath({ req }: Context<AppEnv>): string {
  const isDoubled = new URL(req.url).pathname.includes('//')
  if (isDoubled) return 'There is no such path: it has two slashes in a row'
  return isBelowInstant(req.path) ? instantKeepsNothing : 'There is no such path'
}

/** The whole service as one fetch handler. */
export function createApp(platform: Platform, settings: Settings, services: Services): App {
  const deps: Deps = { platform, settings, services }
  const { persistent } = services
  const app: App = new Hono<AppEnv>({ strict: false })

  const refuse = (c: Context<AppEnv>, thrown: unknown): Response => {
    const error = asAppError(thrown)
    const answer = litePath.test(c.req.path)
      ? liteErrorAnswer(error)
      : errorAnswer(error, c.get('incoming')?.isContainer)
    logFailure(c, deps, error, answer.status)
    c.set('refusal', { code: answer.code, place: error.place })
    // The rest of a slow body is not awaited.
    if (error.code === 'body_too_slow') c.header('Connection', 'close')
    return replyError(c, answer, error)
  }

  app.use(requestContext(deps))
  if (settings.corsOrigins.length > 0) app.use(allowOrigins(settings, (path) => methodsOf(path)))
  app.use(boundCalls(deps))
  app.use('/api/*', compressAnswers(platform))
  // Before the routes: it needs no token.
  app.use(async (c, next) => (c.req.method === 'OPTIONS' ? answerOptions(c) : next()))
  app.route('/api', systemRoutes(deps))
  app.route('/api/instant', instantRoutes(deps))
  app.route('/api/authorize', sessionTokenRoutes(deps))
  app.route('/api', keyRoutes(deps))
  if (persistent) {
    const { files } = persistent
    const mayRead = async (c: Context<AppEnv>, ownerId: string) =>
      files.requireReadable(await authenticate(c, deps), ownerId)
    app.route('/api/authorize', authorizeRoutes(deps, persistent))
    app.route('/api/authorize', oidcRoutes(deps, persistent))
    app.route('/api', persistentRoutes(deps, persistent))
    const needsToken = settings.usePermissionsForStatic
    const callOf = (c: Context<AppEnv>) => callContext(c, deps)
    app.route('/static', staticRoutes({ files, callOf, mayRead: needsToken ? mayRead : null }))
  }
  if (settings.liteTokenRequired) {
    const token = requireToken(deps)
    app.use('/v1/face/*', (c, next) =>
      c.req.path.replace(/\/$/, '').endsWith('/health') ? next() : token(c, next),
    )
  }
  app.route('/', liteVersionRoutes(deps))
  app.route('/v1/face/pattern', patternRoutes(deps))
  app.route('/v1/face/liveness', livenessRoutes(deps))
  app.route('/', probeRoutes(deps))
  if (isMeasured(settings)) app.route('/', metricsRoutes(deps))
  if (settings.pagesEnabled) app.route('/', pageRoutes(deps))

  let document: string | null = null
  app.get('/openapi.json', compressAnswers(platform), (c) => {
    document ??= JSON.stringify(makeApiDocument(app, settings.publicUrl === '' ? '/' : settings.publicUrl))
    c.header('Access-Control-Allow-Origin', '*')
    c.header('Cache-Control', 'no-cache')
    return replyPieces(c, [document].values())
  })

  const methodsOf = methodsByPath(app)
  const refusePath = (c: Context<AppEnv>): Response =>
    refuse(c, new AppError('not_found', explainPath(c), { details: { object: 'path' } }))
  const answerOptions = (c: Context<AppEnv>): Response => {
    const methods = methodsOf(c.req.path)
    return methods.length === 0 ? refusePath(c) : c.body(null, 200, { Allow: methods.join(', ') })
  }
  app.notFound((c) => {
    const methods = methodsOf(c.req.path)
    if (methods.length === 0) return refusePath(c)
    c.header('Allow', methods.join(', '))
    const message = `HTTP method is not allowed for this path. Allowed methods (${methods.join(', ')})`
    return refuse(c, new AppError('method_not_allowed', message))
  })
  app.onError((error, c) => refuse(c, error))
  return app
}
