import type { Context } from 'hono'
import type { ViewOptions } from '../../contract/full/media-view.ts'
import type { ProcessingParts } from '../../folders/process-submission.ts'
import type { AppEnv, Deps } from '../app-env.ts'

/** What folders are processed with within a request. */
export const processingParts = (c: Context<AppEnv>, { platform, settings }: Deps): ProcessingParts => ({
  assessor: platform.assessor,
  ...platform.models,
  gate: settings.qualityGate,
  thresholdSpoofing: settings.spoofingThreshold,
  nowMs: platform.nowMs,
  randomId: platform.randomId,
  signal: c.req.raw.signal,
})

/** How folders are shown. */
export const viewOptions = (
  { settings }: Deps,
  variant: 'full' | 'lite',
  pictures: boolean,
): ViewOptions => ({
  showReplay: settings.confidenceReplayEnabled,
  variant,
  pictures,
  linkTo: (file) => `${linkBase(settings)}/${file}`,
})

function linkBase({ publicUrl, staticS3BucketUrl, host, port }: Deps['settings']): string {
  if (staticS3BucketUrl !== '') return staticS3BucketUrl.replace(/\/$/, '')
  const base = publicUrl === '' ? `http://${host}:${port}` : publicUrl.replace(/\/$/, '')
  return `${base}/static`
}
