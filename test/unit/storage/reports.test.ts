import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RecordFiles } from '../../../src/folders/record-files.ts'
import { clearFolder, removeFolder, removeMedium } from '../../../src/folders/remove-folder.ts'
import type { FolderRecord } from '../../../src/records/folder.ts'
import { type ReportRecord, reportFile, reportForms } from '../../../src/records/report.ts'
import { keepBlobs } from '../../../src/storage/blobs/blob-ledger.ts'
import { ReportStore } from '../../../src/storage/reports/report-store.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { type KeptFolders, keepFolders } from '../../fixtures/kept-folders.ts'

describe('stored reports', () => {
  let opened: TestDatabase
  let kept: KeptFolders
  let store: ReportStore
  let files: RecordFiles
  let folder: FolderRecord

  beforeEach(async () => {
    opened = await openTestDatabase()
    kept = keepFolders(opened.database)
    store = new ReportStore(opened.database)
    files = new RecordFiles(kept.filesDeps)
    folder = await kept.folder(await kept.company('One'))
  })
  afterEach(() => opened.close())

  const keysOf = (id: string) => reportForms.map((form) => reportFile(folder.id, id, form))
  const readable = async (id: string) =>
    Promise.all(keysOf(id).map(async (key) => (await kept.blobs.read(key)) !== null))
  const removal = () => ({ ...kept.parts, files, nowMs: () => kept.clock.nowMs })

  /** Stores a report and its files as the service does. */
  async function add(mediumIds = folder.media.map(({ id }) => id)): Promise<string> {
    const id = crypto.randomUUID()
    const report: ReportRecord = {
      ...{ id, folderId: folder.id, companyId: folder.companyId, userId: folder.userId, authorId: id },
      ...{ templateId: id, templateName: 'One', attachments: true, pdfSize: 1, htmlSize: 1 },
      createdAtMs: kept.clock.nowMs,
    }
    const mimeTypes = { pdf: 'application/pdf', html: 'text/html; charset=utf-8' }
    const blobs = reportForms.map((form) => ({
      key: reportFile(folder.id, id, form),
      bytes: Uint8Array.of(1),
      mimeType: mimeTypes[form],
    }))
    await files.write(blobs, (keys) => store.insert(report, mediumIds, (queries) => keepBlobs(queries, keys)))
    return id
  }

  it('keep their files, also where these were entered for removal by mistake', async () => {
    const id = await add()
    await kept.parts.ledger.registerPending(keysOf(id), kept.clock.nowMs - 1)
    await files.sweep()
    expect(await readable(id)).toEqual([true, true])
    await store.delete({ id, folderId: folder.id }, kept.clock.nowMs)
    await files.sweep()
    expect([await store.find(id), ...(await readable(id))]).toEqual([null, false, false])
  })

  it.each<[string, () => Promise<void>]>([
    ['a medium', () => removeMedium(removal(), folder.id, folder.media[0]!.id)],
    ['personal data', () => clearFolder(removal(), folder.id)],
    ['the folder', () => removeFolder(removal(), folder.id)],
  ])('are removed with %s', async (_, remove) => {
    const id = await add()
    await remove()
    expect([await store.find(id), ...(await readable(id))]).toEqual([null, false, false])
  })

  it('are refused, without leaving files, for what was removed while they were made', async () => {
    const [medium] = folder.media
    const left = () => [...kept.blobs.keys()].filter((key) => key.includes('_report.'))
    await removeMedium(removal(), folder.id, medium!.id)
    await expect(add()).rejects.toMatchObject({ code: 'not_allowed' })
    expect(left()).toEqual([])
    await add([])
    await clearFolder(removal(), folder.id)
    await expect(add([])).rejects.toMatchObject({ code: 'not_allowed' })
    await removeFolder(removal(), folder.id)
    await expect(add([])).rejects.toMatchObject({ code: 'not_found' })
    expect(left()).toEqual([])
  })

  it('are at most 100 in a folder', async () => {
    for (let i = 0; i < 100; i++) await add()
    await expect(add()).rejects.toMatchObject({ code: 'not_allowed' })
    expect(await store.ofFolder(folder.id)).toHaveLength(100)
  })
})
