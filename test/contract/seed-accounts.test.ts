/** What the contract demands of users, companies and their tokens. */
import { beforeAll, describe, expect } from 'vitest'
import { testedRuntime } from '../fixtures/server.ts'
import { call, createUser, type Signed, signIn } from '../http/persistent/service.ts'
import { itMeets } from './demands.ts'
import { invite, type People } from './people.ts'

const address = () => `seed-${crypto.randomUUID()}@vivace.test`

describe.skipIf(testedRuntime === 'workers')('the contract of accounts', () => {
  let world: People

  beforeAll(async () => {
    world = await invite('Seed of accounts')
  })

  const patch = (who: Signed, user: Signed, body: object) =>
    call(who.token, 'PATCH', `/api/users/${user.userId}`, body)
  const wanted = { email: '', password: 'a password of a test', userId: '' }

  itMeets(
    () => world,
    [
      {
        line: 'F90',
        says: 'a user has an id, a type and is active',
        call: ({ client }) => call(client.token, 'GET', `/api/users/${client.userId}`),
        body: { user_type: 'CLIENT', is_active: true },
      },
      {
        line: 'F92, F121',
        says: 'a user that is not active can do nothing, and the error is one of its own',
        async call({ admin, company }) {
          const user = await createUser(admin.token, company, 'CLIENT')
          await patch(admin, user, { is_active: false })
          return call(user.token, 'GET', '/api/folders/')
        },
        status: 403,
        body: { error_code: 211 },
      },
      {
        line: 'F111',
        says: 'metadata of a company can be changed, read and removed',
        call: ({ manager, company }) =>
          call(manager.token, 'PATCH', `/api/companies/${company}/meta_data`, { branch: 'a', gone: null }),
        body: { branch: 'a' },
        async holds(_, { manager, client, company }) {
          const path = `/api/companies/${company}/meta_data`
          const read = await call(client.token, 'GET', path)
          const refused = await call(client.token, 'PATCH', path, { branch: 'b' })
          const removed = await call(manager.token, 'DELETE', path)
          const { json } = await call(client.token, 'GET', `/api/companies/${company}`)
          expect([read.json, refused.status, removed.status, json.meta_data]).toEqual([
            { branch: 'a' },
            403,
            204,
            {},
          ])
        },
      },
      {
        line: 'F135',
        says: 'API 5 creates a user with is_service, and asks for its token',
        async call({ admin, company }) {
          const credentials = { email: address(), password: 'a password of a test' }
          const profile = { company_id: company, is_service: true }
          const { json } = await call(admin.token, 'POST', '/api/users/', { credentials, profile })
          wanted.userId = json.user_id
          return call(admin.token, 'GET', `/api/authorize/service_token?user_id=${json.user_id}`)
        },
        async holds({ user_id, expire_date, access_token }) {
          expect(user_id).toBe(wanted.userId)
          expect(expire_date).toBeGreaterThan(Date.now() / 1000 + 4 * 365 * 86_400)
          expect((await call(access_token, 'GET', '/api/users/me')).json.user_type).toBe('CLIENT_SERVICE')
        },
      },
      {
        line: 'F135',
        says: 'an administrator gets no service token of its own, which would have its rights',
        call: ({ admin }) => call(admin.token, 'GET', `/api/authorize/service_token/${admin.userId}`),
        status: 400,
        body: { error_code: 4, details: { key_path: 'user_id' } },
      },
      ...['', '/'].map((id) => ({
        line: 'F135, F209',
        says: `a service account gets its own, ${id ? 'also by its id' : 'if none is named'}, and no other`,
        call: ({ service }: People) =>
          call(service.token, 'GET', `/api/authorize/service_token${id && id + service.userId}`),
        status: 200,
        async holds(
          { user_id, expire_date }: Record<string, unknown>,
          { service, client, operator, admin }: People,
        ) {
          expect(user_id).toBe(service.userId)
          expect(expire_date).toBeGreaterThan(Date.now() / 1000 + 4 * 365 * 86_400)
          for (const { userId } of [client, operator, admin]) {
            const { status } = await call(service.token, 'GET', `/api/authorize/service_token/${userId}`)
            expect(status).toBe(404)
          }
        },
      })),
      {
        line: 'F91, F121',
        says: 'a deactivated user has no service token, and the answer is about that user',
        async call({ admin, company }) {
          const { userId } = await createUser(admin.token, company, 'CLIENT_SERVICE')
          await call(admin.token, 'PATCH', `/api/users/${userId}`, { is_active: false })
          return call(admin.token, 'GET', `/api/authorize/service_token/${userId}`)
        },
        status: 400,
        body: { error_code: 221, details: { key_path: 'user_id', expected: 'an active user' } },
      },
      {
        line: 'F135',
        says: 'service tokens are for administrators to issue',
        call: ({ manager }) => call(manager.token, 'GET', '/api/authorize/service_token'),
        status: 403,
        body: { error_code: 9 },
      },
      {
        line: 'F212',
        says: 'a service token of an OPERATOR submits folders, which are its own',
        async call({ admin, operator }) {
          const path = `/api/authorize/service_token/${operator.userId}`
          const { json } = await call(admin.token, 'GET', path)
          return call(json.access_token, 'POST', '/api/folders/')
        },
        status: 201,
        async holds({ folder_id, user_id }, { operator, client }) {
          expect(user_id).toBe(operator.userId)
          const { json } = await call(client.token, 'POST', '/api/folders/')
          const add = (id: string) => call(operator.token, 'POST', `/api/folders/${id}/media`, {})
          expect([(await add(folder_id)).status, (await add(json.folder_id)).status]).toEqual([400, 404])
        },
      },
      {
        line: 'F213',
        says: 'a session token is for any role except OPERATOR',
        call: ({ operator }) => call(operator.token, 'GET', '/api/authorize/session_token'),
        status: 403,
      },
      ...(['GET', 'POST'] as const).map((method) => ({
        line: 'F136',
        says: `a session token by ${method}`,
        call: ({ client }: People) => call(client.token, method, '/api/authorize/session_token'),
        holds: ({ session_token }: { session_token: string }) =>
          expect(session_token.split('.')).toHaveLength(3),
      })),
      {
        line: 'F139',
        says: 'an administrator changes an e-mail, and it signs in from then on',
        async call({ admin, company }) {
          const user = await createUser(admin.token, company, 'CLIENT')
          wanted.email = address()
          return patch(admin, user, { credentials: { email: wanted.email.toUpperCase() } })
        },
        async holds(json) {
          expect([json.email, (await signIn(wanted.email, wanted.password)).userId]).toEqual([
            wanted.email,
            json.user_id,
          ])
        },
      },
      {
        line: 'F139',
        says: 'a CLIENT_ADMIN changes the e-mail of a user of the company',
        call: ({ manager, client }) => patch(manager, client, { email: address() }),
        body: { user_type: 'CLIENT' },
      },
      {
        line: 'F139',
        says: 'an e-mail that is in use is refused',
        call: ({ admin, client, service }) => {
          const read = call(admin.token, 'GET', `/api/users/${service.userId}`)
          return read.then(({ json }) => patch(admin, client, { email: json.email, first_name: 'Never' }))
        },
        status: 400,
        body: { error_code: 13 },
        async holds(_, { admin, client }) {
          const { json } = await call(admin.token, 'GET', `/api/users/${client.userId}`)
          expect(json.first_name).toBeNull()
        },
      },
      {
        line: 'F139',
        says: 'a user does not change its own e-mail',
        call: ({ client }) => patch(client, client, { email: address() }),
        status: 403,
        body: { error_code: 9 },
      },
      {
        line: 'F139',
        says: 'what is no e-mail is refused',
        call: ({ admin, client }) => patch(admin, client, { email: 'nobody' }),
        status: 400,
        body: { error_code: 4, details: { key_path: 'email' } },
      },
      ...(['client', 'service', 'reviewer', 'operator'] as const).map((who) => ({
        line: 'F139',
        says: `the user changes its own names: ${who}`,
        call: (all: People) =>
          patch(all[who], all[who], { first_name: 'Nova', profile: { last_name: 'Lux' } }),
        body: { first_name: 'Nova', last_name: 'Lux' },
      })),
      {
        line: 'F139',
        says: 'a CLIENT_ADMIN can be changed to CLIENT',
        async call({ admin, company }) {
          const user = await createUser(admin.token, company, 'CLIENT_ADMIN')
          return patch(admin, user, { user_type: 'CLIENT' })
        },
        body: { user_type: 'CLIENT', is_admin: false },
      },
      {
        line: 'F272',
        says: 'PATCH with credentials.password changes the password, as API 5 did',
        async call({ admin, company }) {
          const user = await createUser(admin.token, company, 'CLIENT')
          return patch(user, user, { credentials: { password: 'another password' } })
        },
        async holds({ email }) {
          expect((await signIn(email, 'another password')).token).toBeTruthy()
        },
      },
      {
        line: 'F272',
        says: 'a weak password is refused, and nothing else of the call is done',
        call: ({ admin, client }) => patch(admin, client, { password: 'short', middle_name: 'Never' }),
        status: 400,
        body: { error_code: 202 },
        async holds(_, { admin, client }) {
          const { json } = await call(admin.token, 'GET', `/api/users/${client.userId}`)
          expect(json.middle_name).toBeNull()
        },
      },
    ],
  )
})
