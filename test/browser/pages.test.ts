/** The try page, the guide and the API reference in a real browser: from a picture to a verdict, from a question or an operation to its answer. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { printZone } from '../../scripts/pages/printed-zones.ts'
import { findBarriers, findCutWords, findFlaws, fitsWidth, rulesOfLooks } from '../fixtures/barriers.ts'
import { chromiumNote, hasChromium, openChromium, type TestBrowser } from '../fixtures/chromium.ts'
import { clip, hasFfmpeg } from '../fixtures/clips.ts'
import { testCodecs } from '../fixtures/codecs.ts'
import { passportZone } from '../fixtures/document-readings.ts'
import { driftingPortrait } from '../fixtures/fake-camera.ts'
import { ramp } from '../fixtures/pictures.ts'
import { crop, portrait, portraitImage } from '../fixtures/portraits.ts'
import type {} from '../fixtures/serve.ts'
import { readPictureTypes } from '../fixtures/server.ts'
import { zip } from '../fixtures/zip.ts'
import { drop, isChecked, openPage } from './page.ts'

const url = inject('url')
const admin = inject('admin')

describe.skipIf(!hasChromium)(`pages in a browser${chromiumNote}`, () => {
  let chromium: TestBrowser
  let folder: string
  const files: Record<'selfie' | 'id' | 'tall' | 'passport' | 'empty' | 'broken' | 'clip', string> = {
    selfie: 'selfie.jpg',
    tall: 'tall.jpg',
    passport: 'passport.jpg',
    id: 'id.jpg',
    empty: 'empty.jpg',
    broken: 'broken.jpg',
    clip: 'clip.mp4',
  }

  beforeAll(async () => {
    chromium = await openChromium(null)
    folder = await mkdtemp(path.join(tmpdir(), 'pages-'))
    const bytes = {
      selfie: await portrait('redhead'),
      id: await portrait('redheadAgain'),
      tall: await testCodecs.encodeJpeg({
        image: crop(await portraitImage('redhead'), 110, 0, 312, 555),
        quality: 90,
      }),
      passport: await testCodecs.encodeJpeg({
        image: printZone(passportZone, { width: 720, pitch: 13 }),
        quality: 90,
      }),
      empty: await testCodecs.encodeJpeg({ image: ramp(400, 300), quality: 90 }),
      broken: new TextEncoder().encode('no picture'),
      ...(hasFfmpeg ? { clip: await clip('h264 mp4') } : {}),
    }
    for (const [name, content] of Object.entries(bytes)) {
      const file = path.join(folder, files[name as keyof typeof files])
      await writeFile(file, content)
      files[name as keyof typeof files] = file
    }
  })

  afterAll(async () => {
    await chromium?.close()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  describe('the try page', () => {
    it('leads from two photos to the verdicts', async () => {
      const { page, errors } = await openPage(chromium, `${url}/`, { width: 390 })
      expect(await findFlaws(page)).toEqual([])
      // Nobody drops files on a phone.
      expect(await page.textContent('main')).not.toContain('Drop')
      await drop(page.locator('.slot').first(), [files.selfie])
      await isChecked(page)
      await drop(page.locator('.slot').last(), [files.id])
      await page.waitForSelector('.verdict:nth-of-type(2)')
      await page.waitForSelector('.slot:nth-of-type(2) .faces')
      expect(await page.locator('.verdict h2').allTextContents()).toEqual([
        'A live person',
        'The same person',
      ])
      expect(await page.locator('.slot .faces').count()).toBe(2)
      expect(await page.locator('.card h3').allTextContents()).toEqual(
        expect.arrayContaining(['Signs of an attack', 'Match of the faces', 'Quality of the selfie', 'Time']),
      )
      expect(await findFlaws(page)).toEqual([])
      // It stands for a moment only.
      await Promise.all([
        page.getByRole('button', { name: 'Copied' }).waitFor(),
        page.getByRole('button', { name: 'Copy as curl' }).click(),
      ])
      const command = await page.evaluate(() => navigator.clipboard.readText())
      expect(command).toContain(`curl ${url}/api/instant/folders/`)
      const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: folder, maxBuffer: 2 ** 24 })
      expect(JSON.parse(stdout)).toMatchObject({ system_resolution: 'SUCCESS' })
      expect(errors).toEqual([])
      await page.close()
    })

    it('shows a large picture with the verdict beside it on wide screens, and the face where it is', async () => {
      const { page } = await openPage(chromium, `${url}/`)
      await page.setInputFiles('#selfie', files.tall)
      await isChecked(page)
      await page.waitForSelector('.slot .faces')
      const boxOf = async (place: string) => (await page.locator(place).first().boundingBox())!
      for (const width of [1100, 1440, 1920]) {
        await page.setViewportSize({ width, height: 900 })
        const [slot, verdict, card] = [
          await boxOf('.slot.filled'),
          await boxOf('.verdict'),
          await boxOf('.evidence .card'),
        ]
        expect(Math.abs(verdict.y - slot.y), `${width}`).toBeLessThan(8)
        expect(verdict.x).toBeGreaterThan(slot.x + slot.width)
        expect([card.x, card.width]).toEqual([verdict.x, verdict.width])
        const [canvas, faces] = [await boxOf('.stage > canvas'), await boxOf('.stage > .faces')]
        expect(canvas.y + canvas.height / 2).toBeCloseTo(faces.y + faces.height / 2, 0)
        // Both fit the picture into their height.
        expect(Math.abs(canvas.height - faces.height)).toBeLessThan(1)
        if (width >= 1440) expect((canvas.height * 9) / 16).toBeGreaterThanOrEqual(320)
        expect(await findFlaws(page)).toEqual([])
      }
      await page.close()
    })

    it('brings the verdict into view on a phone, below the upper edge', async () => {
      const { page } = await openPage(chromium, `${url}/`, { width: 390 })
      await page.setViewportSize({ width: 390, height: 600 })
      await page.setInputFiles('#selfie', files.selfie)
      await isChecked(page)
      const { y } = (await page.locator('.verdict').boundingBox())!
      expect(y).toBeGreaterThan(8)
      expect(y).toBeLessThan(100)
      await page.close()
    })

    it.each([
      ['de-DE', 'Ein echter Mensch', 'Dieselbe Person'],
      ['es-ES', 'Una persona real', 'La misma persona'],
      ['ru-RU', 'Живой человек', 'Один и тот же человек'],
    ])('speaks the language of the browser, or the chosen one: %s', async (locale, live, same) => {
      const page = await chromium.newPage({ viewport: { width: 390, height: 900 }, locale })
      await page.goto(`${url}/`)
      await drop(page.locator('.slot').first(), [files.selfie])
      await isChecked(page)
      await drop(page.locator('.slot').last(), [files.id])
      await page.waitForSelector('.verdict:nth-of-type(2)')
      expect(await page.locator('.verdict h2').allTextContents()).toEqual([live, same])
      for (const summary of await page.locator('.evidence summary').all()) await summary.click()
      expect(await page.locator('.bar-text').allTextContents()).not.toContainEqual(
        expect.stringMatching(/\d\.\d/),
      )
      expect(await findFlaws(page)).toEqual([])
      await page.locator('select.language').selectOption('English')
      await page.getByText('Add a selfie').waitFor()
      await page.close()
    })

    it('says that a selfie passes barely where its score is near the threshold', async () => {
      const { page, errors } = await openPage(chromium, `${url}/`)
      await page.evaluate(() => {
        const call = window.fetch
        window.fetch = async (...given) => {
          const response = await call(...given)
          if (!response.url.includes('/api/instant/')) return response
          const folder = await response.json()
          const { results_data } = folder.analyses[0]
          // The true score is far from the threshold.
          if (!(results_data.confidence_spoofing < 0.4)) throw new Error('the answer has no such score')
          results_data.confidence_spoofing = 0.462
          return Response.json(folder)
        }
      })
      await drop(page.locator('.slot').first(), [files.selfie])
      await isChecked(page)
      expect(await page.locator('.verdict h2').allTextContents()).toEqual(['Barely a live person'])
      expect(await page.locator('.verdict p').last().textContent()).toContain('0.462')
      expect(errors).toEqual([])
      await page.close()
    })

    it('offers the files that the server reads', async () => {
      const { page } = await openPage(chromium, `${url}/`)
      const { accepted_types: all } = (await (await fetch(`${url}/api/config`)).json()) as {
        accepted_types: string[]
      }
      const offered = (id: string) => page.getAttribute(id, 'accept').then((text) => text?.split(','))
      await expect.poll(() => offered('#id-photo')).toEqual(readPictureTypes)
      expect((await offered('#selfie'))?.filter((type) => type !== '.mkv')).toEqual(all)
      await page.close()
    })

    it('shows what a document says', async () => {
      const { page, errors } = await openPage(chromium, `${url}/`)
      await page.setInputFiles('#selfie', files.selfie)
      await page.setInputFiles('#id-photo', files.passport)
      await page.getByText('Reading the document…').waitFor()
      const card = page.locator('.card', {
        has: page.getByRole('heading', { name: 'Document', exact: true }),
      })
      await card.locator('tbody tr').first().waitFor()
      expect(await card.textContent()).toContain('The document does not pass.')
      expect(await card.textContent()).toContain('The document has expired.')
      expect(await page.textContent('[role=status]')).toContain('The document has expired.')
      expect(await page.textContent('[role=status]')).toContain('Look at: Expiry date (expired).')
      const surname = card.locator('tr', { hasText: 'Surname' })
      expect(await surname.locator('td').allTextContents()).toEqual(['–', 'ERIKSSON', 'read, not compared'])
      expect(await card.locator('td.good').count()).toBe(0)
      expect(await card.locator('td.bad').allTextContents()).toEqual(['expired'])
      expect(await findFlaws(page)).toEqual([])
      for (const width of [390, 1440, 1920]) {
        await page.setViewportSize({ width, height: 900 })
        expect(await findCutWords(page, '.fields :is(tbody th, td:last-child)'), `${width}`).toEqual([])
      }
      expect(errors).toEqual([])
      await page.close()
    })

    it('reads its sample of a document, which needs no selfie', async () => {
      const { page, errors } = await openPage(chromium, `${url}/`)
      await page.setInputFiles('#selfie', files.selfie)
      await page.waitForSelector('.verdict.good')
      await page.getByRole('button', { name: 'Passport', exact: true }).click()
      await page.getByRole('heading', { name: 'The document passes', exact: true }).waitFor()
      expect(await page.locator('.verdict').count()).toBe(1)
      expect(await page.locator('.slot .name').allTextContents()).toEqual(['', 'passport.png'])
      expect(await page.textContent('[role=status]')).toContain('The document passes.')
      const surname = page.locator('.fields tr', { hasText: 'Surname' })
      expect((await surname.locator('td').allTextContents())[1]).toBe('ERIKSSON')
      expect(await page.locator('.fields td:is(.bad, .open)').count()).toBe(0)
      expect(await findFlaws(page)).toEqual([])
      expect(errors).toEqual([])
      await page.close()
    })

    it('says why a file or a picture cannot be checked, and goes on with the next', async () => {
      const { page, errors } = await openPage(chromium, `${url}/`)
      await page.setInputFiles('#selfie', files.broken)
      await page.waitForSelector('.verdict[role=alert]')
      expect(await page.textContent('.verdict h2')).toBe('Could not be checked')
      await page.setInputFiles('#selfie', files.empty)
      await page.waitForSelector('.verdict:not([role=alert])')
      expect(await page.textContent('.verdict')).toContain('No face was found')
      await page.setInputFiles('#selfie', files.selfie)
      await page.waitForSelector('.verdict.good')
      expect(errors).toEqual([])
      await page.close()
    })

    it('ends a check that nobody waits for: another file, none, cancelled, left', async () => {
      const { page, errors } = await openPage(chromium, `${url}/`, { width: 390 })
      const held: (() => void)[] = []
      let isHeld = true
      await page.route(/\/instant\//, async (route) => {
        if (isHeld) await new Promise<void>((release) => held.push(release))
        // Of a call that the page has ended, nothing goes on.
        await route.continue().catch(() => {})
      })
      const ended: string[] = []
      page.on('requestfailed', (request) => ended.push(request.failure()?.errorText ?? ''))
      const holds = async (count: number) => {
        while (held.length < count) await page.waitForTimeout(20)
      }
      const aborts = async (count: number) => {
        while (ended.length < count) await page.waitForTimeout(20)
      }
      const work = page.locator('#work')
      await page.setInputFiles('#selfie', files.selfie)
      await holds(1)
      await work.getByText('Checking…').waitFor()
      await page.setInputFiles('#selfie', files.empty)
      await holds(2)
      await aborts(1)
      await page.locator('.slot').first().getByRole('button', { name: 'Remove' }).click()
      await aborts(2)
      await work.waitFor({ state: 'hidden' })
      expect(await page.locator('#verdict').getAttribute('aria-busy')).toBe('false')
      expect(await page.locator('#verdict > *').count()).toBe(0)
      await page.setInputFiles('#selfie', files.selfie)
      await holds(3)
      expect(await findBarriers(page)).toEqual([])
      await page.getByRole('button', { name: 'Cancel' }).click()
      await aborts(3)
      expect(await page.textContent('.verdict h2')).toBe('Cancelled')
      await page.keyboard.press('Enter')
      await holds(4)
      await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
      await aborts(4)
      // Late answers to all of them change nothing.
      isHeld = false
      for (const release of held) release()
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.waitForSelector('.verdict.good')
      expect(ended).toEqual(Array(4).fill('net::ERR_ABORTED'))
      expect(errors).toEqual([])
      await page.close()
    })

    it('says of a sandbox that nothing was checked', async () => {
      const { page, errors } = await openPage(chromium, `${url}/`)
      const body = new FormData()
      body.append('payload', JSON.stringify({ analyses: [{ type: 'quality' }], detail: true }))
      body.append('selfie', new Blob([await readFile(files.selfie)]), 'selfie.jpg')
      const answer = await fetch(`${url}/api/instant/folders/`, { method: 'POST', body })
      const json = await answer.json()
      json.analyses[0].technical_meta_data.sandbox = 'success'
      await page.route(/\/instant\//, (route) => route.fulfill({ json }))
      await page.setInputFiles('#selfie', files.selfie)
      await page.waitForSelector('.verdict.good')
      expect(await page.textContent('#profile')).toBe('Sandbox: nothing was checked')
      expect(errors).toEqual([])
      await page.close()
    })

    it.skipIf(!hasFfmpeg)('shows the frames of a clip with their scores', async () => {
      const { page, errors } = await openPage(chromium, `${url}/`)
      await page.setInputFiles('#selfie', files.clip)
      await page.waitForSelector('.strip li')
      // How many of this wild clip's frames show the face depends on the detector.
      expect(await page.textContent('.strip li')).toMatch(/^[01]\.\d\d/)
      expect(await page.textContent('.card:has(.strip)')).toMatch(/A face in [1-9]\d* of \d\d+ frames/)
      expect(await findBarriers(page)).toEqual([])
      expect(errors).toEqual([])
      await page.close()
    })

    it('says of an archive of frames that the browser cannot show them', async () => {
      const { page, errors } = await openPage(chromium, `${url}/`)
      const photo = await portrait('redhead')
      const names = Array.from({ length: 6 }, (_, i) => `shot_${i}.jpg`)
      const buffer = Buffer.from(zip(Object.fromEntries(names.map((name) => [name, photo]))))
      await page.setInputFiles('#selfie', { name: 'shots.zip', mimeType: 'application/zip', buffer })
      await page.waitForSelector('.strip li')
      await page.getByText('The browser cannot show these frames.').waitFor()
      expect(await page.locator('.strip .thumb').count()).toBe(0)
      expect(errors).toEqual([])
      await page.close()
    })

    it.skipIf(!hasFfmpeg)('shows how far the check of a clip is, and about how long it takes', async () => {
      const { page, errors } = await openPage(chromium, `${url}/`, { width: 390 })
      await page.evaluate(() => {
        const seen = { shares: [] as number[], heard: new Set<string>() }
        Object.assign(window, { seen })
        setInterval(() => {
          const bar = document.querySelector<HTMLProgressElement>('#progress:not([hidden])[value]')
          if (bar) seen.shares.push(bar.value)
          seen.heard.add(document.querySelector('#status')!.textContent)
        }, 50)
      })
      await page.setInputFiles('#selfie', files.clip)
      await page.getByText(/^Checking, about \d+ s left$/).waitFor()
      expect(await findFlaws(page)).toEqual([])
      await isChecked(page)
      expect(await page.locator('#progress').isVisible()).toBe(false)
      const { shares, heard } = await page.evaluate(() => {
        const { seen } = window as unknown as { seen: { shares: number[]; heard: Set<string> } }
        return { shares: seen.shares, heard: [...seen.heard] }
      })
      expect(shares.length).toBeGreaterThan(3)
      expect(shares).toEqual([...shares].sort((a, b) => a - b))
      expect(shares.at(-1)).toBeLessThan(1)
      expect(heard).toContain('Checking…')
      expect(heard.filter((text) => text.includes(' s left')).length).toBeLessThan(shares.length / 20)
      expect(Number(await page.evaluate(() => localStorage.getItem('vivace-clip-rate')))).toBeGreaterThan(0)
      expect(errors).toEqual([])
      await page.close()
    })

    it('asks to sign in where calls need a token, and tells when the server does not answer', async () => {
      const { page, errors } = await openPage(chromium, `${url}/`)
      // As a server that needs tokens for all calls: it refuses like this one refuses the list of folders.
      await page.route(/instant|liveness/, async (route) =>
        route.request().headers()['x-forensic-access-token']
          ? route.continue()
          : route.fulfill({ response: await page.request.get(`${url}/api/folders`) }),
      )
      await page.setInputFiles('#selfie', files.selfie)
      await page.fill('#email', admin.email)
      await page.fill('#password', 'a wrong password')
      await page.press('#password', 'Enter')
      await page.waitForSelector('.problem:not(:empty)')
      expect(await findBarriers(page)).toEqual([])
      await page.fill('#password', admin.password)
      await page.press('#password', 'Enter')
      await page.waitForSelector('.verdict.good')
      await page.context().setOffline(true)
      await page.setInputFiles('#selfie', files.id)
      await page.waitForSelector('.verdict[role=alert]')
      expect(await page.textContent('.verdict h2')).toBe('No connection')
      expect(errors).toEqual([])
      await page.close()
    })
  })

  describe('on a slow connection', () => {
    /** Compressed bytes until something is seen. All pages but the console show their frame before their script is there. */
    const budgets = [
      ['/', 8000, false],
      ['/capture', 8000, false],
      ['/docs', 8000, false],
      ['/guide', 10_000, false],
      ['/console', 90_000, true],
    ] as const

    it.each(budgets)('%s shows something after at most %d bytes', async (address, bytesMax, needsScript) => {
      const page = await chromium.newPage()
      const devtools = await page.context().newCDPSession(page)
      await devtools.send('Network.enable')
      // A slow mobile network, as the tools of browsers have it.
      await devtools.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 150,
        downloadThroughput: 200_000,
        uploadThroughput: 90_000,
      })
      if (!needsScript) await page.route(/\.js(\?|$)/, (route) => route.abort())
      await page.goto(`${url}${address}`)
      await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0)
      const bytes = await page.evaluate(() => {
        const [paint] = performance.getEntriesByName('first-contentful-paint')
        const loaded = ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type))
        return (loaded as PerformanceResourceTiming[])
          .filter(({ responseEnd }) => responseEnd <= paint!.startTime)
          .reduce((sum, { transferSize }) => sum + transferSize, 0)
      })
      expect(bytes).toBeGreaterThan(1000)
      expect(bytes).toBeLessThan(bytesMax)
      await page.close()
    })
  })

  describe.skipIf(!hasFfmpeg)('the try page with a camera', () => {
    let withCamera: TestBrowser

    beforeAll(async () => {
      withCamera = await openChromium(await driftingPortrait())
    })
    afterAll(() => withCamera?.close())

    it('takes a photo and records a clip', async () => {
      const { page, errors } = await openPage(withCamera, `${url}/`, { width: 390, permissions: ['camera'] })
      const camera = page.getByRole('dialog', { name: 'Camera' })
      const use = async (action: string) => {
        await page.getByRole('button', { name: 'Use the camera' }).click()
        await camera.getByRole('button', { name: action }).click()
        await camera.waitFor({ state: 'detached' })
      }
      await use('Take a photo')
      expect(await page.textContent('.slot .name')).toBe('selfie.jpg')
      await page.locator('.slot .faces').waitFor()
      await use('Record 4 seconds')
      expect(await page.textContent('.slot .name')).toMatch(/^selfie\.(webm|mp4)$/)
      // Of a recording, too, which does not tell how long it is.
      await page.getByText(/^Checking, about \d+ s left$/).waitFor()
      await page.waitForSelector('.strip li')
      await page.getByRole('button', { name: 'Use the camera' }).click()
      await camera.getByRole('button', { name: 'Take a photo' }).waitFor()
      expect(await findBarriers(page)).toEqual([])
      await page.keyboard.press('Escape')
      await camera.waitFor({ state: 'detached' })
      expect(errors).toEqual([])
      await page.close()
    })
  })

  describe('the guide', () => {
    it('leads from a question to the answer', async () => {
      const { page, errors } = await openPage(chromium, `${url}/guide`, { width: 390 })
      expect(await findBarriers(page)).toEqual([])
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      expect(await page.evaluate('document.activeElement.localName')).toBe('main')
      await page.route('**/search.json', (route) => route.abort())
      await page.getByLabel('Search the guide').fill('setting')
      await page.locator('#found').getByText('The server does not answer.').waitFor()
      await page.unroute('**/search.json')
      await page.getByLabel('Search the guide').fill('settings')
      const found = page.locator('#found a', { hasText: 'Settings' }).first()
      await found.click()
      await page.locator('main table').first().waitFor()
      expect(await page.title()).toBe('Settings · Vivace')
      expect(await findFlaws(page)).toEqual([])
      expect(errors).toEqual([])
      await page.close()
    })

    it('answers a question by the keyboard alone, with addresses of this server', async () => {
      const { page, errors } = await openPage(chromium, `${url}/guide`, { width: 390 })
      await page.getByLabel('Search the guide').fill('why was this selfie declined')
      await page.locator('#found mark').first().waitFor()
      expect(await page.locator('#found .excerpt').first().textContent()).not.toContain('`')
      expect(await findBarriers(page)).toEqual([])
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowUp')
      const chosen = page.locator('#found [aria-selected="true"]')
      expect(await chosen.count()).toBe(1)
      expect(await page.locator('#search').getAttribute('aria-activedescendant')).toBe(
        await chosen.getAttribute('id'),
      )
      await page.keyboard.press('Enter')
      await page.waitForURL('**/guide/questions#why-was-this-selfie-declined')
      await page.goto(`${url}/guide/quick-start`)
      await page.locator('main code', { hasText: `${url}/v1/face/liveness/detect` }).waitFor()
      expect(await page.locator('main', { hasText: 'http://127.0.0.1:8000' }).count()).toBe(0)
      expect(errors).toEqual([])
      await page.close()
    })

    it('has no barriers and fits the width on all its pages', async () => {
      const { page, errors } = await openPage(chromium, `${url}/guide`, { width: 390 })
      const addresses: string[] = await page.evaluate(
        `[...document.querySelectorAll('nav a[href^="/guide/"]')].map(({ pathname }) => pathname)`,
      )
      expect(addresses.length).toBeGreaterThan(20)
      const flaws: string[] = []
      // The frame is the same on all pages; to load it with each of them would take most of the time.
      const show = (address: string) =>
        page.evaluate(async (shown) => {
          const request = new XMLHttpRequest()
          request.open('GET', shown)
          // The policy of pages forbids them to parse texts.
          request.responseType = 'document'
          await new Promise((loaded) => {
            request.onload = loaded
            request.send()
          })
          document.querySelector('main')!.replaceWith(request.responseXML!.querySelector('main')!)
        }, address)
      for (const address of addresses) {
        await show(address)
        const found = await findBarriers(page, null, 'main')
        if (!(await fitsWidth(page))) found.push('too wide')
        flaws.push(...found.map((flaw) => `${address}: ${flaw}`))
      }
      await page.emulateMedia({ colorScheme: 'dark' })
      for (const address of ['/guide/quick-start', '/guide/operate']) {
        await show(address)
        flaws.push(...(await findBarriers(page, rulesOfLooks)).map((flaw) => `${address}: ${flaw}, dark`))
      }
      expect(flaws).toEqual([])
      expect(errors).toEqual([])
      await page.close()
    })
  })

  describe('the API reference', () => {
    it('finds an operation, describes it and calls it, also at an address with a broken name', async () => {
      const { page, errors } = await openPage(chromium, `${url}/docs#%`)
      await page.fill('#search', 'no such operation')
      await page.getByText('No operation has these words.').waitFor()
      await page.fill('#search', 'post instant')
      const operation = page.locator('#post_instant_folders')
      await operation.locator('summary').first().click()
      expect(await page.locator('details.card:visible').count()).toBe(1)
      await operation.locator('.schema details').first().locator('summary').first().click()
      await page.setInputFiles('#post_instant_folders-body-0-selfie', files.selfie)
      await page.setInputFiles('#post_instant_folders-body-0-id_photo', files.id)
      await page.route('**/api/instant/**', () => {})
      await operation.getByRole('button', { name: 'Send' }).click()
      const failed = page.waitForEvent('requestfailed')
      await operation.getByRole('button', { name: 'Cancel' }).click()
      expect((await failed).failure()?.errorText).toBe('net::ERR_ABORTED')
      await operation.getByText('Cancelled.').waitFor()
      await page.unroute('**/api/instant/**')
      await operation.getByRole('button', { name: 'Send' }).click()
      await operation.locator('.status').waitFor()
      expect(await operation.locator('.status').textContent()).toMatch(/^200/)
      expect(await operation.locator('.answer pre').textContent()).toContain('"system_resolution": "SUCCESS"')
      expect(await findFlaws(page)).toEqual([])
      await operation.getByLabel('Language of the program').selectOption('Python')
      // It stands for a moment only.
      await Promise.all([
        operation.getByRole('button', { name: 'Copied' }).waitFor(),
        operation.getByRole('button', { name: 'Copy as Python' }).click(),
      ])
      const program = await page.evaluate(() => navigator.clipboard.readText())
      expect(program).toContain('import requests')
      expect(program).toContain(`("selfie", open("${path.basename(files.selfie)}", "rb"))`)
      // Who has chosen a language finds it at the next operation.
      await page.fill('#search', 'get version')
      await page.locator('#get_version summary').first().click()
      await page.locator('#get_version').getByRole('button', { name: 'Copy as Python' }).waitFor()
      expect(errors).toEqual([])
      await page.close()
    })

    it('sends a sample of the server, and says in programs where it is', async () => {
      const { page, errors } = await openPage(chromium, `${url}/docs#post_instant_folders`, { width: 390 })
      const operation = page.locator('#post_instant_folders')
      const field = operation.getByLabel('File id_photo', { exact: true })
      const choice = operation.getByLabel('Sample: File id_photo')
      const chosen = () => field.evaluate((input: HTMLInputElement) => input.files![0]?.name)
      await page.route('**/samples/*', (route) => route.abort())
      await choice.selectOption('dark')
      await choice
        .locator('option:checked', { hasText: 'The sample cannot be loaded' })
        .waitFor({ state: 'attached' })
      await page.unroute('**/samples/*')
      await choice.selectOption('dark')
      await expect.poll(chosen).toBe('dark.png')
      await field.setInputFiles(files.id)
      expect(await choice.inputValue()).toBe('')
      await choice.selectOption('passport')
      await expect.poll(chosen).toBe('passport.png')
      const payload = { 'media:tags': { id_photo: ['photo_id_front'] }, analyses: [{ type: 'documents' }] }
      await operation.getByLabel('Body (payload)').fill(JSON.stringify(payload))
      await operation.getByRole('button', { name: 'Send' }).click()
      await operation.locator('.status').waitFor()
      expect(await operation.locator('.answer pre').textContent()).toContain('"system_resolution": "SUCCESS"')
      expect(await findFlaws(page)).toEqual([])
      // It stands for a moment only.
      await Promise.all([
        operation.getByRole('button', { name: 'Copied' }).waitFor(),
        operation.getByRole('button', { name: 'Copy as curl' }).click(),
      ])
      const command = await page.evaluate(() => navigator.clipboard.readText())
      expect(command).toContain(`curl -O '${url}/samples/passport.png'`)
      const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: folder, maxBuffer: 2 ** 24 })
      expect(JSON.parse(stdout)).toMatchObject({ system_resolution: 'SUCCESS' })
      expect(errors).toEqual([])
      await page.close()
    })
  })
})
