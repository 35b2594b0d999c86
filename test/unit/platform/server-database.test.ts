/** Opening the database of a server: its lock, and the lines that explain a failure. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openServerDatabase } from '../../../src/platform/server-database.ts'
import { readSettings } from '../../../src/settings.ts'

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
