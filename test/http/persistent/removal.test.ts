/** What is left of a removed folder, medium or company: counted in the database, on disk, and in raw bytes. */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Client } from '@libsql/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseUrlIn, openServedDatabase } from '../../fixtures/database.ts'
import { portrait } from '../../fixtures/portraits.ts'
import { listen, stop } from '../../fixtures/s3-server.ts'
import { startServer, type TestServer, testedRuntime } from '../../fixtures/server.ts'
import { idBytes } from '../../fixtures/stored-words.ts'
import { file, form, send } from '../client.ts'
import { call, createCompany, createUser, finished, type Signed, signIn, upload } from './service.ts'

const isId = (word: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(word)

const email = 'root@vivace.test'
const password = 'a password'
const scraper = 'scrape with this'

/** Tables with rows of a folder, and how they refer to it. */
const tables = {
  folders: 'id = $id',
  folder_leaves: 'owner = $number',
  media: 'folder_number = $number',
  findings: 'medium_number in $media',
  analyses: 'folder_number = $number',
  decisions: 'folder_number = $number',
  outbox: 'folder_id = $id',
  deliveries: 'folder_id = $id',
  reports: 'folder_id = $id',
  blob_removals: "key like '$name%'",
} as const
type Counts = Record<keyof typeof tables, number>

const nothing: Counts = {
  folders: 0,
  folder_leaves: 0,
  media: 0,
  findings: 0,
  analyses: 0,
  decisions: 0,
  outbox: 0,
  deliveries: 0,
  reports: 0,
  blob_removals: 0,
}

interface Filled {
  id: string
  /** Numbers by which rows of the folder and its media are found after both are deleted. */
  number: number
  mediaNumbers: number[]
  mediaIds: string[]
  links: string[]
  /** Words that occur only in this folder. */
  words: string[]
}

const until = async (isDone: () => Promise<boolean>, what: string) => {
  for (let i = 0; i < 1500; i++) {
    if (await isDone()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`${what} did not come about`)
}

describe.skipIf(testedRuntime === 'workers')('removal', () => {
  let folder: string
  let server: TestServer
  let database: Client
  let root: Signed
  let company: string
  let client: Signed
  let manager: Signed
  let photo: Uint8Array
  let again: Uint8Array
  let refusing: Server
  /** Answers every webhook with an error, so that it stays in the outbox. */
  let endpoint: string

  beforeAll(async () => {
    photo = await portrait('redhead')
    again = await portrait('redheadAgain')
    const listening = await listen((_, res) => res.writeHead(503).end())
    refusing = listening.server
    endpoint = listening.endpoint
    folder = await mkdtemp(path.join(tmpdir(), 'vivace-removal-'))
    server = await startServer({
      DATA_DIR: folder,
      SVC_ADMIN_EMAIL: email,
      SVC_ADMIN_PASSWORD: password,
      SVC_WEBHOOK_ALLOW_PRIVATE: 'true',
      SVC_ANALYSE_ATTEMPT_DELAY: '0',
      SVC_METRICS_TOKEN: scraper,
      ASSESS_WORKERS: '1',
    })
    database = openServedDatabase(databaseUrlIn(folder))
    root = await signIn(email, password, server.url)
    company = await createCompany(root.token, 'Removal', server.url)
    client = await createUser(root.token, company, 'CLIENT', server.url)
    manager = await createUser(root.token, company, 'CLIENT_ADMIN', server.url)
  })

  afterAll(async () => {
    database?.close()
    await server?.stop()
    await stop(refusing)
    await rm(folder, { recursive: true, force: true })
  })

  const ask = (who: Signed, method: string, target: string, body?: unknown) =>
    call(who.token, method, target, body, server.url)

  let counter = 0
  /** A folder with everything that a folder can hold. */
  async function fill(owner = client): Promise<Filled> {
    const word = (name: string) => `${name}${++counter}q${crypto.randomUUID().slice(0, 8)}`
    const [ofFolder, ofMedium, ofAnalysis] = [word('folder'), word('medium'), word('analysis')]
    const [original, tag, comment] = [word('original'), word('tag'), word('comment')]
    const [late, address] = [word('late'), word('address')]
    const words = [ofFolder, ofMedium, ofAnalysis, original, tag, comment, late, address]
    const payload = {
      resolution_endpoint: `${endpoint}/${address}`,
      'folder:meta_data': { word: ofFolder, deep: { list: [ofFolder] } },
      'media:meta_data': { photo: { word: ofMedium } },
      'media:tags': { photo: [tag] },
      analyses: [
        { type: 'quality', meta_data: { word: ofAnalysis } },
        { type: 'biometry', meta_data: { word: ofAnalysis } },
      ],
    }
    const files = [file('photo', photo, { filename: `${original}.jpg` }), file('again', again)]
    const { json } = await upload(owner.token, '/api/folders', form(files, payload), server.url)
    const id = json.folder_id
    await ask(owner, 'PATCH', `/api/folders/${id}/meta_data`, { late })
    const operator = await createUser(root.token, null, 'OPERATOR', server.url)
    await ask(operator, 'PATCH', `/api/analyses/${json.analyses[0].analysis_id}`, {
      resolution_operator: 'SUCCESS',
      resolution_comment: comment,
    })
    const begun = await ask(owner, 'POST', `/api/folders/${id}/analyses`, { analyses: [{ type: 'quality' }] })
    await finished(owner.token, begun.json[0].analysis_id, server.url)
    const links = json.media.flatMap((medium: Record<string, string>) => [
      medium.original_url,
      medium.thumb_url,
    ])
    links.push(json.analyses[0].results_media[0].output_images[0].original_url)
    const mediaIds = json.media.map(({ media_id }: { media_id: string }) => media_id)
    await ask(owner, 'POST', `/api/media/${mediaIds[0]}/snapshot`)
    const { json: report } = await ask(owner, 'POST', `/api/folders/${id}/reports`)
    links.push(report.report_url, report.html_url)
    const [number = 0] = await numbersOf('folders', `id = ${idBytes(id)}`)
    const mediaNumbers = await numbersOf('media', `folder_number = ${number}`)
    return { id, number, mediaNumbers, mediaIds, links, words }
  }

  const numbersOf = async (table: string, condition: string): Promise<number[]> => {
    const { rows } = await database.execute(`select number from ${table} where ${condition}`)
    return rows.map((row) => Number(row.number))
  }

  async function count({ id, number, mediaNumbers }: Filled): Promise<Counts> {
    const counted = await Promise.all(
      Object.entries(tables).map(async ([table, condition]) => {
        const where = condition
          .replace('$id', idBytes(id))
          .replace('$name', id)
          .replace('$number', String(number))
          .replace('$media', `(${mediaNumbers.join()})`)
        const { rows } = await database.execute(`select count(*) as n from ${table} where ${where}`)
        return [table, Number(rows[0]!.n)] as const
      }),
    )
    return Object.fromEntries(counted) as Counts
  }

  const filesOf = async ({ id }: Filled): Promise<string[]> => {
    const place = path.join(folder, 'media', id)
    return existsSync(place) ? readdir(place) : []
  }

  /** The words that occur in the files of the database, where ids are stored as bytes. */
  async function wordsLeft(words: readonly string[]): Promise<string[]> {
    const names = (await readdir(folder)).filter((name) => name.startsWith('vivace.db'))
    const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'latin1')))
    const bytesOf = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('latin1')
    return words.filter((word) =>
      texts.some((text) => text.includes(word) || (isId(word) && text.includes(bytesOf(word)))),
    )
  }

  async function expectForgotten(filled: Filled): Promise<void> {
    expect(await filesOf(filled)).toEqual([])
    for (const link of filled.links)
      expect((await send(new URL(link).pathname, {}, server.url)).status).toBe(404)
    expect(await wordsLeft([...filled.words, ...filled.mediaIds])).toEqual([])
  }

  it('the removal tests have data to remove', async () => {
    const filled = await fill()
    await until(async () => (await count(filled)).deliveries > 0, 'a delivery')
    const counts = await count(filled)
    for (const [table, n] of Object.entries(counts))
      expect([table, n > 0]).toEqual([table, table !== 'blob_removals'])
    expect(counts.findings).toBe(2)
    expect((await filesOf(filled)).length).toBeGreaterThanOrEqual(6)
    const words = [...filled.words, ...filled.mediaIds]
    expect(await wordsLeft(words)).toEqual(words)
    for (const link of filled.links)
      expect((await send(new URL(link).pathname, {}, server.url)).status).toBe(200)
    expect((await ask(manager, 'DELETE', `/api/folders/${filled.id}`)).status).toBe(204)
  })

  it('stored files are readable by their owner only', async () => {
    for (const name of ['vivace.db', 'vivace.db-wal', 'vivace.db-shm'])
      expect([name, (await stat(path.join(folder, name))).mode & 0o777]).toEqual([name, 0o600])
  })

  it('removal of personal data deletes operator comments, and the folder accepts no new ones', async () => {
    const { json } = await ask(client, 'POST', '/api/folders/')
    const target = `/api/folders/${json.folder_id}`
    const operator = await createUser(root.token, null, 'OPERATOR', server.url)
    const words = { operator_status: 'looks like a neighbour', operator_comment: 'a neighbour' }
    expect((await ask(operator, 'PATCH', target, words)).status).toBe(200)
    expect((await ask(manager, 'DELETE', `${target}/pi`)).status).toBe(204)
    const cleared = await ask(operator, 'GET', target)
    expect(cleared.json).toMatchObject({ is_cleared: true, operator_status: null, operator_comment: null })
    for (const [name, text] of Object.entries(words)) {
      const refused = await ask(operator, 'PATCH', target, { [name]: text })
      expect([name, refused.status, refused.json.error_code]).toEqual([name, 400, 221])
    }
    const told = await ask(client, 'PATCH', target, { resolution_endpoint: endpoint })
    expect([told.status, told.json.error_code]).toEqual([400, 221])
  })

  it('analyses of a folder without personal data accept no decision and no metadata', async () => {
    const { id } = await fill()
    await ask(manager, 'DELETE', `/api/folders/${id}/pi`)
    const { json } = await ask(client, 'GET', `/api/folders/${id}/analyses`)
    const target = `/api/analyses/${json[0].analysis_id}`
    const operator = await createUser(root.token, null, 'OPERATOR', server.url)
    const decision = { resolution_operator: 'DECLINED', resolution_comment: 'a neighbour' }
    const decided = await ask(operator, 'PATCH', target, decision)
    expect([decided.status, decided.json.error_code]).toEqual([400, 221])
    const told = await ask(manager, 'PATCH', `${target}/meta_data`, { who: 'a neighbour' })
    expect([told.status, told.json.error_code]).toEqual([400, 221])
    const result = async () => (await ask(client, 'GET', `/api/folders/${id}`)).json.resolution_status
    expect(await result()).toBe('FINISHED')
    for (const { analysis_id } of json) await ask(manager, 'DELETE', `/api/analyses/${analysis_id}`)
    expect(await result()).toBe('FINISHED')
  })

  it('removal of personal data keeps an operator’s decision', async () => {
    const { json } = await ask(client, 'POST', '/api/folders/')
    const target = `/api/folders/${json.folder_id}`
    const operator = await createUser(root.token, null, 'OPERATOR', server.url)
    await ask(operator, 'PATCH', target, { operator_status: 'DECLINED' })
    await ask(manager, 'DELETE', `${target}/pi`)
    expect((await ask(operator, 'GET', target)).json.operator_status).toBe('DECLINED')
  })

  it('removal of a folder leaves nothing of it', async () => {
    const [kept, filled] = [await fill(), await fill()]
    expect((await ask(manager, 'DELETE', `/api/folders/${filled.id}`)).status).toBe(204)
    expect(await count(filled)).toEqual(nothing)
    await expectForgotten(filled)
    expect((await count(kept)).media).toBe(2)
    expect(await wordsLeft(kept.words)).toEqual(kept.words)
  })

  it('a file that cannot be deleted stops no removal, is told to operators, and goes later', async () => {
    const [stuck, next] = [await fill(), await fill()]
    const [name = ''] = await filesOf(stuck)
    const linesBefore = server.lines().length
    const place = path.join(folder, 'media', stuck.id, name)
    await rm(place)
    await mkdir(path.join(place, 'in-the-way'), { recursive: true })
    for (const { id } of [stuck, next])
      expect((await ask(manager, 'DELETE', `/api/folders/${id}`)).status).toBe(204)
    expect([await filesOf(stuck), await filesOf(next)]).toEqual([[name], []])
    expect(await count(stuck)).toEqual({ ...nothing, blob_removals: 1 })
    expect(await count(next)).toEqual(nothing)
    const storage = async () => (await ask(root, 'GET', '/api/healthcheck')).json.components.storage
    const counted = async () => {
      const headers = { Authorization: `Bearer ${scraper}` }
      const { text } = await send('/metrics', { headers }, server.url)
      return /^vivace_backlog\{kind="undeleted_files"\} (\d+)$/m.exec(text)?.[1]
    }
    expect(await storage()).toMatchObject({ status: 'warning', undeleted_files: 1 })
    expect(await counted()).toBe('1')
    // Figures of the whole server are for those who run it.
    for (const who of [{ ...root, token: 'none' }, client, manager]) {
      const { components } = (await ask(who, 'GET', '/api/healthcheck')).json
      expect([components.storage, components.database]).toEqual([{ status: 'warning' }, { status: 'ok' }])
    }
    expect((await send('/api/healthcheck', {}, server.url)).json.components.storage).toEqual({
      status: 'warning',
    })
    expect((await send('/readyz', {}, server.url)).status).toBe(200)
    const lines = server.lines().slice(linesBefore)
    const [line = '', ...others] = lines.filter((text) => text.includes('files not deleted'))
    expect(JSON.parse(line)).toMatchObject({ level: 'warn', files: 1 })
    expect([others, line.includes(stuck.id), line.includes(name)]).toEqual([[], false, false])
    // A beat later than the next attempt is due.
    await rm(place, { recursive: true })
    await database.execute('update blob_removals set due_at = 0')
    await until(async () => (await count(stuck)).blob_removals === 0, 'the next attempt')
    expect(await storage()).toMatchObject({ status: 'ok', undeleted_files: 0 })
    expect(await counted()).toBe('0')
  })

  it('removal of personal data leaves the folder with its result, and the log of deliveries', async () => {
    const filled = await fill()
    await until(async () => (await count(filled)).deliveries > 0, 'a delivery')
    const before = await count(filled)
    expect((await ask(manager, 'DELETE', `/api/folders/${filled.id}/pi`)).status).toBe(204)
    const after = await count(filled)
    // Who decided what, and when, is kept.
    const kept = { folders: 1, analyses: before.analyses, decisions: before.decisions }
    expect(after).toEqual({ ...nothing, ...kept, deliveries: after.deliveries })
    expect(after.deliveries).toBeGreaterThanOrEqual(before.deliveries)
    await expectForgotten(filled)
    const { json } = await ask(client, 'GET', `/api/folders/${filled.id}?with_analyses=true`)
    expect(json).toMatchObject({
      is_cleared: true,
      resolution_status: 'FINISHED',
      resolution_endpoint: null,
      operator_comment: null,
      meta_data: {},
      media: [],
    })
    expect(json.analyses.map(({ type }: { type: string }) => type)).toEqual([
      'QUALITY',
      'BIOMETRY',
      'QUALITY',
    ])
    for (const analysis of json.analyses) {
      expect(analysis).toMatchObject({
        state: 'FINISHED',
        resolution_status: 'SUCCESS',
        resolution_comment: '',
      })
      expect(analysis).toMatchObject({
        meta_data: {},
        results_data: null,
        source_media: [],
        results_media: [],
      })
    }
    for (const medium of filled.mediaIds)
      expect((await ask(client, 'GET', `/api/media/${medium}`)).status).toBe(404)
    const found = await ask(client, 'GET', `/api/folders/?meta_data=word==${filled.words[0]}`)
    expect(found.json.total_count).toBe(0)
  })

  it('removal of personal data stops running analyses, whose results are not stored later', async () => {
    const begun = await fill()
    const { id } = begun
    await ask(client, 'POST', `/api/folders/${id}/analyses`, {
      analyses: Array.from({ length: 6 }, () => ({ type: 'quality' })),
    })
    const added = upload(client.token, `/api/folders/${id}/media`, form([file('late', again)]), server.url)
    const removed = ask(manager, 'DELETE', `/api/folders/${id}/pi`)
    const [upload1, removal] = await Promise.all([added, removed])
    expect(removal.status).toBe(204)
    expect([201, 400]).toContain(upload1.status)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect({ ...(await count(begun)), deliveries: 0 }).toEqual({
      ...nothing,
      folders: 1,
      analyses: 9,
      decisions: 1,
    })
    expect(await filesOf(begun)).toEqual([])
    const { json } = await ask(client, 'GET', `/api/folders/${id}?with_analyses=true`)
    expect(json.resolution_status).not.toBe('PROCESSING')
    for (const { state, results_data, results_media } of json.analyses)
      expect([state === 'PROCESSING', results_data, results_media]).toEqual([false, null, []])
  })

  it('removal of a medium deletes its files and the analyses that used it', async () => {
    const filled = await fill()
    const [first, second] = filled.mediaIds as [string, string]
    expect((await ask(manager, 'DELETE', `/api/media/${first}`)).status).toBe(204)
    expect(await count(filled)).toMatchObject({ media: 1, findings: 1, analyses: 0, blob_removals: 0 })
    const left = await filesOf(filled)
    expect(left.every((name) => name.startsWith(second))).toBe(true)
    const [, ofMedium, ofAnalysis, original, tag] = filled.words as [string, string, string, string, string]
    expect(await wordsLeft([ofMedium, ofAnalysis, original, tag])).toEqual([])
  })

  it('removes what is damaged in the database: a folder, its personal data, a medium', async () => {
    const damage = (id: string) =>
      database.executeMultiple(`
        update media set tags = '{', metadata = '{', thumbnail = '{', original = '{'
          where folder_number = (select number from folders where id = ${idBytes(id)});
        update folders set metadata = '{' where id = ${idBytes(id)}`)
    const [whole, personal, held] = [await fill(), await fill(), await fill()]
    for (const { id } of [whole, personal, held]) await damage(id)
    const removals = [
      `/api/folders/${whole.id}`,
      `/api/folders/${personal.id}/pi`,
      ...held.mediaIds.map((id) => `/api/media/${id}`),
    ]
    for (const target of removals)
      expect([target, (await ask(manager, 'DELETE', target)).status]).toEqual([target, 204])
    for (const filled of [whole, personal, held]) {
      expect(await count(filled)).toMatchObject({ media: 0, findings: 0, blob_removals: 0 })
      expect(await filesOf(filled)).toEqual([])
    }
    expect((await ask(client, 'GET', `/api/folders/${personal.id}`)).json.is_cleared).toBe(true)
    expect((await ask(manager, 'DELETE', `/api/folders/${held.id}`)).status).toBe(204)
  })

  it('removes what is damaged in the database: a photo, its person, a collection', async () => {
    const { json: list } = await ask(manager, 'POST', '/api/collections', { alias: crypto.randomUUID() })
    const target = `/api/collections/${list.collection_id}`
    const enrol = async () => {
      const body = form([file('a', photo), file('b', photo)])
      return (await upload(manager.token, `${target}/persons`, body, server.url)).json
    }
    const [one] = [await enrol(), await enrol()]
    await database.executeMultiple(`
      update person_images set tags = '{', metadata = '{', thumbnail = '{', original = '{';
      update persons set metadata = '{';
      update collections set metadata = '{'`)
    const left = async () => {
      const { rows } = await database.execute('select count(*) as n from person_images')
      return [Number(rows[0]!.n), (await readdir(path.join(folder, 'media', list.collection_id))).length]
    }
    const rest: [string, number[]][] = [
      [`/api/images/${one.images[0].person_image_id}`, [3, 6]],
      [`${target}/persons/${one.person_id}`, [2, 4]],
    ]
    for (const [removed, expected] of rest) {
      expect([removed, (await ask(manager, 'DELETE', removed)).status]).toEqual([removed, 204])
      expect(await left()).toEqual(expected)
    }
    expect((await ask(manager, 'DELETE', target)).status).toBe(204)
    await until(async () => !existsSync(path.join(folder, 'media', list.collection_id)), 'removal')
    expect((await database.execute('select 1 from collections')).rows).toEqual([])
  })

  it('removal of a company deletes its users, their sessions and all folders', async () => {
    const doomed = await createCompany(root.token, 'Doomed', server.url)
    const owner = await createUser(root.token, doomed, 'CLIENT', server.url)
    const filled = await fill(owner)
    expect((await ask(root, 'DELETE', `/api/companies/${doomed}`)).status).toBe(204)
    const rows = async (query: string) => Number((await database.execute(query)).rows[0]!.n)
    const companies = () => rows(`select count(*) as n from companies where id = ${idBytes(doomed)}`)
    await until(async () => (await companies()) === 0, 'removal')
    expect(await rows(`select count(*) as n from users where company_id = ${idBytes(doomed)}`)).toBe(0)
    expect(await rows(`select count(*) as n from sessions where user_id = ${idBytes(owner.userId)}`)).toBe(0)
    expect(await count(filled)).toEqual(nothing)
    // The round of the clean-up that removes the last row ends with it.
    const words = [...filled.words, owner.email]
    await until(async () => (await wordsLeft(words)).length === 0, 'forgetting')
    await expectForgotten({ ...filled, words })
    expect((await ask(owner, 'GET', '/api/folders/')).json.error_code).toBe(7)
  })
})
