/** `npm run backup` while a server works, and `npm run restore`: the restored server gives the same answers. */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restoreCommand } from '../../../scripts/cli/backup-commands.ts'
import { runHere, runTool } from '../../fixtures/command.ts'
import { portrait } from '../../fixtures/portraits.ts'
import { startServer, type TestServer, testedRuntime } from '../../fixtures/server.ts'
import { file, form } from '../client.ts'
import { call, createCompany, createUser, type Signed, signIn, upload } from './service.ts'

const account = { SVC_ADMIN_EMAIL: 'root@vivace.test', SVC_ADMIN_PASSWORD: 'choose a good one' }
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

describe.skipIf(testedRuntime !== 'node')('a backup of a server at work', () => {
  let folder: string
  let photo: Uint8Array
  const servers: TestServer[] = []

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'vivace-backed-up-'))
    photo = await portrait('redhead')
  })
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()))
    await rm(folder, { recursive: true, force: true })
  })

  async function start(data: string): Promise<string> {
    const place = { DATA_DIR: path.join(folder, data), PUBLIC_URL: 'http://vivace.test', ASSESS_WORKERS: '1' }
    const server = await startServer({ ...account, ...place })
    servers.push(server)
    return server.url
  }

  async function makeFolder(client: Signed, base: string, analyses: object[] = []): Promise<string> {
    const { status, json, text } = await upload(
      client.token,
      '/api/folders/',
      form([file('selfie', photo)], { analyses }),
      base,
    )
    if (status !== 201) throw new Error(text)
    return json.folder_id
  }

  it('is named where a database is new and the media are not', async () => {
    await start('lost')
    const told = () =>
      servers
        .at(-1)!
        .lines()
        .filter((line) => line.includes('the database is new'))
    expect(told()).toEqual([])
    await servers.pop()!.stop()
    const media = path.join(folder, 'lost', 'media', crypto.randomUUID())
    await mkdir(media, { recursive: true })
    await writeFile(path.join(media, `${crypto.randomUUID()}.jpg`), '')
    await writeFile(path.join(folder, 'lost', 'vivace.db'), '')
    await start('lost')
    expect(told()).toEqual([expect.stringContaining('"level":"warn","event":"database"')])
    expect(told()[0]).toContain('restore a backup')
  })

  it('is restored to the same answers, media and search', async () => {
    const base = await start('data')
    const admin = await signIn(account.SVC_ADMIN_EMAIL, account.SVC_ADMIN_PASSWORD, base)
    const client = await createUser(
      admin.token,
      await createCompany(admin.token, 'Kept', base),
      'CLIENT',
      base,
    )
    const manager = await createUser(admin.token, client.companyId, 'CLIENT_ADMIN', base)
    const list = { alias: 'blacklist', company_id: client.companyId }
    const { json: collection } = await call(manager.token, 'POST', '/api/collections/', list, base)
    const persons = `/api/collections/${collection.collection_id}/persons/`
    const enrolled = await upload(manager.token, persons, form([file('photo', photo)]), base)
    expect(enrolled.status).toBe(201)
    const identify = {
      analyses: [{ type: 'collection', params: { collection_id: collection.collection_id } }],
    }
    const kept = [
      await makeFolder(client, base, [{ type: 'quality' }]),
      await makeFolder(client, base, identify.analyses),
      await makeFolder(client, base),
    ]
    const read = (id: string, from: string) =>
      call(client.token, 'GET', `/api/folders/${id}?with_analyses=true`, undefined, from)
    const before = await Promise.all(kept.map((id) => read(id, base)))

    // Folders come and go while the backup is made.
    let isOver = false
    const acknowledged: string[] = []
    const removed = new Set<string>()
    const work = async () => {
      while (!isOver) {
        acknowledged.push(
          await makeFolder(client, base, acknowledged.length % 4 ? [] : [{ type: 'quality' }]),
        )
        const old = acknowledged.at(-4)
        if (old === undefined || removed.has(old)) continue
        removed.add(old)
        await call(manager.token, 'DELETE', `/api/folders/${old}`, undefined, base)
      }
    }
    const working = Promise.all([work(), work()])
    await expect.poll(() => removed.size, { timeout: 60_000 }).toBeGreaterThan(2)
    const early = acknowledged.filter((id) => !removed.has(id))
    const backedUp = await runTool(['backup', path.join(folder, 'backup')], {
      DATA_DIR: path.join(folder, 'data'),
    })
    const early2 = early.filter((id) => !removed.has(id))
    isOver = true
    await working
    expect([backedUp.code, backedUp.output]).toEqual([0, expect.stringMatching(/verified\n$/)])
    const restored = await runHere(restoreCommand, [path.join(folder, 'backup')], {
      DATA_DIR: path.join(folder, 'restored'),
    })
    expect([restored.code, restored.output]).toEqual([0, expect.stringContaining('Restored to')])

    const other = await start('restored')
    // Tokens of before the backup are still valid.
    for (const [place, id] of kept.entries()) {
      const answer = await read(id, other)
      expect([answer.status, answer.text]).toEqual([200, before[place]!.text])
    }
    const { json: all } = await call(
      client.token,
      'GET',
      '/api/folders/?with_analyses=true',
      undefined,
      other,
    )
    const there = new Set(all.items.map(({ folder_id }: { folder_id: string }) => folder_id))
    expect(early2.filter((id) => !there.has(id))).toEqual([])
    for (const { media } of all.items)
      for (const { original_url } of media) {
        const answer = await fetch(original_url.replace('http://vivace.test', other))
        expect([answer.status, md5(new Uint8Array(await answer.arrayBuffer()))]).toEqual([200, md5(photo)])
      }
    const probe = form([file('probe', await portrait('redheadAgain'))], identify)
    const found = await upload(client.token, '/api/folders/', probe, other)
    expect(found.json.analyses[0].resolution_status).toBe('DECLINED')
  })
})
