/** What was found in media, kept beside them so that later analyses compute nothing twice. */
import { eq, getTableColumns, sql } from 'drizzle-orm'
import type { AssessmentRequest, Findings, SubjectAssessment } from '../../assess/assessment.ts'
import type { PictureFacts } from '../../records/medium.ts'
import type { Template } from '../../vision/templates/registry.ts'
import type { Queries } from '../database.ts'
import { findings, media, type StoredFindings } from '../schema.ts'

export interface KeptFindings {
  mediumId: string
  found: Findings
  bestShot: PictureFacts | null
  actionShot: PictureFacts | null
}

function stripTemplate({ found, bestShot, actionShot }: KeptFindings): StoredFindings {
  const { quarterTurns, faces, subject, clip, print } = found
  const template = subject?.template
  const bare: SubjectAssessment | null =
    subject && template?.status === 'extracted'
      ? { ...subject, template: { status: 'extracted', template: { ...template.template, vector: empty } } }
      : subject
  return { quarterTurns, faces, subject: bare, clip, print, bestShot, actionShot }
}

const empty = new Float32Array()

function attachTemplate(
  subject: SubjectAssessment | null,
  vector: Float32Array | null,
): SubjectAssessment | null {
  if (subject?.template.status !== 'extracted') return subject
  // Without its vector the template counts as not made, and is made again.
  if (!vector) return { ...subject, template: { status: 'not_run' } }
  const template: Template = { ...subject.template.template, vector }
  return { ...subject, template: { status: 'extracted', template } }
}

/** @param models what answered, as `modelsKey` names it */
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

/** Findings of the models that answer now; `null` where there are none. */
export async function readFindings(
  queries: Queries,
  mediumId: string,
  models: { key: string; profile: Findings['profile'] },
): Promise<KeptFindings | null> {
  const [row] = await queries
    .select(getTableColumns(findings))
    .from(media)
    .innerJoin(findings, eq(findings.mediumNumber, media.number))
    .where(eq(media.id, mediumId))
  if (!row || row.models !== models.key) return null
  const { quarterTurns, faces, subject, clip, print, bestShot, actionShot } = row.found
  const found = {
    profile: models.profile,
    quarterTurns,
    faces,
    clip,
    print,
    subject: attachTemplate(subject, row.template),
  }
  return { mediumId, found, bestShot, actionShot }
}

/** Whether findings answer what an analysis asks. A picture without a face has nothing more to give. */
export function covers({ found, bestShot, actionShot }: KeptFindings, wanted: AssessmentRequest): boolean {
  const { subject } = found
  if (!subject) return true
  return (
    (!wanted.pad || subject.pad.status !== 'not_run') &&
    (!wanted.template || subject.template.status !== 'not_run') &&
    (!wanted.bestShot || bestShot !== null) &&
    (!wanted.actionShot || actionShot !== null || found.clip === null)
  )
}
