/** From a submission to a finished folder: select, assess, decide. */

import type { Assessment, Wanted } from '../assess/assessment.ts'
import type { Assessor } from '../assess/assessor.ts'
import { decideBiometry } from '../decide/biometry.ts'
import type { Cohort } from '../decide/cohort.ts'
import { folderResult } from '../decide/folder-result.ts'
import { decideQuality } from '../decide/quality.ts'
import type { QualityGate } from '../decide/sample.ts'
import { selectMedia } from '../decide/select-media.ts'
import { AppError } from '../errors.ts'
import type {
  AnalysisRecord,
  FolderRecord,
  MediumRecord,
  RequestedAnalysis,
  Submission,
  SubmittedMedium,
} from './folder-record.ts'

export interface ProcessingParts {
  assessor: Assessor
  cohort: Cohort
  gate: QualityGate
  /** Where neither the analysis nor the request names one. */
  thresholdSpoofing: number
  nowMs(): number
  randomId(): string
  /** Ends the waiting when the caller has gone. */
  signal?: AbortSignal
}

type BuiltType = 'QUALITY' | 'BIOMETRY'

interface PlannedAnalysis {
  type: BuiltType
  requested: RequestedAnalysis
  media: readonly SubmittedMedium[]
}

/**
 * Settles which media each analysis works on, before anything is computed.
 * @throws {AppError} `not_built` for types of later releases, `value_invalid` for unknown media, and as `selectMedia`
 */
function plan(submission: Submission): PlannedAnalysis[] {
  const byKey = new Map(submission.media.map((medium) => [medium.key, medium]))
  return submission.analyses.map((requested) => {
    const { type, mediumKeys } = requested
    if (type !== 'QUALITY' && type !== 'BIOMETRY') {
      throw new AppError('not_built', `Analyses of type ${type} are not part of this release`)
    }
    const named = mediumKeys?.map((key) => {
      const medium = byKey.get(key)
      if (!medium)
        throw new AppError('value_invalid', 'source_media names a medium that is not part of the request')
      return medium
    })
    return { type, requested, media: selectMedia(type, submission.media, named ?? null) }
  })
}

/** What the analyses together ask of one medium. */
function wantedOf(medium: SubmittedMedium, planned: readonly PlannedAnalysis[]): Wanted {
  const uses = planned.filter(({ media }) => media.includes(medium))
  const quality = uses.filter(({ type }) => type === 'QUALITY')
  return {
    faces: uses.length > 0,
    pad: quality.length > 0,
    template: uses.some(({ type }) => type === 'BIOMETRY'),
    bestShot: quality.some(({ requested }) => requested.extractBestShot),
  }
}

function decide(
  parts: ProcessingParts,
  planned: PlannedAnalysis,
  media: readonly MediumRecord[],
  groupId: string,
): AnalysisRecord {
  const { requested } = planned
  const { gate, cohort } = parts
  const createdAtMs = parts.nowMs()
  const common = {
    id: parts.randomId(),
    groupId,
    mediumIds: media.map(({ id }) => id),
    metadata: requested.metadata,
    createdAtMs,
  }
  if (planned.type === 'QUALITY') {
    const parameters = {
      thresholdSpoofing: requested.thresholdSpoofing ?? parts.thresholdSpoofing,
      extractBestShot: requested.extractBestShot,
      gate,
    }
    const { outcome, media: results, worstAttack } = decideQuality(media, parameters)
    return {
      ...common,
      type: 'QUALITY',
      outcome,
      parameters,
      results,
      worstAttack,
      finishedAtMs: parts.nowMs(),
    }
  }
  const parameters = { band: requested.band, gate }
  const { outcome, pairs } = decideBiometry(cohort, media, parameters)
  return {
    ...common,
    type: 'BIOMETRY',
    outcome,
    parameters,
    pairs,
    cohortId: cohort.id,
    finishedAtMs: parts.nowMs(),
  }
}

/**
 * Assesses every medium once and decides every analysis.
 * @throws {AppError} as `plan` and as `Assessor.assess`
 */
export async function processSubmission(
  parts: ProcessingParts,
  submission: Submission,
): Promise<FolderRecord> {
  const createdAtMs = parts.nowMs()
  const planned = plan(submission)
  const assessments = await assessAll(
    submission.media.map(
      (medium) => () => parts.assessor.assess(medium.bytes, wantedOf(medium, planned), parts.signal),
    ),
  )
  const records = new Map<SubmittedMedium, MediumRecord>()
  submission.media.forEach((medium, index) => {
    const { key, tags, metadata, originalName } = medium
    const assessment = assessments[index]!
    records.set(medium, { id: parts.randomId(), key, tags, metadata, originalName, createdAtMs, assessment })
  })
  const groupId = parts.randomId()
  const analyses = planned.map((analysis) =>
    decide(
      parts,
      analysis,
      analysis.media.map((medium) => records.get(medium)!),
      groupId,
    ),
  )
  return {
    id: parts.randomId(),
    companyId: submission.companyId,
    userId: submission.userId,
    createdAtMs,
    updatedAtMs: parts.nowMs(),
    resolutionEndpoint: submission.resolutionEndpoint,
    metadata: submission.metadata,
    media: [...records.values()],
    analyses,
    result: folderResult(analyses.map(({ outcome }) => outcome)),
  }
}

/** All at once; when one is refused the others are waited for, so that nothing runs on behind an answer. */
async function assessAll(tasks: readonly (() => Promise<Assessment>)[]): Promise<Assessment[]> {
  const settled = await Promise.allSettled(tasks.map((task) => task()))
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}
