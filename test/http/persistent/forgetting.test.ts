/** What a call removes or replaces is nowhere in the data folder when it is answered, or the clean-up is done: all its bytes are searched. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Client } from '@libsql/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import { databaseUrlIn, openServedDatabase } from '../../fixtures/database.ts'
import { crop, portraitImage } from '../../fixtures/portraits.ts'
import { startServer, type TestServer, testedRuntime } from '../../fixtures/server.ts'
import { idBytes } from '../../fixtures/stored-words.ts'
import { file, form, send } from '../client.ts'
import { call, createCompany, createUser, type Signed, signIn, upload } from './service.ts'

const email = 'root@vivace.test'
const password = 'a password'

/** An id as it is stored. */
const bytesOfId = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('latin1')

/** Bytes that must be gone, as Latin-1 text. */
type Marks = readonly string[]

/** An object whose removal or change is tested. */
interface Made {
  /** Values of the path. */
  ids: Readonly<Record<string, string>>
  /** What is stored of it, and nowhere else. */
  marks: Marks
}

/** What a call says, and which of the marks of the object it removes: by default all. */
interface Removal {
  body?: unknown
  /** Whether it is an operator's. */
  decides?: boolean
  gone?: (made: Made) => Marks
}

describe.skipIf(testedRuntime === 'workers')('what a call removes is gone when it is answered', () => {
  let folder: string
  let server: TestServer
  let database: Client
  let root: Signed
  let company: string
  let manager: Signed
  let operator: Signed
  let picture: RgbaImage

  beforeAll(async () => {
    picture = await portraitImage('redhead')
    folder = await mkdtemp(path.join(tmpdir(), 'vivace-forgetting-'))
    server = await startServer({
      DATA_DIR: folder,
      SVC_ADMIN_EMAIL: email,
      SVC_ADMIN_PASSWORD: password,
      // The clean-up, after a minute, is not to help.
      ASSESS_WORKERS: '1',
      SVC_RETENTION_DAYS: '1',
    })
    database = openServedDatabase(databaseUrlIn(folder))
    root = await signIn(email, password, server.url)
    company = await createCompany(root.token, 'Forgetting', server.url)
    manager = await createUser(root.token, company, 'CLIENT_ADMIN', server.url)
    operator = await createUser(root.token, null, 'OPERATOR', server.url)
  })

  afterAll(async () => {
    database?.close()
    await server?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  let shots = 0
  /** Another photo of a person each time, whose template differs. */
  const shoot = () => {
    const at = shots++
    return testCodecs.encodeJpeg({
      image: crop(picture, at % 50, Math.floor(at / 50), 500, 500),
      quality: 90,
    })
  }

  const word = (name: string) => `${name}-${crypto.randomUUID().slice(0, 13)}`

  const ask = async (who: Signed, method: string, target: string, body?: unknown) => {
    const answer = await call(who.token, method, target, body, server.url)
    expect([method, target, answer.status, answer.status < 300 ? '' : answer.text]).toEqual([
      ...[method, target, answer.status],
      '',
    ])
    return answer.json
  }

  const bytesOf = async (query: string): Promise<string[]> => {
    const { rows } = await database.execute(query)
    // A long one may lie on several pages.
    return rows.map((row) => Buffer.from(row[0] as ArrayBuffer).toString('latin1', 0, 100))
  }

  /** The marks that occur in any file of the data folder. */
  async function left(marks: Marks): Promise<string[]> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    const texts = await Promise.all(
      // A file may go meanwhile.
      files.map((entry) => readFile(path.join(entry.parentPath, entry.name), 'latin1').catch(() => '')),
    )
    return marks.filter((mark) => texts.some((text) => text.includes(mark)))
  }

  /** The middle of a photo. Another that is shifted by a block has single rows of it, and no more. */
  const markOf = (bytes: Uint8Array) =>
    Buffer.from(bytes).toString('latin1', bytes.length / 3, (2 * bytes.length) / 3)

  async function makeFolder(owner = manager): Promise<Made> {
    const [name, ofMedium, ofAnalysis] = [word('name'), word('medium'), word('analysis')]
    const [original, tag, comment, deep] = [word('original'), word('tag'), word('comment'), word('deep')]
    const payload = {
      'folder:meta_data': { name, deep: [deep] },
      'media:meta_data': { photo: { name: ofMedium } },
      'media:tags': { photo: [tag] },
      analyses: [{ type: 'quality', meta_data: { name: ofAnalysis } }, { type: 'biometry' }],
    }
    const photo = await shoot()
    const files = [file('photo', photo, { filename: `${original}.jpg` }), file('other', await shoot())]
    const { status, json } = await upload(owner.token, '/api/folders', form(files, payload), server.url)
    expect(status).toBe(201)
    const [medium] = json.media
    const [analysis] = json.analyses
    await ask(operator, 'PATCH', `/api/analyses/${analysis.analysis_id}`, {
      resolution_operator: 'SUCCESS',
      resolution_comment: comment,
    })
    const templates = await bytesOf(
      `select template from findings where template is not null and medium_number in
        (select number from media where id = ${idBytes(medium.media_id)})`,
    )
    return {
      ids: {
        folder: json.folder_id,
        medium: medium.media_id,
        analysis: analysis.analysis_id,
      },
      marks: [name, ofMedium, ofAnalysis, original, tag, comment, deep, markOf(photo), ...templates],
    }
  }

  /** Its files name it, and so does its row. */
  async function makeReport(owner = manager): Promise<Made> {
    const { ids } = await makeFolder(owner)
    const { report_id } = await ask(owner, 'POST', `/api/folders/${ids.folder}/reports`)
    return { ids: { report: report_id }, marks: [bytesOfId(report_id)] }
  }

  async function makePerson(owner = manager): Promise<Made> {
    const [alias, ofList, name, original] = [word('alias'), word('list'), word('person'), word('photo')]
    const list = await ask(owner, 'POST', '/api/collections', { alias, meta_data: { name: ofList } })
    const photo = await shoot()
    const body = form([file('photo', photo, { filename: `${original}.jpg` })], {
      'person:meta_data': { name },
    })
    const target = `/api/collections/${list.collection_id}/persons`
    const { status, json, text } = await upload(owner.token, target, body, server.url)
    expect([status, text.slice(0, 200)]).toEqual([201, expect.anything()])
    const [image] = json.images
    const templates = await bytesOf(
      `select vector from enrolled_templates where image_id = ${idBytes(image.person_image_id)}`,
    )
    const ids = { collection: list.collection_id, person: json.person_id, image: image.person_image_id }
    return { ids, marks: [alias, ofList, name, original, markOf(photo), ...templates] }
  }

  async function makeUser({ companyId } = manager): Promise<Made> {
    const [first, last, own] = [word('first'), word('last'), word('own')]
    const user = await createUser(root.token, companyId, 'CLIENT', server.url)
    const { userId, email: address, password } = user
    await ask(root, 'PATCH', `/api/users/${userId}`, { first_name: first, last_name: last })
    await ask(root, 'PATCH', `/api/users/${userId}/meta_data`, { name: own })
    const hashes = await bytesOf(
      `select cast(password_hash as blob) from users where id = ${idBytes(userId)}`,
    )
    const { secret } = await ask(user, 'POST', `/api/users/${userId}/second_factor`, { password })
    const program = word('program')
    const signedIn = await send(
      '/api/authorize/auth',
      {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'User-Agent': program },
        body: JSON.stringify({ credentials: { email: address, password } }),
      },
      server.url,
    )
    const ids = { user: userId, session: signedIn.json.token_id }
    return { ids, marks: [first, last, own, address, ...hashes, secret, program] }
  }

  async function makeCompany(): Promise<Made> {
    const [name, own] = [word('company'), word('own')]
    const id = await createCompany(root.token, name, server.url)
    await ask(root, 'PATCH', `/api/companies/${id}/meta_data`, { name: own })
    return { ids: { company: id }, marks: [name, own] }
  }

  async function makeTemplate(owner = manager): Promise<Made> {
    const [name, html] = [word('template'), word('html')]
    const made = await ask(owner, 'POST', '/api/report_templates', { name, html: `<p>${html}</p>` })
    return { ids: { template: made.template_id }, marks: [name, html] }
  }

  async function makeLink(owner = manager): Promise<Made> {
    const [name, order] = [word('name'), word('order')]
    const asked = { meta_data: { name }, return_url: `https://shop.example/${order}` }
    const { capture_link_id } = await ask(owner, 'POST', '/api/capture_links', asked)
    return { ids: { link: capture_link_id }, marks: [name, order] }
  }

  async function makeSession({ companyId }: Signed): Promise<Made> {
    const owner = await createUser(root.token, companyId, 'CLIENT', server.url)
    const [model, action] = [word('model'), word('action')]
    const events = [{ event: 'action_start', timestamp: Date.now() / 1000, context: { action } }]
    const { session_id } = await ask(owner, 'POST', '/api/event_sessions', { device: { model }, events })
    return { ids: { session: session_id }, marks: [model, action] }
  }

  /** Marks by their place. */
  const only = (...places: readonly number[]): Removal => ({
    gone: ({ marks }) => places.map((place) => marks.at(place)!),
  })
  const all: Removal = {}
  const changed = { name: 'another' }
  const metadata = (place: number): Readonly<Record<string, Removal>> => ({
    'DELETE meta_data': only(place),
    'PATCH meta_data': { body: changed, ...only(place) },
    'POST meta_data': { body: changed, ...only(place) },
  })

  const kinds: readonly [
    path: string,
    make: () => Promise<Made>,
    calls: Readonly<Record<string, Removal>>,
  ][] = [
    [
      '/api/folders/{folder}',
      makeFolder,
      {
        DELETE: all,
        'DELETE pi': all,
        PATCH: { body: { meta_data: changed }, ...only(0) },
        'DELETE images/{medium}': only(1, 2, 3, 4, -2, -1),
        ...metadata(0),
      },
    ],
    [
      '/api/media/{medium}',
      makeFolder,
      {
        DELETE: only(1, 2, 3, 4, -2, -1),
        PATCH: { body: { tags: ['photo_selfie'] }, ...only(4) },
        ...metadata(1),
      },
    ],
    [
      '/api/analyses/{analysis}',
      makeFolder,
      {
        // The comment is the folder's too.
        DELETE: only(2),
        PATCH: {
          body: { resolution_operator: 'SUCCESS', resolution_comment: 'another' },
          decides: true,
          // What was decided before is kept.
          ...only(),
        },
        ...metadata(2),
      },
    ],
    ['/api/capture_links/{link}', makeLink, { DELETE: all }],
    ['/api/reports/{report}', makeReport, { DELETE: all }],
    ['/api/collections/{collection}', makePerson, { DELETE: all, ...metadata(1) }],
    [
      '/api/collections/{collection}/persons/{person}',
      makePerson,
      { DELETE: only(2, 3, 4, -1), 'DELETE images/{image}': only(3, 4, -1), ...metadata(2) },
    ],
    ['/api/images/{image}', makePerson, { DELETE: only(3, 4, -1) }],
    [
      '/api/users/{user}',
      makeUser,
      {
        DELETE: all,
        PATCH: { body: { first_name: 'A', last_name: 'B' }, ...only(0, 1) },
        'PATCH second_factor': { body: { is_active: false }, ...only(5) },
        'DELETE sessions/{session}': only(6),
        'POST change-password': { body: { new_password: 'another password' }, ...only(4) },
        ...metadata(2),
      },
    ],
    [
      '/api/companies/{company}',
      makeCompany,
      { PATCH: { body: { name: 'another' }, ...only(0) }, ...metadata(1) },
    ],
    [
      '/api/report_templates/{template}',
      makeTemplate,
      { DELETE: all, PATCH: { body: { name: 'another', html: '<p></p>' }, ...only(0, 1) } },
    ],
  ]

  const removals = kinds.flatMap(([base, make, calls]) =>
    Object.entries(calls).map(([name, removal]) => {
      const [method = '', ...rest] = name.split(' ')
      const target = [base, ...rest].filter((part) => part !== '').join('/')
      return [`${method} ${target}`, make, removal] as const
    }),
  )

  it.each(removals)('%s', async (name, make, { body, decides, gone = ({ marks }) => marks }) => {
    const made = await make()
    const doomed = gone(made)
    const there = await left(made.marks)
    expect(made.marks.filter((mark) => !there.includes(mark))).toEqual([])
    const [method = '', target = ''] = name.split(' ')
    const filled = target.replaceAll(/\{(\w+)\}/g, (_, id: string) => made.ids[id]!)
    await ask(decides ? operator : root, method, filled, body)
    expect(await left(doomed)).toEqual([])
  })

  it('a link that is used up: of what it was made with, its folder has the rest', async () => {
    const [order, name] = [word('order'), word('name')]
    const asked = { mode: 'photo', meta_data: { name }, return_url: `https://shop.example/${order}` }
    const { url } = await ask(manager, 'POST', '/api/capture_links', asked)
    const secret = url.split('#link=')[1]
    expect(await left([order, name])).toEqual([order, name])
    const photo = form([file('selfie', await shoot())], { 'media:tags': { selfie: ['photo_selfie'] } })
    const { status, text } = await upload(secret, '/api/capture', photo, server.url)
    expect([status, text]).toEqual([201, text])
    expect(await left([order, name])).toEqual([name])
  })

  it('the calls above are all that remove or replace something of people', async () => {
    const { json } = await send('/openapi.json', {}, server.url)
    type Paths = Record<string, Record<string, { responses: object }>>
    // Others keep nothing.
    const kept = Object.entries(json.paths as Paths).filter(([target]) => !/^.(v1|api.instant)/.test(target))
    const listed = kept.flatMap(([target, methods]) =>
      Object.entries(methods)
        .filter(([method, { responses }]) => method !== 'get' && !(method === 'post' && '201' in responses))
        .map(([method]) => `${method.toUpperCase()} ${target.replace(/\/$/, '')}`),
    )
    const tested: readonly string[] = removals.map(([name]) => name)
    expect(listed.filter((name) => !tested.includes(name)).sort()).toEqual([
      // In steps, by the clean-up, below.
      'DELETE /api/companies/{company}',
      // Names of models.
      'DELETE /api/device_settings',
      // Who looks at a folder: an id and a time.
      'DELETE /api/queue/{folder}',
      // Starts analyses.
      'PATCH /api/folders/{folder}/analyses',
      // Hashes of random tokens, and the name of a program.
      'POST /api/authorize/auth',
      'POST /api/authorize/logout',
      'POST /api/authorize/oidc',
      'POST /api/authorize/refresh',
      'POST /api/authorize/session_token',
      'POST /api/capture/session_token',
      // A key of the company.
      'POST /api/companies/{company}/webhook_secret',
      'POST /api/queue/next',
      'POST /api/queue/{folder}',
    ])
  })

  it('the clean-up leaves nothing of a removed company, nor of a folder that ends by age', async () => {
    const doomed = await makeCompany()
    const owner = await createUser(root.token, doomed.ids.company!, 'CLIENT_ADMIN', server.url)
    const made = [doomed]
    for (const make of [makeFolder, makeReport, makePerson, makeUser, makeTemplate, makeSession])
      made.push(await make(owner))
    const [old, young] = [await makeFolder(), await makeFolder()]
    const marks = [owner.email, ...[...made, old].flatMap((one) => one.marks)]
    expect(await left(marks)).toEqual(marks)
    await database.execute(
      `update folders set created_at = created_at - ${2 * 24 * 3600_000} where id = ${idBytes(old.ids.folder!)}`,
    )
    // Begins a round of the clean-up, which ends old folders too.
    await ask(root, 'DELETE', `/api/companies/${owner.companyId}`)
    await expect.poll(() => left(marks), { timeout: 75_000, interval: 100 }).toEqual([])
    expect(await left(young.marks)).toEqual(young.marks)
  })

  it('a server that has ended leaves all rows in the file of the database, and nothing in its log', async () => {
    const { marks } = await makeUser()
    expect(await server.stop()).toBe(0)
    expect((await readFile(path.join(folder, 'vivace.db-wal'))).length).toBe(0)
    const text = await readFile(path.join(folder, 'vivace.db'), 'latin1')
    expect(marks.filter((mark) => !text.includes(mark))).toEqual([])
  })
})
