/** What the contract demands of refusals, and what they must say to help. */
import { beforeAll, describe, expect } from 'vitest'
import { portrait } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { file, form, postBytes, postForm, send } from '../http/client.ts'
import { call, createCompany, createUser, type Signed, signInAsAdmin } from '../http/persistent/service.ts'
import { itMeets } from './demands.ts'

describe.skipIf(testedRuntime === 'workers')('the contract of errors', () => {
  let world: { admin: Signed; client: Signed; other: Signed }

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
        holds: ({ error_message }) => expect(error_message).toMatch(/26\S* MB or more; at most 25 MB/),
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
