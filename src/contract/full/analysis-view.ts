import type { Comparison } from '../../decide/comparison.ts'
import type { MediumLiveness } from '../../decide/quality.ts'
import type {
  AnalysedMedium,
  AnalysisRecord,
  CollectionAnalysis,
  OutputImage,
} from '../../records/analysis.ts'
import type { FolderRecord } from '../../records/folder.ts'
import { type MediumRecord, mediumKind } from '../../records/medium.ts'
import { encodeBase64 } from '../base64.ts'
import type { Json } from '../spaced-json.ts'
import {
  clipView,
  type FolderHead,
  folderTime,
  legacyId,
  mediumView,
  pictureInfo,
  qualityView,
  rounded,
  seconds,
  type ViewOptions,
} from './media-view.ts'

/** The part of a folder that an analysis is shown with. */
export type AnalysedFolder = FolderHead & Pick<FolderRecord, 'media'>

/** A medium of an analysis; `null` where it was removed while the analysis was being read. */
const mediumOf = (folder: AnalysedFolder, id: string): MediumRecord | null =>
  folder.media.find((candidate) => candidate.id === id) ?? null

/** The best shot of a medium. */
function outputImageView(
  folder: FolderHead,
  analysis: AnalysisRecord,
  mediumId: string,
  image: OutputImage,
  options: ViewOptions,
): Json {
  const { files } = image
  return {
    media_id: image.id,
    image_id: image.id,
    media_association_id: mediumId,
    folder_id: folder.id,
    company_id: folder.companyId,
    media_type: 'IMAGE_FOLDER',
    tags: [],
    original_name: image.name,
    original_url: files && options.linkTo(files.original),
    thumb_url: files && options.linkTo(files.thumbnail),
    ...(options.pictures ? { image_b64: image.bytes && encodeBase64(image.bytes) } : {}),
    info: { thumb: pictureInfo(image.thumbnail), original: pictureInfo(image.original) },
    time_created: seconds(analysis.updatedAtMs),
  }
}

function mediumResults(analysis: AnalysisRecord, mediumId: string, options: ViewOptions): Json {
  if (analysis.type !== 'QUALITY') return null
  const result = analysis.evidence?.results.find((candidate) => candidate.mediumId === mediumId)
  if (!result) return null
  return {
    confidence_spoofing: result.attack,
    ...(options.showReplay ? { confidence_replay: result.replay } : {}),
    ...(options.showLiveness && result.liveness !== null ? { confidence_liveness: result.liveness } : {}),
  }
}

/** The persons that a medium's subject may be. */
function hitsView(analysis: AnalysisRecord, mediumId: string): Json {
  if (analysis.type !== 'COLLECTION') return []
  const found = analysis.evidence?.found.find((candidate) => candidate.mediumId === mediumId)
  return (found?.hits ?? []).map((hit) => ({
    person_id: hit.personId,
    collection_id: analysis.parameters.collectionId,
    confidence: hit.score,
    person_image_id: hit.imageId,
    media_id: hit.imageId,
  }))
}

function resultsMedium(
  folder: AnalysedFolder,
  analysis: AnalysisRecord,
  { associationId, mediumId, outputImages }: AnalysedMedium,
  options: ViewOptions,
): Json {
  const analysisId = options.variant === 'full' ? analysis.id : null
  const medium = mediumOf(folder, mediumId)
  return {
    company_id: folder.companyId,
    media_association_id: associationId,
    analysis_id: analysisId,
    analyse_id: analysisId,
    source_media_id: mediumId,
    [`source_${legacyId[medium ? mediumKind(medium.original) : 'IMAGE']}`]: mediumId,
    results_data: mediumResults(analysis, mediumId, options),
    output_images: outputImages.map((image) => outputImageView(folder, analysis, mediumId, image, options)),
    collection_persons: hitsView(analysis, mediumId),
    folder_time_created: folderTime(folder, options),
  }
}

/** Score of the best hit of each medium that has any. */
const bestHits = ({ evidence }: CollectionAnalysis): number[] =>
  evidence?.found.flatMap(({ hits: [best] }) => (best ? [best.score] : [])) ?? []

function resultsData(analysis: AnalysisRecord): Json {
  if (analysis.type === 'QUALITY') {
    const worst = analysis.evidence?.worstAttack ?? null
    return worst === null ? null : { confidence_spoofing: worst }
  }
  const scores =
    analysis.type === 'COLLECTION'
      ? bestHits(analysis)
      : (analysis.evidence?.pairs.map(({ score }) => score) ?? [])
  if (scores.length === 0) return null
  return { max_confidence: Math.max(...scores), min_confidence: Math.min(...scores) }
}

function confs(analysis: AnalysisRecord): Json {
  if (analysis.type === 'BIOMETRY') {
    const { min, max } = analysis.parameters.band
    return { threshold_min: min, threshold_max: max }
  }
  if (analysis.type === 'COLLECTION') {
    const { collectionId, countMax, band } = analysis.parameters
    return {
      collection_id: collectionId,
      decision_count: countMax,
      decision_threshold: band.max,
      threshold_min: band.min,
      threshold_max: band.max,
    }
  }
  const { thresholdSpoofing, extractBestShot } = analysis.parameters
  return {
    threshold_replay: null,
    threshold_liveness: null,
    threshold_spoofing: thresholdSpoofing,
    extract_best_shot: extractBestShot,
  }
}

/** What became of the gesture that a clip's tags ask for, `[]` for none. */
const gestureView = ({ mediumId, gesture }: MediumLiveness): Json[] =>
  gesture
    ? [
        {
          media_id: mediumId,
          gesture: gesture.name,
          performed: gesture.isPerformed,
          score: rounded(gesture.score),
          time: gesture.timeS,
        },
      ]
    : []

const comparisonView = ({ score, distance, normalisedDistance }: Comparison) => ({
  confidence: score,
  distance,
  normalised_distance: normalisedDistance,
})

/** How the answer came about: networks, assurance, sample quality, raw distances. */
function technicalMetadata(analysis: AnalysisRecord): Json {
  const { models, media } = analysis
  if (!models) return {}
  const common = {
    model_profile: models.profile,
    assurance: models.assurance,
    samples: media.map(({ mediumId, sample }) => ({
      media_id: mediumId,
      faces: sample?.faces ?? null,
      quality: sample?.quality ? qualityView(sample.quality) : null,
      ...(sample?.clip ? { clip: clipView(sample.clip) } : {}),
    })),
    models: models.networks,
  }
  if (!analysis.evidence) return common
  if (analysis.type === 'QUALITY') {
    const gestures = analysis.evidence.results.flatMap(gestureView)
    return gestures.length === 0 ? common : { ...common, gestures }
  }
  if (analysis.type === 'COLLECTION') {
    return {
      ...common,
      cohort: analysis.evidence.cohortId,
      collection_complete: analysis.evidence.isComplete,
      comparisons: analysis.evidence.found.flatMap(({ mediumId, hits }) =>
        hits.map((hit) => ({ media_ids: [mediumId, hit.imageId], ...comparisonView(hit) })),
      ),
    }
  }
  return {
    ...common,
    cohort: analysis.evidence.cohortId,
    comparisons: analysis.evidence.pairs.map((pair) => ({
      media_ids: pair.mediumIds,
      ...comparisonView(pair),
    })),
  }
}

/** State, machine verdict, error of an outcome in the contract's words. */
function verdictOf({ outcome }: AnalysisRecord) {
  if (outcome.status === 'processing')
    return { state: 'PROCESSING', resolution: 'PROCESSING', failure: null } as const
  if (outcome.status === 'finished')
    return { state: 'FINISHED', resolution: outcome.decision, failure: null } as const
  return { state: 'FAILED', resolution: 'FAILED', failure: outcome.failure } as const
}

/** An analysis as the contract shows it. */
export function analysisView(folder: AnalysedFolder, analysis: AnalysisRecord, options: ViewOptions): Json {
  const { state, resolution, failure } = verdictOf(analysis)
  const { operator } = analysis
  const shown = options.variant === 'full'
  const status = operator?.decision ?? resolution
  return {
    analysis_id: shown ? analysis.id : null,
    analyse_id: shown ? analysis.id : null,
    folder_id: folder.id,
    company_id: folder.companyId,
    group_id: shown ? analysis.groupId : null,
    type: analysis.type,
    state,
    resolution: status,
    resolution_status: status,
    system_resolution: resolution,
    resolution_operator: operator?.decision ?? null,
    resolution_comment: operator?.comment ?? '',
    results_data: resultsData(analysis),
    confs: confs(analysis),
    error_code: failure?.code ?? null,
    error_message: failure?.message ?? null,
    meta_data: analysis.metadata as Json,
    technical_meta_data: technicalMetadata(analysis),
    source_media: analysis.media.flatMap(({ mediumId }) => {
      const medium = mediumOf(folder, mediumId)
      return medium ? [mediumView(folder, medium, options)] : []
    }),
    results_media: analysis.media.map((medium) => resultsMedium(folder, analysis, medium, options)),
    time_created: seconds(analysis.createdAtMs),
    time_updated: seconds(analysis.updatedAtMs),
    folder_time_created: folderTime(folder, options),
  }
}
