/** The API reference: complete, and true. Every operation is called, with good and with made up input. */
import { beforeAll, describe, expect, it } from 'vitest'
import { seededRandom } from '../../src/vision/challenge/seeded-random.ts'
import { type Document, type Schema, ValueMaker, violations } from '../fixtures/json-schema.ts'
import { portrait } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { extract, file, form, send, template, url } from './client.ts'
import {
  call,
  createCompany,
  createUser,
  finished,
  signInAsAdmin,
  tokenHeader,
  upload,
} from './persistent/service.ts'

interface Operation {
  method: string
  path: string
  // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
  described: any
}

const isEdge = testedRuntime === 'workers'
const noId = '00000000-0000-4000-8000-000000000000'
const methods = ['get', 'post', 'put', 'patch', 'delete']
const seed = Number(process.env.FUZZ_SEED ?? 1)
/** A third of the input of each operation fits its schema. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 2)

const document: Document = (await send('/openapi.json')).json
const operations: Operation[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item as object)
    .filter(([method]) => methods.includes(method))
    .map(([method, described]) => ({ method, path, described })),
)
const nameOf = ({ method, path }: Operation): string => `${method.toUpperCase()} ${path}`

const responseOf = ({ described }: Operation, status: number) => {
  const response = described.responses[status]
  const name: string | undefined = response?.$ref?.split('/').at(-1)
  return name ? document.components.responses[name] : response
}

/** What is wrong with an answer: a status or a body that the reference does not describe. */
async function faultsOf(operation: Operation, answer: Response): Promise<string[]> {
  const { status } = answer
  const described = responseOf(operation, status)
  const body = new Uint8Array(await answer.arrayBuffer())
  if (!described)
    return [`status ${status} is not described: ${new TextDecoder().decode(body).slice(0, 300)}`]
  if (status >= 500 && status !== 501) return [`status ${status}`]
  const type = answer.headers.get('Content-Type')?.split(';')[0] ?? null
  if (!described.content) return body.length === 0 ? [] : [`a body of ${body.length} bytes is not described`]
  const content = described.content[type ?? ''] ?? described.content['*/*']
  if (!content) return [`type ${type} is not described`]
  if (type !== 'application/json') return []
  return violations(document, content.schema, JSON.parse(new TextDecoder().decode(body)))
}

interface Call {
  path: string
  token?: string | null
  query?: Record<string, string>
  body?: FormData | string | Uint8Array<ArrayBuffer>
  type?: string
}

function ask({ method }: Operation, { path, token, query, body, type }: Call): Promise<Response> {
  const search = query && Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : ''
  return fetch(`${url}${path}${search}`, {
    method: method.toUpperCase(),
    headers: { ...(token ? tokenHeader(token) : {}), ...(type ? { 'Content-Type': type } : {}) },
    ...(body === undefined ? {} : { body }),
  })
}

describe('the API reference', () => {
  it('is OpenAPI 3.0, and every reference in it leads somewhere', () => {
    expect(document.openapi).toBe('3.0.3')
    const text = JSON.stringify(document)
    const targets = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, target]) => target!)
    expect(targets.length).toBeGreaterThan(100)
    for (const target of new Set(targets))
      expect(
        target.split('/').reduce((part, name) => part?.[name], document),
        target,
      ).toBeDefined()
  })

  it('describes every property of every body', () => {
    const undescribed: string[] = []
    const texts: string[] = []
    const look = (part: unknown, where: string): void => {
      if (typeof part !== 'object' || part === null) return
      for (const [key, inner] of Object.entries(part)) {
        if (key === 'example' || key === 'examples') continue
        const names = key === 'properties' ? Object.entries(inner as Record<string, Schema>) : []
        for (const [name, { description }] of names)
          if (typeof description === 'string') texts.push(description)
          else undescribed.push(`${where}/${name}`)
        look(inner, `${where}/${key}`)
      }
    }
    look(document, '')
    expect(undescribed).toEqual([])
    expect(texts.length).toBeGreaterThan(isEdge ? 200 : 1000)
    expect(texts.filter((text) => text.trim() === '')).toEqual([])
  })

  it('gives each operation a name, an answer of success with its form, and its errors', () => {
    expect(new Set(operations.map(({ described }) => described.operationId)).size).toBe(operations.length)
    for (const operation of operations) {
      const { responses, tags, summary } = operation.described
      const good = Object.keys(responses).filter((status) => status.startsWith('2'))
      expect(good.length, nameOf(operation)).toBeGreaterThan(0)
      for (const status of good)
        expect(status === '204' || Boolean(responses[status].content), nameOf(operation)).toBe(true)
      expect(Object.keys(responses)).toContain('400')
      expect([tags.length, typeof summary]).toEqual([1, 'string'])
    }
  })

  it('has an example of each JSON body that is sent or answered, which its own schemas accept', () => {
    const follow = (part: { $ref?: string }) =>
      part.$ref
        ? part.$ref
            .slice(2)
            .split('/')
            .reduce((place, name) => place[name], document)
        : part
    let checked = 0
    const check = (where: string, content: Record<string, { example?: unknown; schema: Schema }> = {}) => {
      for (const [type, given] of Object.entries(content)) {
        const { example, examples = {}, schema } = given as typeof given & { examples?: object }
        const [shared] = Object.values(examples)
        const shown = example ?? (shared && follow(shared).value)
        const isNeeded = type === 'application/json' || schema.properties?.payload !== undefined
        if (isNeeded) expect(shown, `${where} has no example`).toBeDefined()
        if (shown === undefined) continue
        expect(violations(document, schema, shown), where).toEqual([])
        checked++
      }
    }
    for (const operation of operations) {
      const name = nameOf(operation)
      check(name, operation.described.requestBody?.content)
      for (const [status, response] of Object.entries(operation.described.responses))
        check(`${name} ${status}`, follow(response as object).content)
    }
    expect(checked).toBeGreaterThan(operations.length)
  })

  it.skipIf(isEdge)('tells the form of each parameter: numbers, switches, words and lists', () => {
    const parameters = operations.flatMap(({ described }) => described.parameters ?? [])
    const formOf = (name: string) => parameters.find((parameter) => parameter.name === name)
    expect(formOf('limit').schema).toEqual({ type: 'integer', minimum: -1, maximum: 5000, default: 100 })
    expect(formOf('total_omit').schema.type).toBe('boolean')
    expect(formOf('with_analyses').schema.type).toBe('boolean')
    expect(formOf('system_resolution')).toMatchObject({
      schema: { type: 'array', items: { enum: expect.arrayContaining(['SUCCESS']) } },
      explode: false,
    })
    expect(formOf('time_created.min').schema).toEqual({ type: 'string' })
    expect(formOf('group_by').schema.items.enum).toContain('day')
    // What is listed as text has no better form.
    const isWords = ({ description = '' }) => /^(true|false):|a number$|UUIDs|Items/.test(description)
    expect(parameters.filter((one) => isWords(one) && one.schema.type === 'string')).toEqual([])
  })
})

describe('calls of all operations', () => {
  const ids: Record<string, string> = {}
  /** Ids for paths that remove what another path removes too. */
  const removed: Record<string, Record<string, string>> = {}
  const deviceModel = 'Reference 1'
  const random = seededRandom(seed)
  const statuses = new Map<number, number>()
  let token: string | null = null
  /** What the address of a link has in place of a token. */
  let secret: string | null = null
  let photo: Uint8Array
  let bioTemplate: Uint8Array

  beforeAll(async () => {
    photo = await portrait('redhead')
    bioTemplate = await extract(photo)
    if (isEdge) return
    const admin = await signInAsAdmin()
    token = admin.token
    ids.company = await createCompany(token, 'Reference')
    const user = await createUser(token, ids.company, 'CLIENT')
    ids.user = user.userId
    const { json: folder } = await upload(
      user.token,
      '/api/folders/',
      form([file('photo1', photo), file('photo2', photo)], { analyses: [{ type: 'quality' }], detail: true }),
    )
    ids.folder = folder.folder_id
    ids.medium = folder.media[0].media_id
    removed['/api/media/{medium}'] = { medium: folder.media[1].media_id }
    ids.analysis = folder.analyses[0].analysis_id
    ids.file = folder.media[0].original_url.split('/').at(-1)
    const collection = await call(token, 'POST', '/api/collections', {
      alias: 'Reference',
      company_id: ids.company,
    })
    ids.collection = collection.json.collection_id
    const shown = form([file('a', photo), file('b', photo)])
    const person = await upload(token, `/api/collections/${ids.collection}/persons`, shown)
    ids.person = person.json.person_id
    ids.image = person.json.images[0].media_id
    removed['/api/images/{image}'] = { image: person.json.images[1].media_id }
    const report = await call(token, 'POST', `/api/folders/${ids.folder}/reports`, {})
    ids.report = report.json.report_id
    const made = await call(token, 'POST', '/api/report_templates', { name: 'A', company_id: ids.company })
    ids.template = made.json.template_id
    const session = await call(token, 'POST', '/api/event_sessions', { events: [{ event: 'opened' }] })
    ids.session = session.json.session_id
    const link = await call(token, 'POST', '/api/capture_links', { mode: 'photo', uses: 1000 })
    ids.link = link.json.capture_link_id
    secret = link.json.url.split('#link=')[1]
    await call(token, 'POST', '/api/device_settings', { model: deviceModel, settings: { torch: false } })
  })

  const fill = (path: string, known: Record<string, string> = ids): string =>
    path.replaceAll(/\{(\w+)\}/g, (_, name) => known[name] ?? noId)

  const tokenFor = ({ path }: Operation) => (/^\/api\/capture(\/|$)/.test(path) ? secret : token)

  const isRemoval = ({ method, path }: Operation) => method === 'delete' && !path.endsWith('meta_data')
  /** Ends the session of its own token. */
  const isSignOut = ({ path }: Operation) => /logout|refresh/.test(path)

  /** Files for a form: the parts that it names, else a photo under a free name. */
  const filesFor = (schema: Schema, wrong: boolean) => {
    const names = Object.keys(schema.properties ?? {}).filter((name) => name !== 'payload')
    const bytes = wrong ? photo.slice(0, 500) : photo
    return (names.length > 0 ? names : ['photo1']).map((name) =>
      /template|feature/.test(name) ? template(name, wrong ? bytes : bioTemplate) : file(name, bytes),
    )
  }

  function bodyFor({ described }: Operation, maker: ValueMaker, wrong: boolean): Pick<Call, 'body' | 'type'> {
    const kinds = Object.entries(described.requestBody?.content ?? {}) as [string, { schema: Schema }][]
    if (kinds.length === 0) return {}
    const [type, { schema }] = maker.pick(kinds)
    if (type === 'multipart/form-data') {
      const payload = schema.properties?.payload
      return { body: form(filesFor(schema, wrong), payload ? maker.make(payload) : undefined) }
    }
    if (type !== 'application/json')
      return { type, body: new Uint8Array(wrong ? photo.slice(0, 500) : photo) }
    return { type, body: JSON.stringify(maker.make(schema)) }
  }

  function queryFor({ described }: Operation, maker: ValueMaker): Record<string, string> {
    const named = (described.parameters ?? []).filter((parameter: { in: string }) => parameter.in === 'query')
    if (named.length === 0) return {}
    const values = [
      'true',
      'false',
      '0',
      '-1',
      '5',
      'a',
      '',
      'null',
      noId,
      'now',
      '2020-01-01',
      'a==1',
      '[',
      '%',
      '\u0000',
    ]
    return Object.fromEntries(
      [1, 2].map(() => [maker.pick<{ name: string }>(named).name, maker.pick(values)]),
    )
  }

  it.each(operations.map((operation) => [nameOf(operation), operation] as const))(
    '%s: the example and what the schema makes are answered as described',
    async (_, operation) => {
      const isDestructive = isRemoval(operation) || isSignOut(operation)
      for (let round = 0; round < rounds * 3; round++) {
        const wrong = round % 3 === 2
        const maker = new ValueMaker(document, random, round % 3 === 0 ? 0 : 0.25)
        const isForm = Boolean(operation.described.requestBody?.content['multipart/form-data'])
        // Networks run for each form.
        if (isForm && round >= 6) break
        const sent: Call = {
          path: fill(operation.path, isDestructive ? {} : ids),
          token: isSignOut(operation) ? 'unknown' : round % 5 === 4 ? null : tokenFor(operation),
          ...(round % 2 === 0 ? {} : { query: queryFor(operation, maker) }),
          ...bodyFor(operation, maker, wrong),
        }
        const answer = await ask(operation, sent)
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        const faults = await faultsOf(operation, answer)
        const shown = typeof sent.body === 'string' ? sent.body.slice(0, 500) : ''
        expect(faults, `${JSON.stringify(sent.query ?? {})} ${shown}`).toEqual([])
      }
    },
  )

  it('the API reference says that Instant and Lite call no webhook', () => {
    const described = JSON.stringify(document)
    expect(described).toContain('Instant and Lite check its form and send nothing')
  })

  it('made up input was accepted and refused', () => {
    const share = (of: (status: number) => boolean) =>
      [...statuses].reduce((sum, [status, count]) => sum + (of(status) ? count : 0), 0) /
      [...statuses.values()].reduce((sum, count) => sum + count, 0)
    expect(share((status) => status < 300)).toBeGreaterThan(0.15)
    expect(share((status) => status === 400)).toBeGreaterThan(0.1)
    expect(share((status) => status === 429)).toBe(0)
  })

  it.skipIf(isEdge)('reading what is there succeeds', async () => {
    for (const operation of operations.filter(({ method }) => method === 'get')) {
      const { path } = operation
      const query = path.endsWith('service_token') ? { user_id: ids.user! } : {}
      const answer = await ask(operation, { path: fill(path), token: tokenFor(operation), query })
      // Other users, and an identity provider that this server does not have.
      const isForeign = path.includes('service_token') || path.includes('oidc')
      if (!isForeign) expect([path, answer.status]).toEqual([path, 200])
      expect(await faultsOf(operation, answer), path).toEqual([])
    }
  })

  it.skipIf(isEdge)(
    'an analysis in the background is described while it runs and when it has ended',
    async () => {
      const start = operations.find(
        ({ method, path }) => method === 'post' && path === '/api/folders/{folder}/analyses',
      )!
      const body = JSON.stringify({ analyses: [{ type: 'quality' }], detail: true })
      const begun = await ask(start, { path: fill(start.path), token, body, type: 'application/json' })
      expect(begun.status).toBe(201)
      const copy = begun.clone()
      expect(await faultsOf(start, begun)).toEqual([])
      const [{ analysis_id }] = (await copy.json()) as [{ analysis_id: string }]
      const ended = await finished(token!, analysis_id)
      expect(violations(document, { $ref: '#/components/schemas/Analysis' }, ended)).toEqual([])
    },
  )

  it.skipIf(isEdge)('removing what is there succeeds', async () => {
    // What holds others comes after them: an analysis goes with its medium, and all of a company with the company.
    const order = [
      'report',
      'template',
      'image',
      'person',
      'analysis',
      'medium',
      'collection',
      'pi',
      'folder',
      'user',
      'company',
    ]
    // Operators take folders of the queue, and leave them; the administrator who asks here does not.
    const removals = operations.filter((one) => isRemoval(one) && !one.path.includes('/queue/'))
    const ranked = (operation: Operation) =>
      order.findIndex((name) => operation.path.endsWith(name) || operation.path.endsWith(`{${name}}`))
    const { userId } = await signInAsAdmin()
    const { json } = await call(token!, 'GET', `/api/users/${userId}/sessions?limit=1`)
    removed['/api/users/{user}/sessions/{session}'] = { user: userId, session: json.items[0].token_id }
    for (const operation of removals.toSorted((a, b) => ranked(a) - ranked(b))) {
      const query = operation.path.endsWith('device_settings') ? { model: deviceModel } : {}
      const path = fill(operation.path, { ...ids, ...removed[operation.path] })
      const answer = await ask(operation, { path, token, query })
      expect([nameOf(operation), answer.status]).toEqual([nameOf(operation), 204])
      expect(await faultsOf(operation, answer), nameOf(operation)).toEqual([])
    }
  })
})
