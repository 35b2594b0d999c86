/** Texts of JSON as long as a body may be leave the event loop to others, wherever they stand. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { loopHeldMaxMs } from '../../../tools/soak/hostile/limits.ts'
import { loopHeldMs, loopWatch } from '../../../tools/soak/hostile/loop-held.ts'
import { type Document, followReference, type Schema, ValueMaker } from '../../fixtures/json-schema.ts'
import { keepsFolders, startServer, type TestServer, testedRuntime } from '../../fixtures/server.ts'
import { form, send } from '../client.ts'
import {
  call,
  createCompany,
  createUser,
  type Signed,
  signInAsAdmin,
  tokenHeader,
  upload,
} from './service.ts'

/** As long as a body of JSON may be, with what expressions find many times, or look for again and again. */
const longText = `${' '.repeat(400_000)}x${'_-a=b& <p>'.repeat(50_000)}`
/** As many as a body of JSON may have. */
const manyTexts = Array.from({ length: 9800 }, () => `Name_${'_- '.repeat(30)}`)

const document: Document = keepsFolders ? (await send('/openapi.json')).json : { paths: {} }

/** Makes what an object needs, and nothing else. */
const maker = new ValueMaker(document, () => 0.99, 0)

/** Of a value that fits a schema, all that differ from it in one place: a text, a list, or the name of a member. */
function* longValues(given: Schema, depth = 0): Generator<unknown> {
  const schema = followReference(document, given)
  const options = schema.allOf ?? schema.anyOf ?? [schema]
  for (const option of options.map((part) => followReference(document, part))) {
    const { type, properties = {}, additionalProperties, items } = option
    const types = [type ?? []].flat()
    if (types.includes('string') || option.enum) yield longText
    if (types.includes('array')) {
      yield manyTexts
      for (const item of longValues(items ?? {}, depth + 1)) yield [item]
    }
    if (types.includes('object')) {
      const needed = maker.make(option) as object
      yield { ...needed, [longText]: 1 }
      const others = typeof additionalProperties === 'object' ? { any: additionalProperties } : {}
      for (const [name, member] of Object.entries({ ...properties, ...others }))
        if (depth < 6) for (const value of longValues(member, depth + 1)) yield { ...needed, [name]: value }
    }
  }
}

interface Operation {
  method: string
  path: string
  schema: Schema
  isForm: boolean
}

const operations: Operation[] = Object.entries(document.paths as Document).flatMap(([path, item]) =>
  Object.entries(item as Record<string, Document>).flatMap(([method, { requestBody }]) => {
    const content = requestBody?.content ?? {}
    const payload = content['multipart/form-data']?.schema.properties?.payload
    const schema = content['application/json']?.schema ?? payload
    return schema && !path.startsWith('/v1/') ? [{ method, path, schema, isForm: payload !== undefined }] : []
  }),
)

describe.skipIf(testedRuntime !== 'node')('texts as long as can be', { timeout: 600_000 }, () => {
  let server: TestServer
  let admin: Signed
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    const { email, password } = inject('admin')
    server = await startServer({
      SVC_ADMIN_EMAIL: email,
      SVC_ADMIN_PASSWORD: password,
      ASSESS_WORKERS: '1',
      ...loopWatch,
    })
    admin = await signInAsAdmin(server.url)
    const { token } = admin
    ids.company = await createCompany(token, 'Long texts', server.url)
    ids.user = (await createUser(token, ids.company, 'CLIENT', server.url)).userId
    const { json } = await upload(token, '/api/folders/', form([], { analyses: [] }), server.url)
    ids.folder = json.folder_id
    const made = await call(
      token,
      'POST',
      '/api/report_templates',
      { name: 'A', company_id: ids.company },
      server.url,
    )
    ids.template = made.json.template_id
    const list = { alias: 'Long texts', company_id: ids.company }
    ids.collection = (await call(token, 'POST', '/api/collections', list, server.url)).json.collection_id
  }, 300_000)
  afterAll(() => server.stop())

  const ask = async ({ method, path, isForm }: Operation, value: unknown): Promise<void> => {
    const to = path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? '00000000-0000-4000-8000-000000000000')
    const { status, text } = isForm
      ? await send(
          to,
          {
            method: method.toUpperCase(),
            headers: tokenHeader(admin.token),
            body: form([], value as object),
          },
          server.url,
        )
      : await call(admin.token, method.toUpperCase(), to, value, server.url)
    // A refusal repeats neither names nor texts of a megabyte.
    expect(
      [status < 500, status < 300 || text.length < 20_000],
      `${path} ${status} ${text.slice(0, 200)}`,
    ).toEqual([true, true])
  }

  /** The least of three calls holds the loop no longer than a call may: one that really holds it does so each time. */
  async function expectFree(operation: Operation, value: unknown): Promise<void> {
    let heldMs = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < 3 && heldMs >= loopHeldMaxMs; tries++) {
      await loopHeldMs(server)
      await ask(operation, value)
      heldMs = Math.min(heldMs, (await loopHeldMs(server)) ?? 0)
    }
    const shown = JSON.stringify(value, (_, inner) => (inner === manyTexts ? 'many' : inner))
    expect(heldMs, shown.replaceAll(/ {9,}x[^"]*/g, 'long').slice(0, 500)).toBeLessThan(loopHeldMaxMs)
  }

  it.each(
    operations.map(
      (operation) => [`${operation.method.toUpperCase()} ${operation.path}`, operation] as const,
    ),
  )('%s', async (_, operation) => {
    for (const value of longValues(operation.schema)) await expectFree(operation, value)
  })

  const markup = [
    '<p>',
    '<p>\n',
    '<table><tr><td>',
    '<!---->',
    '{{^media}}',
    '<p lang="a">',
    '<title>{{',
    'a<p>',
  ]
  it.each(markup)('templates of as much %s as fits', async (piece) => {
    const html = piece.repeat(262_144 / piece.length)
    const operation = operations.find(({ path }) => path === '/api/report_templates')!
    await expectFree(operation, { name: 'A', company_id: ids.company, html })
  })
})
