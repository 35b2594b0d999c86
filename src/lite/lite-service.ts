/** The methods of the Lite service: each judges samples that show exactly one face, and stores nothing. */
import { type Assessment, type AssessmentRequest, templateFaceSideMin } from '../assess/assessment.ts'
import type { Assessor } from '../assess/assessor.ts'
import { failures } from '../decide/analysis.ts'
import type { Cohort } from '../decide/cohort.ts'
import type { MatchBand } from '../decide/match.ts'
import { checkJudgeable, checkSample, hasSecondSubject, type QualityGate } from '../decide/sample.ts'
import { AppError, type ErrorCode, invariant } from '../errors.ts'
import type { Processor } from '../folders/processor.ts'
import { type CallContext, nameMedium } from '../folders/received-medium.ts'
import { requirePicture } from '../media/accepted-media.ts'
import type { OpenedMedium } from '../media/opened-medium.ts'
import type { RequestedAnalysis } from '../records/analysis.ts'
import type { FolderRecord, Submission, SubmittedMedium } from '../records/folder.ts'
import type { Template } from '../vision/templates/registry.ts'
import { compareWith, type LiteComparison } from './compare-with.ts'

export interface LiteRules {
  gate: QualityGate
  /** Scores from here on are attacks. */
  thresholdSpoofing: number
  band: MatchBand
  challengeRequired: boolean
  movementRequired: boolean
}

export interface LiteServiceDeps {
  assessor: Assessor
  processor: Pick<Processor, 'runSubmission'>
  cohort: Cohort
  /** The types of files that are read. */
  acceptedTypes: readonly string[]
  rules: LiteRules
}

export interface LiteCall extends CallContext {
  /** Called with each assessment of the call, also before a refusal. */
  onAssessed(assessment: Pick<Assessment, 'stageMs'>): void
}

/** A sample among several, which a refusal names. */
export interface NamedSample {
  /** Where it is in the request. */
  keyPath: string
  value: OpenedMedium
}

const nothing: AssessmentRequest = { faces: true, template: false, pad: false, bestShot: false }

const errorCodes: Partial<Record<number, ErrorCode>> = {
  [failures.noFace.code]: 'no_face',
  [failures.severalFaces.code]: 'several_faces',
}

/** Turns failed analyses into errors: for a sample without a usable face the Lite service returns an error. */
function refuseFailures({ analyses, media }: FolderRecord, submitted: readonly SubmittedMedium[]): void {
  for (const { outcome } of analyses) {
    if (outcome.status !== 'failed') continue
    const { code, message, mediumId } = outcome.failure
    const error = new AppError(errorCodes[code] ?? 'media_unreadable', message)
    const medium = submitted[media.findIndex(({ id }) => id === mediumId)]
    throw medium ? nameMedium(error, medium.key) : error
  }
}

export class LiteService {
  readonly #deps: LiteServiceDeps

  constructor(deps: LiteServiceDeps) {
    this.#deps = deps
  }

  /** @throws {AppError} `media_unsupported`, `no_face`, `several_faces`, `no_template` if the face is too small to compare */
  async extract(sample: OpenedMedium, call: LiteCall): Promise<Template> {
    const { subject } = await this.#assess(sample, { ...nothing, template: true }, call)
    invariant(subject?.template.status !== 'not_run', 'the template was asked for')
    if (subject?.template.status !== 'extracted') {
      const measured = `${Math.floor(subject!.quality.faceSide)} px; at least ${templateFaceSideMin} px`
      throw new AppError('no_template', `the face is too small for a biometric template: ${measured}`)
    }
    return subject.template.template
  }

  /** The same for a sample among several. */
  extractNamed({ keyPath, value }: NamedSample, call: LiteCall): Promise<Template> {
    return this.extract(value, call).catch((error: unknown) => {
      throw nameMedium(error, keyPath)
    })
  }

  /** Compares one template with others, in their order. */
  compare(main: Template, others: readonly Template[]): Promise<LiteComparison[]> {
    const { cohort, rules } = this.#deps
    return compareWith(cohort, rules.band, main, others)
  }

  /** A picture alone answers no challenge, and does not move. @throws {AppError} `media_unreadable` where it has to */
  requireNoMovement(): void {
    const { challengeRequired, movementRequired } = this.#deps.rules
    if (challengeRequired) throw new AppError('media_unreadable', failures.noChallenge.message)
    if (movementRequired) throw new AppError('media_unreadable', failures.noMovement.message)
  }

  /**
   * The liveness of one picture; the score is that of an attack.
   * @throws {AppError} `media_unsupported`, `no_face`, `several_faces`, `media_unreadable` if the quality gate refuses the sample, or it
   *   looks like an attack and is too poor to tell
   */
  async detect(sample: OpenedMedium, call: LiteCall): Promise<{ passed: boolean; score: number }> {
    const { gate, thresholdSpoofing } = this.#deps.rules
    const assessment = await this.#assess(sample, { ...nothing, pad: true }, call)
    const failure = checkSample({ id: '', tags: [], assessment }, gate, 'liveness')
    if (failure) throw new AppError('media_unreadable', failure.message)
    invariant(assessment.subject?.pad.status === 'assessed', 'liveness was asked for')
    const { quality, pad } = assessment.subject
    const unjudged = pad.attack >= thresholdSpoofing ? checkJudgeable(quality) : null
    if (unjudged) throw new AppError('media_unreadable', unjudged.message)
    return { passed: pad.attack < thresholdSpoofing, score: pad.attack }
  }

  /**
   * The liveness of the media of a request, by its analyses or, if it names none, by the usual one.
   * @throws {AppError} `value_invalid` for other analyses, `no_face`, `several_faces`, `media_unreadable` for those that fail, and as
   *   `Processor.runSubmission`
   */
  async detectInFolder(asked: Submission, call: LiteCall): Promise<FolderRecord> {
    const submission = asked.analyses.length > 0 ? asked : { ...asked, analyses: [this.#usualAnalysis()] }
    if (submission.analyses.some(({ type }) => type !== 'liveness'))
      throw new AppError('value_invalid', 'Only analyses of type quality are available here')
    const { folder, received } = await this.#deps.processor.runSubmission(submission, false, call)
    for (const { assessment } of received) call.onAssessed(assessment)
    refuseFailures(folder, submission.media)
    return folder
  }

  #usualAnalysis(): RequestedAnalysis {
    return {
      type: 'liveness',
      mediumKeys: null,
      thresholdSpoofing: null,
      band: this.#deps.rules.band,
      extractBestShot: true,
      extractActionShot: false,
      metadata: {},
    }
  }

  async #assess(
    sample: OpenedMedium,
    wanted: AssessmentRequest,
    { onAssessed, signal, caller }: LiteCall,
  ): Promise<Assessment> {
    const { assessor, acceptedTypes } = this.#deps
    requirePicture(sample, acceptedTypes)
    const assessment = await assessor.assess(sample, wanted, signal, caller)
    onAssessed(assessment)
    if (!assessment.subject) throw new AppError('no_face', 'no face on the biometric sample')
    if (hasSecondSubject({ assessment, tags: [] }))
      throw new AppError(
        'several_faces',
        `more than one person on the biometric sample: ${assessment.faces.length} faces`,
      )
    return assessment
  }
}
