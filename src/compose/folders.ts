/** Folders, media and analyses, and the runner that carries analyses out. */
import { AnalysisRunner } from '../folders/analysis-runner.ts'
import { AnalysisService } from '../folders/analysis-service.ts'
import { type AnalysisHooks, FolderService } from '../folders/folder-service.ts'
import { MediumService } from '../folders/medium-service.ts'
import type { ProcessingDeps } from '../folders/process-submission.ts'
import type { Persistence } from '../platform/platform.ts'
import type { Settings } from '../settings.ts'
import type { Stores } from './stores.ts'

const pollMs = 1000
const leaseMs = 60_000

export function composeFolders(
  processing: ProcessingDeps,
  settings: Settings,
  stores: Stores,
  { blobs }: Persistence,
  hooks: Omit<AnalysisHooks, 'wakeRunner'>,
  onError: (error: unknown) => void,
) {
  const { folders, media, analyses, jobs, ledger, collections } = stores
  const submitting = { ...processing, folders, media, analyses, blobs, ledger }
  const runner = new AnalysisRunner({
    ...{ ...processing, jobs, analyses, media, blobs, ledger, onError, leaseMs, pollMs },
    attemptsMax: settings.attemptsMax,
    attemptDelayMs: settings.attemptDelayS * 1000,
    atOnceMax: Number.isNaN(settings.analysesAtOnceMax)
      ? processing.assessor.health().workers
      : settings.analysesAtOnceMax,
    isParallel: settings.parallelMedia,
    onEnded: () => hooks.wakeWebhooks(),
  })
  const deps = { submitting, collections, hooks: { ...hooks, wakeRunner: () => runner.wake() } }
  return {
    runner,
    folders: new FolderService(deps),
    media: new MediumService(submitting),
    analyses: new AnalysisService(deps),
  }
}
