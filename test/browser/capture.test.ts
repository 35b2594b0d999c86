/** `<vivace-capture>` in a real browser: captures, sends, and shows the verdict. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { bundleClient } from '../../scripts/build-client-command.ts'
import { failures } from '../../src/decide/analysis.ts'
import { findBarriers } from '../fixtures/barriers.ts'
import {
  chromiumNote,
  hasChromium,
  openChromium,
  plainHost,
  type TestBrowser,
  waitMaxMs,
} from '../fixtures/chromium.ts'
import { hasFfmpeg, makeClip, shortClip } from '../fixtures/clips.ts'
import { driftingPortrait, passportPage } from '../fixtures/fake-camera.ts'
import { readGuideCode } from '../fixtures/guide-code.ts'
import { portrait } from '../fixtures/portraits.ts'
import type {} from '../fixtures/serve.ts'
import { readPictureTypes } from '../fixtures/server.ts'
import {
  barriersIn,
  captureAndSend,
  holdGestures,
  holdSending,
  main,
  openCapture,
  openPhone,
  phaseIs,
  steerCameras,
} from './capture-page.ts'

const url = inject('url')

const waiting = { timeout: waitMaxMs }

type Told = Awaited<ReturnType<typeof openCapture>>['told']

const detailOf = (told: Told, name: string) => told.find((event) => event.name === name)?.detail
const errorsIn = (told: Told) => told.filter(({ name }) => name === 'error')

async function signIn(): Promise<string> {
  const { email, password } = inject('admin')
  const answer = await fetch(`${url}/api/authorize/auth`, {
    method: 'POST',
    body: JSON.stringify({ credentials: { email, password } }),
  })
  return ((await answer.json()) as { access_token: string }).access_token
}

/** The server gets what is sent, and its answer is lost. */
const loseAnswer = async (route: Route) => {
  await route.fetch()
  await route.abort('connectionreset')
}

/** The wrapper of the guide and a program that mounts it, as a bundler makes a script of both. */
async function bundleReact(program: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vivace-react-'))
  try {
    await bundleClient(folder)
    const { outputFiles } = await build({
      stdin: {
        contents: (await readGuideCode('capture.md', 'tsx')) + program,
        loader: 'tsx',
        resolveDir: import.meta.dirname,
      },
      alias: { '@vivace/client/capture': path.join(folder, 'capture.js') },
      define: { 'process.env.NODE_ENV': '"production"' },
      jsx: 'automatic',
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
    })
    return outputFiles[0]!.text
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Goes from the start to the end, and sends the container that the page sent once more. */
async function sendTwice(page: Page, path: string, headers: Record<string, string> = {}): Promise<unknown[]> {
  const posted = page.waitForRequest(
    (request) => request.method() === 'POST' && new URL(request.url()).pathname === path,
  )
  await captureAndSend(page)
  const body = new Uint8Array((await posted).postDataBuffer()!)
  expect(new TextDecoder().decode(body.subarray(0, 6))).toBe('VIVACE')
  const again = await fetch(url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/octet-stream', ...headers },
    body,
  })
  return [again.status, ((await again.json()) as { error_code: number }).error_code]
}

describe.skipIf(!hasChromium || !hasFfmpeg)(`the page /capture with a camera${chromiumNote}`, () => {
  let opened: TestBrowser

  beforeAll(async () => {
    opened = await openChromium(await driftingPortrait())
  })
  afterAll(() => opened?.close())

  it('records a clip, sends it as a form, and shows the verdict', async () => {
    const { page, told, errors } = await openCapture(opened, 'seal=never&gesture=smile')
    await captureAndSend(page)
    const [capture] = told.filter(({ name }) => name === 'capture')
    expect(capture?.detail.type).toMatch(/^video\/(mp4|webm)$/)
    expect(capture?.detail.tags).toEqual(['video_selfie', 'video_selfie_smile', 'orientation_portrait'])
    expect(capture?.detail.evidence.frames.length).toBeGreaterThan(10)
    expect(capture?.detail.evidence.steps).toHaveLength(1)
    const result = told.find(({ name }) => name === 'result')?.detail
    expect(told.filter(({ name }) => name === 'error')).toEqual([])
    expect(result.isSealed).toBe(false)
    expect(result.folder.media[0].media_type).toBe('VIDEO_FOLDER')
    expect(result.folder.analyses[0].state).toBe('FINISHED')
    expect(told.some(({ name }) => name === 'progress')).toBe(true)
    // A picture does not smile.
    expect(result.folder.analyses[0].technical_meta_data.gestures).toMatchObject([{ performed: false }])
    const line = page.getByText('Gesture asked for: smile. The server did not see it.')
    expect(await line.isVisible()).toBe(true)
    expect(await findBarriers(page)).toEqual([])
    expect(errors).toEqual([])
    // Another attempt has no answer yet.
    await page.evaluate(() => document.querySelector('vivace-capture')!.dispatchEvent(new Event('restart')))
    expect(await line.isVisible()).toBe(false)
    await page.close()
  })

  it('seals a clip, with the gestures that the server asks for, and a copy of it is refused', async () => {
    const { page, told, errors } = await openCapture(opened)
    expect(await sendTwice(page, '/api/instant/folders')).toEqual([400, 14])
    const { isSealed, folder } = detailOf(told, 'result')
    expect(isSealed).toBe(true)
    const { evidence, session } = detailOf(told, 'capture')
    expect(session.steps).toHaveLength(2)
    const asked = session.steps.map(({ gesture }: { gesture: string }) => gesture)
    expect(evidence.steps.map(({ gesture }: { gesture: string }) => gesture)).toEqual(asked)
    const { challenges } = folder.analyses[0].technical_meta_data
    expect(challenges).toHaveLength(1)
    const [{ status, reasons }] = challenges
    const { capture } = folder.media[0].technical_meta_data
    const found = JSON.stringify(folder.media[0].technical_meta_data)
    // A picture performs no gestures, but the steps, the frames and their times fit the clip, unless the machine is too busy to film.
    const ofSlowness = ['repeated_frames', 'other_duration', 'page_saw_few_frames']
    const isBusy =
      capture.frames.count < 5 * capture.frames.span &&
      reasons.length > 0 &&
      reasons.every((word: string) => ofSlowness.includes(word))
    if (!isBusy) {
      const missed = asked.map((gesture: string) => expect.stringContaining(gesture))
      expect([status, ...reasons], found).toEqual(['missed', ...missed])
    }
    expect(errors).toEqual([])
    await page.close()
  })

  it('is a component of React, with the wrapper of the guide', async () => {
    const page = await opened.newPage({ viewport: { width: 390, height: 844 } })
    const script = await bundleReact(`
      import { createRoot } from 'react-dom/client'
      const root = createRoot(document.body)
      const tell = (event) => window.told.push([event.type, event.detail])
      window.told = []
      window.show = (props) => root.render(
        <Capture mode="photo" seal="never" oncapture={tell} onerror={tell} onresult={tell} {...props} />,
      )
      window.show({ quiet: true, metadata: { transaction_id: 't-1' }, analyses: [{ type: 'quality' }] })
    `)
    await page.route(`${url}/react`, (route) =>
      route.fulfill({ contentType: 'text/html', body: `<body><script type="module">${script}</script>` }),
    )
    await page.goto(`${url}/react`)
    await page.route('**/api/instant/folders', loseAnswer, { times: 1 })
    await captureAndSend(page)
    await page.evaluate('show({ texts: { start: "Begin" } })')
    await main(page).click()
    await phaseIs(page, 'done')
    const told = await page.evaluate<[string, Record<string, unknown>][]>('told')
    expect(told).toMatchObject([
      ['capture', { tags: ['photo_selfie', 'orientation_portrait'] }],
      ['error', { code: 'network', isKept: true }],
      ['result', { folder: { analyses: [{ type: 'QUALITY' }] }, isSealed: false }],
    ])
    const element = 'document.querySelector("vivace-capture")'
    expect(await page.evaluate(`[${element}.outerHTML, ${element}.texts, ${element}.metadata]`)).toEqual([
      '<vivace-capture mode="photo" seal="never"></vivace-capture>',
      { start: 'Begin' },
      undefined,
    ])
    await page.close()
  })

  it.each([
    ['photo', 'matrix(-1, 0, 0, 1, 0, 0)'],
    ['document', 'none'],
  ])('shows the camera of mode %s as people expect it', async (mode, transform) => {
    const { page } = await openCapture(opened, `mode=${mode}&seal=never`)
    await main(page).click()
    await phaseIs(page, 'framing')
    const video = page.locator('vivace-capture video').first()
    expect(await video.evaluate((node) => getComputedStyle(node).transform)).toBe(transform)
    await page.close()
  })

  it('does not call a face in the place of a document good', async () => {
    const { page } = await openCapture(opened, 'mode=document&seal=never')
    await main(page).click()
    await phaseIs(page, 'framing')
    await page.locator('.advice', { hasText: 'Hold still when all four corners are visible' }).waitFor()
    expect(await page.locator('.advice').getAttribute('data-tone')).toBe('plain')
    await page.close()
  })

  it('a link takes one photo from a phone, and the page that made it sees how it ends', async () => {
    const token = await signIn()
    const ask = async (method: string, target: string, body?: object) => {
      const headers = { 'X-Forensic-Access-Token': token }
      const answer = await fetch(`${url}/api/${target}`, { method, headers, body: JSON.stringify(body) })
      return (await answer.json()) as Record<string, string> & { folder_ids: string[] }
    }
    const consent = 'We keep the photo for a day.'
    const made = { mode: 'photo', language: 'de', consent, return_url: `${url}/docs` }
    const { url: address, capture_link_id: id } = await ask('POST', 'capture_links', made)
    const show = () => ask('GET', `capture_links/${id}`)
    expect((await show()).state).toBe('sent')

    const { page, told, errors } = await openPhone(opened, address!)
    await page.getByText(consent).waitFor()
    expect(await page.locator('vivace-capture').isVisible()).toBe(false)
    expect(await findBarriers(page)).toEqual([])
    expect((await show()).state).toBe('opened')
    await page.getByRole('button', { name: 'Ich stimme zu' }).tap()
    for (const phase of ['framing', 'review', 'done']) {
      await main(page).tap()
      await phaseIs(page, phase)
    }
    await vi.waitFor(async () => expect((await show()).state).toBe('decided'), waiting)
    expect(detailOf(told, 'result').isSealed).toBe(true)
    const back = page.getByRole('link', { name: `Weiter zu ${new URL(url).host}` })
    expect(await back.getAttribute('href')).toBe(`${url}/docs`)
    expect(await findBarriers(page)).toEqual([])

    await page.reload()
    await page.getByRole('heading', { name: 'Dieser Link wurde schon benutzt' }).waitFor()
    expect(await page.locator('vivace-capture').isVisible()).toBe(false)
    expect(await findBarriers(page)).toEqual([])
    await page.evaluate(() => location.assign('#link=another'))
    await page.getByRole('heading', { name: 'This link is unknown' }).waitFor()
    expect(errors).toEqual([])
    await page.close()
  })

  it('takes a photo, and another one if the person wants to', async () => {
    const { page, told, errors } = await openCapture(opened, 'mode=photo&seal=never')
    // French is not shipped; German is what the person reads besides.
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'languages', { value: ['fr', 'de-AT', 'en'] })
      document.querySelector('vivace-capture')!.setAttribute('lang', 'fr')
    })
    await main(page).click()
    await phaseIs(page, 'framing')
    await main(page).click()
    await phaseIs(page, 'review')
    await page.locator('vivace-capture button', { hasText: 'Noch einmal' }).click()
    await phaseIs(page, 'framing')
    await main(page).click()
    await phaseIs(page, 'review')
    await main(page).click()
    await phaseIs(page, 'done')
    const result = told.find(({ name }) => name === 'result')?.detail
    expect(result.folder.media[0].media_type).toBe('IMAGE_FOLDER')
    expect(result.folder.media[0].tags).toEqual(['photo_selfie', 'orientation_portrait'])
    expect(result.folder.analyses[0].state).toBe('FINISHED')
    expect(errors).toEqual([])
    await page.close()
  })

  it('keeps a folder with a sealed clip for callers with a token, once', async () => {
    const access_token = await signIn()
    const headers = { 'X-Forensic-Access-Token': access_token }
    const { page, told } = await openCapture(opened, `seal=always&destination=folders&token=${access_token}`)
    expect(new URL(page.url()).hash).toBe('')
    expect(await sendTwice(page, '/api/folders', headers)).toEqual([400, 14])
    const { folder, isSealed } = detailOf(told, 'result')
    expect(isSealed).toBe(true)
    const kept = await fetch(`${url}/api/folders/${folder.folder_id}?with_analyses=true`, { headers })
    expect(kept.status).toBe(200)
    const { media, analyses } = (await kept.json()) as typeof folder
    expect(media).toHaveLength(1)
    expect(media[0].media_type).toBe('VIDEO_FOLDER')
    const { challenge, steps } = media[0].technical_meta_data.capture
    expect(steps.map(({ gesture }: { gesture: string }) => gesture)).toEqual(challenge)
    expect([analyses[0].type, analyses[0].state]).toEqual(['QUALITY', 'FINISHED'])
    await page.close()
  })

  it('leaves the camera when it is done, and can be used by keyboard alone', async () => {
    const { page } = await openCapture(opened, 'mode=photo&seal=never')
    const live = () =>
      page.evaluate(() => {
        const { shadowRoot } = document.querySelector('vivace-capture')!
        const stream = shadowRoot!.querySelector('video')!.srcObject as MediaStream | null
        return stream?.getTracks().some(({ readyState }) => readyState === 'live') ?? false
      })
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await phaseIs(page, 'framing')
    expect(await live()).toBe(true)
    await page.keyboard.press('Enter')
    await phaseIs(page, 'review')
    await page.keyboard.press('Enter')
    await phaseIs(page, 'done')
    expect(await live()).toBe(false)
    const status = page.locator('vivace-capture [role=status]')
    expect((await status.textContent())?.length).toBeGreaterThan(5)
    await page.close()
  })

  it.each([390, 1440])('has no serious barriers in any state at %i pixels', async (width) => {
    const { page } = await openCapture(opened, 'mode=photo&seal=never', width)
    const release = await holdSending(page)
    const barriers: string[] = []
    for (const phase of ['intro', 'framing', 'review']) {
      barriers.push(...(await barriersIn(page, phase)))
      await main(page).click()
    }
    barriers.push(...(await barriersIn(page, 'sending')))
    release()
    barriers.push(...(await barriersIn(page, 'done')))
    expect(barriers).toEqual([])
    const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
    expect(isWide).toBe(false)
    await page.close()
  })

  it('has no serious barriers while a camera opens and while it records, which can be broken off', async () => {
    const { page, told, errors } = await openCapture(opened, 'seal=never&gesture=smile')
    await holdGestures(page)
    const cameras = await steerCameras(page)
    await cameras.hold()
    await main(page).click()
    const barriers = await barriersIn(page, 'opening')
    await cameras.release()
    await phaseIs(page, 'framing')
    await main(page).click()
    await page.locator('vivace-capture .advice[data-tone=loud]').waitFor()
    barriers.push(...(await barriersIn(page, 'recording')))
    expect(barriers).toEqual([])
    await page.locator('vivace-capture button', { hasText: 'Again' }).click()
    await vi.waitUntil(async () => String(await cameras.areRecording()) === 'false', waiting)
    await phaseIs(page, 'framing')
    await main(page).click()
    await phaseIs(page, 'recording')
    await vi.waitUntil(async () => String(await cameras.areRecording()) === 'false,true', waiting)
    expect(await cameras.areOn()).toEqual([true])
    expect(errorsIn(told)).toEqual([])
    expect(errors).toEqual([])
    await page.close()
  })

  it('changes the camera, and closes one that opens too late', async () => {
    const { page, told, errors } = await openCapture(opened, 'mode=photo&seal=never')
    const cameras = await steerCameras(page)
    const choose = (name: string) => page.locator('vivace-capture select').selectOption(name)
    await main(page).click()
    await choose('two')
    await vi.waitUntil(async () => String(await cameras.areOn()) === 'false,true', waiting)
    await main(page).click()
    await phaseIs(page, 'review')
    await page.locator('vivace-capture button', { hasText: 'Again' }).click()
    await phaseIs(page, 'framing')
    await cameras.hold()
    await choose('one')
    // No camera is on, so there is nothing to capture.
    await main(page).click()
    expect(await cameras.areOn()).toEqual([false, false])
    await phaseIs(page, 'framing')
    await page.evaluate(() => document.querySelector('vivace-capture')!.remove())
    await cameras.release()
    await vi.waitUntil(async () => String(await cameras.areOn()) === 'false,false,false', waiting)
    expect(errorsIn(told)).toEqual([])
    expect(errors).toEqual([])
    await page.close()
  })

  it('keeps the chosen camera until it is gone, and then opens another one', async () => {
    const { page, told, errors } = await openCapture(opened, 'mode=photo&seal=never')
    const cameras = await steerCameras(page)
    const begin = async () => {
      await page.evaluate('document.querySelector("vivace-capture").reset()')
      await main(page).click()
      await phaseIs(page, 'framing')
    }
    await begin()
    await page.locator('vivace-capture select').selectOption('two')
    await vi.waitUntil(async () => String(await cameras.areOn()) === 'false,true', waiting)
    await begin()
    await cameras.remove('two')
    await begin()
    await begin()
    expect(await cameras.wereAsked()).toEqual(['user', 'two', 'two', 'two', 'user', 'user'])
    expect(await cameras.areOn()).toEqual([false, false, false, false, true])
    expect(errorsIn(told)).toEqual([])
    expect(errors).toEqual([])
    await page.close()
  })

  it('keeps a capture that could not be sent, and sends it again', async () => {
    const { page, told, errors } = await openCapture(opened, 'mode=photo&seal=always&lang=de')
    const heading = page.locator('vivace-capture h2')
    await page.route('**/api/instant/folders', (route) => route.abort('internetdisconnected'), { times: 1 })
    await captureAndSend(page)
    expect(errorsIn(told)).toMatchObject([{ detail: { code: 'network', isKept: true } }])
    expect(await heading.textContent()).toBe('Noch nicht gesendet')
    expect(await page.locator('vivace-capture [role=status]').textContent()).toContain('bleibt erhalten')
    expect(await findBarriers(page)).toEqual([])
    // The focus is on the button that sends it again.
    await page.keyboard.press('Enter')
    await phaseIs(page, 'done')
    expect(detailOf(told, 'result')).toMatchObject({
      isSealed: true,
      folder: { resolution_status: 'FINISHED' },
    })
    expect(told.filter(({ name }) => name === 'capture')).toHaveLength(1)
    expect(errors).toEqual([])
    await page.close()
  })

  it('shows the start screen of the page, and after it its own', async () => {
    const { page } = await openCapture(opened, 'mode=photo&seal=never')
    await phaseIs(page, 'intro')
    await page.evaluate(() => {
      const own = document.createElement('p')
      own.slot = 'intro'
      own.textContent = 'The bank asks you for a photo.'
      document.querySelector('vivace-capture')!.append(own)
    })
    const [own, usual] = [page.getByText('The bank asks you for a photo.'), page.locator('vivace-capture h2')]
    await own.waitFor()
    expect(await usual.isVisible()).toBe(false)
    await main(page).click()
    await phaseIs(page, 'framing')
    expect(await own.isVisible()).toBe(false)
    await page.evaluate(() =>
      (document.querySelector('vivace-capture') as unknown as { reset(): void }).reset(),
    )
    await own.waitFor()
    await page.close()
  })

  it('tells that a capture may have arrived if it cannot be sent again', async () => {
    const { page, told } = await openCapture(opened, 'mode=photo&seal=always')
    await page.route('**/api/instant/folders', loseAnswer, { times: 1 })
    await captureAndSend(page)
    await page.locator('vivace-capture button', { hasText: 'Send again' }).click()
    await page.locator('vivace-capture h2', { hasText: 'Not confirmed' }).waitFor()
    expect(errorsIn(told).map(({ detail }) => [detail.code, detail.isKept])).toEqual([
      ['network', true],
      ['14', false],
    ])
    await main(page).click()
    await phaseIs(page, 'intro')
    await page.close()
  })

  it('keeps one folder of a capture that is sent again', async () => {
    const token = await signIn()
    const attributes = `mode=photo&seal=never&destination=folders&token=${token}`
    const { page, told } = await openCapture(opened, attributes)
    await page.route('**/api/folders', loseAnswer, { times: 1 })
    await captureAndSend(page)
    await page.locator('vivace-capture button', { hasText: 'Send again' }).click()
    await phaseIs(page, 'done')
    const { folder } = detailOf(told, 'result')
    expect(folder.analyses[0].state).toBe('FINISHED')
    const id = folder.meta_data.vivace_delivery_id
    const found = await fetch(`${url}/api/folders?meta_data=vivace_delivery_id==${id}`, {
      headers: { 'X-Forensic-Access-Token': token },
    })
    expect(await found.json()).toMatchObject({ items: [{ folder_id: folder.folder_id }] })
    await page.close()
  })

  it('looks again for a verdict that could not be read', async () => {
    const { page, told, errors } = await openCapture(opened, 'mode=photo&seal=never')
    const folder = { folder_id: 'f-1', resolution_status: 'PROCESSING', system_resolution: 'PROCESSING' }
    const done = { ...folder, resolution_status: 'FINISHED', system_resolution: 'SUCCESS', analyses: [] }
    let sent = 0
    await page.route('**/api/instant/folders', (route) => {
      sent++
      return route.fulfill({ status: 201, json: folder })
    })
    const looks = [{ status: 500, json: { error_code: 1 } }, { json: done }]
    await page.route('**/api/folders/f-1?*', (route) => route.fulfill(looks.shift()!))
    await captureAndSend(page)
    expect(errorsIn(told)).toMatchObject([{ detail: { code: '1', isKept: true, folderId: 'f-1' } }])
    expect(await page.locator('vivace-capture h2').textContent()).toBe('Sent, but no result yet')
    expect(await findBarriers(page)).toEqual([])
    // The focus is on the only button.
    expect(await page.locator('vivace-capture button').allTextContents()).toEqual(['Look again'])
    await page.keyboard.press('Enter')
    await phaseIs(page, 'done')
    expect(detailOf(told, 'result')).toMatchObject({ verdict: 'passed', folder: { folder_id: 'f-1' } })
    expect(sent).toBe(1)
    expect(errors).toEqual([])
    await page.close()
  })
})

describe.skipIf(!hasChromium || !hasFfmpeg)(`the page /capture above a document${chromiumNote}`, () => {
  let opened: TestBrowser

  beforeAll(async () => {
    opened = await openChromium(await passportPage())
  })
  afterAll(() => opened?.close())

  it('takes a photo of it, and the server reads it', async () => {
    const { page, told, errors } = await openCapture(opened, 'mode=document&seal=never')
    await captureAndSend(page)
    expect(told.filter(({ name }) => name === 'error')).toEqual([])
    const { folder, verdict } = told.find(({ name }) => name === 'result')!.detail
    expect(folder.media[0].tags).toEqual(['photo_id_front', 'orientation_landscape'])
    const [analysis] = folder.analyses
    expect([analysis.type, analysis.state]).toEqual(['DOCUMENTS', 'FINISHED'])
    expect(analysis.results_data.mrz_lines.join('')).toContain('ERIKSSON<<ANNA<MARIA')
    // It expired long ago.
    expect(verdict).toBe('declined')
    expect(await page.locator('vivace-capture .panel p').textContent()).toBe('The document did not pass.')
    expect(errors).toEqual([])
    await page.close()
  })
})

describe.skipIf(!hasChromium)(`the page /capture without a camera${chromiumNote}`, () => {
  let opened: TestBrowser
  let folder: string

  beforeAll(async () => {
    opened = await openChromium(null)
    folder = await mkdtemp(path.join(tmpdir(), 'chosen-'))
  })
  afterAll(async () => {
    await opened?.close()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  const plain = new URL(url)
  plain.hostname = plainHost

  /**
   * Chooses a file where a camera is missing, and sends it.
   * @param file its bytes, or its path if it is too long for a message to the browser; a test can't pass its bytes on then
   */
  async function sendFile(page: Page, lang: string, file: Uint8Array | string): Promise<void> {
    await page.evaluate((to) => document.querySelector('vivace-capture')!.setAttribute('lang', to), lang)
    await main(page).click()
    const chosen =
      typeof file === 'string'
        ? file
        : { name: 'photo.jpg', mimeType: 'image/jpeg', buffer: Buffer.from(file) }
    await page.locator('vivace-capture input[type=file]').setInputFiles(chosen)
    await phaseIs(page, 'review')
    await main(page).click()
    await phaseIs(page, 'failed', 'done')
  }

  const headline = (page: Page) => page.locator('vivace-capture h2').textContent()
  const sentence = (page: Page) => page.locator('vivace-capture .panel p').textContent()

  async function expectRefusals(
    files: [lang: string, file: Uint8Array | string, title: string, text: RegExp][],
  ): Promise<void> {
    const { page, told } = await openCapture(opened, 'mode=photo&seal=never')
    for (const [lang, file, title, text] of files) {
      await sendFile(page, lang, file)
      expect(await headline(page)).toBe(title)
      expect(await sentence(page)).toMatch(text)
      expect(told.at(-1)?.detail).toMatchObject({ message: expect.stringMatching(text), isKept: false })
      await main(page).click()
      await phaseIs(page, 'intro')
    }
    await page.close()
  }

  it('says why a file cannot be used, in the language of the person, and goes on', async () => {
    const photo = await portrait('redhead')
    const tooLarge = path.join(folder, 'large.jpg')
    await writeFile(tooLarge, new Uint8Array(25 * 2 ** 20))
    await expectRefusals([
      [
        'en',
        Buffer.from('\0\0\0\x18ftypheic'),
        'Your capture cannot be used',
        readPictureTypes.includes('image/heic') ? /damaged/ : /HEIC .* Most Compatible/,
      ],
      ['de', new Uint8Array(), 'Ihre Aufnahme ist nicht verwendbar', /ist leer/],
      ['ru', photo.subarray(0, 5000), 'Запись не подходит', /повреждён/],
      ['es', tooLarge, 'Su captura no se puede usar', /demasiado grande/],
      ['en', Buffer.from('GIF89a'), 'Your capture cannot be used', /JPEG or PNG/],
    ])
  })

  it.skipIf(!hasFfmpeg)('says why a clip cannot be used', async () => {
    const small = { ...shortClip, width: 160, height: 160 }
    await expectRefusals([
      [
        'de',
        await makeClip({ ...small, extension: 'mov', encoder: ['-c:v', 'ffv1'] }),
        'Ihre Aufnahme ist nicht verwendbar',
        /so gespeichert, dass es nicht gelesen werden kann/,
      ],
      [
        'es',
        await makeClip({ ...small, framesPerSecond: 5, seconds: 11 }),
        'Su captura no se puede usar',
        /demasiado largo/,
      ],
    ])
  })

  it('says why a capture could not be checked, in the language of the person', async () => {
    const { page, told } = await openCapture(opened, 'mode=photo&seal=never')
    const photo = await portrait('redhead')
    const asked = [
      [failures.turned, 'ru', 'Не удалось проверить', /Смотрите в камеру/],
      [failures.samePicture, 'es', 'No se ha podido comprobar', /dos veces la misma imagen/],
      [failures.noChallenge, 'de', 'Nicht prüfbar', /hier mit der Kamera/],
    ] as const
    for (const [{ code, reasons }, lang, title, text] of asked) {
      await page.route(
        '**/api/instant/folders',
        async (route) => {
          const response = await route.fetch()
          const folder = await response.json()
          const [analysis] = folder.analyses
          const technical_meta_data = { ...analysis.technical_meta_data, reasons: [{ code: reasons[0] }] }
          const failed = { ...analysis, state: 'FAILED', error_code: code, technical_meta_data }
          await route.fulfill({
            response,
            json: { ...folder, system_resolution: 'FAILED', analyses: [failed] },
          })
        },
        { times: 1 },
      )
      await sendFile(page, lang, photo)
      expect([await headline(page), await sentence(page)]).toEqual([title, expect.stringMatching(text)])
      expect(told.at(-1)).toMatchObject({ name: 'result', detail: { verdict: 'failed' } })
      await main(page).click()
      await phaseIs(page, 'intro')
    }
    await page.close()
  })

  it.each([
    ['a device without one', url, 'seal=never'],
    // Browsers neither open cameras nor seal there.
    ['a page without HTTPS', plain.origin, 'seal=auto'],
  ])('offers a file instead, and sends it: %s', async (_, origin, seal) => {
    const { page, told } = await openCapture(opened, `mode=photo&${seal}`, 390, origin)
    await main(page).click()
    await phaseIs(page, 'failed')
    expect(told.at(-1)).toMatchObject({ name: 'error', detail: { code: 'noCamera' } })
    expect(await findBarriers(page)).toEqual([])
    const input = page.locator('vivace-capture input[type=file]')
    expect(await input.getAttribute('capture')).toBe('user')
    await expect.poll(() => input.getAttribute('accept')).toBe(readPictureTypes.join())
    await input.setInputFiles('node_modules/@vladmandic/human/assets/screenshot-faceid.jpg')
    await phaseIs(page, 'review')
    await main(page).click()
    await phaseIs(page, 'done')
    expect(told.find(({ name }) => name === 'result')?.detail.folder.analyses[0].state).toBe('FINISHED')
    await page.close()
  })

  it('opens no camera where the browser records no clips', async () => {
    const { page, told } = await openCapture(opened, 'seal=never')
    await page.evaluate(() => {
      MediaRecorder.isTypeSupported = () => false
    })
    await main(page).click()
    await phaseIs(page, 'failed')
    expect(told.at(-1)).toMatchObject({ name: 'error', detail: { code: 'noRecorder' } })
    await page.getByText('This browser cannot record videos.').first().waitFor()
    const input = page.locator('vivace-capture input[type=file]')
    await expect.poll(() => input.getAttribute('accept')).toContain('video/mp4')
    await page.close()
  })
})
