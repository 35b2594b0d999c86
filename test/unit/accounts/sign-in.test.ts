import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Sessions } from '../../../src/accounts/sessions.ts'
import { SignIn } from '../../../src/accounts/sign-in.ts'
import { AppError } from '../../../src/errors.ts'
import type { Scrypt } from '../../../src/identity/passwords.ts'
import { SignInLimit } from '../../../src/identity/sign-in-limit.ts'
import { openServerScrypt } from '../../../src/platform/server-scrypt.ts'
import { quickScrypt, sessionDeps } from '../../fixtures/accounts.ts'
import { openTestDatabase } from '../../fixtures/database.ts'

const [email, password] = ['ada@example.com', 'the right one']

describe('simultaneous sign-ins', () => {
  let opened: Awaited<ReturnType<typeof openTestDatabase>>
  let deps: Awaited<ReturnType<typeof sessionDeps>>
  let isDown = false
  let hashed = 0

  beforeAll(async () => {
    opened = await openTestDatabase()
    deps = await sessionDeps(opened.database, email, password)
  })
  afterAll(() => opened.close())

  const scrypt: Scrypt = async (...asked) => {
    hashed++
    if (isDown) throw new AppError('overloaded', 'busy')
    return quickScrypt(...asked)
  }
  const open = () => {
    const scryptFor = openServerScrypt({ atOnceMax: 2, waitingMax: 300 }, scrypt)
    const limit = new SignInLimit(() => 0)
    const signIn = new SignIn({ sessions: new Sessions({ ...deps, scryptFor }), users: deps.users, limit })
    hashed = 0
    /** Codes of simultaneous attempts, with their counts. */
    return async (
      count: number,
      tried: (i: number) => [email: string, password: string, address: string],
    ) => {
      const attempts = Array.from({ length: count }, (_, i) => {
        const [email, password, address] = tried(i)
        return signIn.signIn({ email, password }, address)
      })
      const counts: Record<string, number> = {}
      for (const result of await Promise.allSettled(attempts)) {
        const name = result.status === 'fulfilled' ? 'signed in' : (result.reason.code as string)
        counts[name] = (counts[name] ?? 0) + 1
      }
      return counts
    }
  }

  it('one account has as many guesses in all writings of its e-mail', async () => {
    const attempt = open()
    const writings = ['jos\u00e9@example.com', 'jose\u0301@example.com', 'JOSE\u0301@example.com']
    expect(await attempt(30, (i) => [writings[i % 3]!, `wrong ${i}`, 'x'])).toEqual({
      credentials_wrong: 10,
      throttled: 20,
    })
  })

  it('reveal no more about an account than successive ones', async () => {
    const attempt = open()
    expect(await attempt(40, (i) => [email, `wrong ${i}`, 'x'])).toEqual({
      credentials_wrong: 10,
      throttled: 30,
    })
    expect(hashed).toBe(10)
    expect(await attempt(1, () => [email, password, 'x'])).toEqual({ throttled: 1 })
    expect(await attempt(1, () => [email, password, 'y'])).toEqual({ 'signed in': 1 })
  })

  it('reveal no more from one address than successive ones', async () => {
    const attempt = open()
    expect(await attempt(250, (i) => [`${i}@example.com`, 'wrong', 'x'])).toEqual({
      credentials_wrong: 200,
      throttled: 50,
    })
  })

  it('leave each of many addresses a few attempts', async () => {
    const attempt = open()
    const counts = await attempt(200, (i) => [email, 'wrong', `x${i % 20}`])
    expect(counts.credentials_wrong).toBeLessThan(50 + 20 * 3)
    expect(await attempt(1, () => [email, password, 'y'])).toEqual({ 'signed in': 1 })
  })

  it('all succeed with the right password', async () => {
    expect(await open()(40, () => [email, password, 'x'])).toEqual({ 'signed in': 40 })
  })

  it('do not count if the password could not be checked', async () => {
    const attempt = open()
    isDown = true
    expect(await attempt(40, () => [email, 'wrong', 'x'])).toEqual({ overloaded: 40 })
    isDown = false
    expect(await attempt(40, () => [email, 'wrong', 'x'])).toMatchObject({ credentials_wrong: 10 })
  })

  it('count passwords that no user can have', async () => {
    expect(await open()(1, () => [email, '', 'x'])).toEqual({ credentials_wrong: 1 })
    const attempt = open()
    await attempt(10, () => [email, '', 'x'])
    expect(await attempt(1, () => [email, password, 'x'])).toEqual({ throttled: 1 })
  })

  it('do not count for long if their requests were ended without a trace', async () => {
    let nowMs = 0
    const ended: Scrypt = () => new Promise(() => {})
    let scrypt = ended
    const scryptFor =
      () =>
      (...asked: Parameters<Scrypt>) =>
        scrypt(...asked)
    const limit = new SignInLimit(() => nowMs)
    const counted: typeof deps.scryptFor = (_, onTurn) => {
      onTurn?.()
      return scryptFor()
    }
    const sessions = new Sessions({ ...deps, scryptFor: counted })
    const signIn = new SignIn({ sessions, users: deps.users, limit })
    const attempt = (tried: string) => signIn.signIn({ email, password: tried }, 'x')
    for (let i = 0; i < 10; i++) void attempt('wrong')
    await expect.poll(() => attempt(password).catch(({ code }) => code)).toBe('throttled')
    nowMs += 60_000
    scrypt = quickScrypt
    expect((await attempt(password)).user.email).toBe(email)
  })
})

it('every writing of an e-mail signs in, and is taken', async () => {
  const [composed, decomposed] = ['jos\u00e9@example.com', 'jose\u0301@example.com'] as const
  const opened = await openTestDatabase()
  const deps = await sessionDeps(opened.database, decomposed, 'a password')
  for (const written of [decomposed, composed, decomposed.toUpperCase()]) {
    const signIn = new SignIn({
      sessions: new Sessions(deps),
      users: deps.users,
      limit: new SignInLimit(() => 0),
    })
    expect((await signIn.signIn({ email: written, password: 'a password' }, 'x')).user.email).toBe(composed)
  }
  await expect(sessionDeps(opened.database, composed, 'x')).rejects.toMatchObject({ code: 'already_exists' })
  await opened.close()
})
