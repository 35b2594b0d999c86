/** Everything that a folder contains, as a ZIP that is written while it is sent. */
import { makeZip } from 'client-zip'
import { type Json, spacedPieces } from '../contract/spaced-json.ts'
import { gatherEach } from '../queue/loop-turns.ts'
import { engineResponseFile } from '../records/analysis.ts'
import type { FolderRecord } from '../records/folder.ts'
import { reportFile, reportFileName, reportForms } from '../records/report.ts'
import type { BlobStore } from '../storage/blobs/blob-store.ts'
import type { ReportStore } from '../storage/reports/report-store.ts'
import { listMediumFiles } from './record-files.ts'

interface Entry {
  name: string
  lastModified: Date
  input: AsyncIterable<string> | ReadableStream<Uint8Array>
}

/** Where the files of a folder are found. */
export interface ArtifactSource {
  blobs: BlobStore
  reports: Pick<ReportStore, 'ofFolder'>
}

async function* entries(source: ArtifactSource, folder: FolderRecord, view: Json): AsyncGenerator<Entry> {
  const { blobs } = source
  const text = gatherEach(spacedPieces(view))
  yield { name: 'folder.json', lastModified: new Date(folder.updatedAtMs), input: text }
  for (const { id, media, updatedAtMs } of folder.analyses) {
    for (const { mediumId } of media) {
      const file = engineResponseFile(folder.id, id, mediumId)
      const opened = await blobs.open(file)
      if (!opened) continue
      const name = `analyses/${file.slice(file.indexOf('/') + 1)}`
      yield { name, lastModified: new Date(updatedAtMs), input: opened.body }
    }
  }
  for (const medium of folder.media) {
    const { mimeType } = medium.original
    for (const file of listMediumFiles(folder.id, { id: medium.id, mimeType })) {
      // A best shot exists only if an analysis made one, and a preview if there was an encoder.
      const opened = await blobs.open(file)
      if (!opened) continue
      const name = `media/${file.slice(file.indexOf('/') + 1)}`
      yield { name, lastModified: new Date(medium.createdAtMs), input: opened.body }
    }
  }
  yield* reportEntries(source, folder.id)
}

async function* reportEntries({ blobs, reports }: ArtifactSource, folderId: string): AsyncGenerator<Entry> {
  for (const { id, createdAtMs } of await reports.ofFolder(folderId)) {
    for (const form of reportForms) {
      const opened = await blobs.open(reportFile(folderId, id, form))
      if (!opened) continue
      const name = `reports/${reportFileName(folderId, id, form)}`
      yield { name, lastModified: new Date(createdAtMs), input: opened.body }
    }
  }
}

/** @param view the folder as callers read it */
export const writeArtifacts = (
  source: ArtifactSource,
  folder: FolderRecord,
  view: Json,
): ReadableStream<Uint8Array> => makeZip(entries(source, folder, view))
