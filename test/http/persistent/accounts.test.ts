/** Signing in, refreshing, users and companies, and their errors. */
import { beforeAll, describe, expect, it } from 'vitest'
import { keepsFolders } from '../../fixtures/server.ts'
import { send } from '../client.ts'
import {
  call,
  createCompany,
  createUser,
  type Signed,
  signIn,
  signInAsAdmin,
  tokenHeader,
} from './service.ts'

const codes = async (answer: ReturnType<typeof call>) => {
  const { status, json } = await answer
  return [status, json?.error_code]
}

describe.skipIf(!keepsFolders)('accounts', () => {
  let admin: Signed
  let company: string

  beforeAll(async () => {
    admin = await signInAsAdmin()
    company = await createCompany(admin.token, 'Accounts')
  })

  describe('signing in', () => {
    it('signing in accepts JSON under a form type, and answers with the fields of both API versions', async () => {
      const user = await createUser(admin.token, company, 'CLIENT')
      const body = JSON.stringify({
        credentials: { email: user.email.toUpperCase(), password: user.password },
      })
      const { status, json, text } = await send('/api/authorize/auth', {
        method: 'POST',
        body,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      })
      expect(status).toBe(200)
      expect(text).toMatch(/"access_token": "[^"]+"/)
      expect(json.expire_date).toBeGreaterThan(Date.now() / 1000 + 800)
      expect(json.expire_date).toBeLessThan(Date.now() / 1000 + 1000)
      expect(json).toMatchObject({ session_id: expect.any(Number), token_id: expect.any(String) })
      expect(json.user).toMatchObject({ user_type: 'CLIENT', company_id: company, is_service: false })
      const claims = JSON.parse(atob(json.access_token.split('.')[1]))
      expect(claims.exp).toBe(Math.floor(json.expire_date))
    })

    it('signing in fails the same way for an unknown e-mail and a wrong password', async () => {
      const user = await createUser(admin.token, company, 'CLIENT')
      const attempt = (email: string, password: string) =>
        call(null, 'POST', '/api/authorize/auth/', { credentials: { email, password } })
      expect(await codes(attempt(user.email, 'wrong'))).toEqual([401, 7])
      expect(await codes(attempt('nobody@vivace.test', 'wrong'))).toEqual([401, 7])
      const missing = await call(null, 'POST', '/api/authorize/auth', {})
      expect(missing.json).toMatchObject({ error_code: 3, error_details: { key_path: 'credentials' } })
      expect(missing.text.startsWith('{"error_code": 3,')).toBe(true)
      expect(await codes(call(user.token, 'GET', '/api/folders/'))).toEqual([200, undefined])
      expect(await codes(call(null, 'GET', '/api/folders/'))).toEqual([401, 6])
      expect(await codes(call('0a1b', 'GET', '/api/folders/'))).toEqual([401, 7])
    })

    it('guesses sent at once reveal no more than guesses sent one by one', async () => {
      const user = await createUser(admin.token, company, 'CLIENT')
      const guess = async (i: number) => {
        const credentials = { email: user.email, password: `wrong ${i}` }
        const { status } = await call(null, 'POST', '/api/authorize/auth', { credentials })
        return status
      }
      const statuses = await Promise.all(Array.from({ length: 40 }, (_, i) => guess(i)))
      expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10)
      // On a busy machine, some may wait too long for their check.
      expect([401, 429, 503]).toEqual(expect.arrayContaining(statuses))
    })

    it('a deactivated user gets an error of its own', async () => {
      const user = await createUser(admin.token, company, 'CLIENT')
      await call(admin.token, 'PATCH', `/api/users/${user.userId}`, { is_active: false })
      expect(await codes(call(user.token, 'GET', '/api/folders/'))).toEqual([403, 211])
      const credentials = { email: user.email, password: user.password }
      expect(await codes(call(null, 'POST', '/api/authorize/auth', { credentials }))).toEqual([403, 211])
    })
  })

  describe('signing out', () => {
    it('signing out ends only the session of the token', async () => {
      const user = await createUser(admin.token, company, 'CLIENT')
      const other = await signIn(user.email, user.password)
      const leave = (token: string | null) => call(token, 'POST', '/api/authorize/logout/')
      expect((await leave(user.token)).status).toBe(204)
      expect(await codes(call(user.token, 'GET', '/api/users/me'))).toEqual([401, 7])
      const body = { expire_token: user.expireToken }
      expect(await codes(call(user.token, 'POST', '/api/authorize/refresh', body))).toEqual([401, 7])
      expect((await call(other.token, 'GET', '/api/users/me')).status).toBe(200)
      expect(await codes(leave(user.token))).toEqual([401, 7])
      expect(await codes(leave(null))).toEqual([401, 6])
    })

    it('after reactivation of a user only new sessions work', async () => {
      const user = await createUser(admin.token, company, 'CLIENT')
      const set = (is_active: boolean) =>
        call(admin.token, 'PATCH', `/api/users/${user.userId}`, { is_active })
      await set(false)
      expect(await codes(call(user.token, 'GET', '/api/users/me'))).toEqual([403, 211])
      await set(true)
      expect(await codes(call(user.token, 'GET', '/api/users/me'))).toEqual([401, 7])
      expect((await signIn(user.email, user.password)).userId).toBe(user.userId)
    })
  })

  describe('renewing', () => {
    it('refreshing returns a new pair; the old one ends when the new one is first used', async () => {
      const user = await createUser(admin.token, company, 'CLIENT')
      const refresh = (token: string, expire_token: string) =>
        call(token, 'POST', '/api/authorize/refresh', { expire_token })
      const { status, json } = await refresh(user.token, user.expireToken)
      expect(status).toBe(200)
      expect(await codes(call(user.token, 'GET', '/api/users/me'))).toEqual([200, undefined])
      expect(await codes(call(json.access_token, 'GET', '/api/users/me'))).toEqual([200, undefined])
      expect(await codes(call(user.token, 'GET', '/api/users/me'))).toEqual([401, 7])
      expect(await codes(refresh(json.access_token, user.expireToken))).toEqual([401, 7])
    })

    it('two concurrent refreshes of one pair return two working pairs', async () => {
      const user = await createUser(admin.token, company, 'CLIENT')
      const body = { expire_token: user.expireToken }
      const answers = await Promise.all(
        [1, 2].map(() => call(user.token, 'POST', '/api/authorize/refresh', body)),
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      for (const { json } of answers)
        expect(await codes(call(json.access_token, 'GET', '/api/users/me'))).toEqual([200, undefined])
    })

    it('refreshing has the errors that clients know', async () => {
      const [one, other] = await Promise.all([
        createUser(admin.token, company, 'CLIENT'),
        createUser(admin.token, company, 'CLIENT'),
      ])
      const missing = await call(one.token, 'POST', '/api/authorize/refresh/', {})
      expect(missing.status).toBe(400)
      expect(missing.json.error_message).toBe(
        'Could not locate field for key_path expire_token from provided dict data',
      )
      const unknown = await call(one.token, 'POST', '/api/authorize/refresh', { expire_token: 'x' })
      expect([unknown.status, unknown.json.error_message]).toEqual([401, 'Session not found'])
      const foreign = await call(one.token, 'POST', '/api/authorize/refresh', {
        expire_token: other.expireToken,
      })
      expect([foreign.status, foreign.json.error_message]).toEqual([
        403,
        'You have not access to refresh this session',
      ])
    })
  })

  describe('tokens for machines', () => {
    it('administrators issue long-lived tokens for service accounts and operators', async () => {
      const service = await createUser(admin.token, company, 'CLIENT_SERVICE')
      const { status, json } = await call(
        admin.token,
        'GET',
        `/api/authorize/service_token/${service.userId}`,
      )
      expect(status).toBe(200)
      expect(Object.keys(json)).toEqual(['token_id', 'user_id', 'access_token', 'expire_date', 'session_id'])
      expect(json.expire_date).toBeGreaterThan(Date.now() / 1000 + 4 * 365 * 86_400)
      expect(await codes(call(json.access_token, 'GET', '/api/folders/'))).toEqual([200, undefined])
      const operator = await createUser(admin.token, null, 'OPERATOR')
      expect(
        (await codes(call(admin.token, 'GET', `/api/authorize/service_token/${operator.userId}`)))[0],
      ).toBe(200)
      const client = await createUser(admin.token, company, 'CLIENT')
      expect(await codes(call(admin.token, 'GET', `/api/authorize/service_token/${client.userId}`))).toEqual([
        400, 4,
      ])
      expect(
        await codes(call(client.token, 'GET', `/api/authorize/service_token/${service.userId}`)),
      ).toEqual([403, 9])
    })

    it('a token that a service account gets for itself ends with the one it was asked with', async () => {
      const { userId } = await createUser(admin.token, company, 'CLIENT_SERVICE')
      const get = async (by: string, id = '') => {
        const { status, json } = await call(by, 'GET', `/api/authorize/service_token${id}`)
        expect(status).toBe(200)
        return json.access_token as string
      }
      const first = await get(admin.token, `/${userId}`)
      const [second, third] = [await get(first), await get(first, `/${userId}`)]
      expect((await call(first, 'POST', '/api/authorize/logout')).status).toBe(204)
      for (const token of [first, second, third])
        expect(await codes(call(token, 'GET', '/api/folders/'))).toEqual([401, 7])
    })

    it('an id in the query that is none is refused', async () => {
      for (const id of ['abc', ''])
        expect(await codes(call(admin.token, 'GET', `/api/authorize/service_token?user_id=${id}`))).toEqual([
          400, 4,
        ])
    })

    it('session tokens are signed with ES384 and name the company', async () => {
      const client = await createUser(admin.token, company, 'CLIENT')
      for (const method of ['GET', 'POST']) {
        const { status, json } = await call(client.token, method, '/api/authorize/session_token')
        expect(status).toBe(200)
        const [header, payload] = json.session_token
          .split('.')
          .slice(0, 2)
          .map((part: string) => JSON.parse(atob(part)))
        expect(header.alg).toBe('ES384')
        expect(payload).toMatchObject({ company_id: company, exp: payload.iat + 600 })
      }
      const operator = await createUser(admin.token, null, 'OPERATOR')
      expect(await codes(call(operator.token, 'GET', '/api/authorize/session_token'))).toEqual([403, 9])
    })
  })

  describe('users', () => {
    it('users are created with a role by name or by the flags of API 5', async () => {
      const make = (profile: object, email = `flags-${Math.random()}@vivace.test`) =>
        call(admin.token, 'POST', '/api/users/', {
          credentials: { email, password: 'long enough' },
          profile: { company_id: company, ...profile },
        })
      expect((await make({ is_service: true })).json).toMatchObject({
        user_type: 'CLIENT_SERVICE',
        is_service: true,
      })
      expect((await make({ is_admin: true })).json).toMatchObject({
        user_type: 'CLIENT_ADMIN',
        is_admin: true,
      })
      const limited = await make({ can_start_analyse_biometry: false })
      expect(limited.json).toMatchObject({ user_type: 'CLIENT', can_start_analysis_biometry: false })
      expect(await codes(make({ user_type: 'KING' }))).toEqual([400, 4])
      expect(await codes(make({ company_id: undefined }))).toEqual([400, 3])
      expect(await codes(make({}, 'no address'))).toEqual([400, 4])
      const taken = 'taken@vivace.test'
      await make({}, taken)
      expect(await codes(make({}, taken.toUpperCase()))).toEqual([400, 13])
      const weak = {
        credentials: { email: 'weak@vivace.test', password: 'short' },
        profile: { company_id: company },
      }
      const refused = await call(admin.token, 'POST', '/api/users/', weak)
      expect([refused.status, refused.json.error_code]).toEqual([400, 202])
      expect(refused.text).not.toContain('short')
    })

    it('an e-mail is one account in all its writings, also when it is changed', async () => {
      const [composed, decomposed] = ['jos\u00e9', 'jose\u0301'].map(
        (name) => `${name}-${Date.now()}@vivace.test`,
      )
      const password = 'long enough'
      const make = (email: string) =>
        call(admin.token, 'POST', '/api/users/', {
          credentials: { email, password },
          profile: { company_id: company },
        })
      expect((await make(decomposed!)).json.email).toBe(composed)
      expect(await codes(make(composed!))).toEqual([400, 13])
      for (const email of [composed!, decomposed!, ` ${decomposed!.toUpperCase()} `])
        expect((await signIn(email, password)).token).toBeTruthy()
      const search = new URLSearchParams({ email: decomposed!.toUpperCase() })
      const { json } = await call(admin.token, 'GET', `/api/users/?${search}`)
      expect(json.items).toMatchObject([{ email: composed }])
      const other = await createUser(admin.token, company, 'CLIENT')
      const change = (email: string) => call(admin.token, 'PATCH', `/api/users/${other.userId}`, { email })
      expect(await codes(change(decomposed!))).toEqual([400, 13])
      for (const refused of [await make(`a\u200b${composed}`), await change(`a\u200b${composed}`)]) {
        expect([refused.status, refused.json.error_code]).toEqual([400, 4])
        expect(refused.json.details.expected).toContain('without invisible characters')
      }
    })

    it('users of other companies cannot be found by trying e-mails', async () => {
      const others = await createCompany(admin.token, 'Probing')
      const manager = await createUser(admin.token, others, 'CLIENT_ADMIN')
      const [known, own] = await Promise.all([
        createUser(admin.token, company, 'CLIENT'),
        createUser(admin.token, others, 'CLIENT'),
      ])
      const make = (email: string) =>
        call(manager.token, 'POST', '/api/users/', { credentials: { email, password: 'long enough' } })
      for (let i = 0; i < 3; i++) expect(await codes(make(own.email))).toEqual([400, 13])
      for (let i = 0; i < 20; i++) expect(await codes(make(known.email))).toEqual([400, 13])
      for (const email of [known.email, `unknown-${Math.random()}@vivace.test`]) {
        const answer = await make(email)
        expect([answer.status, answer.json.error_code]).toEqual([429, 101])
        expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(3000)
      }
    })

    it('users may not start disabled types of analyses', async () => {
      const user = await createUser(admin.token, company, 'CLIENT')
      await call(admin.token, 'PATCH', `/api/users/${user.userId}`, { can_start_analysis_quality: false })
      const { json } = await call(user.token, 'POST', '/api/folders/')
      const start = call(user.token, 'POST', `/api/folders/${json.folder_id}/analyses`, {
        analyses: [{ type: 'quality' }],
      })
      expect(await codes(start)).toEqual([403, 9])
    })

    it('a CLIENT_ADMIN cannot restore rights that an administrator removed', async () => {
      const manager = await createUser(admin.token, company, 'CLIENT_ADMIN')
      const change = (token: string, user: Signed, body: object) =>
        call(token, 'PATCH', `/api/users/${user.userId}`, body)
      await change(admin.token, manager, { can_start_analysis_biometry: false })
      for (const flags of [{ can_start_analysis_biometry: true }, { can_start_analyse_biometry: true }]) {
        expect(await codes(change(manager.token, manager, flags))).toEqual([403, 9])
        expect(await codes(change(manager.token, manager, { profile: flags }))).toEqual([403, 9])
      }
      const make = (profile: object) =>
        call(manager.token, 'POST', '/api/users/', {
          credentials: { email: `made-${Math.random()}@vivace.test`, password: 'long enough' },
          profile,
        })
      expect(await codes(make({ can_start_analysis_biometry: true }))).toEqual([403, 9])
      const made = await make({ user_type: 'CLIENT_ADMIN' })
      expect(made.json).toMatchObject({
        can_start_analysis_biometry: false,
        can_start_analysis_quality: true,
      })
      // A colleague keeps its rights when a client sends the whole user back.
      const colleague = await createUser(admin.token, company, 'CLIENT')
      const whole = { can_start_analysis_biometry: true, can_start_analysis_quality: false }
      expect((await change(manager.token, colleague, whole)).json).toMatchObject(whole)
      expect((await change(manager.token, colleague, { can_start_analysis_quality: true })).status).toBe(200)
      expect((await change(admin.token, manager, { can_start_analysis_biometry: true })).status).toBe(200)
    })

    it('users change their password with the old one, and lose their other sessions', async () => {
      const user = await createUser(admin.token, company, 'CLIENT')
      const other = await signIn(user.email, user.password)
      const change = (body: object) =>
        call(user.token, 'POST', `/api/users/${user.userId}/change-password`, body)
      expect(await codes(change({ old_password: 'wrong', new_password: 'another one' }))).toEqual([400, 4])
      expect(await codes(change({ new_password: 'another one' }))).toEqual([400, 3])
      expect((await change({ old_password: user.password, new_password: 'another one' })).status).toBe(200)
      expect(await codes(call(other.token, 'GET', '/api/users/me'))).toEqual([401, 7])
      expect((await call(user.token, 'GET', '/api/users/me')).status).toBe(200)
      expect((await signIn(user.email, 'another one')).userId).toBe(user.userId)
      const patched = await call(user.token, 'PATCH', `/api/users/${user.userId}`, {
        password: 'a third one',
      })
      expect(patched.status).toBe(200)
      expect((await signIn(user.email, 'a third one')).userId).toBe(user.userId)
    })

    it('are kept from guessing their old password', async () => {
      const user = await createUser(admin.token, company, 'CLIENT')
      const change = (old_password: string) =>
        call(user.token, 'POST', `/api/users/${user.userId}/change-password`, {
          old_password,
          new_password: 'another one',
        })
      for (let i = 0; i < 10; i++) expect((await change(`guess ${i}`)).status).toBe(400)
      const refused = await change(user.password)
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0)
      expect((await signIn(user.email, user.password)).userId).toBe(user.userId)
    })

    it('passwords of control characters are refused, and none equals the empty one', async () => {
      const make = (password: string) =>
        call(admin.token, 'POST', '/api/users/', {
          credentials: { email: `nul-${Math.random()}@vivace.test`, password },
          profile: { company_id: company },
        })
      for (const password of ['\0'.repeat(8), 'long enough\0', ' '.repeat(8), '\u0007'.repeat(8)])
        expect(await codes(make(password))).toEqual([400, 202])
      const user = await createUser(admin.token, company, 'CLIENT')
      const path = `/api/users/${user.userId}`
      const old = { old_password: user.password }
      const changed = call(user.token, 'POST', `${path}/change-password`, {
        ...old,
        new_password: '\0'.repeat(8),
      })
      expect(await codes(changed)).toEqual([400, 202])
      expect(await codes(call(admin.token, 'PATCH', path, { password: '\0'.repeat(8) }))).toEqual([400, 202])
      for (const password of ['', '\0', `${user.password}\0`]) {
        const credentials = { email: user.email, password }
        expect(await codes(call(null, 'POST', '/api/authorize/auth', { credentials }))).toEqual([401, 7])
      }
    })

    it('users cannot extend their own rights', async () => {
      const client = await createUser(admin.token, company, 'CLIENT')
      const manager = await createUser(admin.token, company, 'CLIENT_ADMIN')
      const self = (user: Signed, body: object) =>
        call(user.token, 'PATCH', `/api/users/${user.userId}`, body)
      expect((await self(client, { first_name: 'Nova' })).json.first_name).toBe('Nova')
      for (const body of [{ user_type: 'ADMIN' }, { is_admin: true }, { company_id: admin.companyId }])
        expect(await codes(self(client, body))).toEqual([403, 9])
      expect(await codes(self(manager, { user_type: 'ADMIN' }))).toEqual([403, 9])
      const promote = (type: string) =>
        call(manager.token, 'PATCH', `/api/users/${client.userId}`, { user_type: type })
      expect(await codes(promote('OPERATOR'))).toEqual([403, 9])
      expect((await promote('CLIENT_ADMIN')).json.user_type).toBe('CLIENT_ADMIN')
      expect((await promote('CLIENT')).json.user_type).toBe('CLIENT')
      const foreign = await createCompany(admin.token, 'Elsewhere')
      const move = call(manager.token, 'PATCH', `/api/users/${client.userId}`, { company_id: foreign })
      expect(await codes(move)).toEqual([403, 9])
    })
  })

  describe('companies', () => {
    it('companies are found by part of their name, changed, and removed with all their content', async () => {
      const name = `Umlaut & Söhne ${Date.now()}`
      const id = await createCompany(admin.token, name)
      const found = await call(
        admin.token,
        'GET',
        `/api/companies/?search_text=${encodeURIComponent(name.slice(3))}`,
      )
      expect(found.json).toMatchObject({ total_count: 1, items: [{ company_id: id, in_deletion: false }] })
      expect((await call(admin.token, 'PATCH', `/api/companies/${id}`, { name: 'Other' })).json.name).toBe(
        'Other',
      )
      const user = await createUser(admin.token, id, 'CLIENT')
      expect((await call(admin.token, 'DELETE', `/api/companies/${id}`)).status).toBe(204)
      // Inactive at once, and soon gone.
      expect([
        [403, 211],
        [401, 7],
      ]).toContainEqual(await codes(call(user.token, 'POST', '/api/folders/')))
      expect(await codes(call(admin.token, 'DELETE', `/api/companies/${admin.companyId}`))).toEqual([
        400, 221,
      ])
    })
  })

  describe('the field that names the cases of a company', () => {
    const change = (owner: { token: string }, id: string, reference_field: unknown) =>
      call(owner.token, 'PATCH', `/api/companies/${id}`, { reference_field })

    it('is chosen by its administrator, read by its people with their folders, and taken back', async () => {
      const id = await createCompany(admin.token, 'References')
      const manager = await createUser(admin.token, id, 'CLIENT_ADMIN')
      const operator = await createUser(admin.token, id, 'CLIENT_OPERATOR')
      const read = async () => (await call(operator.token, 'GET', `/api/companies/${id}`)).json
      expect(await read()).toMatchObject({ reference_field: null })
      const { status, json } = await change(manager, id, ' order ')
      expect([status, json]).toEqual([200, await read()])
      expect(json).toMatchObject({ name: 'References', reference_field: 'order' })
      await call(manager.token, 'POST', '/api/folders/', { 'folder:meta_data': { order: 'A-17' } })
      const { json: folders } = await call(operator.token, 'GET', '/api/folders?with_company=true')
      expect(folders.items[0].company).toEqual(json)
      expect((await change(manager, id, null)).json.reference_field).toBe('order')
      expect((await change(manager, id, '')).json.reference_field).toBeNull()
      const body = { name: 'Others', reference_field: 'number' }
      expect((await call(admin.token, 'POST', '/api/companies', body)).json.reference_field).toBe('number')
    })

    it('is refused from other users, and where it is no name', async () => {
      const id = await createCompany(admin.token, 'References')
      for (const type of ['CLIENT', 'CLIENT_OPERATOR', 'CLIENT_SERVICE'] as const)
        expect(await codes(change(await createUser(admin.token, id, type), id, 'order'))).toEqual([403, 9])
      const stranger = await createUser(admin.token, company, 'CLIENT_ADMIN')
      expect((await change(stranger, id, 'order')).status).toBe(404)
      expect(await codes(change(admin, id, 17))).toEqual([400, 5])
      expect(await codes(change(admin, id, 'x'.repeat(201)))).toEqual([400, 4])
    })
  })

  it('the collections route answers', async () => {
    const client = await createUser(admin.token, company, 'CLIENT')
    const { status, json } = await send('/api/collections', { headers: tokenHeader(client.token) })
    expect([status, json]).toEqual([200, []])
  })
})
