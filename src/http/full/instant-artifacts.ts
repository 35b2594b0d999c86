/** Saves the artifacts of Instant calls to S3-compatible storage, if the operator configured it. */
import { analysisView } from '../../contract/full/analysis-view.ts'
import type { ViewOptions } from '../../contract/full/media-view.ts'
import { type Json, spacedPieces } from '../../contract/spaced-json.ts'
import type { ReceivedMedium } from '../../folders/received-medium.ts'
import type { Platform } from '../../platform/platform.ts'
import { gather } from '../../queue/loop-turns.ts'
import type { FolderRecord } from '../../records/folder.ts'
import { mediumFiles } from '../../records/medium.ts'

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

/**
 * Saves media, the folder and, for each medium of each analysis, `{analysis_id}_{source_media_id}_engine_response.json`,
 * below `instant/{company or "none"}/{folder}`.
 * @throws {AppError} `external_failed` if the storage cannot be reached
 */
export async function saveInstantArtifacts(
  blobs: Artifacts,
  folder: FolderRecord,
  received: readonly ReceivedMedium[],
): Promise<void> {
  const base = `instant/${folder.companyId ?? 'none'}/${folder.id}`
  const json = async (name: string, body: Json) => {
    const { text } = await gather(spacedPieces(body))
    await blobs.put(`${base}/${name}.json`, new TextEncoder().encode(text), 'application/json')
  }
  const media = received.map(({ record, bytes }) => {
    const { mimeType } = record.original
    return blobs.put(
      `instant/${folder.companyId ?? 'none'}/${mediumFiles(folder.id, record.id, mimeType).original}`,
      bytes,
      mimeType,
    )
  })
  const analyses = folder.analyses.flatMap((analysis) =>
    analysis.media.map(({ mediumId }) =>
      json(`${analysis.id}_${mediumId}_engine_response`, analysisView(folder, analysis, options)),
    ),
  )
  const payload = json('payload', { 'folder:meta_data': folder.metadata as Json })
  await Promise.all([...media, ...analyses, payload])
}
