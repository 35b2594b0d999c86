/** From an open analysis and what was found in its media to a decided one. */
import type { CodedImage, Findings } from '../assess/assessment.ts'
import { decideVerification } from '../decide/biometry.ts'
import { decideLiveness } from '../decide/quality.ts'
import { invariant } from '../errors.ts'
import type { Profile, ProfileName } from '../inference/manifest.ts'
import type { AnalysedMedium, AnalysisRecord, AnalysisSubject, OutputImage } from '../records/analysis.ts'
import {
  codedFacts,
  type MediumRecord,
  type PictureFacts,
  type ShotKind,
  sampleFacts,
  shotFile,
} from '../records/medium.ts'
import { type SearchingParts, searchCollection } from './search-collection.ts'

/** A medium with what was found in it. */
export interface AssessedMedium {
  record: MediumRecord
  findings: Findings
  /** The best shot: fresh with its bytes, or as it was stored. */
  bestShot: CodedImage | PictureFacts | null
  /** The same of the action shot. */
  actionShot: CodedImage | PictureFacts | null
}

export interface DecidingParts extends SearchingParts {
  profileName: ProfileName
  profile: Profile
  nowMs(): number
  randomId(): string
}

function outputImages(
  analysis: AnalysisSubject,
  { record, bestShot, actionShot }: AssessedMedium,
  folderId: string,
  randomId: () => string,
): OutputImage[] {
  if (analysis.type !== 'liveness') return []
  const { extractBestShot, extractActionShot } = analysis.parameters
  const output = (kind: ShotKind, shot: CodedImage | PictureFacts | null): OutputImage[] => {
    if (!shot) return []
    const fresh = 'bytes' in shot
    return [
      {
        id: randomId(),
        kind,
        original: fresh ? codedFacts(shot) : shot,
        thumbnail: record.thumbnail,
        files: record.files && {
          original: shotFile(folderId, record.id, kind),
          thumbnail: record.files.thumbnail,
        },
        bytes: fresh ? shot.bytes : null,
      },
    ]
  }
  return [
    ...(extractBestShot ? output('best', bestShot) : []),
    ...(extractActionShot ? output('action', actionShot) : []),
  ]
}

function analysedMedium(
  parts: DecidingParts,
  analysis: AnalysisRecord,
  opened: AnalysedMedium,
  medium: AssessedMedium,
  folderId: string,
): AnalysedMedium {
  return {
    ...opened,
    sample: sampleFacts(medium.findings),
    outputImages: outputImages(analysis, medium, folderId, parts.randomId),
  }
}

/**
 * @param media the media of the analysis in its order
 * @throws {AppError} as `searchCollection`
 */
export async function decideAnalysis(
  parts: DecidingParts,
  analysis: AnalysisRecord,
  media: readonly AssessedMedium[],
  folderId: string,
): Promise<AnalysisRecord> {
  const { cohort, profileName, profile } = parts
  const decided = media.map(({ record, findings }) => ({
    id: record.id,
    tags: record.tags,
    md5: record.original.md5,
    assessment: findings,
  }))
  const common = {
    media: analysis.media.map((opened, index) => {
      const medium = media[index]
      invariant(medium?.record.id === opened.mediumId, 'media come in the order of their analysis')
      return analysedMedium(parts, analysis, opened, medium, folderId)
    }),
    updatedAtMs: parts.nowMs(),
  }
  const used = { profile: profileName, assurance: profile.assurance }
  const { detector, landmarks, template, pad } = profile
  if (analysis.type === 'liveness') {
    const { outcome, media: results, worstAttack } = decideLiveness(decided, analysis.parameters)
    const models = { ...used, networks: [detector, landmarks, ...pad] }
    return { ...analysis, ...common, outcome, models, evidence: { results, worstAttack } }
  }
  const models = { ...used, networks: [detector, landmarks, template] }
  if (analysis.type === 'identification') {
    const { outcome, band, ...found } = await searchCollection(parts, decided, analysis.parameters)
    const parameters = { ...analysis.parameters, band }
    return {
      ...analysis,
      ...common,
      parameters,
      outcome,
      models,
      evidence: { ...found, cohortId: cohort.id },
    }
  }
  const { outcome, pairs } = decideVerification(cohort, decided, analysis.parameters)
  return { ...analysis, ...common, outcome, models, evidence: { pairs, cohortId: cohort.id } }
}
