/** Findings of the assessment of media, stored so that later analyses need not compute them again. */
import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { AssessmentRequest, Findings } from '../../assess/assessment.ts'
import { type CodedFindings, decodeFindings, encodeFindings } from '../codec/findings-codec.ts'
import type { Queries } from '../database.ts'
import { findings, media } from '../schema.ts'

export interface KeptFindings extends CodedFindings {
  mediumId: string
  found: Findings
}

/** @param models the key (`modelsKey`) of the profile and networks that produced the findings */
export async function keepFindings(queries: Queries, kept: KeptFindings, models: string): Promise<void> {
  const { mediumId } = kept
  const row = { models, ...encodeFindings(kept) }
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

/** Findings with the ids of their media. */
export const selectFindings = (queries: Queries, where: SQL | undefined) =>
  queries
    .select({ ...getTableColumns(findings), mediumId: media.id })
    .from(media)
    .innerJoin(findings, eq(findings.mediumNumber, media.number))
    .where(where)

/** Findings that the current models produced; `null` for those of others, and for damaged ones. */
export function currentFindings(
  row: typeof findings.$inferSelect & { mediumId: string },
  models: ModelsKey,
): KeptFindings | null {
  if (row.models !== models.key) return null
  const decoded = decodeFindings(row)
  if (!decoded) return null
  return { ...decoded, mediumId: row.mediumId, found: { ...decoded.found, profile: models.profile } }
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
