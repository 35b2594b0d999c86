/** Backups of small data folders: what is copied, what is refused. The backup of a running server: test/http/persistent/backup.test.ts. */

import { randomBytes } from 'node:crypto'
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createClient } from '@libsql/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeBackup } from '../../../scripts/backup/backup.ts'
import { explainFailure, verifyBackup } from '../../../scripts/backup/backup-file.ts'
import { copyRows } from '../../../scripts/backup/copy-rows.ts'
import { MediaCopy } from '../../../scripts/backup/media-copy.ts'
import { restoreBackup } from '../../../scripts/backup/restore.ts'
import { copyDatabase } from '../../../scripts/backup/snapshot.ts'
import { fileBlobs } from '../../../src/platform/file-blobs.ts'
import { openServerDatabase } from '../../../src/platform/server-database.ts'
import { readSettings } from '../../../src/settings.ts'
import { DataKeys } from '../../../src/storage/encryption/data-keys.ts'
import { encryptedBlobs } from '../../../src/storage/encryption/encrypted-blobs.ts'
import { memoryKeys, newKek } from '../../fixtures/data-keys.ts'
import { freePort } from '../../fixtures/free-port.ts'
import { keepFolders } from '../../fixtures/kept-folders.ts'
import { hasLibsqlServer, startGuardedServer, startLibsqlServer } from '../../fixtures/libsql-server.ts'
import { hasS3Server, listen, startS3Server, stop } from '../../fixtures/s3-server.ts'
import { bucketSettings } from '../../fixtures/storages.ts'

let folder: string
const at = (...names: string[]) => path.join(folder, ...names)
const settingsOf = (data: string, more: Record<string, string> = {}) =>
  readSettings({ DATA_DIR: at(data), ...more })

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vivace-backup-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A data folder with two stored folders, one medium each, and files that belong to nothing. */
async function fill(
  data: string,
  settings = settingsOf(data),
): Promise<{ keys: string[]; kept: ReturnType<typeof keepFolders>; close(): void }> {
  const database = await openServerDatabase(settings, () => {})
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
  return { keys, kept, close: () => database.close() }
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

  it('has the keys of files that are encrypted after the database was copied', async () => {
    const { keys: names, close } = await fill('data')
    close()
    const keks = [await newKek()] as const
    const openStore = async (data: string) => {
      const database = await openServerDatabase(settingsOf(data), () => {})
      const keys = new DataKeys(database, keks, Date.now)
      return { ...encryptedBlobs(fileBlobs(at(data, 'media')), keys), close: () => database.close() }
    }
    const store = await openStore('data')
    const plain = (await store.read(names[0]!))!
    const { follow } = MediaCopy.prototype
    let calls = 0
    const spy = vi.spyOn(MediaCopy.prototype, 'follow').mockImplementation(async function (
      this: MediaCopy,
      onProgress,
    ) {
      if (++calls === 2) await store.put(names[0]!, plain, 'image/jpeg')
      return follow.call(this, onProgress)
    })
    const { media } = await makeBackup(settingsOf('data'), at('backup'))
    spy.mockRestore()
    store.close()
    expect(media?.missing).toBe(0)
    await restoreBackup(settingsOf('restored'), at('backup'))
    const restored = await openStore('restored')
    expect(await restored.read(names[0]!)).toEqual(plain)
    restored.close()
  })

  it('counts media whose key was lost', async () => {
    const { keys: names, close } = await fill('data')
    close()
    await encryptedBlobs(fileBlobs(at('data', 'media')), await memoryKeys()).put(
      names[0]!,
      new Uint8Array(9),
      'image/jpeg',
    )
    expect((await makeBackup(settingsOf('data'), at('backup'))).media?.missing).toBe(1)
  })

  it('is readable by its owner alone from its first byte on', async () => {
    const { close } = await fill('data')
    close()
    await mkdir(at('open'), { mode: 0o755 })
    await copyDatabase(at('data', 'vivace.db'), at('open', 'vivace.db'))
    expect((await stat(at('open', 'vivace.db'))).mode & 0o777).toBe(0o600)
  })

  it('that cannot be finished leaves nothing behind', async () => {
    const { keys, close } = await fill('data')
    close()
    // A folder where a file should be.
    await rm(at('data', 'media', keys[0]!))
    await mkdir(at('data', 'media', keys[0]!))
    await expect(makeBackup(settingsOf('data'), at('backup'))).rejects.toThrow()
    expect(await readdir(at('backup'))).toEqual([])
  })

  it('names its folder and what to do if the system refuses', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    expect(explainFailure('The backup cannot be written to /b', full)).toMatchObject({
      message:
        'The backup cannot be written to /b (ENOSPC: no space left on device, write): free space on its disk, or name a folder on another one',
    })
    const other = new Error('something else')
    expect(explainFailure('x', other)).toBe(other)
  })

  it('is refused for a server that does not answer, a missing database and a folder in use', async () => {
    const silent = settingsOf('data', { DATABASE_URL: `http://127.0.0.1:${await freePort()}` })
    await expect(makeBackup(silent, at('backup'))).rejects.toThrow(
      /DATABASE_URL \(127\.0\.0\.1:\d+\) cannot be opened .*: check the address and DATABASE_AUTH_TOKEN/,
    )
    expect(await readdir(at('backup'))).toEqual([])
    await expect(makeBackup(settingsOf('none'), at('backup'))).rejects.toThrow(/There is no database .*none/)
    await writeFile(at('file'), '')
    await expect(makeBackup(settingsOf('file'), at('backup'))).rejects.toThrow(
      /vivace\.db cannot be read \(ENOTDIR\): run this as the user of the server/,
    )
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

  it('is restored again after an interruption, whatever its rights, and not over the files of others', async () => {
    const { keys, close } = await fill('data')
    await makeBackup(settingsOf('data'), at('backup'))
    close()
    for (const name of ['vivace.db', `media/${keys[0]}`]) await chmod(at('backup', name), 0o444)
    await mkdir(at('new'))
    if (process.getuid?.() === 0) await chown(at('new'), 65532, 65532)
    await restoreBackup(settingsOf('new'), at('backup'))
    const { uid } = await stat(at('new'))
    for (const name of ['vivace.db', 'media', `media/${keys[0]}`]) {
      const facts = await stat(at('new', name))
      expect([name, facts.uid, facts.mode & 0o777]).toEqual([name, uid, name === 'media' ? 0o700 : 0o600])
    }
    // As it was before the last step.
    await rename(at('new', 'vivace.db'), at('new', 'vivace.db.restoring'))
    await writeFile(at('new', 'media', 'mine.txt'), 'mine')
    await expect(restoreBackup(settingsOf('new'), at('backup'))).rejects.toThrow(/new holds data already/)
    await rm(at('new', 'media', 'mine.txt'))
    await restoreBackup(settingsOf('new'), at('backup'))
    expect((await readdir(at('new'))).sort()).toEqual(['media', 'vivace.db', 'vivace.db.lock'])
  })

  it('has files, not links to others', async () => {
    const { keys, close } = await fill('data')
    await makeBackup(settingsOf('data'), at('backup'))
    close()
    const file = at('backup', 'media', keys[0]!)
    await rename(file, at('elsewhere'))
    await symlink(at('elsewhere'), file)
    await expect(verifyBackup(at('backup'))).rejects.toThrow(/is missing/)
  })
})

describe.skipIf(!hasLibsqlServer)('a backup of a libSQL server', () => {
  const servers: { close(): Promise<void> }[] = []
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close()
  })
  async function start<T extends { close(): Promise<void> }>(starting: Promise<T>): Promise<T> {
    servers.push(await starting)
    return starting
  }
  /** Every row, as text. */
  async function rowsOf(url: string, authToken?: string): Promise<Record<string, string[]>> {
    const client = createClient({ url, intMode: 'bigint', ...(authToken ? { authToken } : {}) })
    const hex = (value: unknown) =>
      value instanceof ArrayBuffer ? Buffer.from(value).toString('hex') : `${typeof value} ${value}`
    const schema = await client.execute(
      "select type, name, sql from sqlite_schema where name not like 'sqlite_%' and name not like 'libsql_%'",
    )
    const all: Record<string, string[]> = {}
    for (const { type, name, sql } of schema.rows) {
      const { rows } = type === 'table' ? await client.execute(`select * from "${name}"`) : { rows: [] }
      all[String(name)] = [String(sql), ...rows.map((row) => Array.from(row, hex).join()).sort()]
    }
    client.close()
    return all
  }

  it('shows one moment, and is restored to a file, and to another server, with every digit', async () => {
    const server = await start(startGuardedServer())
    const remote = { DATABASE_URL: server.url, DATABASE_AUTH_TOKEN: server.token }
    const { keys, kept, close } = await fill('data', settingsOf('data', remote))
    const company = await kept.company('Large')
    // More than are read at once.
    for (let i = 0; i < 260; i++) await kept.folder(company)
    for (const key of kept.blobs.keys().filter((name) => !keys.includes(name))) {
      await mkdir(path.dirname(at('data', 'media', key)), { recursive: true })
      await writeFile(at('data', 'media', key), (await kept.blobs.read(key))!)
    }
    const client = createClient({ url: server.url, authToken: server.token })
    const long = "insert into statistics values (1, 9007199254740993, x'00ff', 1, 1, 1, '', '')"
    await client.execute(long)
    client.close()
    const before = await rowsOf(server.url, server.token)

    const steps: string[] = []
    const meanwhile: Promise<unknown>[] = []
    const { rows } = await makeBackup(settingsOf('data', remote), at('backup'), (step) => {
      if (/^database: \d+ rows$/.test(step) && meanwhile.length === 0) meanwhile.push(kept.folder(company))
      steps.push(step)
    })
    await Promise.all(meanwhile)
    expect([rows.folders, rows.media, meanwhile.length]).toEqual([262, 262, 1])
    expect(steps.at(-1)).toBe('verify')
    close()

    await restoreBackup(settingsOf('local'), at('backup'))
    expect(await rowsOf(`file:${at('local', 'vivace.db')}`)).toEqual(before)

    const other = await start(startLibsqlServer({ SQLD_ENCRYPTION_KEY: randomBytes(32).toString('hex') }))
    const target = settingsOf('moved', { DATABASE_URL: other.url })
    await restoreBackup(target, at('backup'))
    expect(await rowsOf(other.url)).toEqual(before)
    expect(await readFile(at('moved', 'media', keys[0]!))).toEqual(
      await readFile(at('data', 'media', keys[0]!)),
    )
    await rm(at('moved'), { recursive: true })
    await expect(restoreBackup(target, at('backup'))).rejects.toThrow(
      'The database of DATABASE_URL holds tables already: make a new, empty one',
    )
    ;(await openServerDatabase(target, () => {})).close()
  })

  it('has rows that are too large for one answer', async () => {
    const [source, target] = [await start(startLibsqlServer()), await start(startLibsqlServer())]
    const [from, to] = [source, target].map(({ url }) => createClient({ url, intMode: 'bigint' }))
    await from!.execute('create table t (id integer primary key autoincrement, content text)')
    const insert = { sql: 'insert into t (content) values (?)', args: ['x'.repeat(150_000)] }
    for (let i = 0; i < 100; i++) await from!.execute(insert)
    await copyRows(from!, to!, () => {})
    const { rows } = await to!.execute(
      'select count(*) as n, sum(length(content)) as size, max(id) as last from t',
    )
    expect(rows[0]).toEqual({ n: 100n, size: 15_000_000n, last: 100n })
    for (const client of [from!, to!]) client.close()
  })

  it.skipIf(!hasS3Server)('shows an earlier moment, which sqld takes from its bucket', async () => {
    let batches = 0
    const bucket = await start(
      startS3Server((written) => {
        if (/-\d+\.zstd\?/.test(written)) batches++
      }),
    )
    const { endpoint, bucket: name, accessKeyId, secretAccessKey, region } = bucket.options
    const admin = `127.0.0.1:${await freePort()}`
    const replication = {
      LIBSQL_BOTTOMLESS_DATABASE_ID: 'vivace',
      LIBSQL_BOTTOMLESS_ENDPOINT: endpoint,
      LIBSQL_BOTTOMLESS_BUCKET: name,
      LIBSQL_BOTTOMLESS_AWS_ACCESS_KEY_ID: accessKeyId,
      LIBSQL_BOTTOMLESS_AWS_SECRET_ACCESS_KEY: secretAccessKey,
      LIBSQL_BOTTOMLESS_AWS_DEFAULT_REGION: region,
      LIBSQL_BOTTOMLESS_BATCH_INTERVAL_SECS: '1',
      SQLD_ADMIN_LISTEN_ADDR: admin,
    }
    const options = ['--enable-bottomless-replication', '--enable-namespaces']
    const { url } = await start(startLibsqlServer(replication, options))
    /** Settings with the address of one of its databases, which the first part of the host's name names. */
    const settingsFor = async (database: string) => {
      const { hostname, port } = new URL(url)
      const named = await listen((req, res) => {
        const headers = { ...req.headers, host: `${database}.test` }
        const inner = request({ hostname, port, method: req.method, path: req.url, headers }, (answer) => {
          res.writeHead(answer.statusCode!, answer.headers)
          answer.pipe(res)
        })
        req.pipe(inner)
      })
      servers.unshift({ close: () => stop(named.server) })
      return settingsOf('data', { DATABASE_URL: named.endpoint, ...bucketSettings(bucket.options) })
    }
    const current = await settingsFor('default')
    const { kept, close } = await fill('data', current)
    /** Until all that was written is in the bucket: the second batch from now on began after it. */
    const replicated = async () => {
      for (const name of ['first', 'second']) {
        const before = batches
        await kept.company(name)
        await expect.poll(() => batches, { timeout: 60_000 }).toBeGreaterThan(before)
      }
    }
    await replicated()
    // Moments are told apart by seconds.
    await setTimeout(1000)
    const timestamp = new Date().toISOString().slice(0, -1)
    await setTimeout(1000)
    await kept.folder(await kept.company('Mistake'))
    await replicated()
    close()

    const forked = await fetch(`http://${admin}/v1/namespaces/default/fork/before`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ timestamp }),
    })
    expect(forked.status, await forked.text()).toBe(200)
    expect((await makeBackup(await settingsFor('before'), at('before'))).rows.folders).toBe(2)
    expect((await makeBackup(current, at('now'))).rows.folders).toBe(3)
  })
})
