/** Sign-in by the identity provider of the organisation. These paths are our own, not part of the contract. */
import { Hono } from 'hono'
import type { PersistentServices } from '../../compose/services.ts'
import { providerAnswer, sessionAnswer } from '../../contract/answers/accounts.ts'
import { providerCodeSchema } from '../../contract/full/account-bodies.ts'
import { sessionView } from '../../contract/full/account-views.ts'
import { AppError } from '../../errors.ts'
import { publicAddress } from '../answer-options.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { clientKey } from '../client-address.ts'
import { describeTag, json, jsonBody } from '../describe-endpoint.ts'
import { readJsonAs } from '../json-body.ts'
import { throttle } from '../middleware/require-token.ts'
import { reply } from '../reply.ts'

const description = describeTag('Authorization', 'open')
const failures = {
  404: 'The settings name no identity provider',
  502: 'The provider does not answer, or not as it should',
}

export const oidcRoutes = (deps: Deps, { organisation }: PersistentServices) => {
  const configured = () => {
    const message = 'This server has no identity provider (SVC_OIDC_ISSUER)'
    if (!organisation) throw new AppError('not_found', message, { details: { object: 'path' } })
    return organisation
  }
  return new Hono<AppEnv>()
    .get(
      '/oidc',
      description('Begin to sign in by the identity provider of the organisation', {
        200: json('Where to go', providerAnswer),
        ...failures,
      }),
      async (c) => {
        await throttle(deps, 'auth', clientKey(c, deps))
        const page = `${publicAddress(c, deps.settings).replace(/\/$/, '')}/console`
        const { address, flow } = await configured().begin(page)
        return reply(c, { url: address, flow })
      },
    )
    .post(
      '/oidc',
      description(
        'Sign in with what the identity provider has sent back',
        {
          200: json('The session', sessionAnswer),
          401: 'The code is no longer valid, or is of another sign-in',
          403: 'The organisation has given the user no role',
          ...failures,
        },
        { body: jsonBody(providerCodeSchema), example: { code: 'code', state: 'state', flow: 'flow' } },
      ),
      async (c) => {
        const address = clientKey(c, deps)
        await throttle(deps, 'auth', address)
        const { iss, ...sent } = await readJsonAs(c, providerCodeSchema)
        const given = { ...sent, iss: iss ?? null, program: c.req.header('User-Agent') ?? null }
        return reply(c, sessionView(await configured().finish(given, address)))
      },
    )
}
