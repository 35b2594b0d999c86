/** Backups of small data folders: what is copied, what is refused. The backup of a running server: test/http/persistent/backup.test.ts. */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeBackup } from '../../../scripts/backup/backup.ts'
import { verifyBackup } from '../../../scripts/backup/backup-file.ts'
import { restoreBackup } from '../../../scripts/backup/restore.ts'
import { openServerDatabase } from '../../../src/platform/server-database.ts'
import { readSettings } from '../../../src/settings.ts'
import { keepFolders } from '../../fixtures/kept-folders.ts'

let folder: string
const at = (...names: string[]) => path.join(folder, ...names)
const settingsOf = (data: string, more: Record<string, string> = {}) =>
  readSettings({ DATA_DIR: at(data), ...more })

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vivace-backup-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A data folder with two stored folders, one medium each, and files that belong to nothing. */
async function fill(data: string): Promise<{ keys: string[]; close(): void }> {
  const database = await openServerDatabase(settingsOf(data), () => {})
  const kept = keepFolders(database)
  const company = await kept.company('Backups')
  for (let i = 0; i < 2; i++) await kept.folder(company)
  const keys = kept.blobs.keys()
  const foreign = `${crypto.randomUUID()}/${crypto.randomUUID()}.jpg`
  const write = async (key: string, content: Uint8Array | string) => {
    await mkdir(path.dirname(at(data, 'media', key)), { recursive: true })
    await writeFile(at(data, 'media', key), content)
  }
  for (const key of keys) await write(key, (await kept.blobs.read(key))!)
  await write(foreign, 'foreign')
  await write(`${keys[0]!.slice(0, 36)}/.x.part`, 'a part')
  return { keys, close: () => database.close() }
}

describe('a backup', () => {
  it('holds the rows, and the files of records alone, and is restored to the same', async () => {
    const { keys, close } = await fill('data')
    const description = await makeBackup(settingsOf('data'), at('backup'))
    close()
    expect(description.rows).toMatchObject({ folders: 2, media: 2 })
    expect(description.media).toMatchObject({ count: keys.length, missing: 0 })
    const copied = (await readdir(at('backup', 'media'), { recursive: true })).filter((name) =>
      /\//.test(name),
    )
    expect(copied.sort()).toEqual(keys)
    expect((await stat(at('backup'))).mode & 0o777).toBe(0o700)
    for (const name of ['vivace.db', `media/${keys[0]}`])
      expect((await stat(at('backup', name))).mode & 0o777).toBe(0o600)
    await restoreBackup(settingsOf('restored'), at('backup'))
    for (const key of keys)
      expect(await readFile(at('restored', 'media', key))).toEqual(await readFile(at('data', 'media', key)))
    const again = await makeBackup(settingsOf('restored'), at('again'))
    expect(again.rows).toEqual(description.rows)
    const restored = await openServerDatabase(settingsOf('restored'), () => {})
    restored.close()
  })

  it('counts media whose files were lost', async () => {
    const { keys, close } = await fill('data')
    await rm(path.dirname(at('data', 'media', keys[0]!)), { recursive: true })
    const { media } = await makeBackup(settingsOf('data'), at('backup'))
    close()
    expect(media?.missing).toBe(1)
  })

  it('is refused for a database server, a missing database and a folder in use', async () => {
    const remote = settingsOf('data', { DATABASE_URL: 'https://db.example' })
    await expect(makeBackup(remote, at('backup'))).rejects.toThrow(
      /DATABASE_URL is a database server, .*sqld/,
    )
    await expect(restoreBackup(remote, at('backup'))).rejects.toThrow(/DATABASE_URL is a database server/)
    await expect(makeBackup(settingsOf('none'), at('backup'))).rejects.toThrow(/There is no database .*none/)
    const { close } = await fill('data')
    close()
    await expect(makeBackup(settingsOf('data'), at('data'))).rejects.toThrow(/data is not empty/)
  })

  it('is not restored if it is damaged or incomplete, or over other data', async () => {
    const { keys, close } = await fill('data')
    await makeBackup(settingsOf('data'), at('backup'))
    await expect(restoreBackup(settingsOf('data'), at('backup'))).rejects.toThrow(/used by another process/)
    close()
    await expect(restoreBackup(settingsOf('data'), at('backup'))).rejects.toThrow(/data holds data already/)
    const file = at('backup', 'media', keys[0]!)
    const good = await readFile(file)
    await writeFile(file, 'other')
    await expect(restoreBackup(settingsOf('new'), at('backup'))).rejects.toThrow(/has another checksum/)
    await rm(file)
    await expect(restoreBackup(settingsOf('new'), at('backup'))).rejects.toThrow(/is missing/)
    await writeFile(file, good)
    await verifyBackup(at('backup'))
    const sums = await readFile(at('backup', 'SHA256SUMS'), 'utf8')
    await writeFile(at('backup', 'SHA256SUMS'), sums.replace(`media/${keys[0]}`, 'media/../../../escape'))
    await expect(verifyBackup(at('backup'))).rejects.toThrow(/names media\/\.\.\//)
    await rm(at('backup', 'backup.json'))
    await expect(verifyBackup(at('backup'))).rejects.toThrow(/no complete backup/)
    expect((await readdir(folder)).sort()).toEqual(['backup', 'data'])
  })
})
