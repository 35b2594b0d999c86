/** Saves the artifacts of Instant calls to S3-compatible storage, if the operator configured it. */
import type { OpenedContainer } from '../../container/container-reader.ts'
import { analysisView } from '../../contract/full/analysis-view.ts'
import type { ViewOptions } from '../../contract/full/media-view.ts'
import { type Json, spacedPieces } from '../../contract/spaced-json.ts'
import { writeExactJson } from '../../exact-json.ts'
import { listMediumBlobs, type ReceivedMedium } from '../../folders/received-medium.ts'
import { type NewBlob, putAll } from '../../folders/record-files.ts'
import type { Platform } from '../../platform/platform.ts'
import { gatherBytes } from '../../queue/loop-turns.ts'
import { type AnalysisRecord, engineResponseFile, type OutputImage } from '../../records/analysis.ts'
import type { FolderRecord } from '../../records/folder.ts'
import {
  type MediumRecord,
  type Metadata,
  mediumFiles,
  type PictureFiles,
  shotFiles,
} from '../../records/medium.ts'

/** Pictures are saved as files, so links are plain file names. */
const options: ViewOptions = {
  showReplay: true,
  showLiveness: true,
  variant: 'full',
  pictures: false,
  linkTo: (file) => file,
}

/** Where artifacts are kept. */
type Artifacts = NonNullable<Platform['artifacts']>

const jsonBlob = async (key: string, pieces: Iterator<string>): Promise<NewBlob> => ({
  key,
  bytes: await gatherBytes(pieces),
  mimeType: 'application/json',
})

/** A medium with the names that its files have among the artifacts. */
const keep = (folder: FolderRecord, record: MediumRecord): MediumRecord => ({
  ...record,
  files: mediumFiles(folder.id, record.id, record.original),
})

/** The folder with the names of all saved files. */
function keepFolder(folder: FolderRecord): FolderRecord {
  const media = folder.media.map((record) => keep(folder, record))
  const filesOf = (id: string, { kind, original }: OutputImage): PictureFiles | null => {
    const medium = media.find((one) => one.id === id)
    return medium ? shotFiles(folder.id, medium, kind, original) : null
  }
  const analyses = folder.analyses.map(
    (analysis): AnalysisRecord => ({
      ...analysis,
      media: analysis.media.map((medium) => ({
        ...medium,
        outputImages: medium.outputImages.map((image) => ({
          ...image,
          files: filesOf(medium.mediumId, image),
        })),
      })),
    }),
  )
  return { ...folder, media, analyses }
}

/**
 * Saves the payload as it was sent, media with thumbnails, previews and shots, and for each medium of each analysis
 * `{analysis_id}_{source_media_id}_engine_response.json`, below `instant/{company or "none"}/{folder}`.
 * @throws {AppError} `external_failed` if the storage cannot be reached
 */
export async function saveInstantArtifacts(
  blobs: Artifacts,
  folder: FolderRecord,
  received: readonly ReceivedMedium[],
  payload: Metadata,
): Promise<void> {
  const base = `instant/${folder.companyId ?? 'none'}`
  const json = (key: string, body: Json) => jsonBlob(key, spacedPieces(body))
  const kept = keepFolder(folder)
  const responses = kept.analyses.flatMap((analysis) =>
    analysis.media.map(({ mediumId }) =>
      json(engineResponseFile(folder.id, analysis.id, mediumId), analysisView(kept, analysis, options)),
    ),
  )
  const files = [
    ...received.flatMap((medium) =>
      listMediumBlobs({ ...medium, record: keep(folder, medium.record) }, folder.id),
    ),
    ...(await Promise.all([...responses, json(`${folder.id}/payload.json`, payload as Json)])),
  ]
  await putAll(
    blobs,
    files.map((file) => ({ ...file, key: `${base}/${file.key}` })),
  )
}

/**
 * Saves the payload and the media of a container whose session token has expired, below
 * `instant/{company or "none"}/{id of the session}_{fingerprint of the container}`. So only the same container is saved to the
 * same place again.
 * @throws {AppError} `external_failed` if the storage cannot be reached
 */
export async function saveExpired(
  blobs: Artifacts,
  { media, payload, sessions, fingerprint }: OpenedContainer,
  companyId: string | null,
): Promise<void> {
  const base = `instant/${companyId ?? 'none'}/${sessions[0]!.tokenId}_${fingerprint}`
  await putAll(blobs, [
    await jsonBlob(`${base}/payload.json`, [writeExactJson(payload)].values()),
    ...media.map(({ bytes }, place) => ({
      key: `${base}/${place}.bin`,
      bytes,
      mimeType: 'application/octet-stream',
    })),
  ])
}
