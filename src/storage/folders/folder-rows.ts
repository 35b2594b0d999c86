/** Converts between rows and records of folders, media and analyses. */
import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { AnalysisSubject } from '../../analyses/registry.ts'
import { invariant } from '../../errors.ts'
import type { AnalysedMedium, AnalysisHead, AnalysisOutcome, AnalysisRecord } from '../../records/analysis.ts'
import type { FolderRecord } from '../../records/folder.ts'
import { type MediumRecord, mediumFiles, shotFiles } from '../../records/medium.ts'
import { packImage, unpackImage } from '../column-types.ts'
import type { Queries } from '../database.ts'
import { analyses, folders, media } from '../schema.ts'

export type FolderRow = typeof folders.$inferSelect
type MediumRow = typeof media.$inferSelect & { folderId: string }
/** Leaves out the columns that only the job queue needs: each column slows lists down. */
const { companyId, attempts, dueAt, leasedBy, startedAt, ...shown } = getTableColumns(analyses)
export type AnalysisRow = Pick<typeof analyses.$inferSelect, keyof typeof shown> & { folderId: string }

/** SQL for the number of a folder, for columns that refer to it. */
export const selectFolderNumber = (folderId: string): SQL =>
  sql`(select ${folders.number} from ${folders} where ${eq(folders.id, folderId)})`

/** Media with the ids of their folders, the oldest first. */
export const selectMedia = (queries: Queries, where: SQL | undefined) =>
  queries
    .select({ ...getTableColumns(media), folderId: folders.id })
    .from(media)
    .innerJoin(folders, eq(folders.number, media.folderNumber))
    .where(where)
    .orderBy(media.createdAt, media.number)

/** Analyses with the ids of their folders, the oldest first. */
export const selectAnalyses = (queries: Queries, where: SQL | undefined) =>
  queries
    .select({ ...shown, folderId: folders.id })
    .from(analyses)
    .innerJoin(folders, eq(folders.number, analyses.folderNumber))
    .where(where)
    .orderBy(analyses.createdAt, analyses.number)

/** Heads of analyses with the ids of their folders, the oldest first. */
export async function selectHeads(
  queries: Queries,
  where: SQL,
): Promise<(AnalysisHead & { folderId: string })[]> {
  const rows = await queries
    .select({
      id: analyses.id,
      groupId: analyses.groupId,
      state: analyses.state,
      systemResolution: analyses.systemResolution,
      failure: analyses.failure,
      declineReason: analyses.declineReason,
      operator: analyses.operator,
      sandbox: analyses.sandbox,
      folderId: folders.id,
    })
    .from(analyses)
    .innerJoin(folders, eq(folders.number, analyses.folderNumber))
    .where(where)
    .orderBy(analyses.createdAt, analyses.number)
  return rows.map(({ id, groupId, operator, sandbox, folderId, ...verdict }) => ({
    ...{ id, groupId, operator, folderId },
    ...(sandbox ? { sandbox } : {}),
    outcome: readOutcome(verdict),
  }))
}

/** The columns of a medium of a folder, or of a photo of a person, without the reference to its owner. */
export const mediumColumns = (medium: MediumRecord) => ({
  id: medium.id,
  tags: medium.tags,
  originalName: medium.originalName,
  original: medium.original,
  thumbnail: medium.thumbnail,
  sample: medium.sample,
  metadata: medium.metadata,
  createdAt: medium.createdAtMs,
  updatedAt: medium.updatedAtMs,
})

export const mediumRow = (folderId: string, medium: MediumRecord) => ({
  folderNumber: selectFolderNumber(folderId),
  ...mediumColumns(medium),
  capture: medium.capture ?? null,
})

/** @param ownerId id of the folder or collection, the first part of its file names */
export const toMediumRecord = (
  ownerId: string,
  row: Omit<MediumRow, 'folderId' | 'folderNumber' | 'number' | 'capture'>,
): MediumRecord => ({
  id: row.id,
  tags: row.tags,
  originalName: row.originalName,
  original: row.original,
  thumbnail: row.thumbnail,
  sample: row.sample,
  metadata: row.metadata,
  createdAtMs: row.createdAt,
  updatedAtMs: row.updatedAt,
  files: mediumFiles(ownerId, row.id, row.original),
})

export const mediumRecord = (row: MediumRow): MediumRecord => ({
  ...toMediumRecord(row.folderId, row),
  ...(row.capture ? { capture: row.capture } : {}),
})

/** The outcome of an analysis, in the columns that lists filter by. */
export function verdictColumns({ outcome, operator }: Pick<AnalysisRecord, 'outcome' | 'operator'>) {
  const states = { processing: 'PROCESSING', failed: 'FAILED', finished: 'FINISHED' } as const
  const state = states[outcome.status]
  const systemResolution = outcome.status === 'finished' ? outcome.decision : state
  return {
    state,
    systemResolution,
    resolutionStatus: (outcome.status === 'finished' ? operator?.decision : null) ?? systemResolution,
    failure: outcome.status === 'failed' ? outcome.failure : null,
    declineReason: outcome.status === 'finished' ? (outcome.reason ?? null) : null,
    operator,
  }
}

type Associated = readonly Pick<AnalysedMedium, 'mediumId'>[]

/** Evidence of documents contains text from pictures, which may look like anything. That of other types contains none. */
const hasText = ({ type }: Pick<AnalysisSubject, 'type'>): boolean => type === 'documents'

/** Evidence as JSON, in which `#0` stands for the id of the first medium and so on, unless it contains text. */
function packEvidence(analysis: AnalysisSubject, associated: Associated): string | null {
  if (!analysis.evidence) return null
  const text = JSON.stringify(analysis.evidence)
  if (hasText(analysis)) return text
  return associated.reduce(
    (packed, { mediumId }, place) => packed.replaceAll(`"${mediumId}"`, `"#${place}"`),
    text,
  )
}

const unpackEvidence = (
  { evidence: packed, ...analysis }: Pick<AnalysisRow, 'type' | 'evidence'>,
  associated: Associated,
): AnalysisSubject['evidence'] =>
  packed === null || hasText(analysis)
    ? JSON.parse(packed ?? 'null')
    : JSON.parse(
        associated.reduce(
          (text, { mediumId }, place) => text.replaceAll(`"#${place}"`, `"${mediumId}"`),
          packed,
        ),
      )

/** The columns that a run of an analysis fills, parameters that were left open included. The pictures are in the blob store. */
export function resultColumns(analysis: AnalysisRecord) {
  const images = analysis.media.map(({ outputImages }) => outputImages.map(packImage))
  return {
    ...verdictColumns(analysis),
    parameters: analysis.parameters,
    evidence: packEvidence(analysis, analysis.media),
    models: analysis.models,
    media: analysis.media,
    outputImages: images.some(({ length }) => length > 0) ? images : null,
    details: analysis.details,
    updatedAt: analysis.updatedAtMs,
  }
}

/** @param dueAtMs when a worker may start the analysis; `null` if it has ended */
export const analysisRow = (
  folder: Pick<FolderRecord, 'id' | 'companyId'>,
  analysis: AnalysisRecord,
  dueAtMs: number | null,
) => ({
  id: analysis.id,
  folderNumber: selectFolderNumber(folder.id),
  companyId: folder.companyId,
  groupId: analysis.groupId,
  type: analysis.type,
  sandbox: analysis.sandbox ?? null,
  metadata: analysis.metadata,
  ...resultColumns(analysis),
  attempts: 0,
  dueAt: dueAtMs,
  leasedBy: null,
  startedAt: null,
  createdAt: analysis.createdAtMs,
})

function readOutcome({
  state,
  systemResolution,
  failure,
  declineReason,
}: Pick<AnalysisRow, 'state' | 'systemResolution' | 'failure' | 'declineReason'>): AnalysisOutcome {
  if (state === 'PROCESSING') return { status: 'processing' }
  if (state === 'FAILED') {
    invariant(failure, 'a failed analysis says why')
    return { status: 'failed', failure }
  }
  return {
    status: 'finished',
    decision: systemResolution as 'SUCCESS' | 'DECLINED' | 'OPERATOR_REQUIRED',
    ...(declineReason === null ? {} : { reason: declineReason }),
  }
}

/** A medium of an analysis, with the facts from its own row. */
function toAnalysedMedium(
  { folderId, state, media: associated, outputImages }: AnalysisRow,
  place: number,
  held: readonly MediumRecord[],
): AnalysedMedium {
  const { associationId, mediumId } = associated[place]!
  const medium = held.find(({ id }) => id === mediumId)
  return {
    associationId,
    mediumId,
    sample: state === 'FINISHED' ? (medium?.sample ?? null) : null,
    outputImages: medium
      ? (outputImages?.[place] ?? []).map(unpackImage).map((image) => ({
          ...image,
          thumbnail: image.original.thumbnail ?? medium.thumbnail,
          files: shotFiles(folderId, medium, image.kind, image.original),
          bytes: null,
        }))
      : [],
  }
}

/** @param held media of the folder; without them the record has only the ids of its media */
export const analysisRecord = (row: AnalysisRow, held: readonly MediumRecord[]): AnalysisRecord => ({
  // Type, parameters and evidence were written from one record, so they match.
  ...({
    type: row.type,
    parameters: row.parameters,
    evidence: unpackEvidence(row, row.media),
  } as AnalysisSubject),
  id: row.id,
  groupId: row.groupId,
  media: row.media.map((_, place) => toAnalysedMedium(row, place, held)),
  metadata: row.metadata,
  createdAtMs: row.createdAt,
  updatedAtMs: row.updatedAt,
  outcome: readOutcome(row),
  operator: row.operator,
  models: row.models,
  details: row.details,
  ...(row.sandbox ? { sandbox: row.sandbox } : {}),
})

export const folderRow = (folder: FolderRecord) => ({
  id: folder.id,
  companyId: folder.companyId,
  userId: folder.userId,
  resolutionEndpoint: folder.resolutionEndpoint,
  resolutionStatus: folder.result.resolutionStatus,
  systemResolution: folder.result.systemResolution,
  operatorStatus: folder.review.status,
  operatorComment: folder.review.comment,
  reviewAuthorId: folder.review.authorId,
  reviewAt: folder.review.atMs,
  isCleared: folder.isCleared,
  metadata: folder.metadata,
  createdAt: folder.createdAtMs,
  updatedAt: folder.updatedAtMs,
})

export const folderRecord = (
  row: FolderRow,
  held: readonly MediumRecord[],
  analysed: readonly AnalysisRecord[],
): FolderRecord => ({
  id: row.id,
  companyId: row.companyId,
  userId: row.userId,
  resolutionEndpoint: row.resolutionEndpoint,
  // Both columns were written from a folder result.
  result: {
    resolutionStatus: row.resolutionStatus,
    systemResolution: row.systemResolution,
  } as FolderRecord['result'],
  review: {
    status: row.operatorStatus,
    comment: row.operatorComment,
    authorId: row.reviewAuthorId,
    atMs: row.reviewAt,
  },
  isCleared: row.isCleared,
  metadata: row.metadata,
  createdAtMs: row.createdAt,
  updatedAtMs: row.updatedAt,
  media: held,
  analyses: analysed,
})
