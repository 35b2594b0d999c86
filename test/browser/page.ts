/** What the tests of pages share: opening one, and doing in it what people do. */
import type { Locator, Page } from 'playwright-core'
import type { TestBrowser } from '../fixtures/chromium.ts'

/** Refused calls, and a header that counts over HTTPS alone. */
export const isExpected = (message: string): boolean =>
  message.includes('Failed to load resource') || message.includes('Cross-Origin-Opener-Policy')

/** Opens a page and collects its errors, refused scripts and styles included. */
export async function openPage(
  opened: TestBrowser,
  address: string,
  { width = 1440, permissions = ['clipboard-read', 'clipboard-write'] } = {},
): Promise<{ page: Page; errors: string[] }> {
  const page = await opened.newPage({
    viewport: { width, height: 900 },
    reducedMotion: 'reduce',
    locale: 'en-US',
    permissions,
  })
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !isExpected(message.text())) errors.push(message.text())
  })
  await page.goto(address)
  return { page, errors }
}

/** Fills in the form of the console or the try page. */
export async function signInOn(
  page: Page,
  { email, password }: { email: string; password: string },
): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByLabel('Password').press('Enter')
}

/** Drags files and folders of this machine onto an element and drops them, as the system does. */
export async function drop(target: Locator, files: readonly string[]): Promise<void> {
  await target.scrollIntoViewIfNeeded()
  const { x, y, width, height } = (await target.boundingBox())!
  const devtools = await target.page().context().newCDPSession(target.page())
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', {
      type,
      x: x + width / 2,
      y: y + height / 2,
      data: { items: [], files: [...files], dragOperationsMask: 1 },
    })
  await devtools.detach()
}

/** Waits until the try page shows a verdict, a problem or a form. */
export const isChecked = (page: Page) =>
  page.waitForFunction(
    () =>
      document.querySelector('#verdict')?.getAttribute('aria-busy') === 'false' &&
      document.querySelector('#verdict > section, #verdict > form') !== null,
  )
