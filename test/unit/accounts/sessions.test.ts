import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SessionCache } from '../../../src/accounts/session-cache.ts'
import { providedMs, renewalMs, Sessions } from '../../../src/accounts/sessions.ts'
import { hashPassword, type Scrypt } from '../../../src/identity/passwords.ts'
import { allStartFlags } from '../../../src/identity/permissions.ts'
import type { UserType } from '../../../src/identity/roles.ts'
import { anonymousCaller } from '../../../src/queue/caller.ts'
import { CompanyStore } from '../../../src/storage/accounts/company-store.ts'
import { SessionStore } from '../../../src/storage/accounts/session-store.ts'
import { UserStore } from '../../../src/storage/accounts/user-store.ts'
import { collectBatches } from '../../../src/storage/lists/batches.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'

const ttlMs = 900_000
const longTtlMs = 10 * 365 * 24 * 3600_000
const dayMs = 24 * 3600_000

/** Fast and insecure, for tests. */
const quick: Scrypt = async (password, salt) =>
  new Uint8Array(
    await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${password} ${salt.join()}`)),
  )
const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))

describe('sessions', () => {
  let opened: TestDatabase
  let users: UserStore
  let store: SessionStore
  let sessions: Sessions
  let now: number
  const failures: unknown[] = []

  const companyId = crypto.randomUUID()

  beforeEach(async () => {
    opened = await openTestDatabase()
    users = new UserStore(opened.database)
    store = new SessionStore(opened.database)
    now = Date.UTC(2030, 0, 1)
    failures.length = 0
    const company = { id: companyId, name: 'c', isSystem: false, inDeletion: false, isSandbox: false }
    const made = { metadata: {}, referenceField: null, createdAtMs: now, updatedAtMs: now }
    await new CompanyStore(opened.database).insert({ ...company, ...made })
    sessions = new Sessions({
      users,
      sessions: store,
      cache: new SessionCache(0, () => now),
      scryptFor: () => quick,
      randomBytes,
      ttlMs,
      longTtlMs,
      secret: new TextEncoder().encode('a key of a test'),
      randomId: () => crypto.randomUUID(),
      nowMs: () => now,
      onUseFailed: (error) => failures.push(error),
    })
  })
  afterEach(() => opened.close())

  async function signIn(type: UserType = 'CLIENT') {
    const id = crypto.randomUUID()
    const email = `${id}@vivace.test`
    const names = { firstName: null, lastName: null, middleName: null }
    const state = { isActive: true, hasSecondFactor: false, isLinked: false, startFlags: allStartFlags }
    const user = { id, email, type, companyId, ...state, ...names }
    await users.insert(
      { ...user, metadata: {}, createdAtMs: now, updatedAtMs: now },
      await hashPassword('right', quick, randomBytes),
    )
    return { ...(await sessions.signIn({ email, password: 'right' }, anonymousCaller('a'))), email }
  }
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'ok',
      (error) => error.code,
    )
  const use = (token: string) => codeOf(sessions.authenticate(token))

  it('sessions are extended by each use, and end without it', async () => {
    const { accessToken, expiresAtMs } = await signIn()
    expect(expiresAtMs).toBe(now + ttlMs)
    for (let i = 0; i < 5; i++) {
      now += ttlMs - 1000
      expect(await use(accessToken)).toBe('ok')
    }
    now += ttlMs + 1
    expect(await use(accessToken)).toBe('token_expired')
  })

  it('sessions of machine accounts are long', async () => {
    const service = await signIn('CLIENT_SERVICE')
    const operator = await signIn('OPERATOR')
    const token = await sessions.issueServiceToken(operator.user, null, null)
    now += longTtlMs - 1
    expect(await use(service.accessToken)).toBe('ok')
    expect(await use(token.accessToken)).toBe('ok')
    expect(await use(operator.accessToken)).toBe('token_expired')
  })

  it('sessions by an identity provider end in time, however they are used and refreshed', async () => {
    const beganMs = now
    let { accessToken, expireToken } = await sessions.begin((await signIn('OPERATOR')).user, null)
    let expiresAtMs = 0
    while (now < beganMs + providedMs - ttlMs) {
      now += ttlMs - 1
      expect(await use(accessToken)).toBe('ok')
      ;({ accessToken, expireToken, expiresAtMs } = await sessions.refresh(accessToken, expireToken))
    }
    expect(await use(accessToken)).toBe('ok')
    expect(expiresAtMs).toBe(beganMs + providedMs)
    now = expiresAtMs + 1
    expect(await use(accessToken)).toBe('token_expired')
    expect(await codeOf(sessions.refresh(accessToken, expireToken))).toBe('token_unknown')
  })

  it('the use of a long-lived token is noted to the hour', async () => {
    const { user } = await signIn('OPERATOR')
    const { accessToken, sessionId } = await sessions.issueServiceToken(user, 'Billing', null)
    const notedMs = async () => {
      expect(await use(accessToken)).toBe('ok')
      const { name, expiresAtMs } = (await store.find({ id: sessionId }))!
      expect(name).toBe('Billing')
      return expiresAtMs - longTtlMs
    }
    const issuedMs = now
    now += 3599_000
    expect(await notedMs()).toBe(issuedMs)
    now += 1000
    expect(await notedMs()).toBe(now)
  })

  it('sessions can be refreshed up to a day after their end', async () => {
    const first = await signIn()
    now += ttlMs + dayMs
    const renewed = await sessions.refresh(first.accessToken, first.expireToken)
    expect(await use(renewed.accessToken)).toBe('ok')
    const second = await signIn()
    now += ttlMs + renewalMs + 1
    expect(await codeOf(sessions.refresh(second.accessToken, second.expireToken))).toBe('token_unknown')
  })

  it('refreshing keeps the old pair until the new one is used', async () => {
    const old = await signIn()
    const renewed = await sessions.refresh(old.accessToken, old.expireToken)
    expect(await use(old.accessToken)).toBe('ok')
    expect(await use(renewed.accessToken)).toBe('ok')
    expect(await use(old.accessToken)).toBe('token_unknown')
    expect(await codeOf(sessions.refresh(old.accessToken, old.expireToken))).toBe('token_unknown')
  })

  it('concurrent refreshes leave every new pair valid, but not the old one', async () => {
    const old = await signIn()
    const both = await Promise.all([1, 2].map(() => sessions.refresh(old.accessToken, old.expireToken)))
    for (const { accessToken } of [...both, ...both]) expect(await use(accessToken)).toBe('ok')
    expect(await use(old.accessToken)).toBe('token_unknown')
    for (const { accessToken, expireToken } of both)
      expect(await codeOf(sessions.refresh(accessToken, expireToken))).toBe('ok')
  })

  it('an unused pair is listed as soon as it does not end with another session', async () => {
    const { accessToken, expireToken, user } = await signIn()
    const query = { offset: 0, limit: null, totalOmit: false, sorting: [], filters: [] }
    const listed = async () => {
      const { batches, total } = await store.list(user.id, query)
      const all = await collectBatches(batches)
      expect(all).toHaveLength(total!)
      return all.map(({ id }) => id).toSorted()
    }
    const before = await listed()
    const [first, second] = await Promise.all([1, 2].map(() => sessions.refresh(accessToken, expireToken)))
    expect(await listed()).toEqual(before)
    expect(await use(first!.accessToken)).toBe('ok')
    expect(await listed()).toEqual([first!.sessionId, second!.sessionId].toSorted())
    expect(await use(second!.accessToken)).toBe('ok')
  })

  it('a session of a machine account that becomes a person gets a person’s lifetime', async () => {
    const { user, accessToken } = await signIn('CLIENT_SERVICE')
    now += dayMs
    await users.update({ ...user, type: 'CLIENT' }, user)
    expect(await use(accessToken)).toBe('ok')
    now += ttlMs - 1
    expect(await use(accessToken)).toBe('ok')
    now += ttlMs + 1
    expect(await use(accessToken)).toBe('token_expired')
  })

  it('a user stored from an older reading keeps what others changed meanwhile', async () => {
    const { user } = await signIn('CLIENT_ADMIN')
    await users.update({ ...user, isActive: false, type: 'CLIENT' }, user)
    await users.update({ ...user, firstName: 'Nova' }, user)
    expect(await users.find(user.id)).toMatchObject({ isActive: false, type: 'CLIENT', firstName: 'Nova' })
  })

  it('a session refreshed after a change of role has the lifetime of the new role', async () => {
    const { user, accessToken, expireToken } = await signIn('CLIENT_SERVICE')
    await users.update({ ...user, type: 'CLIENT' }, user)
    expect((await sessions.refresh(accessToken, expireToken)).expiresAtMs).toBe(now + ttlMs)
  })

  it('service tokens are long-lived only for machine accounts and operators', async () => {
    const { user } = await signIn('ADMIN')
    const operator = await signIn('OPERATOR')
    const token = await sessions.issueServiceToken(operator.user, null, null)
    await expect(sessions.issueServiceToken(user, null, null)).rejects.toThrow(TypeError)
    await users.update({ ...operator.user, type: 'CLIENT' }, operator.user)
    expect(await use(token.accessToken)).toBe('ok')
    now += ttlMs + 1
    expect(await use(token.accessToken)).toBe('token_expired')
  })

  it('a service token that an account gets for itself continues its session, and ends with it', async () => {
    const { user } = await signIn('CLIENT_SERVICE')
    const get = (from: string | null) => sessions.issueServiceToken(user, null, from)
    const first = await get(null)
    const second = await get(first.sessionId)
    await sessions.signOut(first.accessToken)
    for (const { accessToken } of [first, second]) expect(await use(accessToken)).toBe('token_unknown')
    expect(await codeOf(get(first.sessionId))).toBe('token_unknown')
    // There are never two in use that come from one.
    const third = await get(null)
    const fourth = await get(third.sessionId)
    expect(await use(fourth.accessToken)).toBe('ok')
    expect(await use(third.accessToken)).toBe('token_unknown')
    expect(await use((await get(null)).accessToken)).toBe('ok')
    expect(await use(fourth.accessToken)).toBe('ok')
  })

  it('a session that ends while it is refreshed stays ended', async () => {
    const { accessToken, expireToken } = await signIn()
    const insert = store.insert.bind(store)
    store.insert = async (session) => {
      await sessions.signOut(accessToken)
      return insert(session)
    }
    expect(await codeOf(sessions.refresh(accessToken, expireToken))).toBe('token_unknown')
    const { rows } = await opened.client.execute('select * from sessions')
    expect(rows).toEqual([])
  })

  it('sessions are not refreshed with the expire token of another user', async () => {
    const [one, other] = [await signIn(), await signIn()]
    expect(await codeOf(sessions.refresh(one.accessToken, other.expireToken))).toBe('forbidden')
    expect(await codeOf(sessions.refresh('0a1b', other.expireToken))).toBe('token_unknown')
    expect(await codeOf(sessions.refresh(one.accessToken, one.accessToken))).toBe('token_unknown')
    expect(await use(one.expireToken)).toBe('token_unknown')
  })

  it('sessions end at once for a deactivated or removed user', async () => {
    const { user, accessToken, expireToken, email } = await signIn()
    await users.update({ ...user, isActive: false }, user)
    expect(await use(accessToken)).toBe('user_blocked')
    expect(await codeOf(sessions.refresh(accessToken, expireToken))).toBe('user_blocked')
    expect(await codeOf(sessions.signIn({ email, password: 'right' }, anonymousCaller('a')))).toBe(
      'user_blocked',
    )
    expect(await codeOf(sessions.signIn({ email, password: 'wrong' }, anonymousCaller('a')))).toBe(
      'credentials_wrong',
    )
    await users.delete(user.id)
    expect(await use(accessToken)).toBe('token_unknown')
  })

  it('sessions stay ended when a user is activated again', async () => {
    const { user, accessToken, expireToken, email } = await signIn()
    await users.update({ ...user, isActive: false }, user)
    expect(await use(accessToken)).toBe('user_blocked')
    await users.update({ ...user, isActive: true }, { ...user, isActive: false })
    expect(await use(accessToken)).toBe('token_unknown')
    expect(await codeOf(sessions.refresh(accessToken, expireToken))).toBe('token_unknown')
    const anew = await sessions.signIn({ email, password: 'right' }, anonymousCaller('a'))
    await users.update({ ...user, firstName: 'Nova' }, user)
    expect(await use(anew.accessToken)).toBe('ok')
  })

  it('signing out ends the session and unused pairs refreshed from it, but no others', async () => {
    const [first, other] = [await signIn(), await signIn()]
    const renewed = await sessions.refresh(first.accessToken, first.expireToken)
    await sessions.signOut(first.accessToken)
    for (const { accessToken, expireToken } of [first, renewed]) {
      expect(await use(accessToken)).toBe('token_unknown')
      expect(await codeOf(sessions.refresh(accessToken, expireToken))).toBe('token_unknown')
    }
    expect(await use(other.accessToken)).toBe('ok')
    expect(await codeOf(sessions.signOut(first.accessToken))).toBe('token_unknown')
  })

  it('signing out with an unused refreshed pair ends the session', async () => {
    const old = await signIn()
    const [one, two] = await Promise.all([1, 2].map(() => sessions.refresh(old.accessToken, old.expireToken)))
    await sessions.signOut(one!.accessToken)
    for (const { accessToken } of [old, one!, two!]) expect(await use(accessToken)).toBe('token_unknown')
  })

  it('signing out also ends an expired session that could still be refreshed', async () => {
    const { accessToken, expireToken } = await signIn()
    now += ttlMs + 1
    await sessions.signOut(accessToken)
    expect(await codeOf(sessions.refresh(accessToken, expireToken))).toBe('token_unknown')
  })

  it('sessions do not end early when the clock is set back', async () => {
    const { accessToken } = await signIn()
    now -= dayMs
    expect(await use(accessToken)).toBe('ok')
    now += dayMs
    expect(await use(accessToken)).toBe('ok')
    now += ttlMs + 1
    expect(await use(accessToken)).toBe('token_expired')
  })

  it('sessions stay valid when they cannot be extended in the database', async () => {
    const { accessToken } = await signIn()
    now += ttlMs / 2
    await opened.client.execute(
      "create trigger full before update on sessions begin select raise(fail, 'full'); end",
    )
    expect(await use(accessToken)).toBe('ok')
    expect(failures).toHaveLength(1)
  })

  it('sessions are stored without their tokens', async () => {
    const { accessToken, expireToken } = await signIn()
    const { rows } = await opened.client.execute('select * from sessions')
    const text = JSON.stringify(rows)
    for (const token of [accessToken, accessToken.split('.')[2]!, expireToken])
      expect(text).not.toContain(token)
  })
})
