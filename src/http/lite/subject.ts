/** Assesses a sample of a Lite method, which must show exactly one face: its template or its liveness. */
import type { Context } from 'hono'
import { type Assessment, type AssessmentRequest, templateFaceSideMin } from '../../assess/assessment.ts'
import type { Decision } from '../../decide/analysis.ts'
import { compareTemplates, normalizeTemplate } from '../../decide/comparison.ts'
import { decideMatch, type MatchBand } from '../../decide/match.ts'
import { checkSample, hasSecondSubject } from '../../decide/sample.ts'
import { AppError, invariant } from '../../errors.ts'
import { requirePicture } from '../../media/accepted-media.ts'
import type { OpenedMedium } from '../../media/opened-medium.ts'
import { pause } from '../../queue/timers.ts'
import type { PadEvidence } from '../../vision/pad/pad-method.ts'
import type { Template } from '../../vision/templates/registry.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { identifyCaller } from '../client-address.ts'
import { recordServerTiming } from '../reply.ts'

const nothing: AssessmentRequest = { faces: true, template: false, pad: false, bestShot: false }

async function assessSubject(
  c: Context<AppEnv>,
  deps: Deps,
  sample: OpenedMedium,
  wanted: AssessmentRequest,
): Promise<Assessment> {
  requirePicture(sample, deps.platform.acceptedTypes)
  const assessment = await deps.platform.assessor.assess(
    sample,
    wanted,
    c.req.raw.signal,
    identifyCaller(c, deps),
  )
  recordServerTiming(c, assessment)
  if (!assessment.subject) throw new AppError('no_face', 'no face on the biometric sample')
  if (hasSecondSubject({ assessment, tags: [] }))
    throw new AppError('several_faces', 'more than one person on the biometric sample')
  return assessment
}

/** @throws {AppError} `media_unsupported`, `no_face`, `several_faces`, `no_template` if the face is too small to compare */
export async function extractTemplate(
  c: Context<AppEnv>,
  deps: Deps,
  sample: OpenedMedium,
): Promise<Template> {
  const { subject } = await assessSubject(c, deps, sample, { ...nothing, template: true })
  invariant(subject?.template.status !== 'not_run', 'the template was asked for')
  if (subject?.template.status !== 'extracted') {
    const measured = `${Math.floor(subject!.quality.faceSide)} px; at least ${templateFaceSideMin} px`
    throw new AppError('no_template', `the face is too small for a biometric template: ${measured}`)
  }
  return subject.template.template
}

/** @throws {AppError} `media_unsupported`, `no_face`, `several_faces`, `media_unreadable` if the quality gate refuses the sample */
export async function assessLiveness(
  c: Context<AppEnv>,
  deps: Deps,
  sample: OpenedMedium,
): Promise<PadEvidence> {
  const assessment = await assessSubject(c, deps, sample, { ...nothing, pad: true })
  const failure = checkSample({ id: '', tags: [], assessment }, deps.settings.qualityGate, 'liveness')
  if (failure) throw new AppError('media_unreadable', failure.message)
  invariant(assessment.subject?.pad.status === 'assessed', 'liveness was asked for')
  return assessment.subject.pad
}

/** Decisions as the Lite service names them. */
const decisionWord: Record<Decision, string> = {
  SUCCESS: 'approved',
  OPERATOR_REQUIRED: 'operator_required',
  DECLINED: 'declined',
}

export interface LiteComparison {
  score: number
  decision: string
}

/** Comparisons, about 10 ms of work, between two turns of the event loop. */
const comparisonsPerTurn = 200

/** Compares one template with others, in their order. */
export async function compareWith(
  deps: Deps,
  main: Template,
  others: readonly Template[],
): Promise<LiteComparison[]> {
  const { cohort } = deps.platform.models
  const { matchThresholdMin, matchThresholdMax } = deps.settings
  const band: MatchBand = { min: matchThresholdMin, max: matchThresholdMax }
  const placed = normalizeTemplate(cohort, main)
  const comparisons: LiteComparison[] = []
  for (const [index, other] of others.entries()) {
    if (index > 0 && index % comparisonsPerTurn === 0) await pause(0)
    const { score } = compareTemplates(placed, normalizeTemplate(cohort, other))
    comparisons.push({ score, decision: decisionWord[decideMatch(score, band)] })
  }
  return comparisons
}
