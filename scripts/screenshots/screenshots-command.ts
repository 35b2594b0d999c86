/** `npm run screenshots`: pictures of all pages, small and large, light and dark. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { chromiumNote, hasChromium, openChromium, type TestBrowser } from '../../test/fixtures/chromium.ts'
import { startServer } from '../../test/fixtures/server.ts'
import { type Command, describeUnknown, exitCodes, readOptions, say, UsageError } from '../cli/command.ts'
import { fillServer, type MadeUp, type Pictures, readPictures } from './made-up-data.ts'

interface Scene {
  name: string
  address: string
  isSignedIn?: boolean
  /** Does what the picture is to show. */
  prepare?(page: Page): Promise<unknown>
}

const looks = [390, 1440].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
)
const waitMaxMs = 120_000
const account = { email: 'root@example.com', password: 'a password for pictures' }

// Programs are compiled without the types of browsers, so what runs in the page is text; the policy of pages forbids them to poll it.
const isLoaded = async (page: Page) => {
  await page.locator('main', { hasText: 'Loading…' }).waitFor({ state: 'detached' })
  await page.evaluate(`Promise.all([...document.querySelectorAll('main img')]
    .filter(({ loading }) => loading !== 'lazy').map((image) => image.decode().catch(() => {})))`)
}

const isChecked = (page: Page) =>
  page.locator('#verdict[aria-busy=false] > :is(section, form)').first().waitFor()

/** Pictures of the try page. @param files paths of the pictures that are dropped */
const tryScenes = (files: Record<keyof Pictures, string>): Scene[] => [
  { name: 'try', address: '/' },
  {
    name: 'try-verdict',
    address: '/',
    async prepare(page) {
      await page.setInputFiles('#selfie', files.selfie)
      await isChecked(page)
      await page.setInputFiles('#id-photo', files.passport)
      await page.getByRole('heading', { name: 'Document', exact: true }).waitFor()
    },
  },
  {
    name: 'try-without-face',
    address: '/',
    prepare: (page) => page.setInputFiles('#selfie', files.empty).then(() => isChecked(page)),
  },
  {
    name: 'try-sign-in',
    address: '/',
    async prepare(page) {
      await page.route(/instant|liveness/, (route) =>
        route.fulfill({ status: 401, json: { error_message: 'A token is needed.' } }),
      )
      await page.setInputFiles('#selfie', files.selfie)
      await isChecked(page)
    },
  },
]

const pageScenes: readonly Scene[] = [
  { name: 'capture', address: '/capture' },
  { name: 'guide', address: '/guide' },
  { name: 'guide-operate', address: '/guide/operate' },
  { name: 'docs', address: '/docs', prepare: (page) => page.locator('details.card').first().waitFor() },
  {
    name: 'docs-operation',
    address: '/docs#post_instant_folders',
    async prepare(page) {
      const operation = page.locator('#post_instant_folders')
      await operation.locator('.answers summary').first().click()
      await operation.locator('.answers .schema').first().waitFor()
    },
  },
]

const consoleScenes = ({ session, folder, clipFolder, collection, company, event }: MadeUp): Scene[] => {
  const views: readonly (readonly [name: string, hash: string | null])[] = [
    ['folders', 'folders'],
    ['folder', `folders/${folder}`],
    ['folder-clip', clipFolder && `folders/${clipFolder}`],
    ['links', 'links'],
    ['collections', 'collections'],
    ['collection', `collections/${collection}`],
    ['statistics', 'statistics'],
    ['users', 'users'],
    ['user', `users/${session.user.user_id}`],
    ['companies', 'companies'],
    ['company', `companies/${company}`],
    ['webhooks', 'webhooks'],
    ['events', 'events'],
    ['event', `events/${event}`],
    ['devices', 'devices'],
    ['system', 'system'],
  ]
  return [
    { name: 'console-sign-in', address: '/console' },
    ...views
      .filter(([, hash]) => hash !== null)
      .map(([name, hash]) => ({
        name: `console-${name}`,
        address: `/console#/${hash}`,
        isSignedIn: true,
        prepare: (page: Page) => page.getByRole('heading', { level: 1 }).waitFor(),
      })),
  ]
}

/** Takes the pictures of one scene. */
async function take(
  chromium: TestBrowser,
  url: string,
  scene: Scene,
  data: MadeUp,
  out: string,
): Promise<void> {
  const page = await chromium.newPage({ reducedMotion: 'reduce', locale: 'en-US' })
  page.setDefaultTimeout(waitMaxMs)
  if (scene.isSignedIn) {
    const { access_token: token, user } = data.session
    const kept = JSON.stringify(JSON.stringify({ token, user, idleMs: 900_000 }))
    await page.addInitScript(`sessionStorage.setItem('vivace-console', ${kept})`)
  }
  await page.goto(`${url}${scene.address}`)
  await scene.prepare?.(page)
  await isLoaded(page)
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    const file = path.join(out, `${scene.name}-${width}-${colorScheme}.png`)
    await page.screenshot({ path: file, fullPage: true })
  }
  await page.close()
}

/** @throws {UsageError} for a name that is no page's */
function choose(scenes: readonly Scene[], only: string | undefined): Scene[] {
  if (only === undefined) return [...scenes]
  const names = scenes.map(({ name }) => name)
  return only.split(',').map((name) => {
    const scene = scenes.find((known) => known.name === name)
    if (!scene) throw new UsageError(describeUnknown('page', name, names))
    return scene
  })
}

async function takeAll(out: string, only: string | undefined, folder: string): Promise<void> {
  const pictures = await readPictures()
  const files = Object.fromEntries(
    await Promise.all(
      Object.entries(pictures).map(async ([name, bytes]) => {
        const file = path.join(folder, `${name}.jpg`)
        await writeFile(file, bytes)
        return [name, file]
      }),
    ),
  )
  const server = await startServer({
    SVC_AUTHORIZE_DISABLED_STATELESS: 'true',
    SVC_ADMIN_EMAIL: account.email,
    SVC_ADMIN_PASSWORD: account.password,
    SVC_WEBHOOK_ALLOW_PRIVATE: 'true',
  })
  try {
    const data = await fillServer(server.url, account, pictures)
    const scenes = choose([...tryScenes(files), ...pageScenes, ...consoleScenes(data)], only)
    const chromium = await openChromium(null)
    try {
      await mkdir(out, { recursive: true })
      for (const scene of scenes) {
        await take(chromium, server.url, scene, data, out)
        say(`${path.join(out, scene.name)}-*.png`)
      }
    } finally {
      await chromium.close()
    }
  } finally {
    await server.stop()
  }
}

export const screenshotsCommand: Command = {
  name: 'screenshots',
  summary: 'Take pictures of all pages',
  usage: `usage: npm run screenshots -- [--out DIR] [--only NAME,NAME]

Takes pictures of all pages with Chromium: 390 and 1440 pixels wide, light and dark. It starts a server of its own, with pictures of the
installed packages. The pictures show people, so do not publish them; git ignores the default folder.

  --out DIR          where to write NAME-WIDTH-COLOURS.png (default dist/screenshots)
  --only NAME,NAME   some pages, such as try-verdict,console-folder

Exit code: 0 done, 1 failed, 64 wrong usage.
`,
  async run(args) {
    const { out = 'dist/screenshots', only } = readOptions(args, {
      out: { type: 'string' },
      only: { type: 'string' },
    })
    if (!hasChromium) throw new Error(`There is no browser to take pictures with${chromiumNote}`)
    const folder = await mkdtemp(path.join(tmpdir(), 'screenshots-'))
    try {
      await takeAll(out, only, folder)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
    return exitCodes.done
  },
}
