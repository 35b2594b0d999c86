import { expect, it } from 'vitest'
import { composeAccounts } from '../../../src/compose/accounts.ts'
import { openStores } from '../../../src/compose/stores.ts'
import { Authority } from '../../../src/identity/authority.ts'
import type { Platform } from '../../../src/platform/platform.ts'
import { anonymousCaller } from '../../../src/queue/caller.ts'
import { readSettings } from '../../../src/settings.ts'
import { noCipher } from '../../../src/storage/encryption/row-cipher.ts'
import { quickScrypt } from '../../fixtures/accounts.ts'
import { axisTemplate } from '../../fixtures/assessments.ts'
import { openTestDatabase } from '../../fixtures/database.ts'
import { madeCohort } from '../../fixtures/templates.ts'

it('a removed company has no access from the same call on, although sessions are remembered', async () => {
  const opened = await openTestDatabase()
  const settings = readSettings({ SVC_ADMIN_EMAIL: 'a@example.com', SVC_ADMIN_PASSWORD: 'choose a good one' })
  const platform = {
    nowMs: () => Date.now(),
    monotonicMs: () => 0,
    randomId: () => crypto.randomUUID(),
    log() {},
  } as unknown as Platform
  // Sessions are remembered for a database that answers from afar.
  const database = { ...opened.database, isLocal: false }
  const cohort = madeCohort('of a test', [axisTemplate(1), axisTemplate(2)])
  const stores = openStores(database, cohort, settings, noCipher)
  let woken = 0
  const { sessions, users, companies } = await composeAccounts(
    platform,
    settings,
    stores,
    () => quickScrypt,
    () => {},
    () => void woken++,
  )
  const caller = anonymousCaller('192.0.2.1')
  const signIn = async (email: string) =>
    (await sessions.signIn({ email, password: 'choose a good one' }, caller)).accessToken
  const admin = new Authority(await sessions.authenticate(await signIn('a@example.com')))
  const { id } = await companies.create(admin, {
    name: 'One',
    isSandbox: false,
    metadata: {},
    referenceField: null,
  })
  const wanted = { companyId: id, role: { user_type: 'CLIENT' }, names: {}, startFlags: {} }
  await users.create(admin, { email: 'b@example.com', password: 'choose a good one', wanted }, caller)
  const token = await signIn('b@example.com')
  await sessions.authenticate(token)
  await companies.remove(await companies.find(admin, 'delete', 'company', id))
  await expect(sessions.authenticate(token)).rejects.toMatchObject({ code: 'user_blocked' })
  // Its content is removed from now on.
  expect(woken).toBe(1)
  await opened.close()
})
