/** Runs the due analyses of one folder: each of its media is assessed once, and all results are stored together. */
import { collectionLost } from '../analyses/identification/search.ts'
import { hasCode } from '../errors.ts'
import { pause } from '../queue/timers.ts'
import type { AnalysisRecord } from '../records/analysis.ts'
import { keepBlobs } from '../storage/blobs/blob-ledger.ts'
import type { AbandonedAnalysis } from '../storage/folders/expire-analyses.ts'
import type {
  EndedJob,
  Job,
  JobEnd,
  JobStore,
  NewFindings,
  TakenFolder,
} from '../storage/folders/job-store.ts'
import type { EngineResponses } from './engine-responses.ts'
import { FolderExaminations } from './folder-examinations.ts'
import { fileLost, type KeptMedia, mediumLost } from './kept-media.ts'
import type { Processor } from './processor.ts'
import { shotBlobs } from './received-medium.ts'
import type { NewBlob, RecordFiles } from './record-files.ts'
import { type AssessedMedium, runEach } from './run-analysis.ts'

export interface FolderRunDeps {
  processor: Pick<Processor, 'run'>
  keptMedia: KeptMedia
  jobs: JobStore
  files: RecordFiles
  engineResponses: EngineResponses
  /** Whether the analyses of a folder run at the same time. */
  isParallel: boolean
  /** Attempts per analysis, the first one included. */
  attemptsMax: number
  /** Time between a failed attempt and the next one. */
  attemptDelayMs: number
  /** Whether media can be assessed here now. */
  canAssess(): boolean
  nowMs(): number
  randomId(): string
  /** Called with failures that are retried, or have ended an analysis. */
  onError(error: unknown): void
  /** Called when analyses have ended. */
  onEnded(): void
  /** Called for each analysis that ended without a result. */
  onAbandoned?: ((analysis: AbandonedAnalysis) => void) | null
}

/** A file, and the id of the analysis or medium that it belongs to. */
interface OwnedBlob extends NewBlob {
  ownerId: string
}

/** What is to be stored of a run. */
interface Results {
  ended: readonly EndedJob[]
  found: readonly NewFindings[]
  blobs: readonly OwnedBlob[]
}

/** A full queue, and a fault of the server that may go away, cost an analysis no attempt: it waits. */
const overloadPauseMs = 1000
/** Pauses before results are stored again while the database does not answer; together shorter than a lease. */
const storePausesMs = [500, 1500, 4000]
const isOverload = (error: unknown): boolean => hasCode(error, 'overloaded')
/** Without a worker that starts, no medium can be blamed. With one, it may be the medium that the engine fails on. */
const isOutage = (error: unknown, { canAssess }: FolderRunDeps): boolean =>
  hasCode(error, 'database_failed', 'external_failed') ||
  (hasCode(error, 'engine_unavailable') && !canAssess())

/** Errors that another attempt cannot change. */
const isFinal = (error: unknown): boolean => hasCode(error, 'media_unreadable', 'media_unsupported')

/** Whether what failed may be what another analysis needs of the medium. */
const mayBeOfOthers = (error: unknown, deps: FolderRunDeps): boolean =>
  error !== mediumLost && error !== fileLost && !isOverload(error) && !isOutage(error, deps)

function toEnd(deps: FolderRunDeps, job: Job, error: unknown): JobEnd {
  const { attemptsMax, attemptDelayMs, nowMs } = deps
  if (error === mediumLost) return { kind: 'abandoned', why: 'mediumLost' }
  if (error === collectionLost) return { kind: 'abandoned', why: 'collectionLost' }
  if (isOverload(error)) return { kind: 'later', atMs: nowMs() + overloadPauseMs, isAttempt: false }
  if (isOutage(error, deps))
    return { kind: 'later', atMs: nowMs() + Math.max(attemptDelayMs, overloadPauseMs), isAttempt: false }
  if (isFinal(error) || job.attempt >= attemptsMax)
    return { kind: 'abandoned', why: error === fileLost ? 'mediumLost' : 'attemptsSpent' }
  return { kind: 'later', atMs: nowMs() + attemptDelayMs, isAttempt: true }
}

/** Runs the analyses. One that fails does not affect the others. */
async function runJobs(deps: FolderRunDeps, taken: TakenFolder): Promise<Results> {
  const { processor, keptMedia, engineResponses, isParallel } = deps
  const { folder, jobs } = taken
  const looks = new FolderExaminations(keptMedia, taken, (error) => mayBeOfOthers(error, deps))
  const failures = new Set<unknown>()
  const blobs: OwnedBlob[] = []
  const stage = async (mediumId: string, analysis: AnalysisRecord): Promise<AssessedMedium> => {
    const medium = folder.media.find(({ id }) => id === mediumId)!
    const staged = await keptMedia.stage(folder, medium, analysis)
    const shots = shotBlobs(folder.id, mediumId, staged.assessment)
    blobs.push(...shots.map((blob) => ({ ...blob, ownerId: analysis.id })))
    return staged
  }
  const run = async (job: Job, analysis: AnalysisRecord): Promise<EndedJob> => {
    try {
      if (analysis.media.some(({ mediumId }) => !looks.has(mediumId))) throw mediumLost
      const decided = await processor.run(analysis, folder.id, (id) =>
        analysis.sandbox ? stage(id, analysis) : looks.examine(id, analysis),
      )
      const responses = await engineResponses(folder, decided)
      blobs.push(...responses.map((blob) => ({ ...blob, ownerId: analysis.id })))
      return { job, end: { kind: 'finished', analysis: decided } }
    } catch (error) {
      if (error !== mediumLost && error !== collectionLost) failures.add(error)
      return { job, end: toEnd(deps, job, error) }
    }
  }
  const ended = await runEach(jobs, ({ job, analysis }) => run(job, analysis), isParallel)
  for (const failure of failures) deps.onError(failure)
  const found: NewFindings[] = []
  for (const { fresh, blobs: shots } of await looks.successes()) {
    if (!fresh) continue
    found.push(fresh)
    blobs.push(...shots.map((blob) => ({ ...blob, ownerId: fresh.medium.id })))
  }
  return { ended, found, blobs }
}

async function store(
  { jobs, files, keptMedia, nowMs, randomId, onAbandoned }: FolderRunDeps,
  { folder, jobs: taken }: TakenFolder,
  { ended, found, blobs }: Results,
): Promise<void> {
  const announcement = { eventId: randomId(), nowMs: nowMs() }
  let settled: ReadonlySet<string> = new Set()
  await files.writeSome(blobs, async () => {
    let kept: string[] = []
    const run = await jobs.settle(
      folder.id,
      ended,
      found,
      keptMedia.models.key,
      announcement,
      (queries, stored) => {
        const owned = blobs.filter(({ ownerId }) => stored.analyses.has(ownerId) || stored.media.has(ownerId))
        kept = owned.map(({ key }) => key)
        return keepBlobs(queries, kept)
      },
    )
    settled = run.analyses
    return kept
  })
  for (const { job, end } of ended) {
    const type = taken.find((one) => one.job === job)?.analysis.type
    if (type && end.kind === 'abandoned' && settled.has(job.analysisId)) onAbandoned?.({ type, why: end.why })
  }
}

/** Repeats a write while the database does not answer: work that is done is not to be done again. */
async function retryWhileDatabaseIsDown(write: () => Promise<void>): Promise<void> {
  for (const pauseMs of storePausesMs) {
    try {
      return await write()
    } catch (error) {
      if (!hasCode(error, 'database_failed')) throw error
    }
    await pause(pauseMs)
  }
  return write()
}

/** Never rejects: analyses whose end cannot be stored run again when their lease has expired. */
export async function runFolder(deps: FolderRunDeps, taken: TakenFolder): Promise<void> {
  const { jobs } = taken
  try {
    const results = await runJobs(deps, taken)
    await retryWhileDatabaseIsDown(() => store(deps, taken, results)).catch(async (error: unknown) => {
      deps.onError(error)
      const ended = jobs.map(({ job }) => ({ job, end: toEnd(deps, job, error) }))
      await retryWhileDatabaseIsDown(() => store(deps, taken, { ended, found: [], blobs: [] }))
    })
    deps.onEnded()
  } catch (error) {
    deps.onError(error)
  }
}
