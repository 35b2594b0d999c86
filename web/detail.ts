/** How a result came about: `technical_meta_data` of analyses, with `detail` in the payload. Places are pixels of the upright picture. */

export type Point = [x: number, y: number]
export type Box = [x: number, y: number, width: number, height: number]

export interface Frame {
  time: number
  box: Box | null
  yaw?: number
  pitch?: number
  sharpness?: number
  eye_openness?: number
  mouth_width?: number
  shot_score?: number
  attack?: number
  normalised_distance?: number
}

interface NetworkView {
  view: string
  live: number
  replay: number | null
  weight: number
}

export interface Picture {
  width: number
  height: number
  time: number | null
  faces: { box: Box; confidence: number; keypoints: Record<string, Point> }[]
  landmarks: Record<string, Point[]> | null
  networks?: { views: NetworkView[]; bias: number; softness: number; reliability: number }
  frames?: Frame[]
}

export interface MediumDetail {
  media_id: string
  score_parts: Record<string, number | null>
  picture: Picture | null
  timings: Record<string, number> | null
}

export interface Bounds {
  min?: number
  max?: number
}

export interface Sample {
  media_id: string
  faces: number | null
  quality: (Record<string, number | null> & { poor?: string[] }) | null
}
