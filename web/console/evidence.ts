/** The evidence of an analysis, as its answer has it. */
import type { Analysis, Medium } from '../../client/index.ts'
import type { Bounds, MediumDetail, Sample } from '../detail.ts'

interface Comparison {
  media_ids: string[]
  confidence: number
}

interface Gesture {
  media_id: string
  gesture: string
  performed: boolean
}

/** Members that depend on the type of the analysis, and places of which the schemas know no more than that they are numbers. */
interface Technical {
  model_profile?: string
  assurance?: string
  comparisons?: Comparison[]
  samples?: Sample[]
  collection_complete?: boolean
  gestures?: Gesture[]
  detail?: { quality_bounds: Record<string, Bounds>; media: MediumDetail[] }
}

export const technicalOf = ({ technical_meta_data }: Analysis): Technical =>
  technical_meta_data as unknown as Technical

export const sampleOf = (analysis: Analysis, mediumId: string): Sample | null =>
  technicalOf(analysis).samples?.find(({ media_id }) => media_id === mediumId) ?? null

export const detailOf = (analysis: Analysis, mediumId: string): MediumDetail | null =>
  technicalOf(analysis).detail?.media.find(({ media_id }) => media_id === mediumId) ?? null

/** What is known of a medium's picture, from the newest analysis that tells. */
export function pictureOf(analyses: readonly Analysis[], mediumId: string) {
  const told = [...analyses].reverse().map((analysis) => detailOf(analysis, mediumId)?.picture ?? null)
  return told.find((picture) => picture !== null) ?? null
}

/** The link to the picture of an archive of one; `null` for other media, and for those that no analysis has used. */
export function onlyFrameOf(analyses: readonly Analysis[], mediumId: string): string | null {
  const sources = analyses.flatMap(({ source_media }) => source_media)
  const frames = sources.find(({ media_id }) => media_id === mediumId)?.images ?? []
  return frames.length === 1 ? frames[0]!.original_url : null
}

/** The link to what analyses have made of a medium, by its file's name; `null` if none has. */
export function outputOf(analyses: readonly Analysis[], mediumId: string, name: string): string | null {
  const results = analyses.flatMap(({ results_media }) => results_media)
  const images = results.flatMap(({ source_media_id, output_images }) =>
    source_media_id === mediumId ? output_images : [],
  )
  return images.find(({ original_name }) => original_name === name)?.original_url ?? null
}

export const confOf = ({ confs }: Analysis, name: string): number | null => {
  const value = confs[name]
  return typeof value === 'number' ? value : null
}

export type DocumentField = NonNullable<NonNullable<Analysis['results_data']>['text_fields']>[number]

/** Fields of a document that did not pass, of those that its decision depends on. */
export function doubtsOf({ results_data, confs }: Analysis): readonly DocumentField[] {
  const { fields_to_check: wanted } = confs
  return (results_data?.text_fields ?? []).filter(
    ({ field_name, status }) =>
      status !== 'SUCCESS' && (!Array.isArray(wanted) || wanted.includes(field_name)),
  )
}

export const turnsOf = ({ technical_meta_data }: Medium): number => technical_meta_data.quarter_turns ?? 0

export const isClip = ({ media_type }: Medium): boolean => media_type.startsWith('VIDEO')

const documentTag = /^photo_id/

export const isDocument = ({ tags }: Medium): boolean => tags.some((tag) => documentTag.test(tag))

/** How the media of a folder are named in its analyses. */
type NameMedium = (mediumId: string) => string

export interface EvidenceProps {
  analysis: Analysis
  nameMedium: NameMedium
}
