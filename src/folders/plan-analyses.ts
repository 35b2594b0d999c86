/** Plans which media each requested analysis uses, and what has to be assessed of every medium. */
import type { AnalysisRules } from '../analyses/analysis-kind.ts'
import { type AnalysisSubject, analysisKinds, findAnalysisKind } from '../analyses/registry.ts'
import type { AssessmentRequest } from '../assess/assessment.ts'
import { isMeasured } from '../decide/challenge/step.ts'
import { reasonTexts } from '../decide/reasons.ts'
import { AppError } from '../errors.ts'
import type { OpenedMedium } from '../media/opened-medium.ts'
import type { AnalysisOutcome, AnalysisRecord, RequestedAnalysis } from '../records/analysis.ts'
import { type MediumRecord, mediumKind, type OriginalFacts } from '../records/medium.ts'
import { type SandboxName, type SandboxWish, sandboxNameOf } from '../records/sandbox.ts'

export interface PlannedAnalysis<Medium> {
  subject: AnalysisSubject
  requested: RequestedAnalysis
  media: readonly Medium[]
  /** Why a rule of the server declines it without running it; `null` if it runs. */
  declineReason: string | null
}

/** What the planning of analyses needs to know of a medium: as it was sent, or as it is stored. */
export type PlannableMedium = {
  tags: readonly string[]
  /** Absent unless the medium came in a container. */
  capture?: unknown
} & ({ medium: Pick<OpenedMedium, 'kind'> } | { original: Pick<OriginalFacts, 'mimeType'> })

const isClip = (planned: PlannableMedium): boolean =>
  'original' in planned ? mediumKind(planned.original) === 'VIDEO' : planned.medium.kind === 'clip'

export interface PlanningDeps {
  rules: AnalysisRules
  /** Why no analysis may run on media that came in containers; `null` if it may. */
  containerDecline: string | null
}

/**
 * @param named finds a medium by the name a request gives it
 * @throws {AppError} `not_implemented` for types that are switched off, `value_invalid` for unknown media, and as `AnalysisKind.select`
 */
export function planAnalyses<Medium extends PlannableMedium>(
  requests: readonly RequestedAnalysis[],
  media: readonly Medium[],
  named: (name: string) => Medium | undefined,
  { rules, containerDecline }: PlanningDeps,
): PlannedAnalysis<Medium>[] {
  return requests.map((requested, index) => {
    const kind = analysisKinds[requested.type]
    const subject = kind.open(requested, rules)
    const listed = requested.mediumKeys?.map((key, place) => {
      const medium = named(key)
      if (!medium) {
        const keyPath = `analyses.${index}.source_media.${place}`
        throw new AppError('value_invalid', 'source_media names a medium that is not part of the folder', {
          details: { key_path: keyPath },
          place: keyPath,
        })
      }
      return medium
    })
    const selected = kind.select<Medium>(media, listed ?? null, { ...rules, isClip })
    const isContained = selected.some(({ capture }) => capture !== undefined)
    const declineReason = isContained ? containerDecline : null
    return { subject, requested, media: selected, declineReason }
  })
}

/**
 * What a set of analyses needs of one medium.
 * @param tags name the gesture whose peak is the action shot
 * @param capture asks for steps of a challenge
 * @param detail whether one of them shows how its result came about
 */
export function collectWanted(
  subjects: readonly AnalysisSubject[],
  { tags, capture }: Pick<MediumRecord, 'tags' | 'capture'>,
  detail: boolean,
): AssessmentRequest {
  const wishes = subjects.map((subject) => findAnalysisKind(subject).wants(subject.parameters, tags))
  const actionShot = wishes.find((wish) => wish.actionShot)?.actionShot
  const pad = wishes.some((wish) => wish.pad)
  const document = wishes.find((wish) => wish.document)?.document
  return {
    faces: subjects.length > 0,
    pad,
    template: wishes.some(({ template }) => template),
    bestShot: wishes.some(({ bestShot }) => bestShot),
    ...(actionShot ? { actionShot } : {}),
    ...(document ? { document } : {}),
    ...(wishes.some(({ portrait }) => portrait) ? { portrait: true } : {}),
    ...(pad && capture?.challenge.some(isMeasured) ? { challenge: true } : {}),
    ...(detail ? { detail } : {}),
  }
}

/** The rule, as a sandbox names it without the rule. */
const stagedDecline = 'containers_not_analysed' satisfies SandboxName

/** An analysis that a rule of the server declines has its outcome from the beginning. */
const openOutcome = (declineReason: string | null): AnalysisOutcome =>
  declineReason === null
    ? { status: 'processing' }
    : { status: 'finished', decision: 'DECLINED', reason: declineReason }

/**
 * Planned analyses as records that have not run yet; all belong to one group.
 * @param idOf the id of a medium's record
 * @param sandbox what the folder asks for; `null` outside of sandboxes
 */
export function openAnalyses<Medium extends Pick<MediumRecord, 'originalName'>>(
  planned: readonly PlannedAnalysis<Medium>[],
  idOf: (medium: Medium) => string,
  requestedAtMs: number,
  randomId: () => string,
  sandbox: SandboxWish | null,
): AnalysisRecord[] {
  const groupId = randomId()
  return planned.map(({ subject, requested, media, declineReason }) => {
    const name = sandbox && sandboxNameOf(sandbox, media)
    const staged = name === stagedDecline ? reasonTexts[stagedDecline].message : null
    return {
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
      createdAtMs: requestedAtMs,
      updatedAtMs: requestedAtMs,
      outcome: openOutcome(declineReason ?? staged),
      operator: null,
      models: null,
      details: requested.detail ? [] : null,
      ...(name === null ? {} : { sandbox: name }),
    }
  })
}
