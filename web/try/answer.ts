/** The answers of the service, as far as the page shows them. */

import type { Reason } from '../../client/index.ts'
import type { Bounds, MediumDetail, Sample } from '../detail.ts'

export type * from '../detail.ts'

export interface Medium {
  media_id: string
  tags: string[]
  technical_meta_data: { quarter_turns?: number }
}

export interface Analysis {
  type: string
  resolution: 'SUCCESS' | 'DECLINED' | 'OPERATOR_REQUIRED' | 'FAILED'
  error_code: number | null
  confs: Record<string, number>
  results_data: { confidence_spoofing?: number } | null
  results_media: { source_media_id: string; output_images: { image_b64?: string | null }[] }[]
  source_media: Medium[]
  technical_meta_data: {
    sandbox?: string
    reasons?: Reason[]
    model_profile?: string
    assurance?: string
    samples?: Sample[]
    comparisons?: { media_ids: string[]; confidence: number; normalised_distance: number }[]
    detail?: { quality_bounds: Record<string, Bounds>; media: MediumDetail[] }
  }
}

export interface Folder {
  media: Medium[]
  analyses: Analysis[]
}

/** Lite's comparison of two photos. */
export interface LiteMatch {
  score: number
  decision: string
}

export interface CheckAnswer {
  service: 'instant' | 'lite'
  folder: Folder
  /** The same without pictures, for reading and copying. */
  text: string
  /** Lite compares two photos in a call of its own. */
  match: LiteMatch | { message: string } | null
  totalMs: number
}

/** The tag of the ID. */
export const idTag = 'photo_id_front'

export const isId = ({ tags }: Medium): boolean => tags.includes(idTag)

export const analysisOf = ({ analyses }: Folder, type: string): Analysis | null =>
  analyses.find((analysis) => analysis.type === type) ?? null

/** What an analysis says about one medium. */
export function mediumOf(analysis: Analysis | null, id: string | undefined) {
  const { samples = [], detail } = analysis?.technical_meta_data ?? {}
  return {
    sample: samples.find(({ media_id }) => media_id === id) ?? null,
    detail: detail?.media.find(({ media_id }) => media_id === id) ?? null,
  }
}
