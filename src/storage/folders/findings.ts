/** Findings of the assessment of media, stored so that later analyses need not compute them again. */
import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { AssessmentRequest, Findings, SubjectAssessment } from '../../assess/assessment.ts'
import type { ShotFacts } from '../../records/medium.ts'
import type { GestureName } from '../../vision/clip/gestures.ts'
import type { Template } from '../../vision/templates/registry.ts'
import type { Queries } from '../database.ts'
import { findings, media, type StoredFindings } from '../schema.ts'

export interface KeptFindings {
  mediumId: string
  found: Findings
  bestShot: ShotFacts | null
  actionShot: ShotFacts | null
  /** The gesture whose peak was looked for; `null` if none was. */
  actionGesture: GestureName | null
  /** The portrait on a document; `null` or absent if none was requested or found. */
  portrait?: ShotFacts | null
}

function stripTemplate({
  found,
  bestShot,
  actionShot,
  actionGesture,
  portrait,
}: KeptFindings): StoredFindings {
  const { quarterTurns, faces, subject, clip, print, detail, document } = found
  const template = subject?.template
  const bare: SubjectAssessment | null =
    subject && template?.status === 'extracted'
      ? { ...subject, template: { status: 'extracted', template: { ...template.template, vector: empty } } }
      : subject
  return {
    ...{ quarterTurns, faces, subject: bare, clip, print, bestShot, actionShot, actionGesture },
    ...(detail ? { detail } : {}),
    ...(document === undefined ? {} : { document }),
    ...(portrait ? { portrait } : {}),
  }
}

const empty = new Float32Array()

function attachTemplate(
  subject: SubjectAssessment | null,
  vector: Float32Array | null,
): SubjectAssessment | null {
  if (subject?.template.status !== 'extracted') return subject
  // A template without its vector counts as not extracted, so that it is extracted again.
  if (!vector) return { ...subject, template: { status: 'not_run' } }
  const template: Template = { ...subject.template.template, vector }
  return { ...subject, template: { status: 'extracted', template } }
}

/** @param models the key (`modelsKey`) of the profile and networks that produced the findings */
export async function keepFindings(queries: Queries, kept: KeptFindings, models: string): Promise<void> {
  const { mediumId, found } = kept
  const result = found.subject?.template
  const row = {
    models,
    found: stripTemplate(kept),
    template: result?.status === 'extracted' ? result.template.vector : null,
  }
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

/** Findings that the current models produced; `null` for those of others. */
export function currentFindings(
  row: typeof findings.$inferSelect & { mediumId: string },
  models: ModelsKey,
): KeptFindings | null {
  if (row.models !== models.key) return null
  const { quarterTurns, faces, subject, clip, print, detail, document } = row.found
  const { bestShot, actionShot, actionGesture = null, portrait = null } = row.found
  const found = {
    profile: models.profile,
    quarterTurns,
    faces,
    clip,
    print,
    subject: attachTemplate(subject, row.template),
    ...(detail ? { detail } : {}),
    ...(document === undefined ? {} : { document }),
  }
  return { mediumId: row.mediumId, found, bestShot, actionShot, actionGesture, portrait }
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
    (!wanted.actionShot || hasActionShot(kept) || found.clip === null)
  )
}
