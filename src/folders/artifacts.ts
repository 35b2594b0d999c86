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
  input: AsyncIterable<string> | ReadableStream<Uint8Array> | string
}

/** Where the files of a folder are found. */
export interface ArtifactSource {
  blobs: BlobStore
  reports: Pick<ReportStore, 'ofFolder'>
  onError(error: unknown): void
}

/** What the archive tells of records, as callers read them. */
export interface ArtifactViews {
  folder: Json
  /** The decisions on it, the oldest first. */
  decisions: readonly Json[]
}

/** A file of the archive. Those that were never made are left out. */
interface ListedFile {
  name: string
  key: string
  atMs: number
}

/** The entry that says which files are there and cannot be read. */
const unreadableName = 'unreadable.txt'

/** The stream, after its first bytes: a file that cannot be read fails with these. */
async function begin(stream: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  const reader = stream.getReader()
  let first: ReadableStreamReadResult<Uint8Array> | null = await reader.read()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = first ?? (await reader.read())
      first = null
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

async function* listFiles({ reports }: ArtifactSource, folder: FolderRecord): AsyncGenerator<ListedFile> {
  for (const { id, media, updatedAtMs: atMs } of folder.analyses)
    for (const { mediumId } of media) {
      const key = engineResponseFile(folder.id, id, mediumId)
      yield { name: `analyses/${key.slice(key.indexOf('/') + 1)}`, key, atMs }
    }
  for (const { id, original, createdAtMs: atMs } of folder.media)
    for (const key of listMediumFiles(folder.id, { id, mimeType: original.mimeType }))
      yield { name: `media/${key.slice(key.indexOf('/') + 1)}`, key, atMs }
  for (const { id, createdAtMs: atMs } of await reports.ofFolder(folder.id))
    for (const form of reportForms)
      yield {
        name: `reports/${reportFileName(folder.id, id, form)}`,
        key: reportFile(folder.id, id, form),
        atMs,
      }
}

/** One file that cannot be read keeps none of the others back. */
async function* entries(
  source: ArtifactSource,
  folder: FolderRecord,
  views: ArtifactViews,
): AsyncGenerator<Entry> {
  const lastModified = new Date(folder.updatedAtMs)
  yield { name: 'folder.json', lastModified, input: gatherEach(spacedPieces(views.folder)) }
  if (views.decisions.length > 0)
    yield { name: 'decisions.json', lastModified, input: gatherEach(spacedPieces([...views.decisions])) }
  const unreadable: string[] = []
  for await (const { name, key, atMs } of listFiles(source, folder)) {
    let input: ReadableStream<Uint8Array> | null = null
    try {
      const opened = await source.blobs.open(key)
      input = opened && (await begin(opened.body))
    } catch (error) {
      unreadable.push(name)
      source.onError(error)
    }
    if (input) yield { name, lastModified: new Date(atMs), input }
  }
  if (unreadable.length > 0) yield { name: unreadableName, lastModified, input: unreadable.join('\n') }
}

/** @returns a stream, which fails where a file does after its first bytes */
export const writeArtifacts = (
  source: ArtifactSource,
  folder: FolderRecord,
  views: ArtifactViews,
): ReadableStream<Uint8Array> => makeZip(entries(source, folder, views))
