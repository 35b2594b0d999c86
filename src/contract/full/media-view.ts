import type { CaptureFacts } from '../../decide/capture.ts'
import { nameOfAsked } from '../../decide/challenge/step.ts'
import { classifyMovement } from '../../decide/clip-attack.ts'
import { findPoorReasons } from '../../decide/sample.ts'
import type { FolderRecord } from '../../records/folder.ts'
import {
  type ClipEvidence,
  frameFile,
  type MediumKind,
  type MediumRecord,
  mediumKind,
  type PictureFacts,
  round,
  type SampleFacts,
} from '../../records/medium.ts'
import type { EyePlaces } from '../../vision/face-outline.ts'
import type { SampleQuality } from '../../vision/quality.ts'
import type { Json } from '../spaced-json.ts'

/** What a view shows of a folder, and how it links to files. */
export interface ViewOptions {
  /** Liveness results also show `confidence_replay`. */
  showReplay: boolean
  /** Liveness results also show `confidence_liveness`, if it could be determined. */
  showLiveness: boolean
  /** The Lite service returns the same record, but with `null` for the ids of analyses and some times. */
  variant: 'full' | 'lite'
  /** Whether the answer contains pictures and details; lists and webhooks omit `image_b64` and `detail`. */
  pictures: boolean
  /** Address of a stored file. */
  linkTo(file: string): string
  /** Address of a frame of an archive. The server takes it from the archive; absent where no server does. */
  linkToFrame?(file: string): string
}

export const seconds = (milliseconds: number): number => milliseconds / 1000

export const secondsOrNull = (milliseconds: number | null): number | null =>
  milliseconds === null ? null : seconds(milliseconds)

export { round }

/** Sample quality as technical metadata. The names are our own, not part of the contract. */
export function qualityView(quality: SampleQuality): Json {
  const { pose } = quality
  return {
    face_side: quality.faceSide,
    face_share: quality.faceShare,
    sharpness: quality.sharpness,
    brightness: quality.brightness,
    underexposed: quality.underexposed,
    overexposed: quality.overexposed,
    noise: quality.noise,
    yaw: pose.yaw,
    pitch: pose.pitch,
    roll: pose.roll,
    eyes_hidden: quality.eyesHidden,
    mouth_hidden: quality.mouthHidden,
    colour: quality.colour,
    surroundings: quality.surroundings,
    blockiness: quality.blockiness,
    poor: findPoorReasons(quality),
  }
}

export const pictureInfo = ({ md5, size, width, height, mimeType }: PictureFacts): Json => ({
  md5,
  size,
  width,
  height,
  'mime-type': mimeType,
})

export function originalInfo({ original }: MediumRecord): Json {
  const { clip } = original
  const times = clip ? { duration: clip.durationS, FPS: clip.framesPerSecond } : {}
  return { ...times, ...(pictureInfo(original) as object) }
}

/** Names of a medium's id before API 6. */
export const legacyId: Record<MediumKind, string> = {
  IMAGE: 'image_id',
  VIDEO: 'video_id',
  SHOTS_SET: 'shots_set_id',
}

/** Timing as the container declares it. `info.video` has the duration and rate of the decoded frames. */
const timingView = (timing: NonNullable<ClipEvidence['timing']>): Json => ({
  declared_duration: timing.declaredS === null ? null : round(timing.declaredS),
  same_time: timing.sameTime,
  back_steps: timing.backSteps,
  fastest_FPS: timing.fastestRate === null ? null : round(timing.fastestRate, 2),
})

const movementView = (movement: ClipEvidence['movement']): Json => {
  if (movement.status !== 'measured') return { status: movement.status }
  const { status, frames, own, uncut, view, tilt, recurrence, jumpRecurrence, remainder } = movement
  const { blendRemainder, light } = movement
  return {
    status,
    tells: classifyMovement(movement),
    frames,
    own: round(own),
    uncut: round(uncut),
    view: round(view),
    tilt: round(tilt),
    recurrence: recurrence === null ? null : round(recurrence),
    jump_recurrence: jumpRecurrence === null ? null : round(jumpRecurrence),
    remainder: round(remainder),
    blend_remainder: blendRemainder === null ? null : round(blendRemainder),
    light: round(light),
  }
}

const identityView = ({
  frames,
  facing,
  agreeing,
  distance,
}: NonNullable<ClipEvidence['identity']>): Json => ({
  frames,
  facing,
  agreeing,
  normalised_distance: distance === null ? null : round(distance),
})

/** Evidence from a clip, including signs of an injected one. */
export const clipView = (clip: ClipEvidence): Json => ({
  frames: clip.frames,
  frames_without_face: clip.framesWithoutFace,
  repeated_frames: round(clip.repeatedShare),
  movement: movementView(clip.movement),
  identity: clip.identity ? identityView(clip.identity) : null,
  ...(clip.timing ? { timing: timingView(clip.timing) } : {}),
})

export const sampleView = ({ faces, quarterTurns, quality, clip }: SampleFacts): Json => ({
  faces,
  quarter_turns: quarterTurns,
  quality: quality ? qualityView(quality) : null,
  ...(clip ? { clip: clipView(clip) } : {}),
})

const eyesView = ({ right, left }: EyePlaces): Json => ({
  right: [right.x, right.y],
  left: [left.x, left.y],
})

/** What the page reported about a capture that came in a container, summarised. */
const captureView = ({ challenge, steps, frames, ageS, track, device }: CaptureFacts): Json => ({
  challenge: challenge.map(nameOfAsked),
  steps:
    steps?.map(({ gesture, fromS, toS, shown, isSoft, isSkipped }) => ({
      ...{ gesture, from: fromS, to: toS },
      ...(shown ? { shown: shown.map(([timeS, colour]) => [timeS, colour]) } : {}),
      ...(isSoft ? { soft: true } : {}),
      ...(isSkipped ? { skipped: true } : {}),
    })) ?? null,
  frames: frames && {
    count: frames.count,
    span: round(frames.spanS, 3),
    back_steps: frames.backSteps,
    repeated: round(frames.repeatedShare),
  },
  session_age: round(ageS, 3),
  track,
  device,
})

/** The part of a folder that the views of its media and analyses repeat. */
export type FolderHead = Pick<FolderRecord, 'id' | 'companyId' | 'createdAtMs'>

export const folderTime = (folder: FolderHead, { variant }: ViewOptions): number | null =>
  variant === 'full' ? seconds(folder.createdAtMs) : null

/** A medium in the format of the contract. Links are `null` if nothing was stored. */
export function mediumView(folder: FolderHead, medium: MediumRecord, options: ViewOptions): Json {
  const { files } = medium
  const kind = mediumKind(medium.original)
  const link = files && options.linkTo(files.original)
  return {
    media_id: medium.id,
    [legacyId[kind]]: medium.id,
    folder_id: folder.id,
    company_id: folder.companyId,
    media_type: `${kind}_FOLDER`,
    tags: medium.tags,
    original_name: medium.originalName,
    original_url: link,
    thumb_url: files && options.linkTo(files.thumbnail),
    video_url: kind === 'VIDEO' ? link : null,
    preview_url: files?.preview ? options.linkTo(files.preview) : null,
    info: {
      thumb: pictureInfo(medium.thumbnail),
      [kind === 'VIDEO' ? 'video' : 'original']: originalInfo(medium),
    },
    meta_data: medium.metadata as Json,
    technical_meta_data: {
      ...(medium.sample ? (sampleView(medium.sample) as object) : {}),
      ...(medium.sample?.eyes ? { eyes: eyesView(medium.sample.eyes) } : {}),
      ...(medium.capture ? { capture: captureView(medium.capture) } : {}),
    },
    time_created: seconds(medium.createdAtMs),
    time_updated: seconds(medium.updatedAtMs),
    folder_time_created: folderTime(folder, options),
  }
}

/** A medium as a source of an analysis: an archive lists its frames, in the order of their names. */
export function sourceMediumView(folder: FolderHead, medium: MediumRecord, options: ViewOptions): Json {
  const view = mediumView(folder, medium, options)
  const { id, original, files } = medium
  if (mediumKind(original) !== 'SHOTS_SET') return view
  const images = Array.from({ length: original.frames ?? 0 }, (_, index) => ({
    original_url: (files && options.linkToFrame?.(frameFile(folder.id, id, index))) ?? null,
  }))
  return { ...(view as object), images }
}

/** The snapshot of what has this id. The contract has only its path; the format is our own. */
export const snapshotView = (
  folder: FolderHead,
  id: string,
  files: { original: string; thumbnail: string | null },
  options: ViewOptions,
): Json => ({
  media_id: id,
  folder_id: folder.id,
  company_id: folder.companyId,
  media_type: 'IMAGE_FOLDER',
  original_name: 'snapshot.jpeg',
  original_url: options.linkTo(files.original),
  thumb_url: files.thumbnail && options.linkTo(files.thumbnail),
  folder_time_created: seconds(folder.createdAtMs),
})
