/** The second factor: who switches it on and off, and what it takes to sign in. */
import { TOTP } from 'otpauth'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { OwnPassword } from '../../../src/accounts/own-password.ts'
import { SecondFactors } from '../../../src/accounts/second-factors.ts'
import { Sessions } from '../../../src/accounts/sessions.ts'
import { SignIn } from '../../../src/accounts/sign-in.ts'
import { UserService } from '../../../src/accounts/user-service.ts'
import { hasCode } from '../../../src/errors.ts'
import { Authority } from '../../../src/identity/authority.ts'
import { randomBytes } from '../../../src/identity/passwords.ts'
import { allStartFlags } from '../../../src/identity/permissions.ts'
import { SignInLimit } from '../../../src/identity/sign-in-limit.ts'
import { anonymousCaller } from '../../../src/queue/caller.ts'
import { CompanyStore } from '../../../src/storage/accounts/company-store.ts'
import { quickScrypt, sessionDeps } from '../../fixtures/accounts.ts'
import { openTestDatabase } from '../../fixtures/database.ts'

const email = 'ada@example.com'
const password = 'a good password'
const caller = anonymousCaller('192.0.2.1')
const periodMs = 30_000

function latch(): [waiting: Promise<void>, open: () => void] {
  let open = () => {}
  const waiting = new Promise<void>((resolve) => {
    open = resolve
  })
  return [waiting, open]
}

describe('the second factor', () => {
  let opened: Awaited<ReturnType<typeof openTestDatabase>>
  let sessions: Sessions
  let signIn: SignIn
  let factors: SecondFactors
  let nowMs: number
  let changes: number
  /** Before a password is checked. */
  let holdCheck: () => Promise<void>

  beforeEach(async () => {
    nowMs = Date.UTC(2026, 10, 28)
    changes = 0
    holdCheck = async () => {}
    opened = await openTestDatabase()
    const deps = { ...(await sessionDeps(opened.database, email, password)), nowMs: () => nowMs }
    const { users } = deps
    const scryptFor = () => quickScrypt
    const monotonicMs = () => nowMs
    const ownPassword = new OwnPassword({ users, scryptFor, monotonicMs })
    const shared = {
      users,
      ownPassword,
      randomBytes,
      nowMs: () => nowMs,
      monotonicMs,
      onChanged: () => void changes++,
    }
    const service = new UserService({
      ...{ ...shared, scryptFor, companies: new CompanyStore(opened.database) },
      ...{ randomId: () => crypto.randomUUID(), passwordRules: { lengthMin: 8 } },
    })
    sessions = new Sessions({
      ...deps,
      scryptFor: (_, onTurn) => {
        onTurn?.()
        const hold = holdCheck
        return async (...asked) => {
          await hold()
          return quickScrypt(...asked)
        }
      },
    })
    signIn = new SignIn({ sessions, users, limit: new SignInLimit(monotonicMs) })
    factors = new SecondFactors({ ...shared, service })
  })
  afterEach(() => opened.close())

  const codeAt = (secret: string, atMs = nowMs) => new TOTP({ secret }).generate({ timestamp: atMs })
  const enter = (code?: string) =>
    signIn.signIn({ email, password, ...(code === undefined ? {} : { code }) }, 'x')
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      ({ code }) => code,
    )
  /** Signs in, and as that user. */
  const asSelf = async () => {
    const { accessToken, user } = await enter()
    return { self: new Authority(await sessions.authenticate(accessToken)), id: user.id, accessToken }
  }
  const offer = (self: Authority, id: string, given = password) =>
    factors.offer(self, id, async () => given, caller)
  const change = (by: Authority, id: string, isActive: boolean, code: string | null) =>
    factors.change(by, id, async () => ({ isActive, code }))
  const switchOn = async () => {
    const { self, id, accessToken } = await asSelf()
    const { secret } = await offer(self, id)
    expect(await change(self, id, true, codeAt(secret))).toMatchObject({ id, hasSecondFactor: true })
    nowMs += periodMs
    return { self, id, secret, accessToken }
  }

  it('is in force after the first code, which ends sessions that began without one', async () => {
    const elsewhere = await enter()
    const { self, id, accessToken } = await asSelf()
    const { secret, address } = await offer(self, id)
    expect(address).toContain(secret)
    expect((await enter()).user.hasSecondFactor).toBe(false)
    expect(await failureOf(change(self, id, true, '000000'))).toBe('value_invalid')
    expect(await failureOf(change(self, id, true, null))).toBe('structure_invalid')
    await change(self, id, true, codeAt(secret))
    expect(changes).toBe(1)
    expect(await failureOf(sessions.authenticate(elsewhere.accessToken))).toBe('token_unknown')
    expect(await failureOf(sessions.authenticate(accessToken))).toBe('done')
  })

  it('asks for a code that is right, new and of now', async () => {
    const { secret } = await switchOn()
    await expect(enter()).rejects.toMatchObject({
      code: 'second_factor_missing',
      details: { key_path: 'credentials.code' },
    })
    const code = codeAt(secret)
    expect((await enter(code)).user.hasSecondFactor).toBe(true)
    expect(await failureOf(enter(code))).toBe('credentials_wrong')
    // Older than the last one that was used.
    expect(await failureOf(enter(codeAt(secret, nowMs - periodMs)))).toBe('credentials_wrong')
    nowMs += periodMs
    expect(await failureOf(enter(codeAt(secret, nowMs + 5 * periodMs)))).toBe('credentials_wrong')
    expect(await failureOf(enter(codeAt(secret)))).toBe('done')
  })

  it('tells nothing to callers without the password', async () => {
    const { secret } = await switchOn()
    const tried = signIn.signIn({ email, password: 'a wrong one', code: codeAt(secret) }, 'x')
    await expect(tried).rejects.toMatchObject({ code: 'credentials_wrong', details: null })
    expect(await failureOf(enter(codeAt(secret)))).toBe('done')
  })

  it('counts wrong codes, but not sign-ins that have none yet', async () => {
    const { secret } = await switchOn()
    for (let i = 0; i < 12; i++) expect(await failureOf(enter())).toBe('second_factor_missing')
    const failures = []
    for (let i = 0; i < 12; i++) failures.push(await failureOf(enter('000000')))
    expect([failures[0], failures.at(-1)]).toEqual(['credentials_wrong', 'throttled'])
    expect(await failureOf(enter(codeAt(secret)))).toBe('throttled')
    nowMs += 16 * 60_000
    expect(await failureOf(enter(codeAt(secret)))).toBe('done')
  })

  it('lets one of two callers in who send the same code at once', async () => {
    const { secret } = await switchOn()
    const code = codeAt(secret)
    const both = await Promise.all([failureOf(enter(code)), failureOf(enter(code))])
    expect(both.sort()).toEqual(['credentials_wrong', 'done'])
  })

  it('goes by a code, and cannot be replaced while it is in force', async () => {
    const { self, id, secret } = await switchOn()
    expect(await failureOf(offer(self, id))).toBe('not_allowed')
    expect(await failureOf(change(self, id, false, '000000'))).toBe('value_invalid')
    expect(await change(self, id, false, codeAt(secret))).toMatchObject({ hasSecondFactor: false })
    expect((await enter()).user.hasSecondFactor).toBe(false)
    expect(await failureOf(change(self, id, false, codeAt(secret)))).toBe('not_allowed')
    const { secret: next } = await offer(self, id)
    expect(next).not.toBe(secret)
  })

  it('needs the password, of which a token gives few guesses, as of codes', async () => {
    const { self, id } = await asSelf()
    const guesses = []
    for (let i = 0; i < 11; i++) guesses.push(await failureOf(offer(self, id, 'a wrong one')))
    expect([guesses[0], guesses.at(-1)]).toEqual(['value_invalid', 'throttled'])
    nowMs += 16 * 60_000
    const { self: again } = await asSelf()
    await offer(again, id)
    const codes = []
    for (let i = 0; i < 11; i++) codes.push(await failureOf(change(again, id, true, '000000')))
    expect([codes[0], codes.at(-1)]).toEqual(['value_invalid', 'throttled'])
  })

  it('is taken off by those who manage the user, and put on by nobody else', async () => {
    const { id, self } = await switchOn()
    const { companyId } = self.principal
    const managing = (userType: 'CLIENT_ADMIN' | 'CLIENT', company: string | null = companyId) =>
      new Authority({
        ...{ userId: crypto.randomUUID(), companyId: company, userType, startFlags: allStartFlags },
        sessionId: null,
      })
    const admin = managing('CLIENT_ADMIN')
    expect(await failureOf(offer(admin, id))).toBe('not_allowed')
    expect(await failureOf(change(admin, id, true, null))).toBe('value_invalid')
    expect(await failureOf(change(managing('CLIENT'), id, false, null))).toBe('not_found')
    const stranger = managing('CLIENT_ADMIN', crypto.randomUUID())
    expect(await failureOf(change(stranger, id, false, null))).toBe('not_found')
    expect(await failureOf(enter())).toBe('second_factor_missing')
    await change(admin, id, false, null)
    expect(await failureOf(enter())).toBe('done')
  })

  it('lets no sign-in through that was checked before it was in force', async () => {
    const { self, id } = await asSelf()
    const { secret } = await offer(self, id)
    const [isReached, reach] = latch()
    const [mayProceed, proceed] = latch()
    holdCheck = () => {
      reach()
      return mayProceed
    }
    const early = failureOf(enter())
    await isReached
    holdCheck = async () => {}
    await change(self, id, true, codeAt(secret))
    proceed()
    expect(await early).toBe('credentials_wrong')
  })

  it('lets strangers who know the password try few codes, from however many addresses', async () => {
    const { secret } = await switchOn()
    const from = (address: string, code: string) =>
      failureOf(signIn.signIn({ email, password, code }, address))
    const failures = []
    for (let i = 0; i < 12; i++) failures.push(await from(`stranger ${i}`, '000000'))
    expect(failures.slice(9)).toEqual(['credentials_wrong', 'throttled', 'throttled'])
    expect(await from('another stranger', codeAt(secret))).toBe('throttled')
    // The owner signed in from here before.
    expect(await failureOf(enter(codeAt(secret)))).toBe('done')
  })

  it('refuses with errors of its own that a page can tell apart', async () => {
    await switchOn()
    const error = await enter('000000').catch((thrown: unknown) => thrown)
    expect(hasCode(error, 'credentials_wrong')).toBe(true)
    expect(error).toMatchObject({ details: { key_path: 'credentials.code' }, place: 'credentials.code' })
  })
})
