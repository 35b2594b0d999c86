/** Versions of the components of the Lite service. */

import { Hono } from 'hono'
import { liteVersionAnswer } from '../../contract/answers/others.ts'
import { softwareVersion } from '../../version.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeEndpoint, json } from '../describe-endpoint.ts'
import { reply } from '../reply.ts'

export const liteVersionRoutes = ({ platform }: Deps) =>
  new Hono<AppEnv>().get(
    '/version',
    describeEndpoint({
      tag: 'Lite',
      summary: 'Versions of the components',
      access: 'open',
      answers: { 200: json('Versions', liteVersionAnswer) },
    }),
    (c) =>
      reply(c, {
        core: softwareVersion,
        tfss: `profile ${platform.models.profileName}`,
        models: platform.models.entries.map(({ id, version }) => ({ name: id, version })),
      }),
  )
