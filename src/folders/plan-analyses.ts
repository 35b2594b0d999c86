/** Settles which media each requested analysis works on, and what that asks of every medium. */
import type { Wanted } from '../assess/assessment.ts'
import { wireTypes } from '../contract/full/analysis-type.ts'
import { taggedGesture } from '../decide/clip-attack.ts'
import type { QualityGate } from '../decide/sample.ts'
import { isBuilt, selectMedia } from '../decide/select-media.ts'
import { AppError, invariant } from '../errors.ts'
import type { AnalysisRecord, AnalysisSubject, RequestedAnalysis } from '../records/analysis.ts'

export interface PlannedAnalysis<Medium> {
  subject: AnalysisSubject
  requested: RequestedAnalysis
  media: readonly Medium[]
}

export interface PlanningRules {
  /** Where the analysis names no threshold of its own. */
  thresholdSpoofing: number
  gate: QualityGate
  gestureRequired: boolean
  movementRequired: boolean
}

function subjectOf(
  requested: RequestedAnalysis,
  { thresholdSpoofing, gate, gestureRequired, movementRequired }: PlanningRules,
): AnalysisSubject {
  const { type, band, search, extractBestShot, extractActionShot } = requested
  if (!isBuilt(type))
    throw new AppError('not_built', `Analyses of type ${wireTypes[type]} are not part of this release`)
  if (type === 'verification') return { type, parameters: { band, gate }, evidence: null }
  if (type === 'identification') {
    invariant(search?.collectionId, 'a collection analysis knows where to look')
    const { collectionId, countMax, falseHitsMax } = search
    return { type, parameters: { collectionId, band, countMax, falseHitsMax, gate }, evidence: null }
  }
  const parameters = {
    thresholdSpoofing: requested.thresholdSpoofing ?? thresholdSpoofing,
    extractBestShot,
    extractActionShot,
    gate,
    gestureRequired,
    movementRequired,
  }
  return { type, parameters, evidence: null }
}

/**
 * @param named finds a medium by the name a request gives it
 * @throws {AppError} `not_built` for types of later releases, `value_invalid` for unknown media, and as `selectMedia`
 */
export function planAnalyses<Medium extends { tags: readonly string[] }>(
  requests: readonly RequestedAnalysis[],
  media: readonly Medium[],
  named: (name: string) => Medium | undefined,
  rules: PlanningRules,
): PlannedAnalysis<Medium>[] {
  return requests.map((requested) => {
    const subject = subjectOf(requested, rules)
    const listed = requested.mediumKeys?.map((key) => {
      const medium = named(key)
      if (!medium)
        throw new AppError('value_invalid', 'source_media names a medium that is not part of the folder')
      return medium
    })
    return { subject, requested, media: selectMedia(subject.type, media, listed ?? null) }
  })
}

/**
 * What a set of analyses asks of one medium.
 * @param tags name the gesture whose peak is the action shot
 */
export function wantedBy(subjects: readonly AnalysisSubject[], tags: readonly string[]): Wanted {
  const quality = subjects.filter((subject) => subject.type === 'liveness')
  const gesture = taggedGesture(tags)
  return {
    faces: subjects.length > 0,
    pad: quality.length > 0,
    template: subjects.some(({ type }) => type !== 'liveness'),
    bestShot: quality.some(({ parameters }) => parameters.extractBestShot),
    ...(gesture && quality.some(({ parameters }) => parameters.extractActionShot)
      ? { actionShot: gesture }
      : {}),
  }
}

/** A planned analysis as a record that has not run yet. */
export function openAnalysis(
  { subject, requested }: PlannedAnalysis<unknown>,
  mediumIds: readonly string[],
  groupId: string,
  parts: { nowMs(): number; randomId(): string },
): AnalysisRecord {
  const now = parts.nowMs()
  return {
    ...subject,
    id: parts.randomId(),
    groupId,
    media: mediumIds.map((mediumId) => ({
      associationId: parts.randomId(),
      mediumId,
      sample: null,
      outputImages: [],
    })),
    metadata: requested.metadata,
    createdAtMs: now,
    updatedAtMs: now,
    outcome: { status: 'processing' },
    operator: null,
    models: null,
  }
}
