/** The client package against the server: calls, forms, polling, lists, errors; then on the runtime under test itself. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  AuthenticationError,
  call,
  createClient,
  InvalidRequestError,
  listAll,
  NotFoundError,
  PermissionError,
  waitForFolder,
} from '../../../client/index.ts'
import { portrait } from '../../fixtures/portraits.ts'
import { runProgram, testedRuntime } from '../../fixtures/server.ts'
import { url } from '../client.ts'
import { createCompany, createUser, signInAsAdmin } from './service.ts'

const root = path.resolve(import.meta.dirname, '..', '..', '..')

/** The members that an interface of `client/answers.ts` declares. */
async function membersOf(name: string): Promise<Set<string>> {
  const text = await readFile(path.join(root, 'client', 'answers.ts'), 'utf8')
  const [, parents, body] = new RegExp(
    `interface ${name}(?: extends ([\\w, ]+))? \\{\\n([\\s\\S]*?)\\n\\}`,
  ).exec(text)!
  const own = [...body!.matchAll(/^ {2}(\w+)\??:/gm)].map(([, member]) => member!)
  const inherited = await Promise.all((parents ?? '').split(', ').filter(Boolean).map(membersOf))
  return new Set([...own, ...inherited.flatMap((members) => [...members])])
}

const undeclared = async (name: string, value: object): Promise<string[]> => {
  const members = await membersOf(name)
  return Object.keys(value).filter((key) => !members.has(key))
}

describe.skipIf(testedRuntime === 'workers')('the client on kept folders', () => {
  let photo: Blob
  let account: { email: string; password: string }

  beforeAll(async () => {
    photo = new Blob([new Uint8Array(await portrait('redhead'))], { type: 'image/jpeg' })
    const admin = await signInAsAdmin()
    const company = await createCompany(admin.token, 'Typed client')
    account = await createUser(admin.token, company, 'CLIENT_ADMIN')
  })

  const open = () => createClient({ url, credentials: account })

  it('creates a folder, starts analyses, waits for them, and reads declared members only', async () => {
    const client = open()
    const created = await call(client, 'POST /api/folders', {
      payload: { 'folder:meta_data': { transaction_id: 't-1' }, 'media:tags': { selfie: ['photo_selfie'] } },
      media: { selfie: photo },
    })
    expect(created.resolution_status).toBe('INITIAL')
    const [analysis] = await call(client, 'POST /api/folders/{folder}/analyses', {
      path: { folder: created.folder_id },
      body: { analyses: [{ type: 'quality', params: { extract_best_shot: true } }] },
    })
    expect(analysis?.state).toBe('PROCESSING')
    const seen: string[] = []
    const folder = await waitForFolder(client, created.folder_id, {
      intervalMs: 50,
      onFolder: ({ resolution_status }) => seen.push(resolution_status),
    })
    expect(folder.resolution_status).toBe('FINISHED')
    expect(seen.at(-1)).toBe('FINISHED')
    const ended = folder.analyses![0]!
    expect(await undeclared('Folder', folder)).toEqual([])
    expect(await undeclared('Medium', folder.media![0]!)).toEqual([])
    expect(await undeclared('Analysis', ended)).toEqual([])
    expect(await undeclared('ResultMedium', ended.results_media[0]!)).toEqual([])
    expect(await undeclared('OutputImage', ended.results_media[0]!.output_images[0]!)).toEqual([])
    const archive = await call(client, 'GET /api/folders/{folder}/artifacts', {
      path: { folder: folder.folder_id },
    })
    expect(new TextDecoder().decode((await archive.arrayBuffer()).slice(0, 2))).toBe('PK')
    await call(client, 'DELETE /api/folders/{folder}', { path: { folder: folder.folder_id } })
    const gone = call(client, 'GET /api/folders/{folder}', { path: { folder: folder.folder_id } })
    await expect(gone).rejects.toBeInstanceOf(NotFoundError)
  })

  it('lists to the end, and manages metadata and collections', async () => {
    const client = open()
    const ids: string[] = []
    for (let i = 0; i < 3; i++) ids.push((await call(client, 'POST /api/folders', { payload: {} })).folder_id)
    const listed: string[] = []
    for await (const { folder_id } of listAll(client, 'GET /api/folders', { limit: 2 }))
      listed.push(folder_id)
    expect(ids.filter((id) => listed.includes(id))).toEqual(ids)
    const path = { folder: ids[0]! }
    expect(await call(client, 'PATCH /api/folders/{folder}/meta_data', { path, body: { a: 1 } })).toEqual({
      a: 1,
    })
    expect(await call(client, 'DELETE /api/folders/{folder}/meta_data', { path })).toBeUndefined()
    const collection = await call(client, 'POST /api/collections', { body: { alias: 'typed' } })
    expect(await undeclared('Collection', collection)).toEqual([])
    const person = await call(client, 'POST /api/collections/{collection}/persons', {
      path: { collection: collection.collection_id },
      payload: { 'person:meta_data': { name: 'A' } },
      media: { photo },
    })
    if (Array.isArray(person)) throw new TypeError('one person was sent')
    expect(await undeclared('Person', person)).toEqual([])
    expect(await undeclared('PersonImage', person.images[0]!)).toEqual([])
  })

  it('tells refusals apart', async () => {
    const client = open()
    const stranger = createClient({ url, credentials: { ...account, password: 'wrong' } })
    const refusals = [
      [() => call(createClient({ url }), 'GET /api/users/me'), AuthenticationError, 401, 6],
      [() => call(client, 'POST /api/companies', { body: { name: 'B' } }), PermissionError, 403, 9],
      [() => call(client, 'POST /api/collections', { body: { alias: '' } }), InvalidRequestError, 400, 4],
      [() => call(stranger, 'GET /api/users/me'), AuthenticationError, 401, 7],
    ] as const
    for (const [refused, kind, status, errorCode] of refusals) {
      const error = await refused().catch((thrown) => thrown)
      expect(error).toBeInstanceOf(kind)
      expect(error).toMatchObject({ status, errorCode })
      expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  it(`runs on ${testedRuntime}`, async () => {
    const runtime = testedRuntime as Exclude<typeof testedRuntime, 'workers'>
    const args = [url, account.email, account.password]
    const [file, ...rest] = runProgram(runtime, 'test/fixtures/client-program.ts', args)
    const { stdout } = await promisify(execFile)(file, rest, { cwd: root, timeout: 60_000 })
    expect(JSON.parse(stdout)).toEqual({
      state: 'FINISHED',
      shot: true,
      listed: true,
      refused: 'NotFoundError',
    })
  })
})

describe('the client on Instant', () => {
  it('sends pictures and reads the verdict', async () => {
    const photo = new Blob([new Uint8Array(await portrait('brunette'))], { type: 'image/jpeg' })
    const folder = await call(createClient({ url }), 'POST /api/instant/folders', {
      payload: { analyses: [{ type: 'quality' }] },
      media: { selfie: { data: photo, name: 'selfie.jpg' } },
    })
    expect(folder.analyses?.[0]?.state).toBe('FINISHED')
    expect(folder.media?.[0]?.original_name).toBe('selfie.jpg')
  })

  it('compares in Lite, and reads its errors', async () => {
    const client = createClient({ url })
    const bytes = new Uint8Array(await portrait('brunette'))
    const template = await call(client, 'POST /v1/face/pattern/extract', {
      bytes,
      headers: { 'Content-Type': 'image/jpeg' },
    })
    const same = await call(client, 'POST /v1/face/pattern/compare', {
      media: { bio_feature: { data: template, name: 'a' }, bio_template: { data: template, name: 'b' } },
    })
    expect(same.decision).toBe('approved')
    const refused = call(client, 'POST /v1/face/pattern/extract', {
      bytes: new Uint8Array(3),
      headers: { 'Content-Type': 'image/jpeg' },
    })
    await expect(refused).rejects.toMatchObject({ status: 400, errorCode: expect.stringMatching(/^BPE-/) })
  })
})
