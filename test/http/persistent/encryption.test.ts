/** STORAGE_KEYS: what is stored is encrypted, answers stay the same, and without its key nothing starts. */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runTool } from '../../fixtures/command.ts'
import { storageKeyLine } from '../../fixtures/data-keys.ts'
import { databaseUrlIn, openServedDatabase } from '../../fixtures/database.ts'
import { portrait } from '../../fixtures/portraits.ts'
import { failToStart, startServer, type TestServer, testedRuntime } from '../../fixtures/server.ts'
import { missingFor, startStorage, testedStorage } from '../../fixtures/storages.ts'
import { file, form } from '../client.ts'
import { call, createCompany, createUser, type Signed, signIn, tokenHeader, upload } from './service.ts'

const account = { SVC_ADMIN_EMAIL: 'root@vivace.test', SVC_ADMIN_PASSWORD: 'choose a good one' }

const isWorkers = testedRuntime === 'workers'
const storage = testedStorage()
/** The bucket of the local runtime of Workers does not outlive a restart. */
const missing = isWorkers && storage !== 's3' ? 'a bucket' : missingFor(storage)

/** What the tests store, and read again after each change of keys. */
interface Stored {
  folders: string[]
  collection: string
  person: string
}

describe.skipIf(missing !== null)('encryption at rest', () => {
  let folder: string
  let environment: Record<string, string>
  let closeStorage: () => Promise<void>
  let server: TestServer | null = null
  let base = ''
  let manager: Signed
  let photo: Uint8Array
  let probe: Uint8Array
  const [first, second] = ['k1', 'k2'].map(storageKeyLine) as [string, string]

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'vivace-encrypted-'))
    const opened = await startStorage(storage)
    closeStorage = opened.close
    environment = {
      ...account,
      ...opened.environment,
      DATA_DIR: path.join(folder, 'data'),
      PUBLIC_URL: 'http://vivace.test',
      ASSESS_WORKERS: '1',
    }
    photo = await portrait('redhead')
    probe = await portrait('redheadAgain')
  })
  afterAll(async () => {
    await server?.stop()
    await closeStorage()
    await rm(folder, { recursive: true, force: true })
  })

  async function restart(keys: string, more: Record<string, string> = {}): Promise<void> {
    await server?.stop()
    server = null
    server = await startServer({ ...environment, STORAGE_KEYS: keys, ...more })
    base = server.url
  }

  const dataFolder = () => path.join(folder, 'data')
  const databaseUrl = () => environment.DATABASE_URL ?? databaseUrlIn(dataFolder())

  async function ask(statement: string) {
    const client = openServedDatabase(databaseUrl())
    return client.execute(statement).finally(() => client.close())
  }

  const countKeys = async (where = 'true'): Promise<number> =>
    Number((await ask(`select count(*) as keys from data_keys where ${where}`)).rows[0]?.keys)

  async function makeFolder(analyses: object[]): Promise<string> {
    const body = form([file('selfie', photo)], { analyses })
    const { status, json, text } = await upload(manager.token, '/api/folders/', body, base)
    if (status !== 201) throw new Error(text)
    return json.folder_id
  }

  async function enrol(collection: string): Promise<string> {
    const persons = `/api/collections/${collection}/persons/`
    const { status, json, text } = await upload(manager.token, persons, form([file('photo', photo)]), base)
    if (status !== 201) throw new Error(text)
    return json.person_id
  }

  /** A file of an answer, by its link: whole, or a range. */
  async function download(
    link: string,
    range?: string,
  ): Promise<{ status: number; bytes: Buffer; size: string }> {
    const headers = { ...tokenHeader(manager.token), ...(range ? { Range: range } : {}) }
    const answer = await fetch(base + new URL(link).pathname, { headers })
    return {
      status: answer.status,
      bytes: Buffer.from(await answer.arrayBuffer()),
      size: answer.headers.get('content-range') ?? answer.headers.get('content-length') ?? '',
    }
  }

  async function originalOf(id: string): Promise<string> {
    const { json } = await call(manager.token, 'GET', `/api/folders/${id}`, undefined, base)
    return json.media[0].original_url ?? json.media[0].original_image.url
  }

  async function expectReadable({ folders, collection, person }: Stored): Promise<void> {
    for (const id of folders) {
      const link = await originalOf(id)
      const whole = await download(link)
      expect([whole.status, whole.bytes.equals(photo)]).toEqual([200, true])
      const part = await download(link, 'bytes=100-299')
      expect([part.status, part.bytes.equals(photo.subarray(100, 300)), part.size]).toEqual([
        206,
        true,
        `bytes 100-299/${photo.length}`,
      ])
    }
    const analyses = [{ type: 'collection', params: { collection_id: collection } }]
    const found = await upload(
      manager.token,
      '/api/folders/',
      form([file('probe', probe)], { analyses }),
      base,
    )
    const [medium] = found.json.analyses[0].results_media
    expect(medium.collection_persons).toEqual([expect.objectContaining({ person_id: person })])
  }

  /** All files below the data folder, as bytes. */
  async function readData(): Promise<Map<string, Buffer>> {
    const found = new Map<string, Buffer>()
    const names = await readdir(dataFolder(), { recursive: true, withFileTypes: true })
    for (const entry of names.filter((one) => one.isFile())) {
      const name = path.join(entry.parentPath, entry.name)
      found.set(name, await readFile(name))
    }
    return found
  }

  const stored: Stored = { folders: [], collection: '', person: '' }

  it('encrypts what is new, and still reads what is plain', async () => {
    await restart('')
    const admin = await signIn(account.SVC_ADMIN_EMAIL, account.SVC_ADMIN_PASSWORD, base)
    const company = await createCompany(admin.token, 'Encrypted', base)
    manager = await createUser(admin.token, company, 'CLIENT_ADMIN', base)
    const list = { alias: 'staff', company_id: company }
    const made = await call(manager.token, 'POST', '/api/collections/', list, base)
    stored.collection = made.json.collection_id
    stored.person = await enrol(stored.collection)
    stored.folders.push(await makeFolder([{ type: 'quality' }]))
    expect(await countKeys()).toBe(0)

    await restart(first)
    await expectReadable(stored)
    stored.folders.push(await makeFolder([{ type: 'quality' }]))
    await expectReadable(stored)
    expect(await countKeys()).toBeGreaterThan(1)
    const plain = await ask("select count(*) as rows from findings where typeof(found) = 'text'")
    expect(Number(plain.rows[0]?.rows)).toBe(1)
  })

  it.skipIf(isWorkers)(
    'encrypts what was plain by a command, after which no face and no template is found',
    async () => {
      const { rows } = await ask('select vector from enrolled_templates')
      const template = Buffer.from(rows[0]!.vector as ArrayBuffer)
      expect(template.length % 4).toBe(0)
      const run = () => runTool(['encrypt'], { ...environment, STORAGE_KEYS: first })
      const done = await run()
      expect(done.output).toMatch(
        /encrypted: [1-9]\d* files, 1 templates, findings of 1 media; wrapped again: 0 keys/,
      )
      expect((await run()).output).toMatch(/encrypted: 0 files, 0 templates, findings of 0 media/)
      await expectReadable(stored)
      const report = await call(manager.token, 'POST', `/api/folders/${stored.folders[1]}/reports/`, {}, base)
      expect(report.status).toBe(201)

      await server!.stop()
      server = null
      if (storage !== 'file') return
      const marks = Array.from({ length: 20 }, (_, place) =>
        Buffer.from(photo.subarray(place * 900, place * 900 + 24)),
      )
      for (const [name, bytes] of await readData()) {
        expect([name, marks.filter((mark) => bytes.includes(mark)).length]).toEqual([name, 0])
        expect([name, bytes.includes(template.subarray(0, 64))]).toEqual([name, false])
        if (!name.includes(`${path.sep}media${path.sep}`)) continue
        expect([name, bytes.subarray(0, 8).toString('latin1')]).toEqual([name, '\0VIVACE\x01'])
      }
    },
  )

  it.skipIf(isWorkers)('starts only with the keys of what is stored', async () => {
    await server?.stop()
    server = null
    for (const [keys, told] of [
      ['', 'must have the key k1'],
      [second, 'must have the key k1'],
      [storageKeyLine('k1'), 'the key k1 of STORAGE_KEYS is another one'],
      ['k1:short', 'STORAGE_KEYS must be a path, or ID:KEY'],
    ] as const) {
      const { code, output } = await failToStart({ ...environment, STORAGE_KEYS: keys })
      expect([code, output]).toEqual([1, expect.stringContaining(told)])
      expect(output).not.toContain(keys.split(':')[1] || first)
    }
    const doctor = await runTool(['doctor'], { ...environment, STORAGE_KEYS: '' })
    expect(doctor.output).toContain('must have the key k1')
  })

  it.skipIf(isWorkers)('rotates: another key wraps, and the former one is needed no more', async () => {
    const keyFile = path.join(folder, 'keys')
    await writeFile(keyFile, `${second}\n${first}\n`)
    await restart(keyFile)
    const wrapped = await countKeys()
    const run = await runTool(['encrypt'], { ...environment, STORAGE_KEYS: keyFile })
    expect(run.output).toContain(`wrapped again: ${wrapped} keys`)
    await restart(second)
    await expectReadable(stored)
  })

  it.skipIf(isWorkers || storage !== 'file')('a backup is restored with its key', async () => {
    const backup = path.join(folder, 'backup')
    expect((await runTool(['backup', backup], environment)).code).toBe(0)
    const restored = { DATA_DIR: path.join(folder, 'restored') }
    expect((await runTool(['restore', backup], { ...environment, ...restored })).code).toBe(0)
    expect((await failToStart({ ...environment, ...restored, STORAGE_KEYS: first })).output).toContain(
      'key k2',
    )
    await restart(second, restored)
    await expectReadable(stored)
    await restart(second)
  })

  it('destroys the keys of what is removed', async () => {
    const before = await countKeys()
    const [cleared, removed] = stored.folders
    const media = path.join(dataFolder(), 'media', removed!)
    const kept = path.join(folder, 'kept')
    if (storage === 'file') await cp(media, kept, { recursive: true })
    const link = await originalOf(removed!)
    expect((await call(manager.token, 'DELETE', `/api/folders/${cleared}/pi`, undefined, base)).status).toBe(
      204,
    )
    expect((await call(manager.token, 'DELETE', `/api/folders/${removed}`, undefined, base)).status).toBe(204)
    expect(await countKeys()).toBe(before - (isWorkers ? 1 : 2))
    if (storage === 'file') {
      // As from a backup of files, or an old version in a bucket.
      await cp(kept, media, { recursive: true })
      await restart(second)
      expect((await download(link)).status).toBe(404)
    }
    const list = `/api/collections/${stored.collection}`
    expect((await call(manager.token, 'DELETE', list, undefined, base)).status).toBe(204)
    const ofCollections = 'owner_id not in (select id from folders)'
    await expect.poll(() => countKeys(ofCollections), { timeout: 20_000 }).toBe(0)
    const admin = await signIn(account.SVC_ADMIN_EMAIL, account.SVC_ADMIN_PASSWORD, base)
    const company = `/api/companies/${manager.companyId}`
    expect((await call(admin.token, 'DELETE', company, undefined, base)).status).toBe(204)
    await expect.poll(() => countKeys(), { timeout: 90_000 }).toBe(0)
  })
})
