import type { Context } from 'hono'
import type { ProcessingParts } from '../../folders/process-submission.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { callerOf } from '../client-address.ts'

/** What folders are processed with within a request. */
export const processingParts = (c: Context<AppEnv>, deps: Deps): ProcessingParts => {
  const { platform, settings, services } = deps
  return {
    assessor: platform.assessor,
    ...platform.models,
    identification: services.stateful,
    gate: settings.qualityGate,
    gestureRequired: settings.gestureRequired,
    movementRequired: settings.movementRequired,
    thresholdSpoofing: settings.spoofingThreshold,
    nowMs: platform.nowMs,
    randomId: platform.randomId,
    signal: c.req.raw.signal,
    caller: callerOf(c, deps),
  }
}
