/** The health of a processor of the Lite service. */
import { Hono } from 'hono'
import { liteHealthAnswer } from '../../contract/answers/others.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { json } from '../describe-endpoint.ts'
import { reply } from '../reply.ts'
import { describeLite } from './describe-lite.ts'

/** @param summary of the route, which names the processor */
export const healthRoutes = ({ platform }: Deps, summary: string) =>
  new Hono<AppEnv>().get(
    '/health',
    describeLite(summary, { 200: json('0 is ready, 3 is not', liteHealthAnswer) }, { access: 'open' }),
    (c) => {
      const ready = platform.assessor.health().ready > 0
      return reply(c, { status: ready ? 0 : 3, message: ready ? '' : 'no worker is ready' })
    },
  )
