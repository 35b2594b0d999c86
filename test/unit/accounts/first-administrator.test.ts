import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  ensureFirstAdministrator,
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
      rules: { lengthMin: 8, kindsMin: 1 },
      handOver: async (password) => void told.push(password),
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
    const handOver = () => Promise.reject(new Error('no place'))
    await expect(ensure({ handOver })).rejects.toThrow('no place')
    expect(await users.isEmpty()).toBe(true)
    await ensure()
    expect(told).toHaveLength(1)
  })
})
