/** Metrics for Prometheus and compatible collectors. */
import { type Context, Hono } from 'hono'
import { AppError, invariant } from '../errors.ts'
import { hashToken } from '../identity/access-token.ts'
import { MissLimit } from '../identity/miss-limit.ts'
import { metricsContentType } from '../metrics/registry.ts'
import { isAmong } from '../network-address.ts'
import { isMeasured } from '../settings.ts'
import type { AppEnv, Deps } from './app-env.ts'
import { clientAddress, clientKey } from './client-address.ts'
import { describeEndpoint } from './describe-endpoint.ts'

/** Wrong tokens per address. */
const wrongTokensRule = { missesMax: 60, windowMs: 60_000 }

/** Hashes are compared, so that the time of the comparison tells nothing about the token. */
async function bearsToken(c: Context<AppEnv>, token: string): Promise<boolean> {
  const [, sent = ''] = /^Bearer +(.*\S)$/i.exec(c.req.header('Authorization') ?? '') ?? []
  return (await hashToken(sent)) === (await hashToken(token))
}

/** @throws {AppError} `forbidden` for other addresses, `token_missing`, `token_unknown`, `throttled` */
async function requireReader(c: Context<AppEnv>, deps: Deps, wrongTokens: MissLimit): Promise<void> {
  const { metricsToken, metricsAddresses } = deps.settings
  invariant(isMeasured(deps.settings), 'metrics are never open to everybody')
  if (metricsAddresses.length > 0 && !isAmong(clientAddress(c, deps), metricsAddresses))
    throw new AppError('forbidden', 'This address may not read metrics (SVC_METRICS_ADDRESSES)')
  if (metricsToken === '') return
  if (!c.req.header('Authorization')) throw new AppError('token_missing')
  const isWrong = await wrongTokens.attempt(
    clientKey(c, deps),
    async () => !(await bearsToken(c, metricsToken)),
  )
  if (isWrong) throw new AppError('token_unknown')
}

export const metricsRoutes = (deps: Deps) => {
  const wrongTokens = new MissLimit(wrongTokensRule, deps.platform.monotonicMs)
  return new Hono<AppEnv>().get(
    '/metrics',
    describeEndpoint({
      tag: 'System',
      summary: 'Metrics of this process in the Prometheus text format',
      access: 'open',
      answers: {
        200: { text: 'Metrics', type: 'text/plain' },
        401: 'SVC_METRICS_TOKEN is not sent as a bearer token',
        403: 'The address may not read metrics',
        429: 'Too many wrong tokens',
      },
    }),
    async (c) => {
      await requireReader(c, deps, wrongTokens)
      const { metrics } = deps.platform
      invariant(metrics, 'metrics are counted where they are served')
      return c.body(await metrics.registry.write(), 200, { 'Content-Type': metricsContentType })
    },
  )
}
