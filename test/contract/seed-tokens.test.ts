/** What the contract demands of signing in, and of access, service and session tokens. */
import { beforeAll, describe, expect } from 'vitest'
import { testedRuntime } from '../fixtures/server.ts'
import { send } from '../http/client.ts'
import { call, createUser, type Signed, tokenHeader } from '../http/persistent/service.ts'
import { itMeets } from './demands.ts'
import { invite, type People } from './people.ts'

interface World extends People {
  /** A user for rows that renew or end its sessions. */
  renewed: Signed & { email: string; password: string }
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const fiveYearsS = 5 * 365 * 86_400

/** A part of a token: 0 is the header, 1 the payload. */
const partOf = (token: string, part: 0 | 1) =>
  JSON.parse(Buffer.from(token.split('.')[part]!, 'base64url').toString())
const nowS = () => Date.now() / 1000

describe.skipIf(testedRuntime === 'workers')('the contract of tokens', () => {
  let world: World

  beforeAll(async () => {
    const people = await invite('Seed of tokens')
    world = { ...people, renewed: await createUser(people.admin.token, people.company, 'CLIENT') }
  })

  const signIn = ({ renewed: { email, password } }: World, changes: object = {}) =>
    call(null, 'POST', '/api/authorize/auth/', { credentials: { email, password, ...changes } })
  const sessionToken = (headers: Record<string, string>) => send('/api/authorize/session_token', { headers })
  const serviceToken = (by: Signed, of: Signed) =>
    call(by.token, 'GET', `/api/authorize/service_token/${of.userId}`)

  itMeets(
    () => world,
    [
      {
        line: 'F126, F132, F208',
        says: 'credentials give an access token, an expire token and the user with the type',
        call: signIn,
        status: 200,
        body: { user: { user_type: 'CLIENT' } },
        async holds({ access_token, expire_token, user }, { renewed }) {
          expect(user).toMatchObject({ user_id: renewed.userId, email: renewed.email })
          expect((await call(access_token, 'GET', '/api/users/me')).json.user_id).toBe(renewed.userId)
          expect(expire_token).not.toBe(access_token)
        },
      },
      {
        line: 'F132',
        says: 'a wrong password is refused, and so is an unknown e-mail, with the same answer',
        call: (all) => signIn(all, { password: 'a wrong password' }),
        status: 401,
        async holds(json, all) {
          expect((await signIn(all, { email: 'nobody@vivace.test' })).json).toEqual(json)
        },
      },
      {
        line: 'F92',
        says: 'a user that is not active cannot sign in, and is told why',
        async call({ admin, company }) {
          const { userId, email, password } = await createUser(admin.token, company, 'CLIENT')
          await call(admin.token, 'PATCH', `/api/users/${userId}`, { is_active: false })
          return call(null, 'POST', '/api/authorize/auth/', { credentials: { email, password } })
        },
        status: 403,
        body: { error_code: 211 },
      },
      {
        line: 'F277',
        says: 'the end of a session is in the token, and in expire_date as in API 5',
        call: signIn,
        holds({ access_token, expire_date }) {
          const { exp } = partOf(access_token, 1)
          expect(Math.abs(exp - expire_date)).toBeLessThan(2)
          expect(expire_date % 1).not.toBeNaN()
        },
      },
      {
        line: 'F278',
        says: 'a session has a token_id, and a session_id as in API 5',
        call: signIn,
        holds({ token_id, session_id }) {
          expect(token_id).toMatch(uuid)
          expect(Number.isInteger(session_id)).toBe(true)
        },
      },
      {
        line: 'F209, F256',
        says: 'a session of an ordinary account lasts 15 minutes',
        call: signIn,
        holds: ({ expire_date }) => expect(Math.abs(expire_date - nowS() - 900)).toBeLessThan(30),
      },
      {
        line: 'F209, F256',
        says: 'a session of a service account lasts five years',
        call: async ({ admin, company }) => {
          const { email, password } = await createUser(admin.token, company, 'CLIENT_SERVICE')
          return call(null, 'POST', '/api/authorize/auth', { credentials: { email, password } })
        },
        holds: ({ expire_date }) => expect(Math.abs(expire_date - nowS() - fiveYearsS)).toBeLessThan(60),
      },
      {
        line: 'F133, F211',
        says: 'a refresh gives a new pair, and the old one is valid until the new one is used',
        async call(all) {
          const { json } = await signIn(all)
          const answer = await call(json.access_token, 'POST', '/api/authorize/refresh/', {
            expire_token: json.expire_token,
          })
          return { ...answer, json: { before: json, after: answer.json } }
        },
        status: 200,
        async holds({ before, after }) {
          expect(after.access_token).not.toBe(before.access_token)
          expect(after.expire_token).not.toBe(before.expire_token)
          const statusWith = async (token: string) => (await call(token, 'GET', '/api/users/me')).status
          const statuses = []
          for (const token of [before.access_token, after.access_token, before.access_token])
            statuses.push(await statusWith(token))
          expect(statuses).toEqual([200, 200, 401])
          const again = await call(after.access_token, 'POST', '/api/authorize/refresh', {
            expire_token: before.expire_token,
          })
          expect([again.status, again.json.error_message]).toEqual([401, 'Session not found'])
        },
      },
      {
        line: 'F133',
        says: 'a refresh needs the token of the session in the header',
        call: ({ client }) =>
          call(null, 'POST', '/api/authorize/refresh', { expire_token: client.expireToken }),
        status: 401,
        body: { error_code: 6 },
      },
      {
        line: 'F107, F134',
        says: 'an administrator gets a token record of a service account',
        call: ({ admin, service }) => serviceToken(admin, service),
        status: 200,
        async holds(record, { service }) {
          expect(record.token_id).toMatch(uuid)
          expect(record.user_id).toBe(service.userId)
          expect(Number.isInteger(record.session_id)).toBe(true)
          expect(Math.abs(record.expire_date - nowS() - fiveYearsS)).toBeLessThan(60)
          const { json } = await call(record.access_token, 'POST', '/api/folders/')
          expect(json.user_id).toBe(service.userId)
        },
      },
      {
        line: 'F134',
        says: 'a role without service tokens has none',
        call: ({ admin, client }) => serviceToken(admin, client),
        status: 400,
      },
      ...(['manager', 'client', 'reviewer', 'operator'] as const).map((who) => ({
        line: 'F134',
        says: `service tokens are for administrators to issue: ${who}`,
        call: (all: World) => serviceToken(all[who], all.service),
        status: 403,
        body: { error_code: 9 },
      })),
      {
        line: 'F136',
        says: 'a session token names the company of its caller, and lasts ten minutes',
        call: ({ client }) => sessionToken(tokenHeader(client.token)),
        holds({ session_token }, { company }) {
          const { company_id, exp, iat } = partOf(session_token, 1)
          expect([company_id, exp - iat]).toEqual([company, 600])
        },
      },
      {
        line: 'F215',
        says: 'session tokens are signed with the curve secp384r1',
        call: ({ client }) => sessionToken(tokenHeader(client.token)),
        holds: ({ session_token }) => expect(partOf(session_token, 0).alg).toBe('ES384'),
      },
      {
        line: 'F136',
        says: 'the header of a tenant is embedded in a session token without an access token',
        call: ({ company }) => sessionToken({ 'X-Forensic-Company-Id': company }),
        holds: ({ session_token }, { company }) => expect(partOf(session_token, 1).company_id).toBe(company),
      },
      {
        line: 'F136',
        says: 'an administrator names the tenant of a session token',
        call: ({ admin, company }) =>
          sessionToken({ ...tokenHeader(admin.token), 'X-Forensic-Company-Id': company }),
        holds: ({ session_token }, { company }) => expect(partOf(session_token, 1).company_id).toBe(company),
      },
      {
        line: 'F136',
        says: 'nobody else names another tenant',
        call: ({ client, admin }) =>
          sessionToken({ ...tokenHeader(client.token), 'X-Forensic-Company-Id': admin.companyId }),
        status: 403,
      },
      {
        line: 'F136',
        says: 'what is no company id is refused',
        call: () => sessionToken({ 'X-Forensic-Company-Id': 'a company' }),
        status: 400,
        body: { error_code: 4 },
      },
      ...[
        ['GET', '/api/folders/'],
        ['POST', '/api/folders/'],
        ['GET', '/api/users/me'],
        ['GET', '/api/analyses/x'],
        ['GET', '/api/authorize/service_token'],
        ['POST', '/api/authorize/session_token'],
        ['POST', '/api/instant/folders/'],
      ].map(([method, path]) => ({
        line: 'F136',
        says: `one rule for the company of the header, on every route: ${method} ${path}`,
        async call({ client, admin }: World) {
          const headers = { ...tokenHeader(client.token), 'X-Forensic-Company-Id': admin.companyId }
          return send(path!, { method: method!, headers })
        },
        status: 403,
        body: { error_code: 9, details: { key_path: 'X-Forensic-Company-Id', expected: 'your own company' } },
        async holds(_: unknown, { client, admin, company }: World) {
          for (const { token } of [client, admin]) {
            const headers = { ...tokenHeader(token), 'X-Forensic-Company-Id': company }
            const { json } = await send(path!, { method: method!, headers })
            expect(json.details?.key_path).not.toBe('X-Forensic-Company-Id')
          }
        },
      })),
      ...(['admin', 'manager', 'client', 'service', 'reviewer'] as const).map((who) => ({
        line: 'F213',
        says: `a session token for the role of ${who}`,
        call: (all: World) => sessionToken(tokenHeader(all[who].token)),
        status: 200,
      })),
      ...[
        '/api/folders/',
        '/api/users/',
        '/api/companies/',
        '/api/collections/',
        '/api/event_sessions',
        '/api/authorize/service_token',
      ].map((path) => ({
        line: 'F207',
        says: `a call needs a token, and one that is known: ${path}`,
        call: () => call('0a1b2c', 'GET', path),
        status: 401,
        body: { error_code: 7 },
        async holds() {
          const { status, json } = await call(null, 'GET', path)
          expect([status, json.error_code]).toEqual([401, 6])
        },
      })),
      {
        line: 'F214',
        says: 'Instant runs without authorization where the setting says so',
        call: () => send('/api/instant/folders/', { method: 'POST' }),
        status: 400,
      },
      ...(
        [
          ['unknown', () => '0a1b2c', 401, 7],
          ['of a role that submits nothing', ({ reviewer }: World) => reviewer.token, 403, 9],
        ] as const
      ).map(([kind, tokenOf, status, error_code]) => ({
        line: 'F33, F207, F214',
        says: `a token that is sent counts there too: one that is ${kind} is refused`,
        call: (all: World) =>
          send('/api/instant/folders/', { method: 'POST', headers: tokenHeader(tokenOf(all)) }),
        status,
        body: { error_code },
      })),
    ],
  )
})
