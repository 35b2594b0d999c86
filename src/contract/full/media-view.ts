import type { CodedImage } from '../../assess/assessment.ts'
import type { FolderRecord, MediumRecord } from '../../folders/folder-record.ts'
import type { Profile, ProfileName } from '../../inference/manifest.ts'
import type { SampleQuality } from '../../vision/quality.ts'
import type { Json } from '../spaced-json.ts'

/** How much of a folder is shown, and what the view has to know besides it. */
export interface ViewOptions {
  profileName: ProfileName
  profile: Profile
  /** Liveness results also show `confidence_replay`. */
  showReplay: boolean
  /** The Lite service shows the same record with the ids of analyses and some times left null. */
  variant: 'full' | 'lite'
  randomId(): string
}

export const seconds = (milliseconds: number): number => milliseconds / 1000

const rounded = (value: number, digits = 4): number => Number(value.toFixed(digits))

/** Sample quality as technical metadata, in our own words. */
export function qualityView(quality: SampleQuality): Json {
  const { pose } = quality
  return {
    face_side: rounded(quality.faceSide, 1),
    face_share: rounded(quality.faceShare),
    sharpness: rounded(quality.sharpness),
    brightness: rounded(quality.brightness),
    underexposed: rounded(quality.underexposed),
    overexposed: rounded(quality.overexposed),
    noise: rounded(quality.noise, 2),
    yaw: rounded(pose.yaw, 1),
    pitch: rounded(pose.pitch, 1),
    roll: rounded(pose.roll, 1),
    eyes_hidden: rounded(quality.eyesHidden),
    mouth_hidden: rounded(quality.mouthHidden),
  }
}

export function codedImageInfo({ md5, bytes, width, height, mimeType }: CodedImage): Json {
  return { md5, size: bytes.length, width, height, 'mime-type': mimeType }
}

export const folderTime = (folder: FolderRecord, { variant }: ViewOptions): number | null =>
  variant === 'full' ? seconds(folder.createdAtMs) : null

/** A medium as the contract shows it. Links are null: nothing was stored. */
export function mediumView(folder: FolderRecord, medium: MediumRecord, options: ViewOptions): Json {
  const { assessment } = medium
  const { source, subject } = assessment
  return {
    media_id: medium.id,
    image_id: medium.id,
    folder_id: folder.id,
    company_id: folder.companyId,
    media_type: 'IMAGE_FOLDER',
    tags: medium.tags,
    original_name: medium.originalName,
    original_url: null,
    thumb_url: null,
    video_url: null,
    preview_url: null,
    info: {
      thumb: codedImageInfo(assessment.thumbnail),
      original: {
        md5: source.md5,
        size: source.size,
        width: source.width,
        height: source.height,
        'mime-type': source.mimeType,
      },
    },
    meta_data: medium.metadata as Json,
    technical_meta_data: {
      faces: assessment.faces.length,
      quarter_turns: assessment.quarterTurns,
      quality: subject ? qualityView(subject.quality) : null,
    },
    time_created: seconds(medium.createdAtMs),
    time_updated: seconds(medium.createdAtMs),
    folder_time_created: folderTime(folder, options),
  }
}
