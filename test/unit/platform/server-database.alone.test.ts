/** Opening the database of a server: its lock, and the lines that explain a failure. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createClient } from '@libsql/client'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { explainFailure, migrateDatabase, openServerDatabase } from '../../../src/platform/server-database.ts'
import { readSettings } from '../../../src/settings.ts'
import { migrationsAnd } from '../../fixtures/migrations.ts'

/** Clients of local databases that were opened and not closed. */
const unclosed = vi.hoisted(() => new Set<object>())
vi.mock('@libsql/client/sqlite3', async (load) => {
  const driver = await load<typeof import('@libsql/client/sqlite3')>()
  const open = (...config: Parameters<typeof driver.createClient>) => {
    const client = driver.createClient(...config)
    unclosed.add(client)
    const close = client.close.bind(client)
    client.close = () => {
      unclosed.delete(client)
      close()
    }
    return client
  }
  return { ...driver, createClient: open }
})

/** Makes a folder whose disk can be made read-only; `null` without the right to mount one. */
function mountDisk(place: string): { setReadOnly(): void; unmount(): void } | null {
  const mount = (...args: string[]) => execFileSync('mount', args, { stdio: 'ignore' })
  try {
    mount('-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', place)
  } catch {
    return null
  }
  return {
    setReadOnly: () => mount('-o', 'remount,ro', place),
    unmount: () => execFileSync('umount', ['--lazy', place]),
  }
}

/**
 * Makes a database as a server leaves it that has ended: with its log. In another process, since one that this process has open keeps its
 * disk from becoming read-only.
 */
function leaveDatabase(dataDir: string): void {
  const run = (...args: string[]) =>
    execFileSync(process.execPath, args, { env: { ...process.env, DATA_DIR: dataDir }, stdio: 'ignore' })
  run('scripts/run.mjs', 'scripts/migrate.ts')
  const write = `
    import { createClient } from '@libsql/client/sqlite3'
    await createClient({ url: 'file:${dataDir}/vivace.db' }).execute('delete from blob_removals')
    process.exit(0)`
  run('--input-type=module', '-e', write)
}

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vivace-lock-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const openIn = (dataDir: string) => openServerDatabase(readSettings({ DATA_DIR: dataDir }), () => {})
const failure = (dataDir: string) =>
  openIn(dataDir).then(
    () => 'opened',
    (error: Error) => error.message,
  )

describe('a local database', () => {
  it('is opened by one process at a time', async () => {
    const data = path.join(folder, 'one at a time')
    const first = await openIn(data)
    expect(await failure(data)).toMatch(/one at a time\/vivace\.db is used by another process: stop that one/)
    expect((await stat(path.join(data, 'vivace.db.lock'))).mode & 0o777).toBe(0o600)
    first.close()
    const second = await openIn(data)
    second.close()
  })

  it('has one lock, whatever link leads to it', async () => {
    const data = path.join(folder, 'linked')
    const first = await openIn(data)
    const other = path.join(folder, 'link.db')
    await symlink(path.join(data, 'vivace.db'), other)
    for (const query of ['', '?authToken=none']) {
      const settings = readSettings({ DATABASE_URL: `file:${other}${query}` })
      await expect(openServerDatabase(settings, () => {})).rejects.toThrow(/used by another process/)
    }
    first.close()
  })

  it.skipIf(process.getuid?.() !== 0)(
    'belongs to the user of the service if the super-user makes it',
    async () => {
      const data = path.join(folder, 'owned')
      await mkdir(data)
      await chown(data, 65532, 65532)
      ;(await openIn(data)).close()
      for (const name of ['vivace.db', 'vivace.db.lock'])
        expect((await stat(path.join(data, name))).uid, name).toBe(65532)
    },
  )

  it('is free once its process was killed', async () => {
    const data = path.join(folder, 'killed')
    ;(await openIn(data)).close()
    const holder = `
      import { createClient } from '@libsql/client/sqlite3'
      const client = createClient({ url: 'file:${data}/vivace.db.lock' })
      globalThis.kept = [client, await client.transaction('write')]
      console.log('locked')
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', holder], { stdio: 'pipe' })
    await once(child.stdout, 'data')
    expect(await failure(data)).toContain('is used by another process')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const mine = await openIn(data)
    mine.close()
  })

  it('is not held open if it cannot be used', async () => {
    const data = path.join(folder, 'of a newer release')
    ;(await openIn(data)).close()
    const other = createClient({ url: `file:${path.join(data, 'vivace.db')}` })
    await other.execute("insert into __drizzle_migrations (hash, created_at) values ('later', 9e14)")
    other.close()
    unclosed.clear()
    expect(await failure(data)).toContain('of a newer release')
    expect(unclosed.size).toBe(0)
  })

  it('that other migrations made is refused, and not changed', async () => {
    const data = path.join(folder, 'of a version before 1.0.0')
    ;(await openIn(data)).close()
    const file = path.join(data, 'vivace.db')
    const other = createClient({ url: `file:${file}` })
    await other.execute('update __drizzle_migrations set created_at = created_at - 1')
    await other.execute('pragma wal_checkpoint(truncate)')
    other.close()
    const before = await readFile(file)
    expect(await failure(data)).toMatch(/made by a version before 1\.0\.0.*start with an empty one/)
    expect((await readFile(file)).equals(before)).toBe(true)
  })

  it('is written anew by a migration, without remains of removed rows', async () => {
    const data = path.join(folder, 'upgraded')
    const file = path.join(data, 'vivace.db')
    ;(await openIn(data)).close()
    // As the engine leaves it: rows are moved between pages, and copies of them stay in gaps.
    const old = createClient({ url: `file:${file}` })
    await old.execute('create table words (word text primary key, is_kept integer) without rowid')
    const rows = Array.from({ length: 1500 }, (_, n): [string, number] => {
      const isKept = n % 2
      return [`${(n * 7919) % 1500}-${isKept ? 'stays' : 'remains'}${'.'.repeat((n * 31) % 300)}`, isKept]
    })
    const inserts = rows.map((args) => ({ sql: 'insert into words values (?, ?)', args }))
    await old.batch(inserts, 'write')
    await old.batch(['pragma secure_delete = on', 'delete from words where is_kept = 0'], 'write')
    await old.execute('pragma wal_checkpoint(truncate)')
    expect(await readFile(file, 'latin1')).toContain('-remains')
    const lines: string[] = []
    const migrations = await migrationsAnd('alter table words add more integer')
    const isNew = await migrateDatabase(old, true, (line) => lines.push(line), migrations)
    expect([isNew, lines]).toEqual([false, ['the rows of an older release are being rewritten']])
    expect(await readFile(file, 'latin1')).not.toContain('-remains')
    await migrateDatabase(old, true, (line) => lines.push(line), migrations)
    expect(lines).toHaveLength(1)
    old.close()
  })

  it('says whether it was empty', async () => {
    const data = path.join(folder, 'new')
    const first = await openIn(data)
    await first.write((queries) => queries.run(sql`delete from blob_removals`))
    first.close()
    const second = await openIn(data)
    second.close()
    expect([first.isNew, second.isNew]).toEqual([true, false])
  })

  it('on a disk that is mounted read-only names its file and the next step', async (context) => {
    const place = path.join(folder, 'disk')
    await mkdir(place)
    const disk = mountDisk(place)
    if (!disk) return context.skip('this user may mount no disk')
    try {
      const data = path.join(place, 'data')
      leaveDatabase(data)
      disk.setReadOnly()
      expect(await failure(data)).toMatch(
        /disk\/data\/vivace\.db cannot be opened \(SQLITE_READONLY\): .*read-only/,
      )
    } finally {
      disk.unmount()
    }
  })

  it('names its file and the next step if it cannot be opened', async () => {
    const text = path.join(folder, 'text')
    await mkdir(text)
    await writeFile(path.join(text, 'vivace.db'), 'this is no database. '.repeat(100))
    expect(await failure(text)).toMatch(/text\/vivace\.db cannot be opened \(SQLITE_NOTADB\): .*restore/)
    const file = path.join(folder, 'file')
    await writeFile(file, '')
    expect(await failure(file)).toMatch(/file\/vivace\.db cannot be opened \(E\w+\): .*DATA_DIR/)
  })
})

it('a database server that no connection reaches is named without the words of the program', () => {
  // What Node has for a port that browsers refuse.
  const error = new TypeError('fetch failed', { cause: new Error('bad port') })
  expect(explainFailure('libsql://127.0.0.1:1', error)).toMatchObject({
    fault: 'The database of DATABASE_URL (127.0.0.1:1) cannot be opened (no connection)',
    remedy: expect.stringContaining('check the address'),
  })
  const flaw = new TypeError('invariant: a flaw of the program')
  expect(explainFailure('libsql://127.0.0.1:1', flaw)).toMatchObject({
    fault: expect.stringContaining('(TypeError)'),
  })
})
