import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../../../src/errors.ts'
import { encryptStored } from '../../../src/folders/encrypt-stored.ts'
import { removeFolder, removeMedium } from '../../../src/folders/remove-folder.ts'
import { reportFile } from '../../../src/records/report.ts'
import { memoryBlobs } from '../../../src/storage/blobs/memory-blobs.ts'
import { DataKeys } from '../../../src/storage/encryption/data-keys.ts'
import { encryptedBlobs } from '../../../src/storage/encryption/encrypted-blobs.ts'
import { PlainRows } from '../../../src/storage/encryption/plain-rows.ts'
import { newKek } from '../../fixtures/data-keys.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { keepFolders } from '../../fixtures/kept-folders.ts'

let opened: TestDatabase
beforeEach(async () => {
  opened = await openTestDatabase()
})
afterEach(() => opened.close())

describe('what was stored in plain', () => {
  it('is encrypted, but for a file that cannot be read, which stops no other', async () => {
    const plain = memoryBlobs()
    const { company, folder, parts } = keepFolders(opened.database, 1, { store: plain })
    const companyId = await company('Encrypted')
    const [lost, good] = [await folder(companyId), await folder(companyId)]
    const isLost = (name: string) => name.startsWith(lost.id)
    const keys = new DataKeys(opened.database, [await newKek()], parts.nowMs, { isForRecords: true })
    const encrypted = encryptedBlobs(plain, keys)
    const encrypt = (breaks: boolean) =>
      encryptStored({
        ...{ keys, encrypted, ledger: parts.ledger, nowMs: parts.nowMs, onStep() {} },
        rows: new PlainRows(opened.database, keys),
        plain: {
          async read(name) {
            if (breaks && isLost(name)) throw new AppError('external_failed')
            return plain.read(name)
          },
        },
      })
    const areIn = async (id: string) =>
      new Set(
        await Promise.all(
          plain
            .keys()
            .filter((name) => name.startsWith(id))
            .map(encrypted.isPlain),
        ),
      )
    expect(await areIn(good.id)).toEqual(new Set([true]))
    const first = await encrypt(true)
    expect([first.files > 0, first.failures.length]).toEqual([true, 1])
    expect([await areIn(lost.id), await areIn(good.id)]).toEqual([new Set([true]), new Set([false])])
    expect((await encrypt(false)).failures).toEqual([])
    expect(await areIn(lost.id)).toEqual(new Set([false]))
    expect(await encrypt(false)).toMatchObject({ files: 0, failures: [] })
  })

  it.each(['medium', 'folder'] as const)(
    'does not come back when its %s is removed meanwhile',
    async (what) => {
      const plain = memoryBlobs()
      const { company, folder, parts, clock } = keepFolders(opened.database, 1, { store: plain })
      const { id, media } = await folder(await company('Encrypted'))
      const keys = new DataKeys(opened.database, [await newKek()], parts.nowMs, { isForRecords: true })
      let isRemoved = false
      await encryptStored({
        ...{
          keys,
          encrypted: encryptedBlobs(plain, keys),
          ledger: parts.ledger,
          nowMs: parts.nowMs,
          onStep() {},
        },
        rows: new PlainRows(opened.database, keys),
        plain: {
          async read(name) {
            const bytes = await plain.read(name)
            if (!isRemoved)
              await (what === 'medium' ? removeMedium(parts, id, media[0]!.id) : removeFolder(parts, id))
            isRemoved = true
            return bytes
          },
        },
      })
      clock.nowMs += 2 * 3600_000
      await parts.files.sweep()
      expect(plain.keys()).toEqual([])
      const { rows } = await opened.client.execute('select count(*) as keys from data_keys')
      expect(Number(rows[0]?.keys)).toBe(what === 'medium' ? 1 : 0)
    },
  )

  it('is encrypted but for the files of one report, which stop no other', async () => {
    const plain = memoryBlobs()
    const { parts } = keepFolders(opened.database, 1, { store: plain })
    const found = Array.from({ length: 3 }, () => ({
      id: crypto.randomUUID(),
      folderId: crypto.randomUUID(),
    }))
    const names = found.map(({ id, folderId }) => reportFile(folderId, id, 'pdf'))
    for (const name of names) await plain.put(name, new Uint8Array(9), 'application/pdf')
    const keys = new DataKeys(opened.database, [await newKek()], parts.nowMs)
    const encrypted = encryptedBlobs(plain, keys)
    const rows = new PlainRows(opened.database, keys)
    rows.reports = async function* () {
      yield found
    }
    const read = async (name: string) => {
      if (name === names[1]) throw new AppError('external_failed')
      return plain.read(name)
    }
    const { failures } = await encryptStored({
      ...{ keys, encrypted, rows, ledger: parts.ledger, nowMs: parts.nowMs, onStep() {} },
      plain: { read },
    })
    expect(failures).toHaveLength(1)
    expect(await Promise.all(names.map(encrypted.isPlain))).toEqual([false, true, false])
  })
})
