/** What a call removes cannot be read from the files of the database server of `compose.yaml`, while it runs and after it has ended. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createClient } from '@libsql/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasLibsqlServer, type LibsqlServer, startLibsqlServer } from '../../fixtures/libsql-server.ts'
import { portrait } from '../../fixtures/portraits.ts'
import { startServer, type TestServer, testedRuntime } from '../../fixtures/server.ts'
import { idBytes } from '../../fixtures/stored-words.ts'
import { file, form } from '../client.ts'
import { call, createCompany, createUser, type Signed, signIn, upload } from './service.ts'

const administrator = { SVC_ADMIN_EMAIL: 'root@vivace.test', SVC_ADMIN_PASSWORD: 'a password' }

/** The settings of sqld in `compose.yaml`, with a key. */
async function composedSettings(): Promise<Record<string, string>> {
  const text = await readFile(path.resolve(import.meta.dirname, '../../../compose.yaml'), 'utf8')
  const settings = [...text.matchAll(/^ +(SQLD_\w+): (.*)$/gm)].map(([, name, value]) => [name!, value!])
  return Object.fromEntries(
    settings.map(([name, value]) => [
      name,
      value!.startsWith('${DATABASE_KEY:?') ? randomBytes(32).toString('hex') : value,
    ]),
  )
}

/** The marks that occur in any file of a folder. */
async function marksBelow(folder: string, marks: readonly string[]): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const texts = await Promise.all(
    files.map((entry) => readFile(path.join(entry.parentPath, entry.name), 'latin1')),
  )
  expect(texts.join('').length).toBeGreaterThan(100_000)
  return marks.filter((mark) => texts.some((text) => text.includes(mark)))
}

// The database server is the same for all runtimes.
const isTested = testedRuntime === 'node' && hasLibsqlServer

describe.skipIf(!isTested)('the database server of compose.yaml', () => {
  let folder: string
  let database: LibsqlServer
  let server: TestServer
  let manager: Signed

  async function start(settings: Record<string, string>): Promise<void> {
    folder = await mkdtemp(path.join(tmpdir(), 'vivace-forgetting-remote-'))
    database = await startLibsqlServer(settings)
    server = await startServer({
      ...administrator,
      DATA_DIR: folder,
      DATABASE_URL: database.url,
      ASSESS_WORKERS: '1',
    })
    const root = await signIn(administrator.SVC_ADMIN_EMAIL, administrator.SVC_ADMIN_PASSWORD, server.url)
    const company = await createCompany(root.token, 'Forgetting', server.url)
    manager = await createUser(root.token, company, 'CLIENT_ADMIN', server.url)
  }

  async function end(): Promise<void> {
    await server?.stop()
    await database?.close()
    await rm(folder, { recursive: true, force: true })
  }

  /** Stores a folder and removes it. @returns a name and a template of it, as they are stored */
  async function storeAndRemove(): Promise<string[]> {
    const name = `name-${crypto.randomUUID()}`
    const payload = { 'folder:meta_data': { name }, analyses: [{ type: 'biometry' }] }
    const files = [file('a', await portrait('redhead')), file('b', await portrait('redheadAgain'))]
    const { status, json } = await upload(manager.token, '/api/folders', form(files, payload), server.url)
    expect(status).toBe(201)
    const client = createClient({ url: database.url })
    const stored = await client.execute(
      `select template from findings where template is not null and medium_number in
        (select number from media where id = ${idBytes(json.media[0].media_id)})`,
    )
    const template = Buffer.from(stored.rows[0]!.template as ArrayBuffer).toString('latin1', 0, 100)
    const { status: removed } = await call(
      ...([manager.token, 'DELETE', `/api/folders/${json.folder_id}`, undefined, server.url] as const),
    )
    expect(removed).toBe(204)
    expect((await client.execute('select 1 from findings')).rows).toEqual([])
    client.close()
    return [name, template]
  }

  describe('as it is shipped', () => {
    beforeAll(async () => start(await composedSettings()))
    afterAll(end)

    it('leaves nothing that can be read, in any of its files, and overwrites what is removed', async () => {
      const marks = await storeAndRemove()
      expect(await marksBelow(database.directory, marks)).toEqual([])
      const client = createClient({ url: database.url })
      expect((await client.execute('pragma secure_delete')).rows[0]).toMatchObject({ secure_delete: 1 })
      client.close()
      expect(await server.stop()).toBe(0)
      await database.stop()
      expect(await marksBelow(database.directory, marks)).toEqual([])
    })
  })

  describe('without its settings', () => {
    beforeAll(async () => start({}))
    afterAll(end)

    it('keeps what was removed in plain text, as docs/privacy.md says', async () => {
      const marks = await storeAndRemove()
      expect(await marksBelow(database.directory, marks)).toEqual(marks)
    })
  })
})
