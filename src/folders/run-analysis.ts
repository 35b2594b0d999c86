/** Runs one analysis: assesses its media, then decides. Immediate answers and work in the background both use it. */
import type { DecidedAnalysis } from '../analyses/analysis-kind.ts'
import type { SearchDeps } from '../analyses/identification/search.ts'
import { type AnalysisSubject, findAnalysisKind } from '../analyses/registry.ts'
import type { Findings, SampleDetail, Shot, StageTimes } from '../assess/assessment.ts'
import { isShownEvenly } from '../decide/challenge/colours.ts'
import { invariant } from '../errors.ts'
import type { DocumentNetworks, Profile, ProfileName } from '../inference/manifest.ts'
import {
  type AnalysedMedium,
  type AnalysisRecord,
  type ChallengeDetail,
  type MediumDetail,
  type OutputImage,
  outputImageId,
} from '../records/analysis.ts'
import {
  type MediumRecord,
  type ShotFacts,
  type ShotKind,
  sampleFacts,
  shotFacts,
  shotFiles,
} from '../records/medium.ts'
import { stageAnalysis } from '../records/stage-analysis.ts'

/** A medium with its findings. */
export interface AssessedMedium {
  record: MediumRecord
  /** With the times of its stages if it was assessed for this analysis. */
  assessment: Findings & { stageMs?: StageTimes }
  /** The best shot: a new one with its bytes, or the properties of the stored one. */
  bestShot: Shot | ShotFacts | null
  /** The action shot, in the same form. */
  actionShot: Shot | ShotFacts | null
  /** The portrait on a document, in the same form. */
  portrait: Shot | ShotFacts | null
}

/** The networks that analyses are run with; each analysis names them. */
export interface ModelsInUse {
  profileName: ProfileName
  profile: Profile
  /** Those that read documents. */
  documents: DocumentNetworks
}

export interface RunDeps {
  models: ModelsInUse
  /** Dependencies of the decisions. */
  deciding: SearchDeps
  /** Whether analyses of one folder run, and stored media of one analysis are assessed, at the same time. */
  isParallel: boolean
  nowMs(): number
  /** Called with each analysis that has its outcome; `null` or absent if nobody counts them. */
  onDecided?: ((analysis: AnalysisRecord) => void) | null
}

/** Runs a task for each item, at the same time or one after another, and returns the results in their order. */
export async function runEach<T, R>(
  items: readonly T[],
  task: (item: T) => Promise<R>,
  isParallel: boolean,
): Promise<R[]> {
  if (isParallel) return Promise.all(items.map(task))
  const results: R[] = []
  for (const item of items) results.push(await task(item))
  return results
}

function outputImages(
  analysis: AnalysisRecord,
  place: number,
  { record, bestShot, actionShot, portrait }: AssessedMedium,
  folderId: string,
): OutputImage[] {
  const shown = findAnalysisKind(analysis).shots(analysis.parameters)
  const output = (kind: ShotKind, shot: Shot | ShotFacts | null): OutputImage[] => {
    if (!shot) return []
    const isNew = 'bytes' in shot
    const original = isNew ? shotFacts(shot) : shot
    return [
      {
        id: outputImageId(analysis.id, place, kind),
        kind,
        original,
        thumbnail: original.thumbnail ?? record.thumbnail,
        files: shotFiles(folderId, record, kind, original),
        bytes: isNew ? shot.bytes : null,
      },
    ]
  }
  return [
    ...(shown.best ? output('best', bestShot) : []),
    ...(shown.action ? output('action', actionShot) : []),
    ...(shown.portrait ? output('portrait', portrait) : []),
  ]
}

/** Attack scores belong to analyses that ask for them, even if another one had them computed. */
const withoutAttack = (detail: SampleDetail): SampleDetail => ({
  ...detail,
  pad: null,
  frames: detail.frames.map((frame) => ({ ...frame, key: frame.key && { ...frame.key, attack: null } })),
})

/** What its steps of a challenge are measured on; `null` without any. */
function challengeDetail({
  record: { capture },
  assessment: { clip },
}: AssessedMedium): ChallengeDetail | null {
  if (!capture?.steps || !clip?.light) return null
  const steps = capture.challenge.flatMap((asked, place) => {
    const performed = capture.steps![place]
    if (typeof asked === 'string' || performed?.gesture !== asked.type) return []
    // What the page showed at other times was not measured.
    return asked.type === 'colours' && !isShownEvenly(asked, performed) ? [] : [{ asked, performed }]
  })
  return steps.length === 0 ? null : { steps, light: clip.light, approach: clip.approach ?? null }
}

function mediumDetail(
  analysis: AnalysisRecord,
  verdict: DecidedAnalysis<AnalysisSubject>,
  medium: AssessedMedium,
): MediumDetail {
  const { record, assessment } = medium
  const challenge = analysis.type === 'liveness' ? challengeDetail(medium) : null
  const kind = findAnalysisKind(analysis)
  const { detail, stageMs, document } = assessment
  const { pad: needsPad, document: needsText } = kind.wants(analysis.parameters, record.tags)
  return {
    sample: detail ? (needsPad ? detail : withoutAttack(detail)) : null,
    parts: kind.parts?.({ id: record.id, assessment }, verdict) ?? {},
    ...(needsText && document !== undefined ? { document } : {}),
    ...(challenge ? { challenge } : {}),
    stageMs: stageMs ?? null,
  }
}

/**
 * @param analysis as it was opened
 * @param assess what was found in a medium of the analysis, by its id: assessed now, or before
 * @returns the analysis with its outcome
 * @throws {AppError} as `assess` and `AnalysisKind.decide`
 */
export async function runAnalysis(
  { models: { profileName, profile, documents }, deciding, isParallel, nowMs, onDecided }: RunDeps,
  analysis: AnalysisRecord,
  folderId: string,
  assess: (mediumId: string) => Promise<AssessedMedium>,
): Promise<AnalysisRecord> {
  const mediumIds = analysis.media.map(({ mediumId }) => mediumId)
  const assessed = await runEach(mediumIds, assess, isParallel)
  const kind = findAnalysisKind(analysis)
  const { sandbox } = analysis
  const verdict = sandbox
    ? stageAnalysis(analysis, sandbox)
    : await kind.decide(
        { ...deciding, nowMs },
        assessed.map(({ record, assessment }) => ({
          id: record.id,
          tags: record.tags,
          md5: record.original.md5,
          assessment,
          ...(record.original.clip ? { durationS: record.original.clip.durationS } : {}),
          ...(record.capture ? { capture: record.capture } : {}),
        })),
        analysis.parameters,
      )
  const media = analysis.media.map((opened, index): AnalysedMedium => {
    const medium = assessed[index]
    invariant(medium?.record.id === opened.mediumId, 'media come in the order of their analysis')
    return {
      ...opened,
      sample: sandbox ? null : sampleFacts(medium.assessment),
      outputImages: outputImages(analysis, index, medium, folderId),
    }
  })
  const details = analysis.details && assessed.map((medium) => mediumDetail(analysis, verdict, medium))
  const used = {
    profile: profileName,
    assurance: sandbox ? 'none' : profile.assurance,
    networks: sandbox ? [] : kind.networks(profile, documents),
  }
  // Outcome, parameters and evidence are those of the analysis' own type.
  const decided = {
    ...analysis,
    ...verdict,
    media,
    models: used,
    details,
    updatedAtMs: nowMs(),
  } as AnalysisRecord
  if (!sandbox) onDecided?.(decided)
  return decided
}
