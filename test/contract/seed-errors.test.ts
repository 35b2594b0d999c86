/** What the contract demands of refusals, and what they must say to help. */
import { beforeAll, describe, expect } from 'vitest'
import { portrait } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { type Answer, type FilePart, file, form, postBytes, postForm, send } from '../http/client.ts'
import {
  call,
  createCompany,
  createUser,
  type Signed,
  signInAsAdmin,
  tokenHeader,
  upload,
} from '../http/persistent/service.ts'
import { type Demand, itMeets } from './demands.ts'

interface World {
  admin: Signed
  client: Signed
  other: Signed
}

const quality = { analyses: [{ type: 'quality' }] }

const sessionTokenFor = ({ token }: Signed, company: string): Promise<Answer> =>
  send('/api/authorize/session_token', {
    headers: { ...tokenHeader(token), 'X-Forensic-Company-Id': company },
  })

/** The calls that receive media, with a form of several. */
const refusingParts: [string, (world: World, parts: FilePart[]) => Promise<Answer>][] = [
  ['a single request', ({ client }, parts) => upload(client.token, '/api/folders/', form(parts, quality))],
  ['Instant', (_, parts) => postForm('/api/instant/folders/', form(parts, quality))],
  [
    'media of a folder',
    async ({ client }, parts) => {
      const { json } = await call(client.token, 'POST', '/api/folders/', {})
      return upload(client.token, `/api/folders/${json.folder_id}/media`, form(parts, {}))
    },
  ],
  [
    'photos of a person',
    async ({ admin, client }, parts) => {
      const named = { alias: `Damaged ${Date.now()}`, company_id: client.companyId }
      const { json } = await call(admin.token, 'POST', '/api/collections/', named)
      return upload(admin.token, `/api/collections/${json.collection_id}/persons`, form(parts, {}))
    },
  ],
]

describe.skipIf(testedRuntime === 'workers')('the contract of errors', () => {
  let world: World

  beforeAll(async () => {
    const admin = await signInAsAdmin()
    const company = await createCompany(admin.token, 'Seed of errors')
    const client = await createUser(admin.token, company, 'CLIENT')
    world = { admin, client, other: await createUser(admin.token, company, 'CLIENT') }
  })

  const refresh = (token: string, body: object) => call(token, 'POST', '/api/authorize/refresh/', body)

  itMeets(
    () => world,
    [
      {
        line: 'F230',
        says: 'the text for a refresh without expire_token stays to the letter',
        call: ({ client }) => refresh(client.token, {}),
        status: 400,
        body: {
          error_code: 3,
          error_message: 'Could not locate field for key_path expire_token from provided dict data',
          details: { key_path: 'expire_token' },
        },
      },
      {
        line: 'F231',
        says: 'no session for an expire token',
        call: ({ client }) => refresh(client.token, { expire_token: '0a1b' }),
        status: 401,
        body: { error_message: 'Session not found' },
      },
      {
        line: 'F232',
        says: 'only the owner of a session may refresh it',
        call: ({ client, other }) => refresh(client.token, { expire_token: other.expireToken }),
        status: 403,
        body: { error_message: 'You have not access to refresh this session' },
      },
      {
        line: 'F233',
        says: 'an analysis without media, as documents have it',
        call: ({ client }) =>
          call(client.token, 'POST', '/api/folders/', { analyses: [{ type: 'quality' }] }),
        status: 400,
        body: { error_message: "Can't start analysis without media" },
      },
      {
        line: 'F234',
        says: 'a damaged video',
        call: () => {
          const video = file('v', new TextEncoder().encode('\0\0\0\x18ftypmp42 and nothing'), {
            filename: 'v.mp4',
            type: 'video/mp4',
          })
          return postForm('/api/instant/folders/', form([video], { analyses: [{ type: 'quality' }] }))
        },
        status: 400,
      },
      ...refusingParts.map(
        ([place, post]): Demand<World> => ({
          line: 'F234',
          says: `a damaged medium among several is named: ${place}`,
          async call(all) {
            const whole = await portrait('redhead')
            const parts = [file('selfie', whole), file('second photo', whole.slice(0, whole.length / 2))]
            return post(all, parts)
          },
          status: 400,
          body: {
            error_code: 4,
            error_message:
              'The JPEG is incomplete: it was cut off or damaged on the way. Send the whole file',
            details: { key_path: 'second photo' },
          },
        }),
      ),
      {
        line: 'F247',
        says: 'no authorization has an error of its own',
        call: () => call(null, 'GET', '/api/folders/'),
        status: 401,
        body: { error_code: 6 },
      },
      {
        line: 'F245',
        says: 'an unknown container is refused with code 14 and the one message of all',
        call: () => postBytes('/api/instant/folders/', Uint8Array.of(1, 2, 3), 'application/octet-stream'),
        status: 400,
        body: { error_code: 14, error_message: 'Invalid request data' },
      },
      {
        line: 'F244',
        says: 'an empty container is refused with code 13',
        call: () => postBytes('/api/instant/folders/', new Uint8Array(), 'application/octet-stream'),
        status: 400,
        body: { error_code: 13, error_message: 'Invalid request data' },
      },
      {
        line: 'F91',
        says: 'an unknown role is refused with the roles that there are',
        call: ({ admin, client }) =>
          call(admin.token, 'PATCH', `/api/users/${client.userId}`, { user_type: 'KING' }),
        status: 400,
        body: { error_code: 4, details: { key_path: 'user_type' } },
        holds: ({ error_message }) =>
          expect(error_message).toContain('must be one of ADMIN, OPERATOR, CLIENT'),
      },
      {
        line: 'F66',
        says: 'an unknown type of analysis is refused with the types that there are',
        call: ({ client }) =>
          call(client.token, 'POST', '/api/folders/', { analyses: [{ type: 'horoscope' }] }),
        status: 400,
        holds({ details }) {
          expect(details.key_path).toBe('analyses.0.type')
          for (const type of ['QUALITY', 'BIOMETRY', 'DOCUMENTS', 'COLLECTION'])
            expect(details.expected).toContain(type)
        },
      },
      {
        line: 'F163',
        says: 'a threshold out of range is refused with the range',
        call: ({ client }) => {
          const analyses = [{ type: 'quality', params: { threshold_spoofing: 2 } }]
          return call(client.token, 'POST', '/api/folders/', { analyses })
        },
        status: 400,
        body: { details: { key_path: 'analyses.0.params.threshold_spoofing', expected: 'at most 1' } },
      },
      {
        line: 'F150',
        says: 'a filter with an unknown word is refused with the words that there are',
        call: ({ client }) => call(client.token, 'GET', '/api/folders/?analyse.state=DONE'),
        status: 400,
        body: { details: { key_path: 'analyse.state', expected: 'one of PROCESSING, FAILED, FINISHED' } },
      },
      {
        line: 'F253',
        says: 'a body over the limit is refused with its size and the limit',
        call: async () => {
          const photo = new Uint8Array(26 * 2 ** 20)
          photo.set(await portrait('redhead'))
          return postForm('/api/instant/folders/', form([file('a', photo)], { analyses: [] }))
        },
        status: 400,
        body: { error_code: 14 },
        holds({ error_message, details }) {
          expect(error_message).toMatch(/26\S* MB or more; at most 24 MB/)
          expect(details.bytes_max).toBe(24 * 2 ** 20)
        },
      },
      {
        line: 'F97',
        says: 'a role without a right is told which right, and which roles have it',
        call: ({ client }) => call(client.token, 'POST', '/api/companies/', { name: 'Mine' }),
        status: 403,
        body: { error_code: 9, details: { object: 'company', action: 'create', user_type: 'CLIENT' } },
        holds: ({ details }) => expect(details.expected).toBe('a user of type ADMIN'),
      },
      {
        line: 'F136',
        says: 'a company that the caller may not name is refused alike, whether it exists or not',
        call: ({ client }) => sessionTokenFor(client, crypto.randomUUID()),
        status: 403,
        body: { error_code: 9, details: { key_path: 'X-Forensic-Company-Id' } },
        async holds(json, { client, admin }) {
          const other = await createCompany(admin.token, 'Another one')
          expect((await sessionTokenFor(client, other)).json).toEqual(json)
          expect((await sessionTokenFor(client, client.companyId)).status).toBe(200)
          expect((await sessionTokenFor(admin, other)).status).toBe(200)
        },
      },
      {
        line: 'F136',
        says: 'a company id that is none is refused with the name of the header',
        call: ({ client }) => sessionTokenFor(client, 'my company'),
        status: 400,
        body: { error_code: 4, details: { key_path: 'X-Forensic-Company-Id', expected: 'a UUID' } },
      },
      ...[
        ['/api/folders', 'GET, HEAD, OPTIONS, POST'],
        ['/api/folders/x/media/', 'GET, HEAD, OPTIONS, POST'],
        ['/api/users/me?a=b', 'DELETE, GET, HEAD, OPTIONS, PATCH'],
        ['/api/authorize/service_token', 'GET, HEAD, OPTIONS'],
      ].map(([path, methods]) => ({
        line: 'contract-facts 0.2.11',
        says: `OPTIONS of a known path has Allow, for anybody: ${path}`,
        call: () => send(path!, { method: 'OPTIONS' }),
        status: 200,
        async holds(_json: unknown, { client }: World, { text, headers }: Answer) {
          expect([text, headers.get('Allow')]).toEqual(['', methods])
          const answer = await send(path!, { method: 'OPTIONS', headers: tokenHeader(client.token) })
          expect([answer.status, answer.headers.get('Allow')]).toEqual([200, methods])
        },
      })),
      {
        line: 'contract-facts 0.2.11',
        says: 'OPTIONS of an unknown path has not',
        call: () => send('/api/folders/x/nothing', { method: 'OPTIONS' }),
        status: 404,
        body: { error_code: 10 },
      },
      ...[
        ['/api/folders/', 'format=json&ts=1&t=2&page=3&ordering=a&lang=en&group_id=x'],
        ['/api/users/', 'per_page=10&page_size=10'],
        ['/api/statistics', 'page=2&lang=de'],
        ['/api/device_settings', 'page=2&lang=de'],
        ['/api/device_settings', 'model=X1&page=2'],
      ].map(([path, query]) => ({
        line: 'contract-facts 3.0',
        says: `unknown names of ${path} are ignored, and named in a header: ${query}`,
        call: ({ admin }: World) => call(admin.token, 'GET', `${path}?${query}&limit=1&_=7`),
        status: 200,
        holds(_json: unknown, _world: World, { headers }: Answer) {
          const names = [...new URLSearchParams(query).keys()].filter((name) => name !== 'model')
          const ignored = query!.startsWith('model=') ? [...names, 'limit'] : names
          expect(headers.get('X-Vivace-Ignored-Parameters')).toBe(ignored.join(', '))
        },
      })),
      {
        line: 'contract-facts 3.0',
        says: 'with_analyses means nothing where analyses are listed',
        async call({ client }) {
          const { json } = await call(client.token, 'POST', '/api/folders/', {})
          return call(client.token, 'GET', `/api/folders/${json.folder_id}/analyses/?with_analyses=true`)
        },
        status: 200,
        holds: (_json, _world, { headers }) =>
          expect(headers.get('X-Vivace-Ignored-Parameters')).toBe('with_analyses'),
      },
      {
        line: 'contract-facts 3.0',
        says: 'a list whose names are all known has no such header',
        call: ({ client }) => call(client.token, 'GET', '/api/folders/?limit=1&with_analyses=true'),
        status: 200,
        holds: (_json, _world, { headers }) => expect(headers.has('X-Vivace-Ignored-Parameters')).toBe(false),
      },
      {
        line: 'contract-facts 3.0',
        says: 'a name that is spelled like a known one is refused, with the known one',
        call: ({ client }) => call(client.token, 'GET', '/api/folders/?page=2&reslution_status=FINISHED'),
        status: 400,
        body: {
          error_code: 4,
          error_message: "Unknown param 'reslution_status'; did you mean 'resolution_status'?",
        },
      },
      {
        line: 'F97',
        says: 'a type of analysis that the user may not start is named',
        async call({ admin, other }) {
          const flags = { can_start_analysis_quality: false }
          await call(admin.token, 'PATCH', `/api/users/${other.userId}`, flags)
          const analyses = [{ type: 'biometry' }, { type: 'quality' }]
          const photo = await portrait('redhead')
          return upload(
            other.token,
            '/api/folders/',
            form([file('a', photo), file('b', photo)], { analyses }),
          )
        },
        status: 403,
        body: { error_code: 9, details: { key_path: 'analyses.1.type' } },
      },
      {
        line: 'F139',
        says: 'a change that a user may not make is named',
        call: ({ client }) =>
          call(client.token, 'PATCH', `/api/users/${client.userId}`, {
            first_name: 'Ada',
            can_start_analysis_quality: true,
          }),
        status: 403,
        body: { error_code: 9, details: { key_path: 'can_start_analysis_quality' } },
      },
      {
        line: 'F146',
        says: 'two parts of one name are refused with the name',
        call: async () => {
          const photo = await portrait('redhead')
          return postForm('/api/instant/folders/', form([file('twin', photo), file('twin', photo)], quality))
        },
        status: 400,
        body: { error_code: 4, details: { key_path: 'twin' } },
      },
      {
        line: 'F70',
        says: 'bounds in the wrong order are refused with the member',
        call: ({ client }) => {
          const params = { threshold_min: 0.9, threshold_max: 0.8 }
          return call(client.token, 'POST', '/api/folders/', { analyses: [{ type: 'biometry', params }] })
        },
        status: 400,
        body: { details: { key_path: 'analyses.0.params.threshold_min', expected: 'at most 0.8' } },
      },
      {
        line: 'F51',
        says: 'a file of an unknown kind is refused with the kinds that there are',
        call: () =>
          postForm('/api/instant/folders/', form([file('text', new TextEncoder().encode('words'))], quality)),
        status: 400,
        body: { error_code: 5 },
        holds({ error_message, details }) {
          expect(details.key_path).toBe('text')
          expect(details.expected).toMatch(
            /^a picture \(JPEG, PNG,? .*WebP.*\), a clip \(MP4, .*\) or a ZIP of pictures$/,
          )
          expect(error_message).toContain(`or its beginning is missing: send ${details.expected}`)
        },
      },
      {
        line: 'F52',
        says: 'a picture with a side that is too long is refused with its size',
        call: async () => {
          const photo = new Uint8Array(await portrait('redhead'))
          const frame = photo.findIndex((byte, at) => byte === 0xff && (photo[at + 1]! & 0xfe) === 0xc0)
          new DataView(photo.buffer).setUint16(frame + 7, 20_000)
          return postForm('/api/instant/folders/', form([file('wide', photo)], quality))
        },
        status: 400,
        body: { details: { key_path: 'wide', width: 20_000, expected: 'at most 16384 pixels a side' } },
      },
      {
        line: 'F267',
        says: 'paths carry no version, and the release is told',
        call: () => send('/api/v6/folders/'),
        status: 404,
        async holds() {
          expect((await send('/api/version')).json.version).toMatch(/^6\.\d+\.\d+$/)
        },
      },
      {
        line: 'F149',
        says: 'an unknown path differs from a missing object',
        call: ({ client }) => call(client.token, 'GET', '/api/folder/'),
        status: 404,
        body: { error_code: 10, error_message: 'There is no such path', details: { object: 'path' } },
        async holds(_, { client }) {
          const missing = await call(client.token, 'GET', `/api/folders/${crypto.randomUUID()}`)
          expect(missing.json).toMatchObject({ error_code: 10, error_message: 'Object not exist' })
          expect(missing.json.details).toEqual({ object: 'folder' })
          expect((await send('/v1/face/nothing')).status).toBe(404)
        },
      },
    ],
  )
})
