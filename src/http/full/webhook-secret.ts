/** The secret that signs a company's webhooks. These paths are our own, not part of the contract. */
import { type Context, Hono } from 'hono'
import type { PersistentServices } from '../../compose/services.ts'
import { webhookSecretView } from '../../contract/full/account-views.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeEndpoint } from '../describe-endpoint.ts'
import { reply } from '../reply.ts'
import { pathId } from '../request-ids.ts'

const description = (summary: string) =>
  describeEndpoint({
    tag: 'Webhooks',
    summary,
    answers: { 200: 'The secret', 403: 'The role does not allow it' },
  })

export const webhookSecretRoutes = (_: Deps, { companies, webhooks }: PersistentServices) => {
  const find = <U extends 'read' | 'update'>(c: Context<AppEnv>, use: U) =>
    companies.find(c.var.authority, use, 'webhook_secret', pathId(c, 'company'))
  return new Hono<AppEnv>()
    .get(
      '/:company/webhook_secret',
      description('Secret that signs the webhooks of a company'),
      async (c) => {
        const company = await find(c, 'read')
        return reply(c, webhookSecretView(company.id, await webhooks.secret(company)))
      },
    )
    .post(
      '/:company/webhook_secret',
      description('A new secret; the old one signs as well for a day'),
      async (c) => {
        const company = await find(c, 'update')
        return reply(c, webhookSecretView(company.id, await webhooks.rotateSecret(company)))
      },
    )
}
