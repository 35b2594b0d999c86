/** The secret that signs a company's webhooks. These paths are our own, not part of the contract. */

import { type Context, Hono } from 'hono'
import type { PersistentServices } from '../../compose/services.ts'
import { webhookSecretAnswer } from '../../contract/answers/accounts.ts'
import { webhookSecretView } from '../../contract/full/account-views.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeTag, json } from '../describe-endpoint.ts'
import { reply } from '../reply.ts'
import { pathId } from '../request-ids.ts'

const description = describeTag('Webhooks')

export const webhookSecretRoutes = (_: Deps, { companies, webhooks }: PersistentServices) => {
  const find = <U extends 'read' | 'update'>(c: Context<AppEnv>, use: U) =>
    companies.find(c.var.authority, use, 'webhook_secret', pathId(c, 'company'))
  return new Hono<AppEnv>()
    .get(
      '/:company/webhook_secret',
      description('Secret that signs the webhooks of a company', {
        200: json('The secret', webhookSecretAnswer),
      }),
      async (c) => {
        const company = await find(c, 'read')
        return reply(c, webhookSecretView(company.id, await webhooks.secret(company)))
      },
    )
    .post(
      '/:company/webhook_secret',
      description('A new secret; the old one signs as well for a day', {
        200: json('The secret', webhookSecretAnswer),
      }),
      async (c) => {
        const company = await find(c, 'update')
        return reply(c, webhookSecretView(company.id, await webhooks.rotateSecret(company)))
      },
    )
}
