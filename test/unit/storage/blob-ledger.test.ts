import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RecordFiles } from '../../../src/folders/record-files.ts'
import { clearFolder } from '../../../src/folders/remove-folder.ts'
import { engineResponseFile } from '../../../src/records/analysis.ts'
import { BlobLedger, dropBlobs } from '../../../src/storage/blobs/blob-ledger.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { type KeptFolders, keepFolders } from '../../fixtures/kept-folders.ts'

describe('the ledger of files to delete', () => {
  let opened: TestDatabase
  let kept: KeptFolders

  beforeEach(async () => {
    opened = await openTestDatabase()
    kept = keepFolders(opened.database)
  })
  afterEach(() => opened.close())

  const entries = async () =>
    (await opened.client.execute('select key from blob_removals')).rows.map(({ key }) => key)

  it('decides about the file of an analysis when it has ended', async () => {
    const company = await kept.company('One')
    const folder = await kept.folder(company)
    const [id] = await kept.start(folder)
    const key = engineResponseFile(folder.id, id!, folder.media[0]!.id)
    const others = kept.blobs.keys()
    await kept.parts.ledger.registerPending([key], kept.clock.nowMs)
    await kept.blobs.put(key, Uint8Array.of(1), 'application/json')
    await kept.parts.files.sweep()
    expect([kept.blobs.keys().includes(key), await entries()]).toEqual([true, [key]])
    await clearFolder(kept.parts, folder.id)
    expect([kept.blobs.keys(), await entries(), others.length]).toEqual([[], [], 2])
  })

  it('removes files whose record is removed while the ledger is read', async () => {
    const folder = await kept.folder(await kept.company('One'))
    await kept.parts.ledger.registerPending(kept.blobs.keys(), kept.clock.nowMs)
    let isFirst = true
    const database: typeof opened.database = {
      ...opened.database,
      async write(work) {
        if (isFirst) {
          isFirst = false
          kept.clock.nowMs++
          await kept.parts.folders.clear(folder.id, kept.clock.nowMs, (queries) =>
            dropBlobs(queries, kept.blobs.keys(), kept.clock.nowMs),
          )
        }
        return opened.database.write(work)
      },
    }
    const files = new RecordFiles({ ...kept.filesDeps, ledger: new BlobLedger(database) })
    await files.sweep()
    await files.sweep()
    expect([kept.blobs.keys(), await entries()]).toEqual([[], []])
  })

  it('keeps files on it that are registered again while they are deleted', async () => {
    const key = `${crypto.randomUUID()}/${crypto.randomUUID()}.jpg`
    await kept.parts.ledger.registerPending([key], kept.clock.nowMs)
    const later = kept.clock.nowMs + 1000
    const blobs: typeof kept.blobs = {
      ...kept.blobs,
      async delete() {
        await kept.parts.ledger.registerPending([key], later)
        return new Map()
      },
    }
    await new RecordFiles({ ...kept.filesDeps, blobs }).sweep()
    expect(await entries()).toEqual([key])
  })
})
