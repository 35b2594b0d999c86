/** Who is signed in where, and the end of it, in a real browser. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { findBarriers } from '../fixtures/barriers.ts'
import { chromiumNote, hasChromium, openChromium, type TestBrowser } from '../fixtures/chromium.ts'
import type {} from '../fixtures/serve.ts'
import { call, createCompany, createUser, signInAsAdmin } from '../http/persistent/service.ts'
import { openPage, signInOn } from './page.ts'

const url = inject('url')

describe.skipIf(!hasChromium)(`sessions in the console${chromiumNote}`, () => {
  let chromium: TestBrowser

  beforeAll(async () => {
    chromium = await openChromium(null)
  })
  afterAll(() => chromium?.close())

  async function open(who: { email: string; password: string }, place: string) {
    const { page, errors } = await openPage(chromium, `${url}/console#/${place}`)
    await signInOn(page, who)
    const card = page.locator('.card').filter({ hasText: 'Sessions and tokens' }).last()
    return { page, errors, card }
  }

  it('users see their sessions, and end those that they do not use', async () => {
    const { token } = await signInAsAdmin()
    const person = await createUser(token, await createCompany(token, 'With sessions'), 'CLIENT_OPERATOR')
    const { page, errors, card } = await open(person, `users/${person.userId}`)
    const row = card.getByRole('row').filter({ hasText: 'Chrome, ' })
    await row.getByText('This session').waitFor()
    expect(await findBarriers(page)).toEqual([])
    const other = card.getByRole('row').filter({ has: page.getByRole('button', { name: 'End' }) })
    expect(await other.count()).toBe(1)
    await other.getByRole('button', { name: 'End' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
    await other.waitFor({ state: 'detached' })
    expect((await call(person.token, 'GET', '/api/users/me')).status).toBe(401)
    expect(errors).toEqual([])
    await page.close()
  })

  it('an administrator names a service token, and revokes it', async () => {
    const admin = await signInAsAdmin()
    const company = await createCompany(admin.token, 'With tokens')
    const machine = await createUser(admin.token, company, 'CLIENT_SERVICE')
    const { page, errors, card } = await open(inject('admin'), `users/${machine.userId}`)
    const made = page.locator('.card').filter({ hasText: 'Service token' }).first()
    await made.getByLabel('Name').fill('Onboarding')
    await made.getByRole('button', { name: 'New token' }).click()
    const token = (await made.locator('code').textContent())!
    expect((await call(token, 'GET', '/api/users/me')).status).toBe(200)
    const row = card.getByRole('row').filter({ hasText: 'Onboarding' })
    await row.getByRole('button', { name: 'End' }).click()
    await page.getByRole('dialog').getByText('End Onboarding?').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
    await row.waitFor({ state: 'detached' })
    expect((await call(token, 'GET', '/api/users/me')).status).toBe(401)
    expect(errors).toEqual([])
    await page.close()
  })
})
