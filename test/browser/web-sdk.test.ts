/** A page that was written for the vendor's Web SDK, with our script in place of theirs. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { findBarriers } from '../fixtures/barriers.ts'
import { chromiumNote, hasChromium, openChromium, type TestBrowser } from '../fixtures/chromium.ts'
import { hasFfmpeg } from '../fixtures/clips.ts'
import { driftingPortrait } from '../fixtures/fake-camera.ts'
import type {} from '../fixtures/serve.ts'

const url = inject('url')

/** As integrations of the Web SDK look: one plain script, one call. */
const vendorPage = (settings: string, options: string) => `<!doctype html>
<html lang="en"><head><title>Check</title><script src="/client/vivace-web-sdk.js" ${settings}></script></head>
<body><button id="start">Start</button><script>
const told = []
const tell = (name) => (result) => told.push({ name, result: JSON.parse(JSON.stringify(result ?? null)) })
document.querySelector('#start').addEventListener('click', () => OzLiveness.open({
  lang: 'es', meta: { transaction_id: 't-9' },
  on_capture_complete: tell('capture_complete'), on_submit: tell('submit'), on_result: tell('result'),
  on_complete: tell('complete'), on_error: tell('error'), on_close: tell('close'),
  ${options}
}))
</script></body></html>`

interface Kept {
  folder_id: string
  meta_data: object
  media: { technical_meta_data: { capture: { challenge: string[]; steps: { gesture: string }[] } } }[]
}

type Told = { name: string; result: { [key: string]: unknown } }[]

const toldBy = (page: Page): Promise<Told> => page.evaluate('told') as Promise<Told>

async function open(opened: TestBrowser, settings: string, options: string): Promise<Page> {
  const page = await opened.newPage({ viewport: { width: 390, height: 844 } })
  await page.route(`${url}/check`, (route) =>
    route.fulfill({ contentType: 'text/html', body: vendorPage(settings, options) }),
  )
  await page.addInitScript(() => {
    const { mediaDevices } = navigator
    const open = mediaDevices.getUserMedia.bind(mediaDevices)
    const asked: unknown[] = []
    mediaDevices.getUserMedia = (wish) => {
      const video = wish?.video
      asked.push(typeof video === 'object' ? video.facingMode : video)
      return open(wish)
    }
    Object.assign(window, { asked })
  })
  await page.goto(`${url}/check`)
  await page.click('#start')
  return page
}

/** Presses the main button of a state of the element. */
async function press(page: Page, phase: string): Promise<void> {
  await page.locator(`vivace-capture [data-phase=${phase}] :is(.main, .shutter)`).click()
}

async function captureOne(page: Page): Promise<void> {
  for (const phase of ['intro', 'framing', 'review']) await press(page, phase)
}

const ended = (page: Page) => page.waitForFunction("told.some(({ name }) => name === 'close')")

describe.skipIf(!hasChromium || !hasFfmpeg)(`a page of the vendor's Web SDK${chromiumNote}`, () => {
  let opened: TestBrowser
  let token: string

  beforeAll(async () => {
    opened = await openChromium(await driftingPortrait())
    const { email, password } = inject('admin')
    const answer = await fetch(`${url}/api/authorize/auth`, {
      method: 'POST',
      body: JSON.stringify({ credentials: { email, password } }),
    })
    token = ((await answer.json()) as { access_token: string }).access_token
  })
  afterAll(() => opened?.close())

  it('is closed by a button on its card, also on a wide screen', async () => {
    const page = await open(opened, '', `token: '${token}', action: ['video_selfie_blank']`)
    await page.setViewportSize({ width: 1280, height: 900 })
    const card = (await page.locator('dialog vivace-capture').boundingBox())!
    const button = (await page.getByRole('button', { name: 'Cerrar' }).boundingBox())!
    expect(button.x + button.width).toBeLessThan(card.x + card.width)
    await page.close()
  })

  it('gets its callbacks in their order, and a kept folder with its metadata', async () => {
    const page = await open(
      opened,
      'data-result-mode="folder"',
      `token: '${token}', action: ['video_selfie_blank']`,
    )
    const posted = page.waitForRequest(
      (request) => request.method() === 'POST' && new URL(request.url()).pathname === '/api/folders',
    )
    await page.locator('dialog vivace-capture h2').waitFor()
    expect(await findBarriers(page)).toEqual([])
    await captureOne(page)
    await ended(page)
    const told = await toldBy(page)
    expect(told.map(({ name }) => name)).toEqual([
      'capture_complete',
      'submit',
      'result',
      'result',
      'complete',
      'close',
    ])
    const { result } = told.find(({ name }) => name === 'complete')!
    expect(result).toMatchObject({
      state: 'finished',
      analyses: { quality: { state: 'finished', resolution: expect.stringMatching(/^(success|declined)$/) } },
    })
    expect(result.analyses).not.toHaveProperty('quality.result_json')
    const found = await fetch(`${url}/api/folders/?meta_data=transaction_id==t-9`, {
      headers: { 'X-Forensic-Access-Token': token },
    })
    const { items } = (await found.json()) as { items: Kept[] }
    expect(items.map(({ folder_id }) => folder_id)).toEqual([result.folder_id])
    const [{ meta_data, media }] = items as [Kept]
    expect(Object.keys(meta_data).sort()).toEqual(['transaction_id', 'vivace_delivery_id'])
    const session = await fetch(`${url}/api/event_sessions/${result.event_session_id}`, {
      headers: { 'X-Forensic-Access-Token': token },
    })
    expect(session.status).toBe(200)
    // It came sealed, with the gestures that the server asked for.
    const body = new Uint8Array((await posted).postDataBuffer()!)
    expect(new TextDecoder().decode(body.subarray(0, 6))).toBe('VIVACE')
    const { challenge, steps } = media[0]!.technical_meta_data.capture
    expect(challenge).toHaveLength(2)
    expect(steps.map(({ gesture }) => gesture)).toEqual(challenge)
    expect(await page.locator('dialog').count()).toBe(0)
    await page.close()
  })

  it('tells no more than the state by default, and compares with a document on Instant', async () => {
    const page = await open(
      opened,
      'data-destination="instant"',
      "action: ['photo_id_front', 'photo_selfie']",
    )
    await captureOne(page)
    await captureOne(page)
    await ended(page)
    const told = await toldBy(page)
    const complete = told.find(({ name }) => name === 'complete')!.result
    expect(Object.keys(complete).sort()).toEqual(['event_session_id', 'state'])
    const { media } = told.find(({ name }) => name === 'capture_complete')!.result as {
      media: { tags: string[] }[]
    }
    expect(media.map(({ tags }) => tags[0])).toEqual(['photo_id', 'photo_selfie'])
    // Each step opens the camera of its side.
    expect(await page.evaluate('asked')).toEqual(['environment', 'user'])
    await page.close()
  })

  it.each(['photo_selfie', 'video_selfie_oneshot'])(
    'finds a photo where it finds frames of clips: %s',
    async (action) => {
      const page = await open(
        opened,
        'data-destination="instant"',
        `action: ['${action}'], result_mode: 'full'`,
      )
      await captureOne(page)
      await ended(page)
      const { result } = (await toldBy(page)).find(({ name }) => name === 'complete')!
      const { quality } = result.analyses as {
        quality: { result_json: { source_media: { images: { original_url: string }[] }[] } }
      }
      const { images } = quality.result_json.source_media[0]!
      expect(images).toHaveLength(1)
      const fetched = page.evaluate(
        async (link) => (await createImageBitmap(await (await fetch(link)).blob())).width,
        images[0]!.original_url,
      )
      expect(await fetched).toBeGreaterThan(100)
      await page.close()
    },
  )

  it('is told of errors, and of the window that was closed', async () => {
    const wrong = await open(opened, '', "action: ['dance']")
    await wrong.waitForFunction('told.length > 0')
    expect(await toldBy(wrong)).toMatchObject([
      { name: 'error', result: { code: 'internal', message: expect.stringContaining('dance') } },
    ])
    await wrong.close()
    const refused = await open(opened, '', "token: 'none', action: ['photo_selfie']")
    await captureOne(refused)
    await refused.waitForFunction("told.some(({ name }) => name === 'error')")
    const error = (await toldBy(refused)).find(({ name }) => name === 'error')!.result
    expect(error).toMatchObject({ code: '7', context: {} })
    expect(error.event_session_id).toMatch(/^[0-9a-f-]{36}$/)
    // The window does not call it a verdict, and what was refused is captured anew from the first step.
    expect(await refused.locator('dialog h2').textContent()).toBe('No ha funcionado')
    await press(refused, 'failed')
    await captureOne(refused)
    await refused.waitForFunction("told.filter(({ name }) => name === 'error').length > 1")
    expect((await toldBy(refused)).map(({ name }) => name)).toEqual(
      Array(2).fill(['capture_complete', 'submit', 'result', 'error']).flat(),
    )
    await refused.close()
    const closed = await open(opened, '', '')
    await closed.locator('dialog').waitFor()
    await closed.keyboard.press('Escape')
    await ended(closed)
    expect((await toldBy(closed)).map(({ name }) => name)).toEqual(['close'])
    await closed.close()
  })

  it('can send again what was not sent, also from a window that is hidden', async () => {
    const page = await open(opened, 'data-destination="instant"', "action: ['photo_selfie']")
    const calls = '**/api/instant/folders'
    await page.route(calls, (route) => route.abort('internetdisconnected'), { times: 1 })
    await captureOne(page)
    const again = page.locator('dialog button', { hasText: 'Volver a enviar' })
    await again.waitFor()
    expect(await page.locator('dialog h2').textContent()).toBe('Todavía sin enviar')
    expect(await findBarriers(page)).toEqual([])
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(calls, async (route) => {
      await gate
      await route.continue()
    })
    await again.click()
    await page.evaluate('OzLiveness.hide()')
    expect(await page.locator('dialog').isVisible()).toBe(false)
    release()
    await page.waitForFunction("told.some(({ name }) => name === 'complete')")
    expect((await toldBy(page)).map(({ name }) => name)).toEqual([
      'capture_complete',
      'submit',
      'result',
      'error',
      'result',
      'complete',
    ])
    expect(await page.locator('dialog').count()).toBe(0)
    await page.close()
  })
})
