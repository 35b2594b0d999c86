/** The secret that signs a company's webhooks; paths of our own. */
import { type Context, Hono } from 'hono'
import { webhookSecretView } from '../../contract/full/account-views.ts'
import type { Action } from '../../identity/permissions.ts'
import type { Stateful } from '../../services.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { described } from '../described.ts'
import { reply } from '../reply.ts'
import { pathId, reached, requireScope } from './access.ts'

const description = (summary: string) =>
  described({ tag: 'Webhooks', summary, answers: { 200: 'The secret', 403: 'The role does not allow it' } })

/** For receivers to change over: longer than the attempts at any event take. */
const previousKeptMs = 24 * 3600_000

export const webhookSecretRoutes = ({ platform }: Deps, { companies, webhookSecrets }: Stateful) => {
  const { nowMs } = platform
  const foundId = async (c: Context<AppEnv>, action: Action): Promise<string> => {
    const scope = requireScope(c, 'webhook_secret', action)
    const company = await companies.find(pathId(c, 'company'))
    return reached(c, scope, company, ({ id }) => ({ companyId: id, userId: null })).id
  }
  return new Hono<AppEnv>()
    .get(
      '/:company/webhook_secret',
      description('Secret that signs the webhooks of a company'),
      async (c) => {
        const id = await foundId(c, 'read')
        return reply(c, webhookSecretView(id, await webhookSecrets.findOrMake(id, nowMs())))
      },
    )
    .post(
      '/:company/webhook_secret',
      description('A new secret; the old one signs as well for a day'),
      async (c) => {
        const id = await foundId(c, 'update')
        const made = await webhookSecrets.rotate(id, nowMs(), nowMs() + previousKeptMs)
        return reply(c, webhookSecretView(id, made))
      },
    )
}
