/** Plans which media each requested analysis uses, and what has to be assessed of every medium. */
import type { AnalysisRules } from '../analyses/analysis-kind.ts'
import { type AnalysisSubject, analysisKinds, kindOf } from '../analyses/registry.ts'
import type { AssessmentRequest } from '../assess/assessment.ts'
import { AppError } from '../errors.ts'
import type { AnalysisRecord, RequestedAnalysis } from '../records/analysis.ts'

export interface PlannedAnalysis<Medium> {
  subject: AnalysisSubject
  requested: RequestedAnalysis
  media: readonly Medium[]
}

/**
 * @param named finds a medium by the name a request gives it
 * @throws {AppError} `not_implemented` for types of later releases, `value_invalid` for unknown media, and as `AnalysisKind.select`
 */
export function planAnalyses<Medium extends { tags: readonly string[] }>(
  requests: readonly RequestedAnalysis[],
  media: readonly Medium[],
  named: (name: string) => Medium | undefined,
  rules: AnalysisRules,
): PlannedAnalysis<Medium>[] {
  return requests.map((requested) => {
    const kind = analysisKinds[requested.type]
    const subject = kind.open(requested, rules)
    const listed = requested.mediumKeys?.map((key) => {
      const medium = named(key)
      if (!medium)
        throw new AppError('value_invalid', 'source_media names a medium that is not part of the folder')
      return medium
    })
    return { subject, requested, media: kind.select(media, listed ?? null) }
  })
}

/**
 * What a set of analyses needs of one medium.
 * @param tags name the gesture whose peak is the action shot
 */
export function wantedBy(subjects: readonly AnalysisSubject[], tags: readonly string[]): AssessmentRequest {
  const wishes = subjects.map((subject) => kindOf(subject).wants(subject.parameters, tags))
  const actionShot = wishes.find((wish) => wish.actionShot)?.actionShot
  return {
    faces: subjects.length > 0,
    pad: wishes.some(({ pad }) => pad),
    template: wishes.some(({ template }) => template),
    bestShot: wishes.some(({ bestShot }) => bestShot),
    ...(actionShot ? { actionShot } : {}),
  }
}

/**
 * Planned analyses as records that have not run yet; all belong to one group.
 * @param idOf the id of a medium's record
 */
export function openAnalyses<Medium>(
  planned: readonly PlannedAnalysis<Medium>[],
  idOf: (medium: Medium) => string,
  { nowMs, randomId }: { nowMs(): number; randomId(): string },
): AnalysisRecord[] {
  const groupId = randomId()
  const now = nowMs()
  return planned.map(({ subject, requested, media }) => ({
    ...subject,
    id: randomId(),
    groupId,
    media: media.map((medium) => ({
      associationId: randomId(),
      mediumId: idOf(medium),
      sample: null,
      outputImages: [],
    })),
    metadata: requested.metadata,
    createdAtMs: now,
    updatedAtMs: now,
    outcome: { status: 'processing' },
    operator: null,
    models: null,
  }))
}
