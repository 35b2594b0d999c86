/** What the contract demands of the records of users and companies, in the names of API 6 and of API 5. */
import { beforeAll, describe, expect } from 'vitest'
import { testedRuntime } from '../fixtures/server.ts'
import type { Answer } from '../http/client.ts'
import { call, createUser, type Signed, signIn } from '../http/persistent/service.ts'
import { itMeets } from './demands.ts'
import { invite, type People } from './people.ts'

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const password = 'a password of a test'
const flags = ['biometry', 'collection', 'documents', 'quality']

describe.skipIf(testedRuntime === 'workers')('the contract of users', () => {
  let world: People

  beforeAll(async () => {
    world = await invite('Seed of users')
  })

  const create = ({ admin, company }: People, profile: object, credentials: object = {}): Promise<Answer> =>
    call(admin.token, 'POST', '/api/users/', {
      credentials: { email: `seed-${crypto.randomUUID()}@vivace.test`, password, ...credentials },
      profile: { company_id: company, ...profile },
    })
  const patch = (who: Signed, userId: string, body: object) =>
    call(who.token, 'PATCH', `/api/users/${userId}`, body)
  const changePassword = (who: Signed, userId: string, body: object) =>
    call(who.token, 'POST', `/api/users/${userId}/change-password`, body)
  const start = async ({ admin, company }: People, flag: string, type: string) => {
    const user = await createUser(admin.token, company, 'CLIENT')
    await patch(admin, user.userId, { [flag]: false })
    return call(user.token, 'POST', '/api/folders/', { analyses: [{ type }] })
  }

  itMeets(
    () => world,
    [
      {
        line: 'F88–F97, F138, F298',
        says: 'a user is created with its profile, and shown with every field',
        call: (all) =>
          create(all, { user_type: 'CLIENT', first_name: 'Ada', last_name: 'Lo', middle_name: 'M' }),
        status: 201,
        body: {
          ...{ user_type: 'CLIENT', is_active: true, is_admin: false, is_service: false },
          ...{ first_name: 'Ada', last_name: 'Lo', middle_name: 'M', meta_data: {}, technical_meta_data: {} },
        },
        holds(user, { company }) {
          expect(user.user_id).toMatch(uuid)
          expect(user.company_id).toBe(company)
          for (const flag of flags) expect(user).toHaveProperty(`can_start_analysis_${flag}`, true)
        },
      },
      {
        line: 'F94',
        says: 'a password is never shown',
        call: (all) => create(all, { user_type: 'CLIENT' }),
        holds: (_, __, { text }) => expect(text).not.toMatch(/password/i),
      },
      ...['CLIENT', 'CLIENT_ADMIN', 'CLIENT_SERVICE'].map((user_type) => ({
        line: 'F91, F93, F279',
        says: `a ${user_type} has its flags of API 5`,
        call: (all: People) => create(all, { user_type }),
        body: {
          user_type,
          is_admin: user_type === 'CLIENT_ADMIN',
          is_service: user_type === 'CLIENT_SERVICE',
        },
      })),
      ...['ADMIN', 'OPERATOR'].map((user_type) => ({
        line: 'F99',
        says: `a new ${user_type} belongs to the system company`,
        call: (all: People) => create(all, { user_type, company_id: null }),
        body: { user_type },
        holds: ({ company_id }: Answer['json'], { admin }: People) =>
          expect(company_id).toBe(admin.companyId),
      })),
      {
        line: 'F95',
        says: 'a user without a company is refused',
        call: (all) => create(all, { user_type: 'CLIENT', company_id: null }),
        status: 400,
        body: { details: { key_path: 'profile.company_id' } },
      },
      ...[
        ['email', 'password'],
        ['password', 'email'],
      ].map(([missing, given]) => ({
        line: 'F95',
        says: `a user without ${missing} is refused with the place of it`,
        call: ({ admin, company }: People) =>
          call(admin.token, 'POST', '/api/users/', {
            credentials: { [given!]: `given-${crypto.randomUUID()}@vivace.test` },
            profile: { company_id: company },
          }),
        status: 400,
        body: { error_code: 3, details: { key_path: `credentials.${missing}` } },
      })),
      {
        line: 'F95',
        says: 'an e-mail that is taken is named with its place',
        call: ({ admin, company, client }) =>
          call(admin.token, 'GET', `/api/users/${client.userId}`).then(({ json: { email } }) =>
            call(admin.token, 'POST', '/api/users/', {
              credentials: { email, password: 'a password of a test' },
              profile: { company_id: company },
            }),
          ),
        status: 400,
        body: { error_code: 13, details: { key_path: 'credentials.email' } },
        async holds(_, { admin, client, service }) {
          const { email } = (await call(admin.token, 'GET', `/api/users/${client.userId}`)).json
          const { json } = await call(admin.token, 'PATCH', `/api/users/${service.userId}`, { email })
          expect([json.error_code, json.details]).toEqual([13, { key_path: 'email' }])
        },
      },
      ...['Ann', 'ann von', 'Ray', 'von Ray', 'found-by-names'].map((search_text) => ({
        line: 'contract-facts 3.2',
        says: `users are found by names and e-mail: ${search_text}`,
        async call({ admin, manager, company }: People) {
          await call(admin.token, 'POST', '/api/users/', {
            credentials: {
              email: `found-by-names-${crypto.randomUUID()}@vivace.test`,
              password: 'a password of a test',
            },
            profile: { company_id: company, first_name: 'Ann', middle_name: 'von', last_name: 'Ray' },
          })
          return call(manager.token, 'GET', `/api/users/?${new URLSearchParams({ search_text })}`)
        },
        status: 200,
        holds({ items }: Answer['json']) {
          expect(items.length).toBeGreaterThan(0)
          for (const { email } of items) expect(email).toMatch(/^found-by-names/)
        },
      })),
      {
        line: 'F111',
        says: 'metadata of a new user are kept beside its credentials too, after those of its profile',
        call: ({ admin, company }) =>
          call(admin.token, 'POST', '/api/users/', {
            credentials: {
              email: `beside-${crypto.randomUUID()}@vivace.test`,
              password: 'a password of a test',
            },
            profile: { company_id: company, meta_data: { branch: 'b', desk: 2 } },
            meta_data: { branch: 'a', floor: 1 },
          }),
        status: 201,
        body: { meta_data: { branch: 'b', desk: 2, floor: 1 } },
      },
      {
        line: 'F95',
        says: 'a user of a role that there is not is refused with its place',
        call: (all) => create(all, { user_type: 'KING' }),
        status: 400,
        body: { error_code: 4, details: { key_path: 'profile.user_type' } },
      },
      {
        line: 'F95',
        says: 'a company that does not exist is refused',
        call: (all) => create(all, { user_type: 'CLIENT', company_id: crypto.randomUUID() }),
        status: 400,
        body: { error_code: 4 },
      },
      ...[
        ['is_service', 'CLIENT_SERVICE'],
        ['is_admin', 'CLIENT_ADMIN'],
      ].map(([flag, user_type]) => ({
        line: 'F138, F279',
        says: `API 5 creates a ${user_type} with ${flag}`,
        call: (all: People) => create(all, { [flag!]: true }),
        body: { user_type, [flag!]: true },
      })),
      ...['analysis', 'analyse'].map((word) => ({
        line: 'F97, F276',
        says: `what a user may start is set by can_start_${word}_…, and shown under both names`,
        call: (all: People) =>
          create(all, {
            user_type: 'CLIENT',
            ...Object.fromEntries(flags.map((f) => [`can_start_${word}_${f}`, false])),
          }),
        holds(user: Answer['json']) {
          for (const flag of flags) {
            expect(user).toHaveProperty(`can_start_analysis_${flag}`, false)
            expect(user).toHaveProperty(`can_start_analyse_${flag}`, false)
          }
        },
      })),
      ...['quality', 'biometry', 'collection'].map((type) => ({
        line: 'F97',
        says: `a user whose flag is false does not start the analysis: ${type}`,
        call: (all: People) => start(all, `can_start_analysis_${type}`, type),
        status: 403,
        body: { error_code: 9 },
      })),
      {
        line: 'F138',
        says: 'credentials are required',
        call: ({ admin, company }) =>
          call(admin.token, 'POST', '/api/users/', { profile: { company_id: company, user_type: 'CLIENT' } }),
        status: 400,
        body: { error_code: 3, details: { key_path: 'credentials' } },
      },
      ...(['client', 'service', 'reviewer', 'operator'] as const).map((who) => ({
        line: 'F138',
        says: `users are created by administrators: ${who}`,
        call: (all: People) =>
          call(all[who].token, 'POST', '/api/users/', {
            credentials: { email: 'never@vivace.test', password },
            profile: { company_id: all.company, user_type: 'CLIENT' },
          }),
        status: 403,
        body: { error_code: 9 },
      })),
      {
        line: 'F139',
        says: 'flags, metadata and the type of a user are changed',
        async call(all) {
          const { json } = await create(all, { user_type: 'CLIENT' })
          return patch(all.admin, json.user_id, {
            ...{ user_type: 'CLIENT_SERVICE', meta_data: { team: 'a' } },
            can_start_analysis_documents: false,
          })
        },
        status: 200,
        body: { user_type: 'CLIENT_SERVICE', meta_data: { team: 'a' }, can_start_analysis_documents: false },
      },
      {
        line: 'F139, F289',
        says: 'a CLIENT_ADMIN changes a CLIENT_ADMIN of its company to CLIENT',
        async call(all) {
          const other = await createUser(all.admin.token, all.company, 'CLIENT_ADMIN')
          return patch(all.manager, other.userId, { user_type: 'CLIENT' })
        },
        body: { user_type: 'CLIENT', is_admin: false },
      },
      {
        line: 'F139',
        says: 'a user does not change its own type',
        call: ({ client }) => patch(client, client.userId, { user_type: 'CLIENT_ADMIN' }),
        status: 403,
        body: { error_code: 9 },
      },
      {
        line: 'F140, F272, F297',
        says: 'a user changes its password with the old one, and the old one signs in no more',
        async call({ admin, company }) {
          const user = await createUser(admin.token, company, 'CLIENT')
          const answer = await changePassword(user, user.userId, {
            old_password: user.password,
            new_password: 'quite another one',
          })
          return { ...answer, json: user }
        },
        async holds({ email, userId }) {
          expect((await signIn(email, 'quite another one')).userId).toBe(userId)
          const { status } = await call(null, 'POST', '/api/authorize/auth', {
            credentials: { email, password },
          })
          expect(status).toBe(401)
        },
      },
      {
        line: 'F140',
        says: 'a wrong old password changes nothing',
        call: ({ client }) =>
          changePassword(client, client.userId, {
            old_password: 'a guess',
            new_password: 'quite another one',
          }),
        status: 400,
      },
      {
        line: 'F140',
        says: 'an administrator needs no old password',
        async call(all) {
          const { json } = await create(all, { user_type: 'CLIENT' })
          const answer = await changePassword(all.admin, json.user_id, { new_password: 'quite another one' })
          return { ...answer, json }
        },
        async holds({ email }) {
          expect((await signIn(email, 'quite another one')).token).toBeTruthy()
        },
      },
      {
        line: 'F140',
        says: 'nobody else changes a password',
        call: ({ client, service }) =>
          changePassword(client, service.userId, { new_password: 'quite another one' }),
        status: 404,
      },
      {
        line: 'F217, F300',
        says: 'a short password is refused with a text for people',
        call: (all) => create(all, { user_type: 'CLIENT' }, { password: 'short' }),
        status: 400,
        body: { error_code: 202 },
        holds: ({ error_message }) => expect(error_message).toContain('8'),
      },
      {
        line: 'F103, F137',
        says: 'a company has a name, is not in deletion, and has technical metadata',
        call: ({ admin }) => call(admin.token, 'POST', '/api/companies/', { name: 'Seed of a company' }),
        status: 201,
        body: { name: 'Seed of a company', in_deletion: false, technical_meta_data: {} },
        holds: ({ company_id }) => expect(company_id).toMatch(uuid),
      },
      {
        line: 'F137',
        says: 'a company needs a name',
        call: ({ admin }) => call(admin.token, 'POST', '/api/companies/', {}),
        status: 400,
        body: { error_code: 3, details: { key_path: 'name' } },
      },
      {
        line: 'F137',
        says: 'companies are created by ADMIN alone',
        call: ({ manager }) => call(manager.token, 'POST', '/api/companies/', { name: 'Never' }),
        status: 403,
        body: { error_code: 9 },
      },
      {
        line: 'F212',
        says: 'the steps to a service token: sign in, company, machine account, token',
        async call({ admin }) {
          const { json: company } = await call(admin.token, 'POST', '/api/companies', {
            name: 'Seed of a shop',
          })
          const { json: user } = await create(
            { ...world, company: company.company_id },
            { user_type: 'CLIENT_SERVICE' },
          )
          return call(admin.token, 'GET', `/api/authorize/service_token/${user.user_id}`)
        },
        async holds({ access_token, user_id }) {
          expect((await call(access_token, 'POST', '/api/folders')).json.user_id).toBe(user_id)
        },
      },
    ],
  )
})
