/** Folders, media and analyses, and the runner that runs analyses in the background. */
import { viewOptions } from '../contract/full/view-options.ts'
import { AnalysisRunner, type RunnerDeps } from '../folders/analysis-runner.ts'
import { AnalysisService } from '../folders/analysis-service.ts'
import { engineResponses, noEngineResponses } from '../folders/engine-responses.ts'
import { type AnalysisHooks, FolderService } from '../folders/folder-service.ts'
import { KeptMedia } from '../folders/kept-media.ts'
import { MediumService } from '../folders/medium-service.ts'
import type { Processor } from '../folders/processor.ts'
import { QueueService } from '../folders/queue-service.ts'
import type { RecordFiles } from '../folders/record-files.ts'
import type { Persistence, Platform } from '../platform/platform.ts'
import { analysisAttemptsMax } from '../records/analysis.ts'
import type { Settings } from '../settings.ts'
import { abandonedLabels } from './processing.ts'
import type { Stores } from './stores.ts'

const pollMs = 1000
/** The longest pause between two looks at a database server, where other replicas may have left work. */
const idlePollMs = 5000
/** Together with `idlePollMs`, the work of a replica that was killed waits for less than 20 s. */
const leaseMs = 12_000

export function composeFolders(
  { assessor, models, metrics, tracing, nowMs, randomId, runSoon }: Platform,
  settings: Settings,
  {
    database,
    cipher,
    folders,
    decisions,
    queue,
    media,
    analyses,
    jobs,
    collections,
    persons,
    reports,
  }: Stores,
  { blobs }: Persistence,
  processor: Processor,
  files: RecordFiles,
  hooks: Omit<AnalysisHooks, 'wakeRunner'>,
  onError: (error: unknown) => void,
) {
  const keptMedia = new KeptMedia({
    assessor,
    files,
    models: { key: processor.modelsKey, profile: models.profileName },
  })
  const responses = blobs.isReadByOthers
    ? engineResponses(viewOptions(settings, 'full', false))
    : noEngineResponses
  const runnerDeps: RunnerDeps = {
    processor,
    keptMedia,
    jobs,
    files,
    engineResponses: responses,
    attemptsMax: analysisAttemptsMax,
    attemptDelayMs: settings.attemptDelayS * 1000,
    canAssess: () => assessor.health().ready > 0,
    leaseMs,
    atOnceMax: Number.isNaN(settings.analysesAtOnceMax)
      ? assessor.health().workers
      : settings.analysesAtOnceMax,
    isParallel: settings.parallelAnalyses,
    pollMs,
    pollMaxMs: database.isLocal ? pollMs : idlePollMs,
    nowMs,
    randomId,
    onError,
    ...(tracing ? { aroundFolder: (run) => tracing.inSpan('analyse folder', run) } : {}),
    onEnded: () => hooks.wakeWebhooks(),
    onAbandoned: metrics && ((analysis) => metrics.verdicts.add(abandonedLabels(analysis))),
  }
  const runner = new AnalysisRunner(runnerDeps)
  const submitting = {
    ...{ processor, files, folders, media, analyses, cipher, nowMs, randomId },
    engineResponses: responses,
  }
  const wake = () => (tracing ? tracing.apart(() => runner.wake()) : runner.wake())
  const allHooks = { ...hooks, wakeRunner: runSoon ?? wake }
  return {
    runner,
    /** Runs what is due, within one call. */
    drain: (isTimeUp: () => boolean) => {
      // Webhooks follow in the same call.
      const alone = { ...runnerDeps, onEnded() {} }
      return new AnalysisRunner(alone).drain(isTimeUp)
    },
    keptMedia,
    folders: new FolderService({
      submitting,
      folders,
      decisions,
      reports,
      files,
      blobs,
      collections,
      hooks: allHooks,
      needsSecond: settings.fourEyes,
      nowMs,
      onError,
      onErased: metrics && ((why) => metrics.foldersRemoved.add({ why })),
    }),
    media: new MediumService({ submitting, media, analyses, photos: persons, keptMedia, files, nowMs }),
    queue: new QueueService({ queue, folders, needsSecond: settings.fourEyes, nowMs }),
    analyses: new AnalysisService({
      submitting,
      analyses,
      collections,
      hooks: allHooks,
      needsSecond: settings.fourEyes,
      nowMs,
      randomId,
    }),
  }
}
