/** From an open analysis and what was found in its media to a decided one. */
import type { AnalysisDeps } from '../analyses/analysis-kind.ts'
import { kindOf } from '../analyses/registry.ts'
import type { CodedImage, Findings } from '../assess/assessment.ts'
import { invariant } from '../errors.ts'
import type { Profile, ProfileName } from '../inference/manifest.ts'
import type { AnalysedMedium, AnalysisRecord, OutputImage } from '../records/analysis.ts'
import {
  codedFacts,
  type MediumRecord,
  type PictureFacts,
  type ShotKind,
  sampleFacts,
  shotFile,
} from '../records/medium.ts'

/** A medium with what was found in it. */
export interface AssessedMedium {
  record: MediumRecord
  findings: Findings
  /** The best shot: fresh with its bytes, or as it was stored. */
  bestShot: CodedImage | PictureFacts | null
  /** The same of the action shot. */
  actionShot: CodedImage | PictureFacts | null
}

export interface DecidingDeps extends AnalysisDeps {
  profileName: ProfileName
  profile: Profile
  nowMs(): number
  randomId(): string
}

function outputImages(
  analysis: AnalysisRecord,
  { record, bestShot, actionShot }: AssessedMedium,
  folderId: string,
  randomId: () => string,
): OutputImage[] {
  const shown = kindOf(analysis).shots(analysis.parameters)
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
    ...(shown.best ? output('best', bestShot) : []),
    ...(shown.action ? output('action', actionShot) : []),
  ]
}

function analysedMedium(
  parts: DecidingDeps,
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
 * @throws {AppError} as `AnalysisKind.decide`
 */
export async function decideAnalysis(
  parts: DecidingDeps,
  analysis: AnalysisRecord,
  media: readonly AssessedMedium[],
  folderId: string,
): Promise<AnalysisRecord> {
  const { profileName, profile } = parts
  const decided = media.map(({ record, findings }) => ({
    id: record.id,
    tags: record.tags,
    md5: record.original.md5,
    assessment: findings,
  }))
  const kind = kindOf(analysis)
  const verdict = await kind.decide(parts, decided, analysis.parameters)
  const models = { profile: profileName, assurance: profile.assurance, networks: kind.networks(profile) }
  const seen = analysis.media.map((opened, index) => {
    const medium = media[index]
    invariant(medium?.record.id === opened.mediumId, 'media come in the order of their analysis')
    return analysedMedium(parts, analysis, opened, medium, folderId)
  })
  // Outcome, parameters and evidence are those of the analysis' own type.
  return { ...analysis, ...verdict, media: seen, models, updatedAtMs: parts.nowMs() } as AnalysisRecord
}
