import type { Context } from 'hono'
import { folderView } from '../../contract/full/folder-view.ts'
import type { Json } from '../../contract/spaced-json.ts'
import type { FolderRecord, Submission } from '../../folders/folder-record.ts'
import { processSubmission } from '../../folders/process-submission.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { addTimes } from '../reply.ts'

/** Runs a submission within its request. */
export async function runSubmission(
  c: Context<AppEnv>,
  { platform, settings }: Deps,
  submission: Submission,
): Promise<FolderRecord> {
  const folder = await processSubmission(
    {
      assessor: platform.assessor,
      cohort: platform.models.cohort,
      gate: settings.qualityGate,
      thresholdSpoofing: settings.spoofingThreshold,
      nowMs: platform.nowMs,
      randomId: platform.randomId,
      signal: c.req.raw.signal,
    },
    submission,
  )
  for (const { assessment } of folder.media) addTimes(c, assessment)
  return folder
}

/** A finished folder in the contract's words. */
export function viewFolder(
  { platform, settings }: Deps,
  folder: FolderRecord,
  variant: 'full' | 'lite',
): Json {
  const { profileName, profile } = platform.models
  const showReplay = settings.confidenceReplayEnabled
  return folderView(folder, { profileName, profile, showReplay, variant, randomId: platform.randomId })
}
