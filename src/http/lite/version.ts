/** Versions of the components of the Lite service. */
import { Hono } from 'hono'
import { softwareVersion } from '../../version.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeEndpoint } from '../describe-endpoint.ts'
import { reply } from '../reply.ts'

export const liteVersionRoutes = ({ platform }: Deps) =>
  new Hono<AppEnv>().get(
    '/version',
    describeEndpoint({ tag: 'Lite', summary: 'Versions of the components', answers: { 200: 'Versions' } }),
    (c) =>
      reply(c, {
        core: softwareVersion,
        tfss: `onnxruntime-web, profile ${platform.models.profileName}`,
        models: platform.models.entries.map(({ id, version }) => ({ name: id, version })),
      }),
  )
