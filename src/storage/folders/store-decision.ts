/** Stores the decision of an operator, within the transaction that it is called in: its record, and what follows from it. */
import { desc, eq } from 'drizzle-orm'
import { pickDecidedRuns } from '../../decide/folder-result.ts'
import { AppError } from '../../errors.ts'
import type { AnalysisRecord } from '../../records/analysis.ts'
import { type DecisionRecord, hashState, isVerdict, type NewDecision } from '../../records/decision.ts'
import { toAnalysisRun } from '../../records/folder.ts'
import type { Queries } from '../database.ts'
import { analyses, decisions, folders } from '../schema.ts'
import { refuseCleared } from './cleared-folder.ts'
import { analysisRecord, type FolderRow, selectAnalyses, verdictColumns } from './folder-rows.ts'
import { type Announcement, recomputeFolderResult } from './recompute-result.ts'

type DecisionRow = typeof decisions.$inferSelect

export const decisionRecord = ({ createdAt, number, folderNumber, ...row }: DecisionRow): DecisionRecord => ({
  ...row,
  atMs: createdAt,
})

/** Names the newest decision, so that the caller sees what it would have overwritten. */
function refuseOutdated(newest: DecisionRow | undefined, stateHash: string | null): never {
  const known = newest && {
    decision_id: newest.id,
    ...(newest.status === null ? {} : { status: newest.status }),
    ...(newest.reason === null ? {} : { reason_code: newest.reason }),
    comment: newest.comment,
    author_id: newest.authorId,
    time: newest.createdAt / 1000,
  }
  throw new AppError('decided_meanwhile', '', {
    details: { ...known, ...(stateHash === null ? {} : { resolution_state_hash: stateHash }) },
    place: 'resolution_state_hash',
  })
}

/** The analyses that a verdict decides. While the first analyses run these are none: it is kept as a remark is. */
function chooseAnalyses(
  records: readonly AnalysisRecord[],
  { on, needsSecond }: NewDecision,
): readonly AnalysisRecord[] {
  if (on === 'nothing') return []
  if (on !== 'case') return records.filter(({ id }) => id === on.analysisId)
  if (records.some(({ outcome }) => outcome.status === 'processing')) {
    if (needsSecond || records.some(({ operator }) => operator !== null))
      throw new AppError('not_allowed', 'Analyses of the folder have not ended')
    return []
  }
  const runs = records.map((record) => ({ ...toAnalysisRun(record), record }))
  return pickDecidedRuns(runs).map(({ record }) => record)
}

/** The decision on a folder is replaced by another one, and not taken back. */
function refuseTakingBack(): never {
  throw new AppError('not_allowed', 'A decision is not taken back: decide otherwise', {
    details: { key_path: 'operator_status', expected: 'SUCCESS or DECLINED' },
    place: 'operator_status',
  })
}

/** Whether a decision replaces that of somebody else. */
function replacesOther(
  { on, authorId }: NewDecision,
  chosen: readonly AnalysisRecord[],
  folder: FolderRow,
): boolean {
  if (on === 'nothing') return false
  if (chosen.length > 0)
    return chosen.some(({ operator }) => operator !== null && operator.authorId !== authorId)
  return isVerdict(folder.operatorStatus) && folder.reviewAuthorId !== authorId
}

/** With four eyes a verdict takes effect if it agrees with the newest one, which another person has made without effect. */
const isSeconded = (
  { status, authorId }: NewDecision,
  chosen: readonly AnalysisRecord[],
  newestFirst: readonly DecisionRow[],
): boolean => {
  const agrees = (before: DecisionRow | undefined): boolean =>
    before !== undefined && !before.isEffective && before.authorId !== authorId && before.status === status
  const verdicts = newestFirst.filter((row) => isVerdict(row.status))
  if (chosen.length === 0) return agrees(verdicts[0])
  return chosen.every(({ id }) => agrees(verdicts.find(({ analysisIds }) => analysisIds.includes(id))))
}

/** Earlier decisions that are looked through for the one of another person. */
const earlierMax = 100

/**
 * @throws {AppError} `not_found` if the folder no longer exists; `not_allowed` if its personal data was removed, if analyses run
 *   and others are decided or a second person must agree, or if a decision would be taken back; `decided_meanwhile` if the state
 *   that the operator saw is not that of the folder, or if the decision of another person would be replaced without having been seen
 */
export async function storeDecision(
  queries: Queries,
  folderId: string,
  decision: NewDecision,
  announcement: Announcement,
): Promise<void> {
  const { nowMs } = announcement
  const { id, on, status, reason, authorId, seenHash, needsSecond } = decision
  const comment = decision.comment ?? ''
  const [folder] = await queries.select().from(folders).where(eq(folders.id, folderId))
  if (!folder) throw new AppError('not_found')
  if (folder.isCleared) refuseCleared()
  const rows = await selectAnalyses(queries, eq(folders.id, folderId))
  const records = rows.map((row) => analysisRecord(row, []))
  const { operatorStatus, reviewAuthorId, reviewAt } = folder
  const stateHash = hashState(records, { status: operatorStatus, authorId: reviewAuthorId, atMs: reviewAt })
  const isBesideVerdict = on === 'nothing' && isVerdict(operatorStatus)
  if (isBesideVerdict && status === null) refuseTakingBack()
  const earlier = await queries
    .select()
    .from(decisions)
    .where(eq(decisions.folderNumber, folder.number))
    .orderBy(desc(decisions.number))
    .limit(needsSecond ? earlierMax : 1)
  const chosen = chooseAnalyses(records, decision)
  const isOutdated = seenHash === undefined ? replacesOther(decision, chosen, folder) : seenHash !== stateHash
  if (isOutdated) refuseOutdated(earlier[0], stateHash)
  const isEffective = on === 'nothing' || !needsSecond || isSeconded(decision, chosen, earlier)
  await queries.insert(decisions).values({
    ...{ id, folderNumber: folder.number, analysisIds: chosen.map((analysis) => analysis.id) },
    ...{ status: status ?? null, reason, comment, authorId, stateHash, isEffective, createdAt: nowMs },
  })
  const endsView = (isEffective && isVerdict(status)) || folder.viewerId === authorId
  await queries
    .update(folders)
    .set({ ...(endsView ? { viewerId: null, viewedUntil: null } : {}), updatedAt: nowMs })
    .where(eq(folders.id, folderId))
  // Beside the decision of another person a remark is in the list alone: the members of the folder are of one author.
  if (!isEffective || (isBesideVerdict && reviewAuthorId !== authorId)) return
  if (isVerdict(status)) {
    for (const { id: analysisId, outcome } of chosen) {
      const operator = { decision: status, comment, authorId, atMs: nowMs, decisionId: id }
      await queries
        .update(analyses)
        .set({ ...verdictColumns({ outcome, operator }), updatedAt: nowMs })
        .where(eq(analyses.id, analysisId))
    }
  }
  const isCommented = isVerdict(status) || decision.comment !== undefined
  const changed = {
    updatedAt: nowMs,
    ...(isCommented ? { operatorComment: decision.comment ?? null } : {}),
    ...(isBesideVerdict ? {} : { reviewAuthorId: authorId, reviewAt: nowMs }),
    ...(chosen.length === 0 && status !== undefined && !isBesideVerdict ? { operatorStatus: status } : {}),
  }
  await queries.update(folders).set(changed).where(eq(folders.id, folderId))
  if (chosen.length > 0) await recomputeFolderResult(queries, folderId, announcement)
}
