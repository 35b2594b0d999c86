/** Plans analyses, receives media and runs analyses: the common part of immediate answers and work in the background. */
import type { AssessmentRequest } from '../assess/assessment.ts'
import { computeFolderResult } from '../decide/folder-result.ts'
import { AppError, invariant } from '../errors.ts'
import { pause } from '../queue/timers.ts'
import type { AnalysisRecord, RequestedAnalysis } from '../records/analysis.ts'
import {
  type FolderRecord,
  noReview,
  type Submission,
  type SubmittedMedium,
  toAnalysisRun,
} from '../records/folder.ts'
import type { MediumRecord } from '../records/medium.ts'
import { readSandboxName, type SandboxWish, sandboxNameOf, sandboxSlowMs } from '../records/sandbox.ts'
import {
  collectWanted,
  openAnalyses,
  type PlannableMedium,
  type PlannedAnalysis,
  type PlanningDeps,
  planAnalyses,
} from './plan-analyses.ts'
import {
  type CallContext,
  type ReceivedMedium,
  type ReceivingDeps,
  type Reception,
  receiveMedia,
} from './received-medium.ts'
import { type AssessedMedium, type ModelsInUse, type RunDeps, runAnalysis, runEach } from './run-analysis.ts'
import { sandboxAssessor } from './sandbox-assessor.ts'

/** Increases with every release that has other or more findings with the same networks. */
const assessmentVersion = 7

/** Identifies what produced findings: those of other networks and of other versions are not reused. */
function modelsKey({ profileName, profile, documents }: ModelsInUse): string {
  const { detector, landmarks, template, pad } = profile
  const readers = [documents.mrz, documents.textDetection, documents.textRecognition].filter(Boolean)
  return [profileName, detector, landmarks, template, ...pad, `v${assessmentVersion}`, ...readers].join(' ')
}

/** The media of each analysis that no earlier one uses, then those that none uses. */
function groupTurns(
  media: readonly SubmittedMedium[],
  planned: readonly PlannedAnalysis<SubmittedMedium>[],
): SubmittedMedium[][] {
  const left = new Set(media)
  const turns = planned.map(({ media: used }) => used.filter((medium) => left.delete(medium)))
  return [...turns, [...left]]
}

export interface ProcessorDeps extends PlanningDeps {
  receiving: ReceivingDeps
  running: RunDeps
  /** Whether the analyses of a company end as their folders ask; `null` is no company. */
  isSandbox(companyId: string | null): Promise<boolean>
  nowMs(): number
  randomId(): string
}

export interface ProcessedSubmission {
  folder: FolderRecord
  received: readonly ReceivedMedium[]
}

export class Processor {
  readonly #deps: ProcessorDeps
  /** Identifies the networks in use; findings of others are not reused. */
  readonly modelsKey: string

  constructor(deps: ProcessorDeps) {
    this.#deps = deps
    this.modelsKey = modelsKey(deps.running.models)
  }

  /** Whether analyses of documents can be started. */
  get analysesDocuments(): boolean {
    return this.#deps.rules.documents
  }

  /** @throws {AppError} as `receiveMedia`, whose parameters it has */
  receive(
    media: readonly SubmittedMedium[],
    wantedOf: (medium: SubmittedMedium) => AssessmentRequest,
    reception: Reception,
    call: CallContext,
    turns?: readonly (readonly SubmittedMedium[])[],
  ): Promise<ReceivedMedium[]> {
    return receiveMedia(this.#deps.receiving, media, wantedOf, reception, call, turns)
  }

  /** @throws {AppError} as `planAnalyses` */
  plan<Medium extends PlannableMedium>(
    requests: readonly RequestedAnalysis[],
    media: readonly Medium[],
    named: (name: string) => Medium | undefined,
  ): PlannedAnalysis<Medium>[] {
    return planAnalyses(requests, media, named, this.#deps)
  }

  /** Whether an analysis is offered here and finds media that it can use. */
  canPlan(requested: RequestedAnalysis, media: readonly PlannableMedium[]): boolean {
    try {
      this.plan([requested], media, () => undefined)
      return true
    } catch (error) {
      if (error instanceof AppError) return false
      throw error
    }
  }

  /** Planned analyses as records that have not run yet; all belong to one group. */
  open<Medium extends Pick<MediumRecord, 'originalName'>>(
    planned: readonly PlannedAnalysis<Medium>[],
    idOf: (medium: Medium) => string,
    requestedAtMs: number,
    sandbox: SandboxWish | null = null,
  ): AnalysisRecord[] {
    return openAnalyses(planned, idOf, requestedAtMs, this.#deps.randomId, sandbox)
  }

  /**
   * What a folder asks for; `null` if its company is no sandbox.
   * @throws {AppError} as `readSandboxName`
   */
  async findSandbox({ companyId, metadata }: Pick<FolderRecord, 'companyId' | 'metadata'>) {
    return (await this.#deps.isSandbox(companyId)) ? readSandboxName(metadata) : null
  }

  /** @throws {AppError} as `runAnalysis` */
  run(
    analysis: AnalysisRecord,
    folderId: string,
    assess: (mediumId: string) => Promise<AssessedMedium>,
  ): Promise<AnalysisRecord> {
    return runAnalysis(this.#deps.running, analysis, folderId, assess)
  }

  /**
   * Turns a submission into a finished folder: every medium is assessed once, and every analysis runs.
   * @param isStored whether the folder will be stored
   * @throws {AppError} as `planAnalyses`, `receiveMedia` and `runAnalysis`
   */
  async runSubmission(
    submission: Submission,
    isStored: boolean,
    call: CallContext,
  ): Promise<ProcessedSubmission> {
    const { nowMs, randomId } = this.#deps
    const { companyId, userId, resolutionEndpoint, metadata, media, sandbox = null } = submission
    const byKey = new Map(media.map((medium) => [medium.key, medium]))
    const planned = this.plan(submission.analyses, media, (key) => byKey.get(key))
    if (sandbox && planned.some((analysis) => sandboxNameOf(sandbox, analysis.media) === 'slow'))
      await pause(sandboxSlowMs)
    const id = randomId()
    const createdAtMs = nowMs()
    const wantedOf = (medium: SubmittedMedium) => {
      const plans = planned.filter(
        ({ media: used, declineReason }) => used.includes(medium) && declineReason === null,
      )
      const wanted = collectWanted(
        plans.map(({ subject }) => subject),
        medium,
        plans.some(({ requested }) => requested.detail),
      )
      return sandbox === null ? wanted : { ...wanted, faces: false }
    }
    const { isParallel } = this.#deps.running
    const turns = isParallel ? [media] : groupTurns(media, planned)
    const reception = { storedIn: isStored ? id : null, createdAtMs }
    const { receiving } = this.#deps
    const assessor = sandbox === null ? receiving.assessor : sandboxAssessor(receiving.assessor)
    const received = await receiveMedia({ ...receiving, assessor }, media, wantedOf, reception, call, turns)
    const idBySubmitted = new Map(media.map((medium, index) => [medium, received[index]!.record.id]))
    const byId = new Map(received.map((medium) => [medium.record.id, medium]))
    const assess = async (mediumId: string): Promise<AssessedMedium> => {
      const medium = byId.get(mediumId)
      invariant(medium, 'each medium of the submission was received')
      return medium
    }
    const opened = this.open(planned, (medium) => idBySubmitted.get(medium)!, createdAtMs, sandbox)
    const run = async (analysis: AnalysisRecord): Promise<AnalysisRecord> =>
      analysis.outcome.status === 'processing' ? this.run(analysis, id, assess) : analysis
    const analyses = await runEach(opened, run, isParallel)
    const folder: FolderRecord = {
      id,
      companyId,
      userId,
      createdAtMs,
      updatedAtMs: nowMs(),
      resolutionEndpoint,
      metadata,
      media: received.map(({ record }) => record),
      analyses,
      result: computeFolderResult(analyses.map(toAnalysisRun)),
      review: noReview,
      isCleared: false,
    }
    return { folder, received }
  }
}
