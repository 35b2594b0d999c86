/** A server reads the database of each release since 1.0.0, and answers of it what that release answered. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createClient } from '@libsql/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePortrait } from '../../../src/assess/warm-up.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import { databaseUrlIn } from '../../fixtures/database.ts'
import { hasLibsqlServer, type LibsqlServer, startLibsqlServer } from '../../fixtures/libsql-server.ts'
import { startServer, type TestServer, testedRuntime } from '../../fixtures/server.ts'
import { file, form } from '../client.ts'
import { call, signIn, upload } from './service.ts'

const vectors = path.resolve('test/vectors/database')
const releases = (await readdir(vectors))
  .filter((name) => name.endsWith('.sql'))
  .map((name) => name.slice(0, -'.sql'.length))
const databases = ['a file', ...(hasLibsqlServer ? ['a server'] : [])]
const cases = releases.flatMap((release) => databases.map((place) => [release, place] as const))

interface Facts {
  email: string
  password: string
  serviceToken: string
  collection: string
  person: string
  /** By path below `/api/`. */
  answers: Record<string, object>
}

describe.skipIf(testedRuntime === 'workers').each(cases)('a database of %s in %s', (release, place) => {
  let folder: string
  let remote: LibsqlServer | undefined
  let server: TestServer
  let facts: Facts
  let token: string

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'vivace-released-'))
    facts = JSON.parse(await readFile(path.join(vectors, `${release}.json`), 'utf8'))
    if (place === 'a server') remote = await startLibsqlServer()
    const url = remote?.url ?? databaseUrlIn(folder)
    const client = createClient({ url })
    await client.executeMultiple(await readFile(path.join(vectors, `${release}.sql`), 'utf8'))
    client.close()
    server = await startServer({
      ...{ DATA_DIR: folder, DATABASE_URL: url, PUBLIC_URL: 'http://vivace.test' },
      ...{ ASSESS_WORKERS: '1', MODEL_PROFILE: 'embedded' },
      ...{ SVC_APP_COMPONENTS: 'auth,stateful,oz_collections,documents', SVC_ADMIN_EMAIL: facts.email },
      // Event sessions of a release stay what they were.
      SVC_RETENTION_DAYS: '36500',
    })
    token = (await signIn(facts.email, facts.password, server.url)).token
  })
  afterAll(async () => {
    await server?.stop()
    await remote?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const ask = (target: string) => call(token, 'GET', `/api/${target}`, undefined, server.url)

  it('gives the answers of its release, with its members', async () => {
    expect(Object.keys(facts.answers).length).toBeGreaterThan(20)
    for (const [target, answer] of Object.entries(facts.answers)) {
      const { status, json } = await ask(target)
      expect([target, status]).toEqual([target, 200])
      expect(json, target).toMatchObject(answer)
    }
  })

  it('keeps what operators have decided, as records', async () => {
    interface Decided {
      folder_id: string
      operator_status: string
      operator_comment: string
      resolution_author_id: string
    }
    const lists = Object.values(facts.answers) as { items?: Decided[] }[]
    const decided = lists.flatMap(({ items = [] }) => items).filter((one) => one.operator_status)
    expect(decided.length).toBeGreaterThan(0)
    for (const { folder_id, ...folder } of decided) {
      const { json } = await ask(`folders/${folder_id}/decisions`)
      expect(json.items).toMatchObject([
        {
          ...{ status: folder.operator_status, comment: folder.operator_comment, is_effective: true },
          author_id: folder.resolution_author_id,
        },
      ])
      expect(json.items[0].analysis_ids).toHaveLength(1)
    }
    expect((await ask('queue?resolution=OPERATOR_REQUIRED,DECLINED,FAILED')).status).toBe(200)
  })

  it('keeps sessions: a service token stays valid', async () => {
    const { status } = await call(facts.serviceToken, 'GET', '/api/users/me', undefined, server.url)
    expect(status).toBe(200)
  })

  it('finds its persons, and takes new folders', async () => {
    const { bytes } = await makePortrait(testCodecs)
    const analyses = [
      { type: 'collection', params: { collection_id: facts.collection } },
      { type: 'quality' },
    ]
    const body = form([file('selfie', bytes)], { analyses })
    const { status, json } = await upload(facts.serviceToken, '/api/folders/', body, server.url)
    expect([status, json.analyses[1].state]).toEqual([201, 'FINISHED'])
    expect(JSON.stringify(json.analyses[0])).toContain(facts.person)
  })
})
