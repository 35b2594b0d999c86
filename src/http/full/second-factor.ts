/** The second factor of users: codes of an authenticator app. This is our own, not part of the contract. */
import { Hono } from 'hono'
import type { PersistentServices } from '../../compose/services.ts'
import { secondFactorAnswer, userAnswer } from '../../contract/answers/accounts.ts'
import { secondFactorChangeSchema, secondFactorSchema } from '../../contract/full/account-bodies.ts'
import { secondFactorView, userView } from '../../contract/full/account-views.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { identifyCaller } from '../client-address.ts'
import { describeTag, json, jsonBody } from '../describe-endpoint.ts'
import { readJsonAs } from '../json-body.ts'
import { reply } from '../reply.ts'
import { pathId } from '../request-ids.ts'

const description = describeTag('Users')

export const secondFactorRoutes = (deps: Deps, { secondFactors }: PersistentServices) =>
  new Hono<AppEnv>()
    .post(
      '/:user/second_factor',
      description(
        'A secret for the authenticator app of the caller; a code of it puts it in force',
        { 201: json('The secret, shown once', secondFactorAnswer) },
        { body: jsonBody(secondFactorSchema), example: { password: 'the password of the user' } },
      ),
      async (c) => {
        const readPassword = async () => (await readJsonAs(c, secondFactorSchema)).password
        const caller = identifyCaller(c, deps)
        const offered = await secondFactors.offer(c.var.authority, pathId(c, 'user'), readPassword, caller)
        return reply(c, secondFactorView(offered), 201)
      },
    )
    .patch(
      '/:user/second_factor',
      description(
        'Switch the second factor on or off',
        { 200: json('The user', userAnswer) },
        { body: jsonBody(secondFactorChangeSchema), example: { is_active: true, code: '123456' } },
      ),
      async (c) => {
        const readChange = async () => {
          const { is_active, code } = await readJsonAs(c, secondFactorChangeSchema)
          return { isActive: is_active, code: code ?? null }
        }
        return reply(c, userView(await secondFactors.change(c.var.authority, pathId(c, 'user'), readChange)))
      },
    )
