/** Pages of servers with other settings than those of the tests: what callers without a user or a token find, and pages without HTTPS. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { issueAccessToken } from '../../src/identity/access-token.ts'
import { findBarriers, findFlaws } from '../fixtures/barriers.ts'
import { chromiumNote, hasChromium, openChromium, plainHost, type TestBrowser } from '../fixtures/chromium.ts'
import { portrait } from '../fixtures/portraits.ts'
import type {} from '../fixtures/serve.ts'
import { startServer, type TestServer } from '../fixtures/server.ts'
import { isChecked, openPage, signInOn } from './page.ts'

const secret = 'a key that only these tests have, long enough'

const issueToken = (secretOfIssuer: string): Promise<string> =>
  issueAccessToken(
    {
      tokenId: crypto.randomUUID(),
      userId: crypto.randomUUID(),
      userType: 'ADMIN',
      companyId: null,
      issuedAtMs: Date.now(),
      expiresAtMs: Date.now() + 3600_000,
    },
    new TextEncoder().encode(secretOfIssuer),
  )

describe.skipIf(!hasChromium)(`pages by access${chromiumNote}`, () => {
  let chromium: TestBrowser
  let folder: string
  let selfie: string
  let id: string

  beforeAll(async () => {
    chromium = await openChromium(null)
    folder = await mkdtemp(path.join(tmpdir(), 'access-'))
    selfie = path.join(folder, 'selfie.jpg')
    id = path.join(folder, 'id.jpg')
    await writeFile(selfie, await portrait('redhead'))
    await writeFile(id, await portrait('redheadAgain'))
  })

  afterAll(async () => {
    await chromium?.close()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  describe('of a server with default settings, on its machine', () => {
    let server: TestServer

    beforeAll(async () => {
      server = await startServer({ ASSESS_WORKERS: '1' })
    })
    afterAll(() => server?.stop())

    it('a newcomer sees faces and reads documents without signing in', async () => {
      const { page, errors } = await openPage(chromium, `${server.url}/`)
      await page.setInputFiles('#selfie', selfie)
      await page.waitForSelector('.verdict.good')
      await page.setInputFiles('#id-photo', id)
      await page.waitForSelector('.verdict:nth-of-type(2)')
      await page.waitForSelector('.slot:nth-of-type(2) .faces')
      expect(await page.getByRole('button', { name: 'Sign in' }).count()).toBe(0)
      // Programs need a token all the same.
      await page.getByText('Command', { exact: true }).click()
      expect(await page.locator('details pre').first().textContent()).toContain(
        'X-Forensic-Access-Token: $TOKEN',
      )
      await page.getByRole('button', { name: 'Passport', exact: true }).click()
      await page.getByRole('heading', { name: 'The document passes', exact: true }).waitFor()
      expect(errors).toEqual([])
      await page.close()
    })

    it('the capture page captures, unless it is to keep what it captured', async () => {
      const free = await openPage(chromium, `${server.url}/capture`)
      await free.page.locator('vivace-capture h2').waitFor()
      expect(await free.page.locator('.note').isVisible()).toBe(false)
      const kept = await openPage(chromium, `${server.url}/capture#destination=folders`)
      await kept.page.getByText('with a token').waitFor()
      expect([...free.errors, ...kept.errors]).toEqual([])
      await free.page.close()
      await kept.page.close()
    })
  })

  describe('of a server with a public address', () => {
    const account = { email: 'first@vivace.test', password: 'correct horse battery' }
    let server: TestServer

    beforeAll(async () => {
      server = await startServer({
        ASSESS_WORKERS: '1',
        PUBLIC_URL: 'https://liveness.example',
        SVC_ADMIN_EMAIL: account.email,
        SVC_ADMIN_PASSWORD: account.password,
      })
    })
    afterAll(() => server?.stop())

    it.each(['', '#destination=folders'])(
      'the capture page says that it needs a token before anything is captured: %s',
      async (attributes) => {
        const { page, errors } = await openPage(chromium, `${server.url}/capture${attributes}`)
        await page.getByText('with a token').waitFor()
        expect(await page.locator('vivace-capture').count()).toBe(0)
        expect(await findBarriers(page)).toEqual([])
        await page.getByRole('link', { name: 'Who may send' }).click()
        await page.getByRole('heading', { name: 'Who may send' }).waitFor()
        const german = await openPage(chromium, `${server.url}/capture${attributes || '#'}&lang=de`)
        await german.page.getByText('Es wurde nichts aufgenommen.').waitFor()
        expect(await findBarriers(german.page)).toEqual([])
        await german.page.close()
        const other = await openPage(chromium, `${server.url}/capture#token=t`)
        await other.page.locator('vivace-capture h2').waitFor()
        expect(await other.page.locator('.note').isVisible()).toBe(false)
        expect(errors).toEqual([])
        await page.close()
        await other.page.close()
      },
    )

    it('the sample of a document is read once somebody has signed in', async () => {
      const { page, errors } = await openPage(chromium, `${server.url}/`)
      await page.getByRole('button', { name: 'Passport', exact: true }).click()
      await page.getByText('or sign in to have the document read').waitFor()
      expect(await findBarriers(page)).toEqual([])
      await page.locator('#verdict').getByRole('button', { name: 'Sign in' }).click()
      await signInOn(page, account)
      await page.getByRole('heading', { name: 'The document passes', exact: true }).waitFor()
      expect(errors).toEqual([])
      await page.close()
    })

    it('a newcomer gets the verdicts of Lite, and can sign in for more', async () => {
      const { page, errors } = await openPage(chromium, `${server.url}/`)
      const statuses: number[] = []
      page.on('response', (response) => {
        if (response.url().includes('/api/instant/')) statuses.push(response.status())
      })
      await page.getByText('A document is read too once somebody has signed in.').waitFor()
      await page.setInputFiles('#selfie', selfie)
      await page.waitForSelector('.verdict.good')
      await page.setInputFiles('#id-photo', id)
      await page.waitForSelector('.verdict:nth-of-type(2)')
      expect(await page.locator('.verdict h2').allTextContents()).toEqual([
        'A live person',
        'The same person',
      ])
      // No file is sent twice.
      expect(statuses).toEqual([])
      expect(await findBarriers(page)).toEqual([])
      await page.getByRole('button', { name: 'Sign in' }).click()
      await signInOn(page, { email: 'nobody@example.com', password: 'a wrong password' })
      await page.waitForSelector('.problem:not(:empty)')
      // What one signs in for stays until there is more.
      expect(await page.locator('.verdict.good').count()).toBe(2)
      expect(await page.locator('.evidence .card').first().isVisible()).toBe(true)
      expect(await findBarriers(page)).toEqual([])
      await signInOn(page, account)
      await page.locator('#verdict form').waitFor({ state: 'detached' })
      expect(await page.locator('.verdict.good').count()).toBe(2)
      await page.waitForSelector('.slot:nth-of-type(2) .faces')
      expect(errors).toEqual([])
      await page.close()
    })
  })

  describe('of a sandbox', () => {
    let server: TestServer

    beforeAll(async () => {
      server = await startServer({
        SVC_SANDBOX: 'true',
        SVC_AUTHORIZE_DISABLED_STATELESS: 'true',
        ASSESS_WORKERS: '1',
      })
    })
    afterAll(() => server?.stop())

    it.each([
      ['A live person', 'A live person', 'good'],
      ['Print or screen', 'Probably not live', 'bad'],
      ['No face', 'Could not be decided', 'open'],
      ['Several faces', 'Could not be decided', 'open'],
      ['Too dark', 'Could not be decided', 'open'],
      ['Expired document', 'The document does not pass', 'bad'],
    ])('the sample %s shows its verdict', async (label, title, tone) => {
      const { page, errors } = await openPage(chromium, `${server.url}/`, { width: 390 })
      await page.getByRole('button', { name: label, exact: true }).click()
      await page.waitForSelector(`.verdict.${tone}`)
      expect(await page.locator('.verdict h2').allTextContents()).toEqual([title])
      expect(await page.textContent('#profile')).toBe('Sandbox: nothing was checked')
      expect(await findFlaws(page)).toEqual([])
      expect(errors).toEqual([])
      await page.close()
    })

    it('the reference sends the sample of each outcome', async () => {
      const { page, errors } = await openPage(chromium, `${server.url}/docs#post_instant_folders`)
      const operation = page.locator('#post_instant_folders')
      for (const part of ['selfie', 'id_photo'])
        await operation.getByLabel(`Sample: File ${part}`).selectOption('different_people')
      await page.waitForFunction(() => document.querySelectorAll('[type=file]:valid').length === 2)
      await operation.getByRole('button', { name: 'Send' }).click()
      await operation.locator('.status').waitFor()
      expect(await operation.locator('.answer pre').textContent()).toContain(
        '"system_resolution": "DECLINED"',
      )
      expect(errors).toEqual([])
      await page.close()
    })
  })

  describe('of a server that has tokens and no users', () => {
    let server: TestServer

    beforeAll(async () => {
      server = await startServer({
        SVC_APP_COMPONENTS: 'auth,stateless',
        SVC_LITE_TOKEN_REQUIRED: 'true',
        SVC_API_SECRET_KEY: secret,
        PUBLIC_URL: 'https://liveness.example',
        ASSESS_WORKERS: '1',
      })
    })
    afterAll(() => server?.stop())

    const give = async (page: Page, token: string) => {
      await page.getByLabel('Token').fill(token)
      await page.getByRole('button', { name: 'Use it' }).click()
    }

    it('asks for a token, and leads with one to the verdict', async () => {
      const { page, errors } = await openPage(chromium, `${server.url}/`)
      await page.setInputFiles('#selfie', selfie)
      await page.getByLabel('Token').waitFor()
      expect(await page.locator('#email').count()).toBe(0)
      expect(await findBarriers(page)).toEqual([])
      await give(page, 'the token\u2026')
      await page.getByText('A token has Latin letters').waitFor()
      await give(page, await issueToken('a key of somebody else, which is long enough'))
      await page.getByText('The token was refused').waitFor()
      await give(page, await issueToken(secret))
      await page.waitForSelector('.verdict.good')
      await page.getByRole('button', { name: 'Forget the token' }).click()
      await page.setInputFiles('#selfie', id)
      await page.getByLabel('Token').waitFor()
      expect(errors).toEqual([])
      await page.close()
    })
  })

  describe('without HTTPS', () => {
    const url = new URL(inject('url'))
    url.hostname = plainHost
    const open = (at: string) => openPage(chromium, new URL(at, url).href, { permissions: [] })
    const refuseToCopy = (page: Page) => page.evaluate('document.execCommand = () => false')

    it('texts are copied all the same, and selected where that fails', async () => {
      const { page, errors } = await open('/')
      expect(await page.evaluate('isSecureContext')).toBe(false)
      await page.setInputFiles('#selfie', selfie)
      await isChecked(page)
      const copies = page.getByRole('button', { name: 'Copy as curl' })
      // It stands for a moment only.
      await Promise.all([page.getByRole('button', { name: 'Copied' }).waitFor(), copies.click()])
      await copies.waitFor()
      await refuseToCopy(page)
      // It stands for a moment only.
      await Promise.all([page.getByRole('button', { name: 'Selected' }).waitFor(), copies.click()])
      expect(await page.evaluate('String(getSelection())')).toContain(`curl ${url.origin}/api/instant/`)
      expect(errors).toEqual([])
      await page.close()
    })

    it('so does the reference', async () => {
      const { page, errors } = await open('/docs#get_version')
      const copies = page.locator('#get_version').getByRole('button', { name: 'Copy as curl' })
      // It stands for a moment only.
      await Promise.all([page.getByRole('button', { name: 'Copied' }).waitFor(), copies.click()])
      await copies.waitFor()
      await refuseToCopy(page)
      // It stands for a moment only.
      await Promise.all([page.getByRole('button', { name: 'Selected' }).waitFor(), copies.click()])
      expect(await page.evaluate('String(getSelection())')).toContain(`${url.origin}/api/version`)
      expect(errors).toEqual([])
      await page.close()
    })
  })
})
