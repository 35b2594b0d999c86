/** Drives `/capture` in a browser as a person does. */
import type { Page } from 'playwright-core'
import { inject } from 'vitest'
import type { TestBrowser } from '../fixtures/chromium.ts'
import type {} from '../fixtures/serve.ts'

const url = inject('url')

interface Told {
  name: string
  // biome-ignore lint/suspicious/noExplicitAny: details of all events
  detail: any
}

/** Opens `/capture` and collects the events of the element, and the errors of the page. */
export async function openCapture(
  { browser }: TestBrowser,
  attributes = '',
  width = 390,
): Promise<{ page: Page; told: Told[]; errors: string[] }> {
  const page = await browser.newPage({ viewport: { width, height: 844 }, reducedMotion: 'reduce' })
  const told: Told[] = []
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('Failed to load resource'))
      errors.push(message.text())
  })
  await page.exposeFunction('tell', (name: string, detail: unknown) => void told.push({ name, detail }))
  await page.goto(`${url}/capture#${attributes}`)
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

export const phaseIs = (page: Page, ...phases: string[]) =>
  page.waitForFunction(
    (wanted) =>
      wanted.includes((document.querySelector('vivace-capture') as unknown as { phase: string }).phase),
    phases,
    { timeout: 30_000 },
  )

export const main = (page: Page) => page.locator('vivace-capture .main, vivace-capture .shutter')

/** Goes from the start to the end as a person does. */
export async function captureAndSend(page: Page): Promise<void> {
  await main(page).click()
  await phaseIs(page, 'framing')
  await main(page).click()
  await phaseIs(page, 'review')
  await main(page).click()
  await phaseIs(page, 'done', 'failed')
}
