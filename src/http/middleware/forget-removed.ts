/** What a call removes is gone when it is answered. */
import { createMiddleware } from 'hono/factory'
import type { PersistentServices } from '../../compose/services.ts'
import type { AppEnv } from '../app-env.ts'

/** Calls that read, create, or are refused leave nothing to overwrite; all others, also a PUT that creates, may have removed or replaced something. */
export const mayRemove = (method: string, status: number): boolean =>
  method !== 'GET' &&
  method !== 'HEAD' &&
  !(method === 'POST' && status === 201) &&
  !(status >= 400 && status < 500)

export const forgetRemoved = (services: PersistentServices) =>
  createMiddleware<AppEnv>(async (c, next) => {
    await next()
    if (mayRemove(c.req.method, c.res.status)) await services.forgetRemoved()
  })
