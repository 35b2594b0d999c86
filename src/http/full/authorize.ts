/** Sign-in, refresh and sign-out, and tokens for machine accounts and captures. */
import { type Context, Hono } from 'hono'
import type { PersistentServices } from '../../compose/services.ts'
import { credentialsSchema, refreshSchema } from '../../contract/full/account-bodies.ts'
import { serviceTokenView, sessionView } from '../../contract/full/account-views.ts'
import { AppError } from '../../errors.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { clientKey } from '../client-address.ts'
import { describeEndpoint } from '../describe-endpoint.ts'
import { readJsonAs } from '../json-body.ts'
import { authenticate, readToken, requireToken, throttle } from '../middleware/require-token.ts'
import { reply } from '../reply.ts'
import { pathId, queryId, readCompanyHeader } from '../request-ids.ts'
import { isOpen } from './instant.ts'

const description = (summary: string) =>
  describeEndpoint({
    tag: 'Authorization',
    summary,
    answers: { 200: 'Tokens', 400: 'The body is invalid', 401: 'Wrong credentials or token' },
  })

const signOutDescription = describeEndpoint({
  tag: 'Authorization',
  summary: 'Sign out: end the session of the token',
  answers: { 204: 'The session has ended', 401: 'No token, or one of no session' },
})

export const authorizeRoutes = (deps: Deps, { signIn }: PersistentServices) => {
  const serviceToken = async (c: Context<AppEnv>, userId: string): Promise<Response> =>
    reply(c, serviceTokenView(await signIn.issueServiceToken(c.var.authority, userId)))

  return new Hono<AppEnv>()
    .post('/auth', description('Sign in'), async (c) => {
      const address = clientKey(c, deps)
      throttle(deps, 'auth', address)
      const { email, password } = (await readJsonAs(c, credentialsSchema)).credentials
      return reply(c, sessionView(await signIn.signIn(email.trim(), password, address)))
    })
    .post('/refresh', description('A new pair of tokens'), async (c) => {
      throttle(deps, 'auth', clientKey(c, deps))
      const token = readToken(c)
      if (token === null) throw new AppError('token_missing')
      const { expire_token } = await readJsonAs(c, refreshSchema)
      return reply(c, sessionView(await signIn.refresh(token, expire_token)))
    })
    .post('/logout', signOutDescription, async (c) => {
      const token = readToken(c)
      if (token === null) throw new AppError('token_missing')
      try {
        await signIn.signOut(token)
      } catch (error) {
        if (error instanceof AppError && error.code === 'token_unknown')
          throttle(deps, 'rest_unauthorized', clientKey(c, deps))
        throw error
      }
      return c.body(null, 204)
    })
    .get(
      '/service_token',
      description('Token of a machine account, or of the caller (API 5)'),
      requireToken(deps),
      async (c) => serviceToken(c, queryId(c, 'user_id') ?? c.var.authority.principal.userId),
    )
    .get('/service_token/:user', description('Token of a machine account'), requireToken(deps), (c) =>
      serviceToken(c, pathId(c, 'user')),
    )
}

/** Session tokens, which are available without a database too. */
export const sessionTokenRoutes = (deps: Deps) => {
  const { services, settings, platform } = deps
  const issue = async (c: Context<AppEnv>): Promise<Response> => {
    let companyId = readCompanyHeader(c)
    // Instant without authorization needs tokens for captures too.
    if (!isOpen(settings) || (services.persistent && readToken(c) !== null)) {
      const authority = await authenticate(c, deps)
      const { principal } = authority
      const scope = authority.scope('create', 'session_token')
      if (scope !== 'all' && companyId !== null && companyId !== principal.companyId)
        throw new AppError('forbidden')
      companyId ??= principal.companyId
    }
    const token = await services.sessionTokens.issue({
      companyId,
      lifetimeS: settings.sessionTokenLifetimeS,
      nowMs: platform.nowMs(),
    })
    return reply(c, { session_token: token })
  }
  return new Hono<AppEnv>()
    .get('/session_token', description('Token for one capture'), issue)
    .post('/session_token', description('Token for one capture'), issue)
}
