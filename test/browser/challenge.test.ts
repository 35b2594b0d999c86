/** The steps of a session token in `<vivace-capture>`: light, nearness, and the way without light. */
import path from 'node:path'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { FaceFinder } from '../../client/capture/face-finder.ts'
import type { PerformedStep } from '../../src/container/format.ts'
import { readRecordings } from '../../tools/accuracy/challenge/recordings.ts'
import { findBarriers } from '../fixtures/barriers.ts'
import { chromiumNote, hasChromium, openChromium, type TestBrowser, waitMaxMs } from '../fixtures/chromium.ts'
import { hasFfmpeg } from '../fixtures/clips.ts'
import { signSessionToken } from '../fixtures/containers.ts'
import { approachingPortrait, driftingPortrait, greyWall } from '../fixtures/fake-camera.ts'
import type {} from '../fixtures/serve.ts'
import { startServer } from '../fixtures/server.ts'
import { main, openCapture, phaseIs } from './capture-page.ts'

const url = inject('url')

const approach = { type: 'approach', from: 0.3, to: 0.62 }
const colours = {
  type: 'colours',
  colours: ['#ffffff', '#2040ff', '#20c040', '#ffffff', '#c0c020', '#2040ff'].map((colour, i) => ({
    colour,
    ms: 400 + 20 * i,
  })),
}

const waiting = { timeout: waitMaxMs }
const frame = (page: Page) => page.locator('vivace-capture .frame')

/** Opens the page with a session token that asks for steps. Only the server could tell that it is not its own. */
async function openChallenge(opened: TestBrowser, steps: object[], options: { isSoft?: boolean } = {}) {
  const token = await signSessionToken({ challenge: { required: true, steps } })
  const capture = await openCapture(opened, `session-token=${token}`)
  if (!options.isSoft) await capture.page.emulateMedia({ reducedMotion: 'no-preference' })
  await main(capture.page).click()
  return capture
}

/** Keeps the element from sending what it has captured. */
const keepCapture = (page: Page) =>
  page.evaluate(() =>
    document.querySelector('vivace-capture')!.addEventListener('capture', (event) => event.preventDefault()),
  )

/** Records, and gives the evidence that would be sent. */
async function record({ page, told }: Awaited<ReturnType<typeof openChallenge>>) {
  await phaseIs(page, 'framing')
  await main(page).click()
  await phaseIs(page, 'review')
  await keepCapture(page)
  await main(page).click()
  await phaseIs(page, 'done')
  return told.find(({ name }) => name === 'capture')!.detail.evidence as {
    steps: PerformedStep[]
    frames: [number, string][]
  }
}

/** Whether all colours were shown in their order, together for as long as they were drawn; a busy machine shows them longer. */
function expectTimes({ shown = [], from, to }: PerformedStep) {
  expect(shown.map(([, colour]) => colour)).toEqual(colours.colours.map(({ colour }) => colour))
  const times = shown.map(([timeMs]) => timeMs)
  expect(times).toEqual([...new Set(times)].sort((one, other) => one - other))
  expect(times[0]).toBe(from)
  const untilLastMs = colours.colours.slice(0, -1).reduce((sum, { ms }) => sum + ms, 0)
  expect(times.at(-1)! - from).toBeGreaterThan(untilLastMs - 250)
  expect(to).toBeGreaterThan(times.at(-1)! + 100)
}

describe.skipIf(!hasChromium || !hasFfmpeg)(`a challenge in the page /capture${chromiumNote}`, () => {
  let opened: TestBrowser

  beforeAll(async () => {
    opened = await openChromium(await driftingPortrait())
  })
  afterAll(() => opened?.close())

  it('asks for the face to come nearer, lights it, and tells when each colour was shown', async () => {
    const capture = await openChallenge(opened, [approach, colours])
    const { page, errors } = capture
    await phaseIs(page, 'notice')
    expect(await page.locator('vivace-capture h2').textContent()).toBe('The screen lights your face')
    expect(await page.locator('vivace-capture [role=status]').textContent()).toContain('about 3 seconds')
    expect(await findBarriers(page)).toEqual([])
    // The focus is on the button that leads on.
    await page.keyboard.press('Enter')
    const lights: (string | null)[] = []
    await page.exposeFunction('lit', (colour: string) => void lights.push(colour))
    await page.evaluate(() => {
      const { lit } = window as unknown as { lit(colour: string): void }
      const node = document.querySelector('vivace-capture')!.shadowRoot!.querySelector<HTMLElement>('.frame')!
      new MutationObserver(() => {
        const { width, height } = node.getBoundingClientRect()
        const isFull = width >= innerWidth && height >= innerHeight
        if (node.hasAttribute('data-lit')) lit(isFull ? getComputedStyle(node).backgroundColor : 'small')
      }).observe(node, { attributes: true })
    })
    const { steps, frames } = await record(capture)
    expect(steps.map(({ type }) => type)).toEqual(['approach', 'colours'])
    const [nearer, lit] = steps as [PerformedStep, PerformedStep]
    expect(nearer.from).toBeGreaterThanOrEqual(500)
    expect(nearer.to).toBeGreaterThan(nearer.from + 1000)
    expect(lit.from).toBeGreaterThanOrEqual(nearer.to)
    expect([lit.soft, lit.skipped]).toEqual([undefined, undefined])
    expectTimes(lit)
    // Servers allow for 4 s.
    expect(nearer.to - nearer.from).toBeLessThan(5000)
    expect(frames.length).toBeGreaterThan(10)
    expect([...new Set(lights)]).toEqual([
      'rgb(255, 255, 255)',
      'rgb(32, 64, 255)',
      'rgb(32, 192, 64)',
      'rgb(192, 192, 32)',
    ])
    expect(await frame(page).getAttribute('data-lit')).toBeNull()
    expect(errors).toEqual([])
    await page.close()
  })

  it('fades the colours for people who want less movement', async () => {
    const capture = await openChallenge(opened, [colours], { isSoft: true })
    const { page } = capture
    await phaseIs(page, 'notice')
    expect(await page.locator('vivace-capture .panel p').textContent()).toContain('softly')
    await main(page).click()
    const { steps } = await record(capture)
    expect(steps.map(({ type, soft }) => [type, soft])).toEqual([['colours', true]])
    expectTimes(steps[0]!)
    await page.close()
  })

  it('goes on without light for people who ask for it, by keyboard', async () => {
    const capture = await openChallenge(opened, [colours, { type: 'gesture', gesture: 'smile' }])
    const { page, errors } = capture
    // The steps of the session token come first, and nobody is asked for this.
    await page.evaluate(() => document.querySelector('vivace-capture')!.setAttribute('gesture', 'left'))
    await phaseIs(page, 'notice')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await phaseIs(page, 'framing')
    let wasLit = false
    await page.exposeFunction('lit', () => {
      wasLit = true
    })
    await page.evaluate(() => {
      const node = document.querySelector('vivace-capture')!.shadowRoot!.querySelector('.frame')!
      new MutationObserver(() => {
        if (node.hasAttribute('data-lit')) (window as unknown as { lit(): void }).lit()
      }).observe(node, { attributes: true })
    })
    await main(page).click()
    await page.locator('vivace-capture [role=status]', { hasText: 'Step 1 of 1. Smile' }).waitFor(waiting)
    await keepCapture(page)
    await phaseIs(page, 'review')
    await main(page).click()
    await phaseIs(page, 'done')
    const { evidence, tags } = capture.told.find(({ name }) => name === 'capture')!.detail
    expect(tags).toContain('video_selfie_blank')
    const { steps } = evidence
    expect(steps).toEqual([
      { type: 'colours', from: expect.any(Number), to: expect.any(Number), skipped: true },
      { type: 'gesture', gesture: 'smile', from: expect.any(Number), to: expect.any(Number) },
    ])
    expect(steps[0].to).toBe(steps[0].from)
    expect(wasLit).toBe(false)
    expect(errors).toEqual([])
    await page.close()
  })

  it('can be broken off while it lights, which takes the light away', async () => {
    const capture = await openChallenge(opened, [colours])
    const { page, errors } = capture
    await phaseIs(page, 'notice')
    await main(page).click()
    await phaseIs(page, 'framing')
    await main(page).click()
    await page.locator('vivace-capture .frame[data-lit]').waitFor(waiting)
    expect(await page.locator('vivace-capture [role=status]').textContent()).toContain('hold still')
    await page.locator('vivace-capture button', { hasText: 'Again' }).click()
    await phaseIs(page, 'framing')
    expect(await frame(page).getAttribute('data-lit')).toBeNull()
    expect(await frame(page).getAttribute('popover')).toBeNull()
    expect(errors).toEqual([])
    await page.close()
  })

  it('tells a device that is too slow for it so, since nobody can choose how long it takes', async () => {
    const { page, told } = await openChallenge(opened, [colours])
    await page.route('**/api/instant/folders', (route) =>
      route.fulfill({
        status: 400,
        json: { error_code: 4, error_message: 'The video lasts 12 s', details: { reason: 'too_long' } },
      }),
    )
    await phaseIs(page, 'notice')
    await main(page).click()
    await phaseIs(page, 'framing')
    await main(page).click()
    await phaseIs(page, 'review')
    await main(page).click()
    await phaseIs(page, 'failed')
    const [error] = told.filter(({ name }) => name === 'error')
    expect(error?.detail).toMatchObject({ code: '4', message: expect.stringContaining('too slow') })
    expect(await page.locator('vivace-capture .panel p').textContent()).toContain('too slow')
    await page.close()
  })

  it('finds faces under the policy of the page, which compiles nothing itself', async () => {
    const { page, errors } = await openCapture(opened, 'seal=never')
    await main(page).click()
    await phaseIs(page, 'framing')
    await expect.poll(() => page.workers().length, waiting).toBe(1)
    const advice = page.locator('vivace-capture .advice')
    await expect.poll(() => advice.textContent(), waiting).toMatch(/./)
    // A finder that fails is gone.
    await page.waitForTimeout(3000)
    expect(page.workers()).toHaveLength(1)
    const compiles = await page.evaluate(() =>
      WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(
        () => true,
        () => false,
      ),
    )
    expect(compiles).toBe(false)
    await page.evaluate('document.querySelector("vivace-capture").reset()')
    await expect.poll(() => page.workers().length, waiting).toBe(0)
    expect(errors).toEqual([])
    await page.close()
  })
})

interface InPage {
  finder: { FaceFinder: typeof FaceFinder }
}

/** The face finder as a script for a page. */
async function bundleFinder(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.resolve(import.meta.dirname, '../../client/capture/face-finder.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'finder',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'error',
  })
  return outputFiles[0]!.text
}

/**
 * What the finder sees before a camera: places, and the milliseconds that a look takes.
 * @param origin that of the page
 */
async function findBefore(camera: Uint8Array, looks: number, origin = url) {
  const opened = await openChromium(camera)
  try {
    // Its pages allow no scripts but their own.
    const page = await opened.newPage({ bypassCSP: true })
    await page.goto(`${origin}/capture`)
    await page.addScriptTag({ content: await bundleFinder() })
    return await page.evaluate(
      async ({ looks, server }) => {
        const { FaceFinder } = (window as unknown as InPage).finder
        const video = document.createElement('video')
        video.srcObject = await navigator.mediaDevices.getUserMedia({ video: true })
        await video.play()
        const finder = new FaceFinder()
        const early = await finder.find(video)
        finder.open(server)
        // Before it has loaded, it cannot tell.
        while ((await finder.find(video)) === undefined)
          await new Promise((resolve) => setTimeout(resolve, 50))
        const faces = []
        const startMs = performance.now()
        for (let i = 0; i < looks; i++) {
          faces.push(await finder.find(video))
          await new Promise((resolve) => setTimeout(resolve, 30))
        }
        const eachMs = (performance.now() - startMs) / looks - 30
        finder.close()
        return { early, faces, eachMs, late: await finder.find(video) }
      },
      { looks, server: url },
    )
  } finally {
    await opened.close()
  }
}

describe.skipIf(!hasChromium || !hasFfmpeg)(`the face finder${chromiumNote}`, () => {
  it('tells how near a face is', async () => {
    const { early, late, faces, eachMs } = await findBefore(await approachingPortrait(0.3, 0.6), 60)
    expect([early, late]).toEqual([undefined, undefined])
    const widths = faces.flatMap((face) => (face ? [face.width] : []))
    expect(widths.length).toBeGreaterThan(50)
    expect(Math.min(...widths)).toBeGreaterThan(0.24)
    expect(Math.min(...widths)).toBeLessThan(0.36)
    expect(Math.max(...widths)).toBeGreaterThan(0.52)
    expect(Math.max(...widths)).toBeLessThan(0.7)
    for (const face of faces)
      if (face) {
        expect(Math.abs(face.turn)).toBeLessThan(0.4)
        expect(face.nod).toBeGreaterThan(0.3)
        expect(face.nod).toBeLessThan(0.9)
      }
    // A fiftieth of it on an idle machine.
    expect(eachMs).toBeLessThan(3000)
  })

  it('sees none where there is none, also in a page of another origin', async () => {
    const other = new URL(url)
    other.hostname = other.hostname === 'localhost' ? '127.0.0.1' : 'localhost'
    const { faces } = await findBefore(await greyWall(), 6, other.origin)
    expect(faces).toEqual(Array(6).fill(null))
  })
})

type Capture = Awaited<ReturnType<typeof openCapture>>

/** Records the picture as a pilot does, saves the recording, and measures it as the server did. */
async function expectMeasured(opened: TestBrowser, origin: string): Promise<void> {
  const capture = await openCapture(opened, 'measure', 390, origin)
  const { page, told, errors } = capture
  const element = page.locator('vivace-capture')
  expect(await findBarriers(page)).toEqual([])
  await page.getByLabel('Code of the person').fill('p1')
  await page.getByLabel('Before the camera').selectOption('print, flat')
  await page.getByLabel('Light in lux').fill('300')
  // Nobody is filmed who has not agreed.
  expect(await element.isVisible()).toBe(false)
  await page.getByLabel('The person agrees').check()
  await sendFilmed(capture)
  expect(told.filter(({ name }) => name === 'error')).toEqual([])
  await page.getByText(/^(Not r|R)ecorded: /).waitFor(waiting)
  // The next one is asked anew.
  expect([await element.isVisible(), await page.getByLabel('The person agrees').isChecked()]).toEqual([
    ...[false, false],
  ])
  const { folder } = told.find(({ name }) => name === 'result')!.detail
  const [{ steps }] = folder.analyses[0].technical_meta_data.challenges
  const isRecorded = await page.getByText(/^Recorded: /).isVisible()
  // A server that finds a contradiction, as of a busy machine, judges no step.
  expect(isRecorded).toBe(steps !== undefined)
  if (!isRecorded) return page.close()
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save 1 recordings' }).click(),
  ])
  const rows = await readRecordings(await saved.path())
  const said = { person: 'p1', group: '', kind: 'print, flat', lux: 300 }
  expect(rows.map(({ step }) => step)).toContain('approach')
  for (const { found, step, ...label } of rows) {
    expect(label).toEqual(said)
    expect([step, found.status]).toEqual([
      ...[step, steps.find((judged: { step: string }) => judged.step === step).status],
    ])
  }
  expect(errors).toEqual([])
  await page.close()
}

/** Sends a clip of the picture before the camera. */
async function sendHeld(opened: TestBrowser, origin: string): Promise<Capture> {
  const capture = await openCapture(opened, 'lang=en', 390, origin)
  await sendFilmed(capture)
  await phaseIs(capture.page, 'done', 'failed')
  return capture
}

async function sendFilmed({ page }: Capture): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await main(page).click()
  await phaseIs(page, 'notice')
  await main(page).click()
  await phaseIs(page, 'framing')
  await main(page).click()
  await page.locator('vivace-capture .frame[data-lit]').waitFor(waiting)
  await phaseIs(page, 'review')
  await main(page).click()
}

describe.skipIf(!hasChromium || !hasFfmpeg)(
  `a server that requires approach and light${chromiumNote}`,
  () => {
    it('lets no picture pass that is held before the camera, and the person reads what helps', async () => {
      const server = await startServer({
        SVC_AUTHORIZE_DISABLED_STATELESS: 'true',
        SVC_CONTAINER_ANALYSIS_ENABLED: 'true',
        SVC_CHALLENGE: 'approach,colours',
        SVC_CHALLENGE_REQUIRED: 'true',
        ASSESS_TIMEOUT: '120',
        // A busy machine draws the colours and finds the face so late that the clip is longer than usual.
        SVC_VIDEO_DURATION_MAX: '60',
      })
      const opened = await openChromium(await driftingPortrait())
      try {
        const { page, told, errors } = await sendHeld(opened, server.url)
        expect(told.filter(({ name }) => name === 'error')).toEqual([])
        const { folder, verdict } = told.find(({ name }) => name === 'result')!.detail
        const [analysis] = folder.analyses
        const [challenge] = analysis.technical_meta_data.challenges
        // A busy machine draws too late, or films too few frames.
        expect(['missed', 'cannot_tell', 'contradicted']).toContain(challenge.status)
        expect(verdict).toBe(challenge.status === 'cannot_tell' ? 'failed' : 'declined')
        const text = await page.locator('vivace-capture .panel p').textContent()
        expect(text).toMatch(verdict === 'failed' ? /nearer|darker|still|Try again/ : /did not pass/)
        expect(errors).toEqual([])
        await page.close()
        await expectMeasured(opened, server.url)
      } finally {
        await opened.close()
        await server.stop()
      }
    }, 400_000)
  },
)
