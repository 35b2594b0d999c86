import type { Assessment, CodedImage } from '../assess/assessment.ts'
import type { SampleQuality } from '../vision/quality.ts'

/** The caller's own fields, kept and returned as they are. */
export type Metadata = Readonly<Record<string, unknown>>

/** What is told of a coded picture besides its bytes. */
export interface PictureFacts {
  md5: string
  /** Bytes. */
  size: number
  width: number
  height: number
  mimeType: string
}

/** Names in the blob store. */
export interface PictureFiles {
  original: string
  thumbnail: string
}

/** What an analysis found out about a medium besides its scores. */
export interface SampleFacts {
  faces: number
  quarterTurns: number
  /** `null` when there is no face. */
  quality: SampleQuality | null
}

export interface MediumRecord {
  id: string
  tags: readonly string[]
  originalName: string | null
  metadata: Metadata
  createdAtMs: number
  updatedAtMs: number
  original: PictureFacts
  thumbnail: PictureFacts
  /** `null` until an analysis has looked at the medium. */
  sample: SampleFacts | null
  /** `null` where nothing is stored. */
  files: PictureFiles | null
}

export const codedFacts = ({ md5, bytes, width, height, mimeType }: CodedImage): PictureFacts => ({
  md5,
  size: bytes.length,
  width,
  height,
  mimeType,
})

export function originalFacts({ source }: Assessment): PictureFacts {
  const { md5, size, width, height, mimeType } = source
  return { md5, size, width, height, mimeType }
}

export const sampleFacts = ({ faces, quarterTurns, subject }: Assessment): SampleFacts => ({
  faces: faces.length,
  quarterTurns,
  quality: subject?.quality ?? null,
})

const extensions: Record<string, string> = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp' }

/** Names of a medium's files: unguessable, since folder and medium are random ids. */
export function mediumFiles(folderId: string, mediumId: string, mimeType: string): PictureFiles {
  const base = `${folderId}/${mediumId}`
  return { original: `${base}.${extensions[mimeType] ?? 'bin'}`, thumbnail: `${base}_thumb.jpg` }
}

/** Name of the snapshot of a medium. */
export const snapshotFile = (folderId: string, mediumId: string): string =>
  `${folderId}/${mediumId}_snapshot.jpg`

/** Name of the best shot of a medium; all analyses share it. */
export const bestShotFile = (folderId: string, mediumId: string): string => `${folderId}/${mediumId}_best.jpg`
