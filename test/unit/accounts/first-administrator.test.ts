import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  ensureFirstAdministrator,
  explainUnusedAdministrator,
  type FirstAdministratorDeps,
} from '../../../src/accounts/first-administrator.ts'
import { CompanyStore } from '../../../src/storage/accounts/company-store.ts'
import { UserStore } from '../../../src/storage/accounts/user-store.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'

describe('the first administrator', () => {
  let opened: TestDatabase
  let users: UserStore
  let told: string[]

  beforeEach(async () => {
    opened = await openTestDatabase()
    users = new UserStore(opened.database)
    told = []
  })
  afterEach(() => opened.close())

  const ensure = (change: Partial<FirstAdministratorDeps> = {}) =>
    ensureFirstAdministrator({
      companies: new CompanyStore(opened.database),
      users,
      scrypt: async (_, __, ___, length) => new Uint8Array(length),
      randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
      randomId: () => crypto.randomUUID(),
      nowMs: () => 1,
      email: 'root@vivace.test',
      password: '',
      rules: { lengthMin: 8 },
      deliverPassword: async (password) => void told.push(password),
      ...change,
    })

  it('the first administrator is created once, and its password shown once', async () => {
    await ensure()
    await ensure()
    expect(told).toEqual([expect.stringMatching(/^[a-zA-Z2-9]{20}$/)])
    expect((await users.credentials({ email: 'root@vivace.test' }))?.user.type).toBe('ADMIN')
  })

  it('the first administrator has the password of the settings, which is not shown', async () => {
    await ensure({ password: 'choose a good one' })
    expect(told).toEqual([])
    expect(await users.isEmpty()).toBe(false)
  })

  it('the first administrator is deleted if its password cannot be shown, so that the next start retries', async () => {
    const deliverPassword = () => Promise.reject(new Error('no place'))
    await expect(ensure({ deliverPassword })).rejects.toThrow('no place')
    expect(await users.isEmpty()).toBe(true)
    await ensure()
    expect(told).toHaveLength(1)
  })

  it('tells which settings of the administrator open no account, without their values', async () => {
    const scrypt: FirstAdministratorDeps['scrypt'] = async (password) => {
      const hash = new Uint8Array(32)
      hash.set(password.subarray(0, 32))
      return hash
    }
    const explain = (email: string, password: string) =>
      explainUnusedAdministrator({ users, scrypt, email, password })
    expect(await ensure({ password: 'choose a good one', scrypt })).toBe(true)
    expect(await ensure({ password: 'another one', scrypt })).toBe(false)
    expect(await explain('ROOT@vivace.test', 'choose a good one')).toBe(null)
    expect(await explain('root@vivace.test', '')).toBe(null)
    const wrong = await explain('root@vivace.test', 'another one')
    expect(wrong).toMatch(/^SVC_ADMIN_PASSWORD is not used: .*admin reset-password/)
    const unknown = await explain('someone@vivace.test', 'choose a good one')
    expect(unknown).toMatch(/^SVC_ADMIN_EMAIL is not used: .*admin reset-password/)
    expect(`${wrong}${unknown}`).not.toMatch(/another one|vivace\.test/)
  })
})
