/** Signing in, renewing, and tokens for machines and captures. */
import { type Context, Hono } from 'hono'
import { type IssuedSession, takesServiceToken } from '../../accounts/sessions.ts'
import { credentialsSchema, refreshSchema } from '../../contract/full/account-bodies.ts'
import { serviceTokenView, sessionView } from '../../contract/full/account-views.ts'
import { AppError } from '../../errors.ts'
import { hashToken } from '../../identity/access-token.ts'
import type { Stateful } from '../../services.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { clientKey } from '../client-address.ts'
import { described } from '../described.ts'
import { readJsonAs } from '../json-body.ts'
import { authenticate, refuseFor, requireToken, sentToken, throttle } from '../middleware/require-token.ts'
import { reply } from '../reply.ts'
import { pathId, requireScope } from './access.ts'
import { companyOf } from './company-header.ts'
import { isOpen } from './instant.ts'

const description = (summary: string) =>
  described({
    tag: 'Authorization',
    summary,
    answers: { 200: 'Tokens', 400: 'The body is not what it must be', 401: 'Wrong credentials or token' },
  })

const signOutDescription = described({
  tag: 'Authorization',
  summary: 'Sign out: end the session of the token',
  answers: { 204: 'The session has ended', 401: 'No token, or one of no session' },
})

async function serviceToken(
  c: Context<AppEnv>,
  { users, sessions }: Stateful,
  userId: string,
): Promise<Response> {
  requireScope(c, 'service_token', 'create')
  const user = await users.find(userId)
  if (!user) throw new AppError('not_found', '')
  if (!takesServiceToken(user) && userId !== c.var.principal.userId) {
    throw new AppError('value_invalid', 'Service tokens are for users of type CLIENT_SERVICE or OPERATOR')
  }
  return reply(c, serviceTokenView(await sessions.issueServiceToken(user)))
}

export const authorizeRoutes = (deps: Deps, stateful: Stateful) => {
  const { sessions, signInLimit } = stateful

  /** Addresses share the checks of passwords, and of one address the accounts that it names. */
  const signIn = async (c: Context<AppEnv>, email: string, password: string): Promise<IssuedSession> => {
    const address = clientKey(c, deps)
    const account = await hashToken(email.toLowerCase())
    const waitS = signInLimit.waitS(account, address)
    if (waitS > 0) refuseFor(c, waitS)
    try {
      return await sessions.signIn(email, password, { company: address, address: account })
    } catch (error) {
      if (error instanceof AppError && error.code === 'credentials_wrong')
        signInLimit.missed(account, address)
      throw error
    }
  }

  return new Hono<AppEnv>()
    .post('/auth', description('Sign in'), async (c) => {
      throttle(c, deps, 'auth', clientKey(c, deps))
      const { credentials } = await readJsonAs(c, credentialsSchema)
      return reply(c, sessionView(await signIn(c, credentials.email.trim(), credentials.password)))
    })
    .post('/refresh', description('A new pair of tokens'), async (c) => {
      throttle(c, deps, 'auth', clientKey(c, deps))
      const token = sentToken(c)
      if (token === null) throw new AppError('token_missing', '')
      const { expire_token } = await readJsonAs(c, refreshSchema)
      return reply(c, sessionView(await sessions.refresh(token, expire_token)))
    })
    .post('/logout', signOutDescription, async (c) => {
      const token = sentToken(c)
      if (token === null) throw new AppError('token_missing', '')
      try {
        await sessions.signOut(token)
      } catch (error) {
        if (error instanceof AppError && error.code === 'token_unknown')
          throttle(c, deps, 'rest_unauthorized', clientKey(c, deps))
        throw error
      }
      return c.body(null, 204)
    })
    .get('/service_token', description('Token of the caller itself'), requireToken(deps), (c) =>
      serviceToken(c, stateful, c.var.principal.userId),
    )
    .get('/service_token/:user', description('Token of a machine account'), requireToken(deps), (c) =>
      serviceToken(c, stateful, pathId(c, 'user')),
    )
}

/** Session tokens are there without a database too. */
export const sessionTokenRoutes = (deps: Deps) => {
  const { services, settings, platform } = deps
  const issue = async (c: Context<AppEnv>): Promise<Response> => {
    let companyId = companyOf(c)
    if (services.stateful || !isOpen(settings)) {
      const principal = await authenticate(c, deps)
      c.set('principal', principal)
      const scope = requireScope(c, 'session_token', 'create')
      if (scope !== 'all' && companyId !== null && companyId !== principal.companyId)
        throw new AppError('forbidden', '')
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
