/** From a submission to a finished folder in one go: select, assess, decide. */
import type { AnalysisRules } from '../analyses/analysis-kind.ts'
import { folderResult } from '../decide/folder-result.ts'
import type { AnalysisRecord } from '../records/analysis.ts'
import { type FolderRecord, noReview, type Submission, toAnalysisRun } from '../records/folder.ts'
import { type DecidingDeps, decideAnalysis } from './decide-analysis.ts'
import { openAnalysis, planAnalyses, wantedBy } from './plan-analyses.ts'
import { type ReceivedMedium, type ReceivingDeps, receiveMedia } from './received-medium.ts'

export type ProcessingDeps = ReceivingDeps & DecidingDeps & AnalysisRules

export interface ProcessedSubmission {
  folder: FolderRecord
  received: readonly ReceivedMedium[]
}

/**
 * Assesses every medium once and decides every analysis.
 * @param isStored whether the folder is going to be kept
 * @throws {AppError} as `planAnalyses` and as `Assessor.assess`
 */
export async function processSubmission(
  parts: ProcessingDeps,
  submission: Submission,
  isStored: boolean,
): Promise<ProcessedSubmission> {
  const { companyId, userId, resolutionEndpoint, metadata, media } = submission
  const id = parts.randomId()
  const createdAtMs = parts.nowMs()
  const byKey = new Map(media.map((medium) => [medium.key, medium]))
  const planned = planAnalyses(submission.analyses, media, (key) => byKey.get(key), parts)
  const received = await receiveMedia(
    parts,
    media,
    (medium) =>
      wantedBy(
        planned.filter((plan) => plan.media.includes(medium)).map(({ subject }) => subject),
        medium.tags,
      ),
    isStored ? id : null,
  )
  const of = new Map(media.map((medium, index) => [medium, received[index]!]))
  const groupId = parts.randomId()
  const decide = (plan: (typeof planned)[number]): Promise<AnalysisRecord> => {
    const assessed = plan.media.map((medium) => {
      const { record, assessment } = of.get(medium)!
      const { bestShot, actionShot } = assessment
      return { record, findings: assessment, bestShot, actionShot }
    })
    const opened = openAnalysis(
      plan,
      assessed.map(({ record }) => record.id),
      groupId,
      parts,
    )
    return decideAnalysis(parts, opened, assessed, id)
  }
  const analyses: AnalysisRecord[] = []
  for (const plan of planned) analyses.push(await decide(plan))
  const folder: FolderRecord = {
    id,
    companyId,
    userId,
    createdAtMs,
    updatedAtMs: parts.nowMs(),
    resolutionEndpoint,
    metadata,
    media: received.map(({ record }) => record),
    analyses,
    result: folderResult(analyses.map(toAnalysisRun)),
    review: noReview,
    isCleared: false,
  }
  return { folder, received }
}
