/** Drives `/capture` in a browser as a person does. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { inject } from 'vitest'
import { findBarriers } from '../fixtures/barriers.ts'
import type { TestBrowser } from '../fixtures/chromium.ts'
import type {} from '../fixtures/serve.ts'

const url = inject('url')

interface Told {
  name: string
  // biome-ignore lint/suspicious/noExplicitAny: details of all events
  detail: any
}

/** Opens a page with the element, and collects the events of the element and the errors of the page. */
async function openAddress(opened: TestBrowser, address: string, options: BrowserContextOptions) {
  const page = await opened.newPage({ reducedMotion: 'reduce', ...options })
  const told: Told[] = []
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('Failed to load resource'))
      errors.push(message.text())
  })
  await page.exposeFunction('tell', (name: string, detail: unknown) => void told.push({ name, detail }))
  await page.goto(address)
  await page.evaluate(() => {
    const element = document.querySelector('vivace-capture')!
    const { tell } = window as unknown as { tell(name: string, detail: unknown): void }
    for (const name of ['capture', 'progress', 'result', 'error'])
      element.addEventListener(name, (event) => {
        const { blob, error: _, ...detail } = (event as CustomEvent).detail
        tell(name, { ...detail, ...(blob ? { type: blob.type, size: blob.size } : {}) })
      })
  })
  return { page, told, errors }
}

export const openCapture = (
  opened: TestBrowser,
  attributes = '',
  width = 390,
  origin = url,
): Promise<{ page: Page; told: Told[]; errors: string[] }> =>
  openAddress(opened, `${origin}/capture#${attributes}`, { viewport: { width, height: 844 } })

/** Opens the address of a link as a phone does. */
export const openPhone = (opened: TestBrowser, address: string): ReturnType<typeof openCapture> =>
  openAddress(opened, address, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })

export const phaseIs = (page: Page, ...phases: string[]) =>
  page.waitForFunction(
    (wanted) =>
      wanted.includes((document.querySelector('vivace-capture') as unknown as { phase: string }).phase),
    phases,
  )

export const main = (page: Page) => page.locator('vivace-capture .main, vivace-capture .shutter')

/** Waits for a state of the element and looks for barriers in it, which must not end it. */
export async function barriersIn(page: Page, phase: string): Promise<string[]> {
  await phaseIs(page, phase)
  const found = await findBarriers(page)
  await phaseIs(page, phase)
  return found.map((barrier) => `${phase}: ${barrier}`)
}

interface Cameras {
  hold(): Promise<unknown>
  release(): Promise<unknown>
  /** Whether each camera that was opened is on. */
  areOn(): Promise<boolean[]>
  /** The camera or the direction that each call asked for. */
  wereAsked(): Promise<string[]>
  /** Takes a camera away, as a person does who pulls its plug. */
  remove(deviceId: string): Promise<unknown>
  /** Whether each recorder that was made records. */
  areRecording(): Promise<boolean[]>
}

/** Gives the page a second camera, and lets the test choose when they open. */
export async function steerCameras(page: Page): Promise<Cameras> {
  await page.evaluate(() => {
    const { mediaDevices } = navigator
    const open = mediaDevices.getUserMedia.bind(mediaDevices)
    const streams: MediaStream[] = []
    let gate = Promise.resolve()
    const asked: unknown[] = []
    const gone = new Set<unknown>()
    mediaDevices.getUserMedia = async (wish) => {
      const { deviceId, facingMode } = wish!.video as MediaTrackConstraints
      const camera = (deviceId as { exact: string } | undefined)?.exact
      asked.push(camera ?? facingMode)
      await gate
      if (gone.has(camera)) throw new DOMException('', 'OverconstrainedError')
      const stream = await open({ video: true })
      streams.push(stream)
      return stream
    }
    mediaDevices.enumerateDevices = async () =>
      ['one', 'two'].map((name) => ({ kind: 'videoinput', deviceId: name, label: name }) as MediaDeviceInfo)
    const recorders: MediaRecorder[] = []
    window.MediaRecorder = class extends MediaRecorder {
      constructor(stream: MediaStream, options?: MediaRecorderOptions) {
        super(stream, options)
        recorders.push(this)
      }
    }
    Object.assign(window, {
      cameras: {
        wereAsked: () => asked,
        remove: (deviceId: string) => void gone.add(deviceId),
        areRecording: () => recorders.map(({ state }) => state === 'recording'),
        areOn: () =>
          streams.map((stream) => stream.getTracks().some(({ readyState }) => readyState === 'live')),
        hold() {
          gate = new Promise<void>((resolve) => Object.assign(this, { release: resolve }))
        },
      },
    })
  })
  return {
    hold: () => page.evaluate('cameras.hold()'),
    release: () => page.evaluate('cameras.release()'),
    areOn: () => page.evaluate('cameras.areOn()'),
    areRecording: () => page.evaluate('cameras.areRecording()'),
    wereAsked: () => page.evaluate('cameras.wereAsked()'),
    remove: (deviceId) => page.evaluate(`cameras.remove('${deviceId}')`),
  }
}

/** Lets no gesture end by itself, so that a recording lasts as long as a slow look at it. */
export const holdGestures = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const start = window.setTimeout.bind(window)
    const longestMs = 1500
    window.setTimeout = ((run: () => void, ms = 0) =>
      start(run, ms > longestMs ? 2 ** 31 - 1 : ms)) as typeof window.setTimeout
  })

/** Lets the time of a page pass at a quarter of its speed, so that its face finder sees as much on a busy machine as on a phone. */
export const slowTime = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const slower = 4
    const now = performance.now.bind(performance)
    const start = window.setTimeout.bind(window)
    const beganMs = now()
    performance.now = () => beganMs + (now() - beganMs) / slower
    window.setTimeout = ((run: () => void, ms = 0, ...rest: unknown[]) =>
      start(run, ms * slower, ...rest)) as typeof window.setTimeout
  })

/** Holds the calls that send captures until the function that is returned is called. */
export async function holdSending(page: Page): Promise<() => void> {
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/api/instant/folders', async (route) => {
    await gate
    await route.continue()
  })
  return release
}

/** Goes from the start to the end as a person does. */
export async function captureAndSend(page: Page): Promise<void> {
  await main(page).click()
  await phaseIs(page, 'framing')
  await main(page).click()
  await phaseIs(page, 'review')
  await main(page).click()
  await phaseIs(page, 'done', 'failed')
}
