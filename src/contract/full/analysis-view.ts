import { encodeBase64 } from '../../base64.ts'
import type { Failure } from '../../decide/analysis.ts'
import { reasonTexts } from '../../decide/reasons.ts'
import type { AnalysedMedium, AnalysisRecord, OutputImage } from '../../records/analysis.ts'
import { explainAnalysis } from '../../records/explain-analysis.ts'
import type { FolderRecord } from '../../records/folder.ts'
import { type MediumRecord, mediumKind, type ShotKind } from '../../records/medium.ts'
import type { Json } from '../spaced-json.ts'
import { findAnalysisView } from './analysis-views/registry.ts'
import { detailsView } from './detail-view.ts'
import {
  clipView,
  type FolderHead,
  folderTime,
  legacyId,
  pictureInfo,
  qualityView,
  seconds,
  sourceMediumView,
  type ViewOptions,
} from './media-view.ts'

/** The part of a folder that the view of an analysis needs. */
type AnalysedFolder = FolderHead & Pick<FolderRecord, 'media'>

/** A medium of an analysis; `null` if it was removed while the analysis was read. */
const findMedium = (folder: AnalysedFolder, id: string): MediumRecord | null =>
  folder.media.find((candidate) => candidate.id === id) ?? null

const shotNames: Record<ShotKind, string> = {
  best: 'best.jpeg',
  action: 'ResultImageActionShot.jpeg',
  portrait: 'portrait.jpeg',
}

/** A shot of a medium. */
export function outputImageView(
  folder: FolderHead,
  analysis: Pick<AnalysisRecord, 'updatedAtMs'>,
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
    original_name: shotNames[image.kind],
    original_url: files && options.linkTo(files.original),
    thumb_url: files && options.linkTo(files.thumbnail),
    ...(options.pictures ? { image_b64: image.bytes && encodeBase64(image.bytes) } : {}),
    info: { thumb: pictureInfo(image.thumbnail), original: pictureInfo(image.original) },
    time_created: seconds(analysis.updatedAtMs),
  }
}

function resultsMedium(
  folder: AnalysedFolder,
  analysis: AnalysisRecord,
  { associationId, mediumId, outputImages }: AnalysedMedium,
  options: ViewOptions,
): Json {
  const analysisId = options.variant === 'full' ? analysis.id : null
  const medium = findMedium(folder, mediumId)
  return {
    company_id: folder.companyId,
    media_association_id: associationId,
    analysis_id: analysisId,
    analyse_id: analysisId,
    source_media_id: mediumId,
    [`source_${legacyId[medium ? mediumKind(medium.original) : 'IMAGE']}`]: mediumId,
    results_data: findAnalysisView(analysis).mediumResults(analysis, mediumId, options),
    output_images: outputImages.map((image) => outputImageView(folder, analysis, mediumId, image, options)),
    collection_persons: findAnalysisView(analysis).persons(analysis, mediumId),
    folder_time_created: folderTime(folder, options),
  }
}

/** Why the service declined it, in words: the rule, or else the gravest reason; `null` unless it did. */
export function declineReason(analysis: AnalysisRecord): string | null {
  const { outcome } = analysis
  if (outcome.status !== 'finished' || outcome.decision !== 'DECLINED') return null
  const [gravest] = explainAnalysis(analysis)
  return outcome.reason ?? (gravest ? reasonTexts[gravest.code].message : null)
}

/** Why the service did not decide it with success; `{}` before it has. */
function reasonsView(analysis: AnalysisRecord) {
  if (analysis.outcome.status === 'processing') return {}
  const reasons = explainAnalysis(analysis).map(({ code, mediumIds }) => {
    const { message, advice } = reasonTexts[code]
    return { code, message, advice, media_ids: mediumIds }
  })
  return { reasons }
}

/** Details of the result: whether it is one of a sandbox, reasons, networks, assurance, sample quality, raw distances. */
function technicalMetadata(analysis: AnalysisRecord, { pictures }: ViewOptions): Json {
  const { models, media, sandbox } = analysis
  const first = { ...(sandbox ? { sandbox } : {}), ...reasonsView(analysis) }
  if (!models) return first
  return {
    ...first,
    model_profile: models.profile,
    assurance: models.assurance,
    samples: media.map(({ mediumId, sample }) => ({
      media_id: mediumId,
      faces: sample?.faces ?? null,
      quality: sample?.quality ? qualityView(sample.quality) : null,
      ...(sample?.clip ? { clip: clipView(sample.clip) } : {}),
    })),
    models: models.networks,
    ...findAnalysisView(analysis).technical(analysis),
    ...(analysis.details && pictures ? { detail: detailsView(analysis.media, analysis.details) } : {}),
  }
}

/** A failure, with the place of its medium if there are several: the contract has no member for it. */
function toFailure({ code, message, mediumId }: Failure, media: readonly AnalysedMedium[]) {
  const place = media.findIndex((medium) => medium.mediumId === mediumId)
  const suffix = place < 0 || media.length === 1 ? '' : ` (medium ${place + 1} of ${media.length})`
  return { code, message: message + suffix }
}

/** State, system decision and error of an outcome, in the terms of the contract. */
function toVerdict({ outcome, media }: AnalysisRecord) {
  if (outcome.status === 'processing')
    return { state: 'PROCESSING', resolution: 'PROCESSING', failure: null } as const
  if (outcome.status === 'finished')
    return { state: 'FINISHED', resolution: outcome.decision, failure: null } as const
  const failure = toFailure(outcome.failure, media)
  return { state: 'FAILED', resolution: 'FAILED', failure } as const
}

/** An analysis in the format of the contract. */
export function analysisView(folder: AnalysedFolder, analysis: AnalysisRecord, options: ViewOptions): Json {
  const { state, resolution, failure } = toVerdict(analysis)
  const { operator } = analysis
  const shown = options.variant === 'full'
  // A failed analysis stays failed, whatever is decided on its case.
  const status = (state === 'FINISHED' ? operator?.decision : null) ?? resolution
  return {
    analysis_id: shown ? analysis.id : null,
    analyse_id: shown ? analysis.id : null,
    folder_id: folder.id,
    company_id: folder.companyId,
    group_id: shown ? analysis.groupId : null,
    type: findAnalysisView(analysis).word,
    state,
    resolution: status,
    resolution_status: status,
    system_resolution: resolution,
    resolution_operator: operator?.decision ?? null,
    resolution_comment: operator?.comment ?? '',
    results_data: findAnalysisView(analysis).results(analysis),
    confs: findAnalysisView(analysis).confs(analysis),
    error_code: failure?.code ?? null,
    error_message: failure?.message ?? null,
    decline_reason: declineReason(analysis),
    meta_data: analysis.metadata as Json,
    technical_meta_data: technicalMetadata(analysis, options),
    source_media: analysis.media.flatMap(({ mediumId }) => {
      const medium = findMedium(folder, mediumId)
      return medium ? [sourceMediumView(folder, medium, options)] : []
    }),
    results_media: analysis.media.map((medium) => resultsMedium(folder, analysis, medium, options)),
    time_created: seconds(analysis.createdAtMs),
    time_updated: seconds(analysis.updatedAtMs),
    folder_time_created: folderTime(folder, options),
  }
}
