import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { OrganisationSignIn } from '../../../src/accounts/organisation-sign-in.ts'
import { type SessionDeps, Sessions } from '../../../src/accounts/sessions.ts'
import type { OpenIdProvider } from '../../../src/identity/openid-provider.ts'
import { SignInFlows } from '../../../src/identity/sign-in-flow.ts'
import { CompanyStore } from '../../../src/storage/accounts/company-store.ts'
import { sessionDeps } from '../../fixtures/accounts.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'

const email = 'ada@org.test'
const issuer = 'https://id.example'
const flow = { state: 's', nonce: 'n', codeVerifier: 'v', redirect: 'https://vivace.example/console' }

describe('the sign-in by an organisation', () => {
  let opened: TestDatabase
  let deps: SessionDeps
  let signIn: OrganisationSignIn
  /** What the provider says. */
  let subject: string
  let finish: () => ReturnType<OrganisationSignIn['finish']>

  /** @param known the e-mail of a user who is there */
  async function open(known: string): Promise<void> {
    deps = await sessionDeps(opened.database, known, 'secret')
    const { users, randomBytes, randomId, nowMs } = deps
    const flows = new SignInFlows(randomBytes(32))
    const claims = () => ({ iss: issuer, sub: subject, email, email_verified: true, groups: 'people' })
    signIn = new OrganisationSignIn({
      ...{ users, randomBytes, randomId, nowMs, flows },
      provider: { finish: async () => claims() } as unknown as OpenIdProvider,
      companies: new CompanyStore(opened.database),
      sessions: new Sessions(deps),
      monotonicMs: () => 0,
      onChanged() {},
      rules: [{ value: 'people', role: 'CLIENT', hasCompany: true }],
      rolesClaim: 'groups',
      companyId: (await users.credentials({ email: known }))!.user.companyId,
    })
    const sealed = await flows.seal(flow, nowMs())
    finish = () =>
      signIn.finish({ flow: sealed, code: 'c', state: 's', iss: null, program: null }, '192.0.2.1')
  }

  beforeEach(async () => {
    opened = await openTestDatabase()
    subject = 'ada'
  })
  afterEach(() => opened.close())

  it.each([
    ['a new', 'insert', 'somebody@org.test'],
    ['a known', 'link', email],
  ] as const)('takes in %s person who signs in while the account is made', async (_, step, known) => {
    await open(known)
    let other: Awaited<ReturnType<typeof finish>> | null = null
    const write = deps.users[step].bind(deps.users) as (...given: unknown[]) => Promise<never>
    deps.users[step] = async (...given: unknown[]) => {
      deps.users[step] = write
      other = await finish()
      return write(...given)
    }
    const { user, accessToken } = await finish()
    expect(user.id).toBe(other!.user.id)
    const sessions = new Sessions(deps)
    for (const token of [accessToken, other!.accessToken])
      expect(await sessions.authenticate(token)).toMatchObject({ userId: user.id })
  })

  it('leaves users no password of their own, which would outlive their role', async () => {
    await open(email)
    const { user, sessionId } = await finish()
    // Whoever checked the old password, or who the user is, before the link.
    expect(await deps.users.setPassword(user.id, 'hash', sessionId)).toBe(false)
    expect(await deps.users.find(user.id)).toMatchObject({ isLinked: true })
    expect(await deps.users.setPassword(user.id, 'hash', null)).toBe(true)
    expect(await deps.users.find(user.id)).toMatchObject({ isLinked: false })
  })

  it('refuses a second subject with the e-mail, also while the account of the first is made', async () => {
    await open('somebody@org.test')
    const insert = deps.users.insert.bind(deps.users)
    deps.users.insert = async (...given) => {
      deps.users.insert = insert
      subject = 'eve'
      await finish()
      return insert(...given)
    }
    await expect(finish()).rejects.toMatchObject({ code: 'already_exists', place: null })
  })
})
