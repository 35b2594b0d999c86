import type { Assessment, ClipFindings, CodedImage, Findings, Shot } from '../assess/assessment.ts'
import type { CaptureFacts } from '../decide/capture.ts'
import { zipType } from '../media/archive/archive-header.ts'
import type { EyePlaces } from '../vision/face-outline.ts'
import type { Point } from '../vision/geometry.ts'
import type { SampleQuality } from '../vision/quality.ts'
import { extensionOfType, isClipType } from './file-types.ts'

/** The caller's own fields, stored and returned unchanged. */
export type Metadata = Readonly<Record<string, unknown>>

/** The facts about an encoded picture. */
export interface PictureFacts {
  md5: string
  /** Bytes. */
  size: number
  width: number
  height: number
  mimeType: string
}

/** The facts about a picture taken from a medium. */
export interface ShotFacts extends PictureFacts {
  /** Absent if the thumbnail of the medium shows the same. */
  thumbnail?: PictureFacts
}

/** The facts about a clip, besides those of a picture. */
interface ClipFacts {
  durationS: number
  framesPerSecond: number
}

/** The facts about a medium as it was uploaded. */
export interface OriginalFacts extends PictureFacts {
  /** Absent for pictures. */
  clip?: ClipFacts
  /** Number of pictures in an archive; absent for other media. */
  frames?: number
  /** Absent where nothing middle-sized was stored: the picture is small itself, or Workers have no encoder of animations. */
  hasPreview?: true
}

/** The kinds of media in the contract. */
export type MediumKind = 'IMAGE' | 'VIDEO' | 'SHOTS_SET'

export function mediumKind({ mimeType }: Pick<PictureFacts, 'mimeType'>): MediumKind {
  if (isClipType(mimeType)) return 'VIDEO'
  return mimeType === zipType ? 'SHOTS_SET' : 'IMAGE'
}

/** Names in the blob store. */
export interface PictureFiles {
  original: string
  thumbnail: string
  /** Something middle-sized to look at. */
  preview?: string
}

/** Evidence from a clip besides its best frame, without gestures and what challenges are measured on. */
export type ClipEvidence = Omit<ClipFindings, 'gestures' | 'light' | 'approach'>

/** The facts that an analysis found about a medium, besides its scores. */
export interface SampleFacts {
  faces: number
  quarterTurns: number
  /** Rounded as in answers; `null` without a face. */
  quality: SampleQuality | null
  /** Rounded as in answers; absent without a face, and in samples of earlier releases. */
  eyes?: EyePlaces
  /** Absent for photos. */
  clip?: ClipEvidence
}

export interface MediumRecord {
  id: string
  tags: readonly string[]
  originalName: string | null
  metadata: Metadata
  createdAtMs: number
  updatedAtMs: number
  original: OriginalFacts
  thumbnail: PictureFacts
  /** `null` until an analysis has assessed the medium. */
  sample: SampleFacts | null
  /** `null` if nothing is stored. */
  files: PictureFiles | null
  /** Absent unless the medium came in a container. */
  capture?: CaptureFacts
}

/** A medium, or a photo of a person, by what names its files. */
export interface NamedMedium {
  id: string
  /** `null` if its row is damaged. */
  mimeType: string | null
}

export const codedFacts = ({ md5, bytes, width, height, mimeType }: CodedImage): PictureFacts => ({
  md5,
  size: bytes.length,
  width,
  height,
  mimeType,
})

export const shotFacts = ({ thumbnail, ...shot }: Shot): ShotFacts => ({
  ...codedFacts(shot),
  ...(thumbnail ? { thumbnail: codedFacts(thumbnail) } : {}),
})

export function originalFacts({ source, preview }: Assessment): OriginalFacts {
  const { md5, size, width, height, mimeType, clip, frames } = source
  return {
    ...{ md5, size, width, height, mimeType },
    ...(clip ? { clip } : {}),
    ...(frames ? { frames } : {}),
    ...(preview ? { hasPreview: true } : {}),
  }
}

export const round = (value: number, digits = 4): number => Number(value.toFixed(digits))

const roundPoint = ({ x, y }: Point): Point => ({ x: round(x), y: round(y) })

const roundEyes = ({ right, left }: EyePlaces): EyePlaces => ({
  right: roundPoint(right),
  left: roundPoint(left),
})

/** Rounds quality measures to the precision of answers. */
const roundQuality = ({ pose, ...quality }: SampleQuality): SampleQuality => ({
  faceSide: round(quality.faceSide, 1),
  faceShare: round(quality.faceShare),
  sharpness: round(quality.sharpness),
  brightness: round(quality.brightness),
  underexposed: round(quality.underexposed),
  overexposed: round(quality.overexposed),
  noise: round(quality.noise, 2),
  pose: { yaw: round(pose.yaw, 1), pitch: round(pose.pitch, 1), roll: round(pose.roll, 1) },
  eyesHidden: round(quality.eyesHidden),
  mouthHidden: round(quality.mouthHidden),
  colour: round(quality.colour, 2),
  surroundings: round(quality.surroundings, 2),
  blockiness: round(quality.blockiness, 2),
})

export function sampleFacts({ faces, quarterTurns, subject, clip }: Findings): SampleFacts {
  const facts = {
    faces: faces.length,
    quarterTurns,
    quality: subject && roundQuality(subject.quality),
    ...(subject?.eyes ? { eyes: roundEyes(subject.eyes) } : {}),
  }
  if (!clip) return facts
  const { gestures: _, ...evidence } = clip
  return { ...facts, clip: evidence }
}

/** Names of a medium's files. They cannot be guessed, since folder and medium ids are random. */
export function mediumFiles(
  folderId: string,
  mediumId: string,
  { mimeType, hasPreview }: Pick<OriginalFacts, 'mimeType' | 'hasPreview'>,
): PictureFiles {
  const base = `${folderId}/${mediumId}`
  const preview = mediumKind({ mimeType }) === 'IMAGE' ? `${base}_preview.jpg` : `${base}_preview.webp`
  return {
    original: `${base}.${extensionOfType(mimeType)}`,
    thumbnail: `${base}_thumb.jpg`,
    ...(hasPreview ? { preview } : {}),
  }
}

/** Name of a frame of an archive, by its place in the order of names. It is no file of its own, but read from the archive. */
export const frameFile = (folderId: string, mediumId: string, index: number): string =>
  `${folderId}/${mediumId}_frame${index}.jpg`

/** The archive and the place that the name of a frame stands for; `null` for names of other files. */
export function parseFrameFile(key: string): { archive: string; index: number } | null {
  const [, base, index] = /^(.*)_frame(\d{1,3})\.jpg$/.exec(key) ?? []
  if (base === undefined) return null
  return { archive: `${base}.${extensionOfType(zipType)}`, index: Number(index) }
}

/** Name of the snapshot of a medium. */
export const snapshotFile = (folderId: string, mediumId: string): string =>
  `${folderId}/${mediumId}_snapshot.jpg`

/** The pictures that analyses take from a medium: its best frame, the one at the peak of a gesture, the portrait on a document. */
export const shotKinds = ['best', 'action', 'portrait'] as const
export type ShotKind = (typeof shotKinds)[number]

/** Name of a shot of a medium; all analyses share it. */
export const shotFile = (folderId: string, mediumId: string, kind: ShotKind): string =>
  `${folderId}/${mediumId}_${kind}.jpg`

/** Name of the thumbnail of a shot that has one of its own. */
export const shotThumbnailFile = (folderId: string, mediumId: string, kind: ShotKind): string =>
  `${folderId}/${mediumId}_${kind}_thumb.jpg`

/** Names of a shot's files; `null` if nothing is stored of its medium. */
export const shotFiles = (
  folderId: string,
  { id, files }: Pick<MediumRecord, 'id' | 'files'>,
  kind: ShotKind,
  { thumbnail }: ShotFacts,
): PictureFiles | null =>
  files && {
    original: shotFile(folderId, id, kind),
    thumbnail: thumbnail ? shotThumbnailFile(folderId, id, kind) : files.thumbnail,
  }
