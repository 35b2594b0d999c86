/** Collections survive a restart, changes by another replica of the same database, and the migrations of a newer one. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrateDatabase } from '../../../src/platform/server-database.ts'
import { databaseUrlIn, openServedDatabase } from '../../fixtures/database.ts'
import { hasLibsqlServer, type LibsqlServer, startLibsqlServer } from '../../fixtures/libsql-server.ts'
import { migrationsAnd } from '../../fixtures/migrations.ts'
import { type PortraitName, portrait } from '../../fixtures/portraits.ts'
import { failToStart, startServer, type TestServer, testedRuntime } from '../../fixtures/server.ts'
import { file, form } from '../client.ts'
import { call, finished, signIn, upload } from './service.ts'

const account = { SVC_ADMIN_EMAIL: 'root@vivace.test', SVC_ADMIN_PASSWORD: 'a password' }
const common = { ...account, ASSESS_WORKERS: '1', SVC_ANALYSE_ATTEMPT_DELAY: '0' }

/** One server, used by its administrator. */
async function connected({ url }: TestServer) {
  const { token } = await signIn(account.SVC_ADMIN_EMAIL, account.SVC_ADMIN_PASSWORD, url)
  const ask = (method: string, target: string, body?: unknown) => call(token, method, target, body, url)
  return {
    token,
    ask,
    async collection(alias: string): Promise<string> {
      return (await ask('POST', '/api/collections/', { alias })).json.collection_id
    },
    async enrol(collection: string, photo: Uint8Array): Promise<string> {
      const target = `/api/collections/${collection}/persons/`
      const { status, json, text } = await upload(token, target, form([file('photo', photo)], {}), url)
      if (status !== 201) throw new Error(text)
      return json.person_id
    },
    async verdict(collection_id: string, photo: Uint8Array): Promise<string> {
      const analyses = [{ type: 'collection', params: { collection_id } }]
      const body = form([file('probe', photo)], { analyses })
      const { status, json, text } = await upload(token, '/api/folders/', body, url)
      if (status !== 201) throw new Error(text)
      return json.analyses[0].resolution_status
    },
  }
}

const photos = {} as Record<PortraitName, Uint8Array>

beforeAll(async () => {
  for (const name of ['redhead', 'redheadAgain', 'brunette', 'smiling'] as const)
    photos[name] = await portrait(name)
})

/** A migration that adds: a table, columns, an index, and a table that is made anew with one more. */
const later = [
  'create table later_notes (id integer primary key, folder_number integer references folders(number) on delete cascade)',
  'alter table folders add later_mark integer default 1 not null',
  'alter table analyses add later_text text',
  'create index folders_later on folders (later_mark)',
  'create table __new_blob_removals (key text primary key not null, due_at integer not null, attempts integer default 0 not null, later text)',
  'insert into __new_blob_removals (key, due_at, attempts) select key, due_at, attempts from blob_removals',
  'drop table blob_removals',
  'alter table __new_blob_removals rename to blob_removals',
].join(';--> statement-breakpoint\n')

describe.skipIf(testedRuntime === 'workers')('one server', () => {
  it('a restarted server finds enrolled persons, and nothing of removed ones', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'vivace-collections-'))
    const environment = { ...common, DATA_DIR: folder }
    try {
      const before = await startServer(environment)
      const first = await connected(before)
      const collection = await first.collection('kept')
      const person = await first.enrol(collection, photos.redhead)
      await first.enrol(collection, photos.smiling)
      await before.stop()

      const after = await startServer(environment)
      const second = await connected(after)
      expect(await second.verdict(collection, photos.redheadAgain)).toBe('DECLINED')
      expect(await second.verdict(collection, photos.brunette)).toBe('SUCCESS')
      const database = openServedDatabase(databaseUrlIn(folder))
      const vectors = async () => {
        const { rows } = await database.execute('select vector from enrolled_templates order by number')
        return rows.map(({ vector }) => Buffer.from(vector as ArrayBuffer))
      }
      const [template] = await vectors()
      await second.ask('DELETE', `/api/collections/${collection}/persons/${person}`)
      expect(await second.verdict(collection, photos.redheadAgain)).toBe('SUCCESS')
      expect((await vectors()).length).toBe(1)
      await second.ask('DELETE', `/api/collections/${collection}`)
      for (const table of ['collections', 'persons', 'person_images', 'enrolled_templates']) {
        const { rows } = await database.execute(`select count(*) as n from ${table}`)
        expect([table, rows[0]!.n]).toEqual([table, 0])
      }
      expect(await readdir(path.join(folder, 'media', collection)).catch(() => [])).toEqual([])
      database.close()
      // Housekeeping writes the log back into the file.
      const isInFiles = async () => {
        const names = (await readdir(folder)).filter((name) => name.startsWith('vivace.db'))
        const files = await Promise.all(names.map((name) => readFile(path.join(folder, name))))
        return files.some((bytes) => bytes.includes(template!))
      }
      for (let i = 0; i < 750 && (await isInFiles()); i++)
        await new Promise((resolve) => setTimeout(resolve, 100))
      expect(await isInFiles()).toBe(false)
      await after.stop()
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

describe.skipIf(testedRuntime === 'workers' || !hasLibsqlServer)(
  `two replicas${hasLibsqlServer ? '' : ' (skipped: no libSQL server is installed)'}`,
  () => {
    let database: LibsqlServer
    const servers: TestServer[] = []

    beforeAll(async () => {
      database = await startLibsqlServer()
      const environment = { ...common, DATABASE_URL: database.url }
      servers.push(await startServer(environment), await startServer(environment))
    })

    afterAll(async () => {
      for (const server of servers) await server.stop()
      await database?.close()
    })

    it('two replicas see each other’s enrolments and removals at the next search', async () => {
      const [one, other] = await Promise.all(servers.map(connected))
      const collection = await one!.collection('shared')
      await one!.enrol(collection, photos.smiling)
      expect(await other!.verdict(collection, photos.redheadAgain)).toBe('SUCCESS')
      const person = await one!.enrol(collection, photos.redhead)
      expect(await other!.verdict(collection, photos.redheadAgain)).toBe('DECLINED')
      expect(await one!.verdict(collection, photos.redheadAgain)).toBe('DECLINED')
      await other!.ask('DELETE', `/api/collections/${collection}/persons/${person}`)
      expect(await one!.verdict(collection, photos.redheadAgain)).toBe('SUCCESS')
      await one!.ask('DELETE', `/api/collections/${collection}`)
      await expect(other!.verdict(collection, photos.redheadAgain)).rejects.toThrow('"error_code": 4')
    })

    it('replicas go on while a newer release migrates their database, and start on it no more', async () => {
      const { token, ask, ...one } = await connected(servers[0]!)
      const collection = await one.collection('kept on')
      await one.enrol(collection, photos.redhead)
      const client = openServedDatabase(database.url)
      const folder = await migrationsAnd(later)
      await migrateDatabase(client, false, () => {}, folder)
      await rm(folder, { recursive: true })

      expect(await one.verdict(collection, photos.redheadAgain)).toBe('DECLINED')
      await one.enrol(collection, photos.brunette)
      const other = await connected(servers[1]!)
      expect(await other.verdict(collection, photos.brunette)).toBe('DECLINED')
      const made = await upload(
        token,
        '/api/folders/',
        form([file('a', photos.smiling)], {}),
        servers[0]!.url,
      )
      const path = `/api/folders/${made.json.folder_id}`
      // The newer release writes what the older one does not know.
      await client.execute('update folders set later_mark = 7')
      const begun = await ask('POST', `${path}/analyses`, { analyses: [{ type: 'quality' }] })
      expect((await finished(token, begun.json[0].analysis_id, servers[0]!.url)).resolution).toBe('SUCCESS')
      const { rows } = await client.execute('select distinct later_mark as mark from folders')
      expect(rows.map(({ mark }) => mark)).toEqual([7])
      expect((await other.ask('GET', path)).json.resolution_status).toBe('FINISHED')
      expect((await ask('DELETE', path)).status).toBe(204)

      const { code, output } = await failToStart({ ...common, DATABASE_URL: database.url })
      expect([code, output]).toEqual([1, expect.stringContaining('The database is of a newer release')])
      for (const { url, lines } of servers) {
        expect((await fetch(`${url}/readyz`)).status).toBe(200)
        expect(lines().filter((line) => line.includes('"level":"error"'))).toEqual([])
      }
      client.close()
    })
  },
)
