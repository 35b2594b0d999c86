/** Folders, media and analyses, and the runner that runs analyses in the background. */
import { viewOptions } from '../contract/full/view-options.ts'
import { AnalysisRunner } from '../folders/analysis-runner.ts'
import { AnalysisService } from '../folders/analysis-service.ts'
import { engineResponses, noEngineResponses } from '../folders/engine-responses.ts'
import { type AnalysisHooks, FolderService } from '../folders/folder-service.ts'
import { KeptMedia } from '../folders/kept-media.ts'
import { MediumService } from '../folders/medium-service.ts'
import type { Processor } from '../folders/processor.ts'
import type { RecordFiles } from '../folders/record-files.ts'
import type { Persistence, Platform } from '../platform/platform.ts'
import type { Settings } from '../settings.ts'
import type { Stores } from './stores.ts'

const pollMs = 1000
const leaseMs = 60_000

export function composeFolders(
  { assessor, models, nowMs, randomId }: Platform,
  settings: Settings,
  { folders, media, analyses, jobs, collections, persons, reports }: Stores,
  { blobs }: Persistence,
  processor: Processor,
  files: RecordFiles,
  hooks: Omit<AnalysisHooks, 'wakeRunner'>,
  onError: (error: unknown) => void,
) {
  const keptMedia = new KeptMedia({
    assessor,
    media,
    files,
    models: { key: processor.modelsKey, profile: models.profileName },
  })
  const responses =
    settings.s3Endpoint === '' ? noEngineResponses : engineResponses(viewOptions(settings, 'full', false))
  const runner = new AnalysisRunner({
    processor,
    keptMedia,
    jobs,
    analyses,
    files,
    engineResponses: responses,
    attemptsMax: settings.attemptsMax,
    attemptDelayMs: settings.attemptDelayS * 1000,
    leaseMs,
    atOnceMax: Number.isNaN(settings.analysesAtOnceMax)
      ? assessor.health().workers
      : settings.analysesAtOnceMax,
    pollMs,
    nowMs,
    randomId,
    onError,
    onEnded: () => hooks.wakeWebhooks(),
  })
  const submitting = {
    ...{ processor, files, folders, media, analyses, nowMs, randomId },
    engineResponses: responses,
  }
  const allHooks = { ...hooks, wakeRunner: () => runner.wake() }
  return {
    runner,
    keptMedia,
    folders: new FolderService({
      submitting,
      folders,
      reports,
      files,
      blobs,
      collections,
      hooks: allHooks,
      nowMs,
    }),
    media: new MediumService({ submitting, media, photos: persons, keptMedia, files, nowMs }),
    analyses: new AnalysisService({
      submitting,
      analyses,
      collections,
      hooks: allHooks,
      nowMs,
      randomId,
    }),
  }
}
