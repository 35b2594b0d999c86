/** Collections survive a restart, and changes by another replica of the same database. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseUrlIn, openServedDatabase } from '../../fixtures/database.ts'
import { hasLibsqlServer, type LibsqlServer, startLibsqlServer } from '../../fixtures/libsql-server.ts'
import { type PortraitName, portrait } from '../../fixtures/portraits.ts'
import { startServer, type TestServer, testedRuntime } from '../../fixtures/server.ts'
import { file, form } from '../client.ts'
import { call, signIn, upload } from './service.ts'

const account = { SVC_ADMIN_EMAIL: 'root@vivace.test', SVC_ADMIN_PASSWORD: 'a password' }
const common = { ...account, ASSESS_WORKERS: '1', SVC_ANALYSE_ATTEMPT_DELAY: '0' }

/** One server, used by its administrator. */
async function connected({ url }: TestServer) {
  const { token } = await signIn(account.SVC_ADMIN_EMAIL, account.SVC_ADMIN_PASSWORD, url)
  const ask = (method: string, target: string, body?: unknown) => call(token, method, target, body, url)
  return {
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
  },
)
