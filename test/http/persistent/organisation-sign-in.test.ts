/** Signing in by the identity provider of an organisation. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { TOTP } from 'otpauth'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CompanyStore } from '../../../src/storage/accounts/company-store.ts'
import { openDatabase } from '../../../src/storage/database.ts'
import { databaseUrlIn, openServedDatabase } from '../../fixtures/database.ts'
import {
  type IdentityProvider,
  type Person,
  startIdentityProvider,
} from '../../fixtures/identity-provider.ts'
import { keepsFolders, startServer, type TestServer } from '../../fixtures/server.ts'
import { startStorage, testedStorage } from '../../fixtures/storages.ts'
import type { Answer } from '../client.ts'
import { call, createCompany, createUser, type Signed, signIn } from './service.ts'

const target = '/api/authorize/oidc'
const account = { SVC_ADMIN_EMAIL: 'root@vivace.test', SVC_ADMIN_PASSWORD: 'a password' }
const companyId = crypto.randomUUID()
const roles = 'face-admins=ADMIN,cn=staff,ou=face=OPERATOR,leads=CLIENT_ADMIN,workers=CLIENT_OPERATOR'

/** What the page sends to finish a sign-in. */
interface Finish {
  code: string
  state: string
  iss?: string
  flow: string
}

describe.skipIf(!keepsFolders)('the identity provider of an organisation', () => {
  let folder: string
  let storage: Awaited<ReturnType<typeof startStorage>>
  let provider: IdentityProvider
  let server: TestServer
  let admin: Signed

  const ask = (token: string | null, method: string, place: string, body?: unknown) =>
    call(token, method, place, body, server.url)
  const post = (body: object) => ask(null, 'POST', target, body)

  /** Begins a sign-in, and lets a person sign in at the provider. */
  async function visit(name: string): Promise<Finish> {
    const { status, json, text } = await ask(null, 'GET', target)
    if (status !== 200) throw new Error(text)
    const back = await provider.visit(json.url, name)
    expect(`${back.origin}${back.pathname}`).toBe(`${server.url}/console`)
    const { code, state, iss } = Object.fromEntries(back.searchParams)
    return { code: code!, state: state!, iss: iss!, flow: json.flow }
  }

  async function enter(name: string, person: Person): Promise<Answer> {
    provider.people.set(name, person)
    return post(await visit(name))
  }

  const userOf = async (id: string) => (await ask(admin.token, 'GET', `/api/users/${id}`)).json
  const newUser = (
    type: 'CLIENT_OPERATOR' | 'CLIENT_SERVICE' | 'ADMIN',
    company: string | null = companyId,
  ) => createUser(admin.token, company, type, server.url)

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'organisation-'))
    storage = await startStorage(testedStorage())
    provider = await startIdentityProvider()
    server = await startServer({
      ...account,
      DATA_DIR: folder,
      ASSESS_WORKERS: '1',
      SVC_OIDC_ROLES: roles,
      SVC_OIDC_COMPANY: companyId,
      ...provider.environment,
      ...storage.environment,
    })
    admin = await signIn(account.SVC_ADMIN_EMAIL, account.SVC_ADMIN_PASSWORD, server.url)
    const client = openServedDatabase(storage.environment.DATABASE_URL ?? databaseUrlIn(folder))
    const head = { id: companyId, name: 'Organisation', isSystem: false, inDeletion: false, isSandbox: false }
    const rest = { metadata: {}, referenceField: null, createdAtMs: 0, updatedAtMs: 0 }
    await new CompanyStore(openDatabase(client, false)).insert({ ...head, ...rest })
    client.close()
  })
  afterEach(() => {
    provider.forge = {}
    provider.failure = null
  })
  afterAll(async () => {
    await server?.stop()
    await provider?.close()
    await storage?.close()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  it('is told by the configuration, and asked with PKCE', async () => {
    expect((await ask(null, 'GET', '/api/config')).json.organisation_sign_in).toBe(true)
    const { json } = await ask(null, 'GET', target)
    const { searchParams } = new URL(json.url)
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'openid email profile groups',
      redirect_uri: `${server.url}/console`,
    })
    expect(json.flow).not.toContain(searchParams.get('state'))
    expect((await ask(null, 'GET', target)).json.flow).not.toBe(json.flow)
  })

  it('signs a new user in, and the same one again', async () => {
    const person = {
      email: 'Ada@Org.test',
      email_verified: true,
      given_name: 'Ada',
      groups: ['x', 'workers'],
    }
    const first = await enter('ada', person)
    expect(first).toMatchObject({
      status: 200,
      json: {
        user: {
          email: 'ada@org.test',
          first_name: 'Ada',
          user_type: 'CLIENT_OPERATOR',
          company_id: companyId,
        },
      },
    })
    expect((await ask(first.json.access_token, 'GET', '/api/users/me')).json.email).toBe('ada@org.test')
    const again = await enter('ada', { ...person, email: 'ada.new@org.test' })
    expect(again.json.user).toEqual(first.json.user)
    const credentials = { email: 'ada@org.test', password: 'any' }
    expect((await ask(null, 'POST', '/api/authorize/auth', { credentials })).status).toBe(401)
  })

  it('gives the strongest role, writes a changed one, and lets nobody in without one', async () => {
    const person = { email: 'bob@org.test', email_verified: true }
    const first = await enter('bob', { ...person, groups: ['workers', 'leads'] })
    const { user_id } = first.json.user
    expect(first.json.user.user_type).toBe('CLIENT_ADMIN')
    expect((await enter('bob', { ...person, groups: 'workers' })).json.user).toMatchObject({
      user_id,
      user_type: 'CLIENT_OPERATOR',
    })
    // The session that began before has the new role too.
    expect((await ask(first.json.access_token, 'GET', '/api/users/me')).json.user_type).toBe(
      'CLIENT_OPERATOR',
    )
    expect((await ask(first.json.access_token, 'POST', '/api/collections', { alias: 'no' })).status).toBe(403)
    const system = await enter('bob', { ...person, groups: ['cn=staff,ou=face'] })
    expect(system.json.user).toMatchObject({ user_id, user_type: 'OPERATOR', company_id: admin.companyId })
    expect(await enter('bob', { ...person, groups: ['guests'] })).toMatchObject({
      status: 403,
      json: { error_code: 9, error_message: 'Your organisation has given you no role here' },
    })
    expect(await enter('eve', { email: 'eve@org.test', email_verified: true })).toMatchObject({ status: 403 })
    expect((await ask(admin.token, 'GET', '/api/users?email=eve@org.test')).text).not.toContain('eve@')
    expect((await ask(admin.token, 'GET', '/api/users?email=bob@org.test')).text).toContain('bob@')
  })

  it('makes an account for a verified e-mail only', async () => {
    const person = { email: 'judy@org.test', groups: ['workers'] }
    for (const email_verified of [undefined, false, 'false'])
      expect(await enter('judy', { ...person, email_verified })).toMatchObject({
        status: 403,
        json: {
          error_code: 9,
          error_message: 'Your organisation does not tell a verified e-mail address of yours',
        },
      })
    expect((await ask(admin.token, 'GET', '/api/users?email=judy@org.test')).text).not.toContain('judy@')
    expect(await enter('judy', { ...person, email_verified: 'true' })).toMatchObject({ status: 200 })
    // The account is known by its subject from now on.
    expect(await enter('judy', { groups: ['workers'] })).toMatchObject({ status: 200 })
  })

  it.each(['a new', 'a known'])('signs %s person in twice at once', async (who) => {
    const email =
      who === 'a new' ? `${crypto.randomUUID()}@org.test` : (await newUser('CLIENT_OPERATOR')).email
    provider.people.set(email, { email, email_verified: true, groups: ['workers'] })
    const finishes = [await visit(email), await visit(email)]
    const answers = await Promise.all(finishes.map(post))
    expect(answers.map(({ status, json }) => [status, json.user.user_id])).toEqual(
      answers.map(() => [200, answers[0]!.json.user.user_id]),
    )
    for (const { json } of answers)
      expect((await ask(json.access_token, 'GET', '/api/users/me')).status).toBe(200)
  })

  it('takes the place of the password, and a password set by a manager that of the provider', async () => {
    const { email, userId, password, token } = await newUser('CLIENT_OPERATOR')
    const enterByPassword = (word: string) =>
      ask(null, 'POST', '/api/authorize/auth', { credentials: { email, password: word } })
    const person = { email, email_verified: true, groups: ['workers'] }
    const first = await enter(userId, person)
    expect(first.json.user).toMatchObject({ user_id: userId, organisation_sign_in: true })
    // Whoever knew the password may have signed in.
    expect((await ask(token, 'GET', '/api/users/me')).status).toBe(401)
    expect((await enterByPassword(password)).status).toBe(401)
    const own = { password: 'a password of my own', first_name: 'Nova' }
    const place = `/api/users/${userId}`
    expect(await ask(first.json.access_token, 'PATCH', place, own)).toMatchObject({
      status: 400,
      json: { error_code: 221 },
    })
    expect((await userOf(userId)).first_name).not.toBe('Nova')
    expect((await enterByPassword(own.password)).status).toBe(401)
    const set = { new_password: 'set by a manager' }
    expect((await ask(admin.token, 'POST', `${place}/change-password`, set)).status).toBe(200)
    expect((await ask(first.json.access_token, 'GET', '/api/users/me')).status).toBe(401)
    expect((await enterByPassword(set.new_password)).json.user).toMatchObject({ organisation_sign_in: false })
    expect((await enter(userId, person)).json.user).toMatchObject({
      user_id: userId,
      organisation_sign_in: true,
    })
    expect((await enterByPassword(set.new_password)).status).toBe(401)
  })

  it('finds a user by a verified e-mail, without our second factor, and only once', async () => {
    const { email, userId, password, token } = await newUser('CLIENT_OPERATOR')
    const factor = `/api/users/${userId}/second_factor`
    const { secret } = (await ask(token, 'POST', factor, { password })).json
    const code = new TOTP({ secret }).generate()
    expect((await ask(token, 'PATCH', factor, { is_active: true, code })).status).toBe(200)
    const unverified = { email, email_verified: false, groups: ['leads'] }
    const refusal = { status: 400, json: { error_code: 13 } }
    expect(await enter('carol', unverified)).toMatchObject({ status: 403 })
    expect((await userOf(userId)).user_type).toBe('CLIENT_OPERATOR')
    expect(await enter('carol', { ...unverified, email_verified: true })).toMatchObject({
      status: 200,
      json: { user: { user_id: userId, user_type: 'CLIENT_ADMIN' } },
    })
    expect(await enter('mallory', { ...unverified, email_verified: true })).toMatchObject(refusal)
  })

  it('opens no account of another company, of a machine, or of an administrator to others', async () => {
    const elsewhere = await createCompany(admin.token, 'Elsewhere', server.url)
    for (const [user, groups] of [
      [await newUser('CLIENT_OPERATOR', elsewhere), ['workers']],
      [await newUser('CLIENT_OPERATOR'), ['face-admins']],
      [await newUser('CLIENT_SERVICE'), ['leads']],
      [await newUser('ADMIN', null), ['cn=staff,ou=face']],
    ] as const) {
      const before = await userOf(user.userId)
      const { status, json } = await enter(user.userId, { email: user.email, email_verified: true, groups })
      expect([status, json.error_code]).toEqual([400, 13])
      expect(await userOf(user.userId)).toEqual(before)
    }
    const other = await newUser('ADMIN', null)
    const entered = await enter('dan', { email: other.email, email_verified: true, groups: ['face-admins'] })
    expect(entered.json.user).toMatchObject({ user_id: other.userId, user_type: 'ADMIN' })
  })

  it('refuses an inactive user', async () => {
    const person = { email: 'frank@org.test', email_verified: true, groups: ['workers'] }
    const { user_id } = (await enter('frank', person)).json.user
    await ask(admin.token, 'PATCH', `/api/users/${user_id}`, { is_active: false })
    expect(await enter('frank', person)).toMatchObject({ status: 403, json: { error_code: 211 } })
  })

  it('takes each answer once, from the page that asked', async () => {
    provider.people.set('grace', { email: 'grace@org.test', email_verified: true, groups: ['workers'] })
    const [one, other] = [await visit('grace'), await visit('grace')]
    const refusal = (key_path: string) => ({ status: 401, json: { error_code: 7, details: { key_path } } })
    expect(await post({ ...one, state: other.state })).toMatchObject(refusal('state'))
    expect(await post({ ...one, flow: other.flow })).toMatchObject(refusal('state'))
    expect(await post({ ...one, flow: other.flow, state: other.state })).toMatchObject(refusal('code'))
    expect(await post({ ...one, iss: 'https://elsewhere.test' })).toMatchObject(refusal('iss'))
    expect(await post({ ...one, iss: null })).toMatchObject(refusal('iss'))
    expect(await post({ ...one, flow: `${one.flow.slice(0, -2)}AA` })).toMatchObject(refusal('flow'))
    expect(await post({ ...one, flow: 'x' })).toMatchObject(refusal('flow'))
    expect(await post({ ...one, code: 'x' })).toMatchObject(refusal('code'))
    const again = await visit('grace')
    expect((await post(again)).status).toBe(200)
    expect(await post(again)).toMatchObject(refusal('code'))
  })

  it('refuses requests that are not as described', async () => {
    const finish = { code: 'c', state: 's', flow: 'f' }
    for (const body of [
      {},
      { ...finish, code: 1 },
      { ...finish, code: '' },
      { ...finish, state: 's'.repeat(9000) },
    ])
      expect((await post(body)).status).toBe(400)
    expect((await post({ ...finish, code: 'c'.repeat(2 ** 21) })).status).toBe(400)
  })

  it.each([
    ['another key', { isOtherKey: true }, 502],
    ['another audience', { claims: (claims: object) => ({ ...claims, aud: 'others' }) }, 502],
    ['another issuer', { claims: (claims: object) => ({ ...claims, iss: 'https://elsewhere.test' }) }, 502],
    ['an end in the past', { claims: (claims: object) => ({ ...claims, exp: 1_000_000_000 }) }, 502],
    ['another nonce', { claims: (claims: object) => ({ ...claims, nonce: 'of another page' }) }, 401],
    ['no subject', { claims: (claims: object) => ({ ...claims, sub: '' }) }, 502],
    ['half a character', { claims: (claims: object) => ({ ...claims, sub: 'heidi\ud800' }) }, 502],
    ['no nonce', { claims: (claims: object) => ({ ...claims, nonce: undefined }) }, 502],
  ])('refuses an ID token with %s', async (_, forge, status) => {
    provider.people.set('heidi', { email: 'heidi@org.test', email_verified: true, groups: ['workers'] })
    const finish = await visit('heidi')
    provider.forge = forge
    expect((await post(finish)).status).toBe(status)
  })

  it('answers 502 while the provider fails, and writes no code and no secret into the log', async () => {
    provider.people.set('ivan', { email: 'ivan@org.test', email_verified: true, groups: ['workers'] })
    const finish = await visit('ivan')
    for (const failure of [
      { status: 500, body: 'no' },
      { status: 200, body: '<html>' },
      { status: 200, body: '{"id_token": 1}' },
      { status: 200, body: ' '.repeat(2 ** 21) },
      { status: 302, body: '' },
      { status: 400, body: `{"error": "invalid_client ${finish.code}"}` },
    ]) {
      provider.failure = failure
      expect(await post(finish)).toMatchObject({ status: 502, json: { error_code: 11 } })
    }
    provider.failure = { status: 400, body: '{"error": "invalid_request"}' }
    expect(await post(finish)).toMatchObject({ status: 401, json: { details: { key_path: 'code' } } })
    provider.failure = null
    const { access_token } = (await post(finish)).json
    const log = server.lines().join('\n')
    expect(log).toContain('identity provider: token')
    for (const secret of [finish.code, finish.state, finish.flow, access_token, 'the-secret-of'])
      expect(log).not.toContain(secret)
  })
})
