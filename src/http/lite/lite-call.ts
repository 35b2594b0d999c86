import type { Context } from 'hono'
import type { LiteCall } from '../../lite/lite-service.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { callContext } from '../client-address.ts'
import { recordServerTiming } from '../reply.ts'

/** The call that the Lite service works for. */
export const liteCall = (c: Context<AppEnv>, deps: Deps): LiteCall => ({
  ...callContext(c, deps),
  onAssessed: (assessment) => recordServerTiming(c, assessment),
})
