/** `<vivace-capture>` in a real browser: captures, sends, and shows the verdict. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { findBarriers } from '../fixtures/barriers.ts'
import { chromiumNote, hasChromium, openChromium, type TestBrowser } from '../fixtures/chromium.ts'
import { hasFfmpeg } from '../fixtures/clips.ts'
import { driftingPortrait, passportPage } from '../fixtures/fake-camera.ts'
import type {} from '../fixtures/serve.ts'
import { captureAndSend, main, openCapture, phaseIs } from './capture-page.ts'

const url = inject('url')

const fail = (message: string): never => {
  throw new Error(message)
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
    expect(errors).toEqual([])
    await page.close()
  })

  it('seals a clip, with the gestures that the server asks for, and a copy of it is refused', async () => {
    const { page, told, errors } = await openCapture(opened)
    let sealed: Buffer | null = null
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/api/instant/folders'))
        sealed = request.postDataBuffer()
    })
    await captureAndSend(page)
    const result = told.find(({ name }) => name === 'result')?.detail
    expect(result.isSealed).toBe(true)
    const capture = told.find(({ name }) => name === 'capture')!.detail
    expect(capture.evidence.steps.map(({ gesture }: { gesture: string }) => gesture)).toEqual(
      capture.session.gestures,
    )
    expect(capture.session.gestures.length).toBeGreaterThan(0)
    const { challenges } = result.folder.analyses[0].technical_meta_data
    expect(challenges).toHaveLength(1)
    // A picture performs no gestures, but the frames and the times fit the recording.
    expect(challenges[0].reasons ?? []).not.toContain('frames')
    expect(errors).toEqual([])
    const body = new Uint8Array(sealed ?? fail('no container was sent'))
    expect(new TextDecoder().decode(body.subarray(0, 6))).toBe('VIVACE')
    const again = await fetch(`${url}/api/instant/folders`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/octet-stream' },
      body,
    })
    expect([again.status, ((await again.json()) as { error_code: number }).error_code]).toEqual([400, 14])
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

  it('takes a photo, and another one if the person wants to', async () => {
    const { page, told, errors } = await openCapture(opened, 'mode=photo&seal=never&lang=de')
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

  it('keeps a folder for callers with a token', async () => {
    const { email, password } = inject('admin')
    const answer = await fetch(`${url}/api/authorize/auth`, {
      method: 'POST',
      body: JSON.stringify({ credentials: { email, password } }),
    })
    const { access_token } = (await answer.json()) as { access_token: string }
    const { page, told } = await openCapture(
      opened,
      `mode=photo&seal=never&destination=folders&token=${access_token}`,
    )
    expect(new URL(page.url()).hash).toBe('')
    await captureAndSend(page)
    const { folder } = told.find(({ name }) => name === 'result')!.detail
    const kept = await fetch(`${url}/api/folders/${folder.folder_id}`, {
      headers: { 'X-Forensic-Access-Token': access_token },
    })
    expect(kept.status).toBe(200)
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
    const barriers: string[] = await findBarriers(page)
    await main(page).click()
    await phaseIs(page, 'framing')
    barriers.push(...(await findBarriers(page)))
    await main(page).click()
    await phaseIs(page, 'review')
    barriers.push(...(await findBarriers(page)))
    await main(page).click()
    await phaseIs(page, 'done')
    barriers.push(...(await findBarriers(page)))
    expect(barriers).toEqual([])
    const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
    expect(isWide).toBe(false)
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
    expect(await page.locator('vivace-capture p').first().textContent()).toBe('The document did not pass.')
    expect(errors).toEqual([])
    await page.close()
  })
})

describe.skipIf(!hasChromium)(`the page /capture without a camera${chromiumNote}`, () => {
  let opened: TestBrowser

  beforeAll(async () => {
    opened = await openChromium(null)
  })
  afterAll(() => opened?.close())

  it('offers a file instead, and sends it', async () => {
    const { page, told } = await openCapture(opened, 'mode=photo&seal=never')
    await main(page).click()
    await phaseIs(page, 'failed')
    expect(told.at(-1)).toMatchObject({ name: 'error', detail: { code: 'noCamera' } })
    expect(await findBarriers(page)).toEqual([])
    const input = page.locator('vivace-capture input[type=file]')
    expect(await input.getAttribute('capture')).toBe('user')
    await input.setInputFiles('node_modules/@vladmandic/human/assets/screenshot-faceid.jpg')
    await phaseIs(page, 'review')
    await main(page).click()
    await phaseIs(page, 'done')
    expect(told.find(({ name }) => name === 'result')?.detail.folder.analyses[0].state).toBe('FINISHED')
    await page.close()
  })
})
