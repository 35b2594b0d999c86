/** Signing in to the console by the identity provider of an organisation, in a real browser. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBarriers } from '../fixtures/barriers.ts'
import { chromiumNote, hasChromium, openChromium, type TestBrowser } from '../fixtures/chromium.ts'
import { type IdentityProvider, startIdentityProvider } from '../fixtures/identity-provider.ts'
import { startServer, type TestServer } from '../fixtures/server.ts'
import { openPage } from './page.ts'

const unfinished = 'Signing in with your organisation was not finished. Start again.'

describe.skipIf(!hasChromium)(`the console of an organisation${chromiumNote}`, () => {
  let chromium: TestBrowser
  let provider: IdentityProvider
  let server: TestServer

  const leave = (page: Page) => page.getByRole('button', { name: 'Sign in with your organisation' }).click()

  /** Signs in at the provider, and lets it tell who that is. */
  async function signInAs(page: Page, name: string): Promise<void> {
    await page.getByPlaceholder('Enter any login').fill(name)
    await page.getByPlaceholder('and password').fill('any')
    await page.getByRole('button', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
  }

  beforeAll(async () => {
    provider = await startIdentityProvider()
    provider.people.set('ada', { email: 'ada@org.test', email_verified: true, groups: ['staff'] })
    provider.people.set('bob', { email: 'bob@org.test', email_verified: true, groups: [] })
    server = await startServer({
      ASSESS_WORKERS: '1',
      SVC_OIDC_ROLES: 'staff=OPERATOR',
      ...provider.environment,
    })
    chromium = await openChromium(null)
  })
  afterAll(async () => {
    await chromium?.close()
    await server?.stop()
    await provider?.close()
  })

  it('is opened by its provider, at the place that was asked for', async () => {
    const { page, errors } = await openPage(chromium, `${server.url}/console#/system`)
    await page.getByRole('button', { name: 'Sign in with your organisation' }).waitFor()
    expect(await findBarriers(page)).toEqual([])
    await leave(page)
    await signInAs(page, 'ada')
    await page.getByRole('link', { name: 'ada@org.test' }).waitFor()
    expect(page.url()).toBe(`${server.url}/console#/system`)
    expect(await page.evaluate(() => Object.keys(sessionStorage))).not.toContain('vivace-organisation')
    await page.reload()
    await page.getByRole('link', { name: 'ada@org.test' }).waitFor()
    await page.getByRole('link', { name: 'ada@org.test' }).click()
    await page.getByRole('heading', { name: 'About' }).waitFor()
    for (const name of ['Password', 'Second factor'])
      expect(await page.getByRole('heading', { name }).count()).toBe(0)
    expect(errors).toEqual([])
    await page.close()
  })

  it('says why somebody is not let in', async () => {
    const { page, errors } = await openPage(chromium, `${server.url}/console`)
    await leave(page)
    await signInAs(page, 'bob')
    await page.getByText('Your organisation has given you no role here').waitFor()
    expect(page.url()).toBe(`${server.url}/console`)
    expect(await findBarriers(page)).toEqual([])
    await page.close()
    expect(errors).toEqual([])
  })

  it('takes no answer that was not asked for in its tab, and none without a code', async () => {
    for (const query of ['code=c&state=s', 'error=access_denied&state=s']) {
      const { page, errors } = await openPage(chromium, `${server.url}/console?${query}`)
      await page.getByText(unfinished).waitFor()
      expect(page.url()).toBe(`${server.url}/console`)
      expect(errors).toEqual([])
      await page.close()
    }
    const { page } = await openPage(chromium, `${server.url}/console`)
    await leave(page)
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByText(unfinished).waitFor()
    await page.close()
  })
})
