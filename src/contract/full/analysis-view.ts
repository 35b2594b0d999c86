import { invariant } from '../../errors.ts'
import type { AnalysisRecord, FolderRecord, MediumRecord } from '../../folders/folder-record.ts'
import { encodeBase64 } from '../base64.ts'
import type { Json } from '../spaced-json.ts'
import {
  codedImageInfo,
  folderTime,
  mediumView,
  qualityView,
  seconds,
  type ViewOptions,
} from './media-view.ts'

function mediumOf(folder: FolderRecord, id: string): MediumRecord {
  const medium = folder.media.find((candidate) => candidate.id === id)
  invariant(medium, 'an analysis refers to media of its folder')
  return medium
}

/** The best shot of a medium, `[]` where none was asked for or no face was found. */
function outputImages(
  folder: FolderRecord,
  medium: MediumRecord,
  analysis: AnalysisRecord,
  options: ViewOptions,
): Json {
  const { bestShot, thumbnail } = medium.assessment
  if (analysis.type !== 'QUALITY' || !analysis.parameters.extractBestShot || !bestShot) return []
  const id = options.randomId()
  return [
    {
      media_id: id,
      image_id: id,
      media_association_id: medium.id,
      folder_id: folder.id,
      company_id: folder.companyId,
      media_type: 'IMAGE_FOLDER',
      tags: [],
      original_name: 'best.jpeg',
      original_url: null,
      thumb_url: null,
      image_b64: encodeBase64(bestShot.bytes),
      info: { thumb: codedImageInfo(thumbnail), original: codedImageInfo(bestShot) },
      time_created: seconds(analysis.finishedAtMs),
    },
  ]
}

function mediumResults(analysis: AnalysisRecord, mediumId: string, showReplay: boolean): Json {
  if (analysis.type !== 'QUALITY') return null
  const result = analysis.results.find((candidate) => candidate.mediumId === mediumId)
  if (!result) return null
  return {
    confidence_spoofing: result.attack,
    ...(showReplay ? { confidence_replay: result.replay } : {}),
  }
}

function resultsMedia(folder: FolderRecord, analysis: AnalysisRecord, options: ViewOptions): Json[] {
  const analysisId = options.variant === 'full' ? analysis.id : null
  return analysis.mediumIds.map((mediumId) => ({
    company_id: folder.companyId,
    media_association_id: options.randomId(),
    analysis_id: analysisId,
    analyse_id: analysisId,
    source_media_id: mediumId,
    source_image_id: mediumId,
    results_data: mediumResults(analysis, mediumId, options.showReplay),
    output_images: outputImages(folder, mediumOf(folder, mediumId), analysis, options),
    collection_persons: [],
    folder_time_created: folderTime(folder, options),
  }))
}

function resultsData(analysis: AnalysisRecord): Json {
  if (analysis.type === 'QUALITY') {
    return analysis.worstAttack === null ? null : { confidence_spoofing: analysis.worstAttack }
  }
  if (analysis.pairs.length === 0) return null
  const scores = analysis.pairs.map(({ score }) => score)
  return { max_confidence: Math.max(...scores), min_confidence: Math.min(...scores) }
}

function confs(analysis: AnalysisRecord): Json {
  if (analysis.type === 'BIOMETRY') {
    const { min, max } = analysis.parameters.band
    return { threshold_min: min, threshold_max: max }
  }
  const { thresholdSpoofing, extractBestShot } = analysis.parameters
  return {
    threshold_replay: null,
    threshold_liveness: null,
    threshold_spoofing: thresholdSpoofing,
    extract_best_shot: extractBestShot,
  }
}

/** How the answer came about: networks, assurance, sample quality, raw distances. */
function technicalMetadata(folder: FolderRecord, analysis: AnalysisRecord, options: ViewOptions): Json {
  const { profileName, profile } = options
  const common = {
    model_profile: profileName,
    assurance: profile.assurance,
    samples: analysis.mediumIds.map((mediumId) => {
      const { subject, faces } = mediumOf(folder, mediumId).assessment
      return {
        media_id: mediumId,
        faces: faces.length,
        quality: subject ? qualityView(subject.quality) : null,
      }
    }),
  }
  if (analysis.type === 'QUALITY')
    return { ...common, models: [profile.detector, profile.landmarks, ...profile.pad] }
  return {
    ...common,
    models: [profile.detector, profile.landmarks, profile.template],
    cohort: analysis.cohortId,
    comparisons: analysis.pairs.map((pair) => ({
      media_ids: pair.mediumIds,
      confidence: pair.score,
      distance: pair.distance,
      normalised_distance: pair.normalisedDistance,
    })),
  }
}

/** An analysis as the contract shows it. */
export function analysisView(folder: FolderRecord, analysis: AnalysisRecord, options: ViewOptions): Json {
  const { outcome } = analysis
  const resolution = outcome.status === 'finished' ? outcome.decision : 'FAILED'
  const failure = outcome.status === 'failed' ? outcome.failure : null
  const shown = options.variant === 'full'
  return {
    analysis_id: shown ? analysis.id : null,
    analyse_id: shown ? analysis.id : null,
    folder_id: folder.id,
    company_id: folder.companyId,
    group_id: shown ? analysis.groupId : null,
    type: analysis.type,
    state: outcome.status === 'finished' ? 'FINISHED' : 'FAILED',
    resolution,
    resolution_status: resolution,
    system_resolution: resolution,
    resolution_operator: null,
    resolution_comment: '',
    results_data: resultsData(analysis),
    confs: confs(analysis),
    error_code: failure?.code ?? null,
    error_message: failure?.message ?? null,
    meta_data: analysis.metadata as Json,
    technical_meta_data: technicalMetadata(folder, analysis, options),
    source_media: analysis.mediumIds.map((id) => mediumView(folder, mediumOf(folder, id), options)),
    results_media: resultsMedia(folder, analysis, options),
    time_created: seconds(analysis.createdAtMs),
    time_updated: seconds(analysis.finishedAtMs),
    folder_time_created: folderTime(folder, options),
  }
}
