/** Findings of the assessment of media, stored so that later analyses need not compute them again. */
import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { AssessmentRequest, Findings } from '../../assess/assessment.ts'
import {
  type CodedFindings,
  decodeFindings,
  encodeFindings,
  type FindingsColumns,
} from '../codec/findings-codec.ts'
import type { Queries } from '../database.ts'
import {
  decryptFloats,
  decryptText,
  encryptFloats,
  encryptText,
  type RowCipher,
} from '../encryption/row-cipher.ts'
import { findings, folders, media } from '../schema.ts'

export interface KeptFindings extends CodedFindings {
  mediumId: string
  found: Findings
}

/** Findings as they are stored. */
interface FindingsRow extends Omit<typeof findings.$inferInsert, 'mediumNumber'> {
  mediumId: string
}

type PlacedFindings = Pick<FindingsRow, 'mediumId'> & { folderId: string }

/** Where a column of findings belongs. The folder is its owner. */
const placed = (cipher: RowCipher, { folderId: ownerId, mediumId }: PlacedFindings, column: string) => ({
  cipher,
  ownerId,
  place: `${column} ${mediumId}`,
})

export async function encryptFindings(
  cipher: RowCipher,
  row: PlacedFindings,
  { found, template }: FindingsColumns,
): Promise<Pick<FindingsRow, 'found' | 'template'>> {
  return {
    found: await encryptText(placed(cipher, row, 'found'), found),
    template: template && (await encryptFloats(placed(cipher, row, 'template'), template)),
  }
}

/**
 * The row of findings, made before the transaction that stores it: encryption may have to make a key.
 * @param models the key (`modelsKey`) of the profile and networks that produced the findings
 */
export async function findingsRow(
  cipher: RowCipher,
  folderId: string,
  kept: KeptFindings,
  models: string,
): Promise<FindingsRow> {
  const { mediumId } = kept
  const columns = await encryptFindings(cipher, { mediumId, folderId }, encodeFindings(kept))
  return { mediumId, models, ...columns }
}

export async function keepFindings(queries: Queries, { mediumId, ...row }: FindingsRow): Promise<void> {
  await queries
    .insert(findings)
    .values({
      mediumNumber: sql`(select ${media.number} from ${media} where ${eq(media.id, mediumId)})`,
      ...row,
    })
    .onConflictDoUpdate({ target: findings.mediumNumber, set: row })
}

/** Key and profile of the networks in use. */
export interface ModelsKey {
  key: string
  profile: Findings['profile']
}

/** Findings with the ids of their media and folders. */
export const selectFindings = (queries: Queries, where: SQL | undefined) =>
  queries
    .select({ ...getTableColumns(findings), mediumId: media.id, folderId: folders.id })
    .from(media)
    .innerJoin(findings, eq(findings.mediumNumber, media.number))
    .innerJoin(folders, eq(folders.number, media.folderNumber))
    .where(where)

/** Findings that the current models produced; `null` for those of others, and for damaged ones. */
export async function currentFindings(
  cipher: RowCipher,
  row: typeof findings.$inferSelect & { mediumId: string; folderId: string },
  models: ModelsKey,
): Promise<KeptFindings | null> {
  if (row.models !== models.key) return null
  const found = await decryptText(placed(cipher, row, 'found'), row.found)
  if (found === null) return null
  const template = row.template && (await decryptFloats(placed(cipher, row, 'template'), row.template))
  const decoded = decodeFindings({ found, template })
  return (
    decoded && { ...decoded, mediumId: row.mediumId, found: { ...decoded.found, profile: models.profile } }
  )
}

/** Whether an action shot was looked for. A medium has one at most, since its file never changes. */
export const hasActionShot = ({ actionShot, actionGesture }: KeptFindings): boolean =>
  actionShot !== null || actionGesture !== null

/** Details that were found without PAD do not say how its score came about. */
const coversDetail = ({ detail, clip }: Findings, { pad }: AssessmentRequest): boolean =>
  detail !== undefined &&
  (!pad || (clip ? detail.frames.some(({ key }) => key?.attack != null) : detail.pad !== null))

/** Whether findings hold all that an analysis needs. For a picture without a face there is nothing more to compute but its text. */
export function covers(kept: KeptFindings, wanted: AssessmentRequest): boolean {
  const { found, bestShot } = kept
  const { subject } = found
  if (wanted.document && found.document === undefined) return false
  if (!subject) return true
  return (
    (!wanted.pad || subject.pad.status !== 'not_run') &&
    (!wanted.template || subject.template.status !== 'not_run') &&
    (!wanted.bestShot || bestShot !== null) &&
    (!wanted.portrait || Boolean(kept.portrait) || found.clip !== null) &&
    (!wanted.detail || coversDetail(found, wanted)) &&
    (!wanted.challenge || found.clip === null || found.clip.light !== undefined) &&
    (!wanted.actionShot || hasActionShot(kept) || found.clip === null)
  )
}
