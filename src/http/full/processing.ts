import type { Context } from 'hono'
import type { ProcessingParts } from '../../folders/process-submission.ts'
import type { AppEnv, Deps } from '../app-env.ts'

/** What folders are processed with within a request. */
export const processingParts = (
  c: Context<AppEnv>,
  { platform, settings, services }: Deps,
): ProcessingParts => ({
  assessor: platform.assessor,
  ...platform.models,
  identification: services.stateful,
  gate: settings.qualityGate,
  gestureRequired: settings.gestureRequired,
  thresholdSpoofing: settings.spoofingThreshold,
  nowMs: platform.nowMs,
  randomId: platform.randomId,
  signal: c.req.raw.signal,
})
