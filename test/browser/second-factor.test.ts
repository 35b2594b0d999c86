/** Signing in with a code of an authenticator app, in a real browser. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { findBarriers } from '../fixtures/barriers.ts'
import { chromiumNote, hasChromium, openChromium, type TestBrowser } from '../fixtures/chromium.ts'
import { portrait } from '../fixtures/portraits.ts'
import type {} from '../fixtures/serve.ts'
import { call, createCompany, createUser, signInAsAdmin } from '../http/persistent/service.ts'
import { openPage, signInOn } from './page.ts'

const url = inject('url')
const stepMs = 30_000

describe.skipIf(!hasChromium)(`the second factor${chromiumNote}`, () => {
  let chromium: TestBrowser
  let folder: string
  let secret: string
  let person: { email: string; password: string; userId: string }
  let begunMs: number

  /** Each code counts once; those before and after the present one count too. */
  const codeOf = (step: number) => new TOTP({ secret }).generate({ timestamp: begunMs + step * stepMs })

  const enter = (page: Page) => signInOn(page, person)

  beforeAll(async () => {
    chromium = await openChromium(null)
    folder = await mkdtemp(path.join(tmpdir(), 'second-factor-'))
  })
  afterAll(async () => {
    await chromium?.close()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  it('is set up in the console, and asked for from then on', async () => {
    const { token } = await signInAsAdmin()
    person = await createUser(token, await createCompany(token, 'With codes'), 'CLIENT_OPERATOR')
    const { page, errors } = await openPage(chromium, `${url}/console`)
    await enter(page)
    await page.getByRole('link', { name: person.email }).click()
    const card = page.locator('section, .card').filter({ hasText: 'Second factor' }).last()
    await card.getByLabel('Password').fill('a wrong one')
    await card.getByRole('button', { name: 'Set up' }).click()
    await page.getByText('The password is wrong').waitFor()
    await card.getByLabel('Password').fill(person.password)
    await card.getByRole('button', { name: 'Set up' }).click()
    await card.getByAltText('QR code').waitFor()
    expect(await findBarriers(page)).toEqual([])
    secret = (await card.locator('code').textContent())!
    begunMs = Date.now()
    await card.getByLabel('Code').fill(codeOf(0))
    await card.getByRole('button', { name: 'Switch on' }).click()
    await card.getByRole('button', { name: 'Switch off' }).waitFor()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await enter(page)
    const code = page.getByLabel('Code')
    await code.waitFor()
    expect(await code.evaluate((input) => input === document.activeElement)).toBe(true)
    expect(await findBarriers(page)).toEqual([])
    await code.fill('000000')
    await code.press('Enter')
    await page.getByText('The code is wrong, or was used before.').waitFor()
    // The password is still there.
    await code.fill(codeOf(1))
    await code.press('Enter')
    await page.getByRole('link', { name: person.email }).waitFor()
    expect(errors).toEqual([])
    await page.close()
  })

  it('is asked for by the try page too, when the account has one', async () => {
    const selfie = path.join(folder, 'selfie.jpg')
    await writeFile(selfie, await portrait('redhead'))
    const { page, errors } = await openPage(chromium, 'about:blank')
    // As on a server that answers to nobody without a token.
    const body = JSON.stringify({ error_code: 6, error_message: 'A token is needed', details: {} })
    for (const path of ['**/api/instant/**', '**/v1/face/**'])
      await page.route(path, (route) => route.fulfill({ status: 401, contentType: 'application/json', body }))
    await page.goto(`${url}/`)
    await page.setInputFiles('#selfie', selfie)
    const code = page.getByLabel('Code of your authenticator app')
    await page.getByLabel('E-mail').waitFor()
    expect(await code.isVisible()).toBe(false)
    await enter(page)
    await code.waitFor()
    await page.getByText('Enter the code of your authenticator app').waitFor()
    expect(await findBarriers(page)).toEqual([])
    expect(errors).toEqual([])
    await page.close()
  })

  it('is switched off by those who manage the user, for people who lost their app', async () => {
    const { page, errors } = await openPage(chromium, `${url}/console#/users/${person.userId}`)
    await signInOn(page, inject('admin'))
    await page.getByRole('button', { name: 'Switch off' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click()
    await page.getByRole('button', { name: 'Switch off' }).waitFor({ state: 'detached' })
    const { email, password } = person
    const answer = await call(null, 'POST', '/api/authorize/auth', { credentials: { email, password } })
    expect(answer).toMatchObject({ status: 200, json: { user: { has_second_factor: false } } })
    expect(errors).toEqual([])
    await page.close()
  })
})
