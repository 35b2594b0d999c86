/** Decisions that take two people, and sessions that end before one is made, in a real browser. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBarriers, findFlaws } from '../fixtures/barriers.ts'
import { chromiumNote, hasChromium, openChromium, type TestBrowser } from '../fixtures/chromium.ts'
import { testCodecs } from '../fixtures/codecs.ts'
import { ramp } from '../fixtures/pictures.ts'
import { startServer, type TestServer } from '../fixtures/server.ts'
import { file, form } from '../http/client.ts'
import { call, createUser, type Signed, signIn, upload } from '../http/persistent/service.ts'
import { openPage, signInOn } from './page.ts'

const root = { email: 'root@vivace.test', password: 'a password of a test' }

describe.skipIf(!hasChromium)(`reviewing in the console${chromiumNote}`, () => {
  let chromium: TestBrowser
  let server: TestServer
  let client: Signed
  let anna: Awaited<ReturnType<typeof createUser>>
  let boris: Awaited<ReturnType<typeof createUser>>

  beforeAll(async () => {
    server = await startServer({
      ...{ ASSESS_WORKERS: '1', SVC_FOUR_EYES: 'true' },
      ...{ SVC_ADMIN_EMAIL: root.email, SVC_ADMIN_PASSWORD: root.password },
    })
    const { token } = await signIn(root.email, root.password, server.url)
    const company = { name: 'Bank', sandbox: true }
    const { json } = await call(token, 'POST', '/api/companies/', company, server.url)
    const make = (type: Parameters<typeof createUser>[2]) =>
      createUser(token, json.company_id, type, server.url)
    client = await make('CLIENT')
    anna = await make('CLIENT_OPERATOR')
    boris = await make('CLIENT_OPERATOR')
    chromium = await openChromium(null)
  })
  afterAll(async () => {
    await chromium?.close()
    await server?.stop()
  })

  /** A case that waits for a person. @returns its id */
  async function makeCase(): Promise<string> {
    const picture = await testCodecs.encodeJpeg({ image: ramp(320, 240), quality: 80 })
    const payload = {
      'folder:meta_data': { sandbox: 'similarity_uncertain' },
      analyses: [{ type: 'biometry' }],
    }
    const parts = form([file('a', picture), file('b', picture)], payload)
    const { status, json } = await upload(client.token, '/api/folders', parts, server.url)
    expect(status).toBe(201)
    return json.folder_id
  }

  async function open(who: typeof anna, folder: string) {
    const { page, errors } = await openPage(chromium, `${server.url}/console#/folders/${folder}`)
    await signInOn(page, who)
    const decision = page.getByRole('region', { name: 'Your decision on the folder' })
    await decision.waitFor()
    return { page, errors, decision, trail: page.locator('.trail > li'), verdict: page.locator('.verdict') }
  }

  it('takes two people where the server asks for four eyes', async () => {
    const folder = await makeCase()
    const first = await open(anna, folder)
    await first.decision.getByLabel('Reason').selectOption('Accepted: The same person')
    const untilOther = first.trail.filter({ hasText: 'Takes effect when a second person decides the same.' })
    for (const count of [1, 2]) {
      await first.decision.getByRole('button', { name: 'Accept' }).click()
      await expect.poll(() => untilOther.count()).toBe(count)
    }
    expect(await first.verdict.textContent()).not.toContain('an operator')
    expect(await findBarriers(first.page)).toEqual([])
    expect(await findFlaws(first.page)).toEqual([])
    const second = await open(boris, folder)
    await second.trail.filter({ hasText: anna.email }).first().waitFor()
    await second.decision.getByRole('button', { name: 'Accept' }).click()
    await second.verdict.filter({ hasText: 'an operator: Accepted' }).waitFor()
    // The first sees it without doing anything.
    await first.verdict.filter({ hasText: 'an operator: Accepted' }).waitFor()
    expect([...first.errors, ...second.errors]).toEqual([])
    await Promise.all([first.page.close(), second.page.close()])
  })

  it('goes on at the case and in the comment where a session ended', async () => {
    const folder = await makeCase()
    const { page, errors, decision, trail } = await open(anna, folder)
    const comment = decision.getByLabel('Comment')
    await comment.fill('Half a th')
    const alone = page.locator('details.decision').first()
    await alone.locator('summary').click()
    await alone.getByLabel('Comment').fill('Of this alone')
    const { token } = await page.evaluate(() => JSON.parse(sessionStorage.getItem('vivace-console')!))
    await call(token, 'POST', '/api/authorize/logout', {}, server.url)
    await comment.pressSequentially('ought')
    await decision.getByRole('button', { name: 'Decline' }).click()
    await page.getByText('The session has ended.').waitFor()
    // Another person at this browser does not see it.
    await signInOn(page, boris)
    await decision.waitFor()
    expect(await comment.inputValue()).toBe('')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signInOn(page, anna)
    await page.goto(`${server.url}/console#/folders/${folder}`)
    await decision.waitFor()
    expect(await comment.inputValue()).toBe('Half a thought')
    expect(await trail.count()).toBe(0)
    expect(await alone.getByLabel('Comment').isVisible()).toBe(true)
    expect(await alone.getByLabel('Comment').inputValue()).toBe('Of this alone')
    await decision.getByRole('button', { name: 'Decline' }).click()
    await trail.filter({ hasText: 'Half a thought' }).waitFor()
    expect(await comment.inputValue()).toBe('')
    expect(errors).toEqual([])
    await page.close()
  })
})
