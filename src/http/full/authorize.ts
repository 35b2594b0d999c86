/** Sign-in, refresh and sign-out, and tokens for machine accounts and captures. */

import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import type { PersistentServices } from '../../compose/services.ts'
import { drawChallenge } from '../../container/challenge/challenge.ts'
import { serviceTokenAnswer, sessionAnswer, sessionTokenAnswer } from '../../contract/answers/accounts.ts'
import { anyObject } from '../../contract/answers/parts.ts'
import { credentialsSchema, refreshSchema } from '../../contract/full/account-bodies.ts'
import { serviceTokenView, sessionView } from '../../contract/full/account-views.ts'
import type { Json } from '../../contract/spaced-json.ts'
import { AppError, hasCode } from '../../errors.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { clientKey } from '../client-address.ts'
import { describeEndpoint, describeTag, json, jsonBody } from '../describe-endpoint.ts'
import { readJsonAs } from '../json-body.ts'
import { identifyTenant, readToken, requireToken, throttle } from '../middleware/require-token.ts'
import { reply } from '../reply.ts'
import { pathId, queryId } from '../request-ids.ts'

const description = describeTag('Authorization')

const signOutDescription = describeEndpoint({
  tag: 'Authorization',
  summary: 'Sign out: end the session of the token',
  answers: { 204: 'The session has ended', 401: 'No token, or one of no session' },
})

const tokenNameLengthMax = 100

const tokenNameParameter = {
  name: {
    text: 'What the token is called in the list of sessions',
    schema: { type: 'string', maxLength: tokenNameLengthMax },
  },
} as const

/**
 * Reads the name that a service token gets; `null` for none.
 * @throws {AppError} `value_invalid` if it is empty or too long
 */
function readTokenName(c: Context<AppEnv>): string | null {
  const name = c.req.query('name')?.trim() ?? null
  if (name === null || (name !== '' && name.length <= tokenNameLengthMax)) return name
  const expected = `1 to ${tokenNameLengthMax} characters`
  throw new AppError('value_invalid', `The name of a token must have ${expected}`, {
    details: { key_path: 'name', expected },
    place: 'name',
  })
}

export const authorizeRoutes = (deps: Deps, { signIn }: PersistentServices) => {
  const serviceToken = async (c: Context<AppEnv>, userId: string | null): Promise<Response> =>
    reply(c, serviceTokenView(await signIn.issueServiceToken(c.var.authority, userId, readTokenName(c))))

  return new Hono<AppEnv>()
    .post(
      '/auth',
      description(
        'Sign in',
        { 200: json('The session', sessionAnswer), 401: 'Wrong credentials or token' },
        {
          access: 'open',
          body: jsonBody(credentialsSchema),
          example: { credentials: { email: 'root@example.com', password: 'choose a good one' } },
        },
      ),
      async (c) => {
        const address = clientKey(c, deps)
        await throttle(deps, 'auth', address)
        const { email, password, code } = (await readJsonAs(c, credentialsSchema)).credentials
        const program = c.req.header('User-Agent') ?? null
        const given = { email: email.trim(), password, code: code ?? null, program }
        return reply(c, sessionView(await signIn.signIn(given, address)))
      },
    )
    .post(
      '/refresh',
      description(
        'A new pair of tokens',
        { 200: json('The session', sessionAnswer), 401: 'Wrong credentials or token' },
        { body: jsonBody(refreshSchema), example: { expire_token: 'token' } },
      ),
      async (c) => {
        await throttle(deps, 'auth', clientKey(c, deps))
        const token = readToken(c)
        if (token === null) throw new AppError('token_missing')
        const { expire_token } = await readJsonAs(c, refreshSchema)
        return reply(c, sessionView(await signIn.refresh(token, expire_token)))
      },
    )
    .post('/logout', signOutDescription, async (c) => {
      const token = readToken(c)
      if (token === null) throw new AppError('token_missing')
      try {
        await signIn.signOut(token)
      } catch (error) {
        if (hasCode(error, 'token_unknown')) await throttle(deps, 'rest_unauthorized', clientKey(c, deps))
        throw error
      }
      return c.body(null, 204)
    })
    .get(
      '/service_token',
      description(
        'Token of the only service account, or of the caller if it is one (API 5)',
        { 200: json('The token', serviceTokenAnswer) },
        {
          query: {
            user_id: { text: 'Id of the account', schema: { type: 'string', format: 'uuid' } },
            ...tokenNameParameter,
          },
        },
      ),
      requireToken(deps),
      (c) => serviceToken(c, queryId(c, 'user_id')),
    )
    .get(
      '/service_token/:user',
      description(
        'Token of a machine account',
        { 200: json('The token', serviceTokenAnswer) },
        { query: tokenNameParameter },
      ),
      requireToken(deps),
      (c) => serviceToken(c, pathId(c, 'user')),
    )
}

/** @throws {AppError} as `SessionTokens.issue` */
export function issueSessionToken(
  { services, settings, platform }: Deps,
  companyId: string | null,
): Promise<string> {
  const { challenge: steps, challengeRequired: required } = settings
  return services.sessionTokens.issue({
    companyId,
    lifetimeS: settings.sessionTokenLifetimeS,
    nowMs: platform.nowMs(),
    ...(steps.length === 0 ? {} : { challenge: drawChallenge({ steps, required }) }),
  })
}

/** Session tokens, which are available without a database too. */
export const sessionTokenRoutes = (deps: Deps) => {
  const issue = async (c: Context<AppEnv>): Promise<Response> => {
    const { authority, companyId } = await identifyTenant(c, deps)
    authority?.scope('create', 'session_token')
    return reply(c, { session_token: await issueSessionToken(deps, companyId) })
  }
  return new Hono<AppEnv>()
    .get(
      '/session_token',
      description(
        'Token for one capture',
        { 200: json('The token', sessionTokenAnswer) },
        { access: 'instant' },
      ),
      issue,
    )
    .post(
      '/session_token',
      description(
        'Token for one capture',
        { 200: json('The token', sessionTokenAnswer) },
        { access: 'instant' },
      ),
      issue,
    )
}

const keysDescription = describeEndpoint({
  tag: 'Authorization',
  summary:
    'Public keys (JWK Set): containers are sealed to the one with use `enc`, session tokens are verified by the others',
  access: 'open',
  answers: { 200: json('The keys', v.strictObject({ keys: v.array(anyObject) })) },
})

/** The public keys, which need no token. */
export const keyRoutes = ({ services }: Deps) =>
  new Hono<AppEnv>().get('/jwks', keysDescription, (c) => {
    const keys = [services.containerKeys.published, ...services.sessionTokens.published]
    return reply(c, { keys: keys as Json })
  })
