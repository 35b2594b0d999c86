/** The first day of an integrator, on one server: a verdict, an ID, a clip, a group, HEIC; a sandbox; a link that a phone opens while the desktop waits. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { chromiumNote, hasChromium, openChromium, type TestBrowser } from '../fixtures/chromium.ts'
import { hasFfmpeg, makeClip, shortClip } from '../fixtures/clips.ts'
import { driftingPortrait } from '../fixtures/fake-camera.ts'
import { encodeStill, heifOf } from '../fixtures/heif.ts'
import { group } from '../fixtures/packages.ts'
import { drawPassport } from '../fixtures/passports.ts'
import { portrait } from '../fixtures/portraits.ts'
import type {} from '../fixtures/serve.ts'
import { readPictureTypes } from '../fixtures/server.ts'
import { main, openPhone, phaseIs } from './capture-page.ts'
import { isChecked, openPage, signInOn } from './page.ts'

const url = inject('url')
const admin = inject('admin')

describe.skipIf(!hasChromium || !hasFfmpeg)(`the first day${chromiumNote}`, () => {
  let chromium: TestBrowser
  let folder: string
  /** Of each page. */
  const errors: string[][] = []

  beforeAll(async () => {
    chromium = await openChromium(await driftingPortrait())
    folder = await mkdtemp(path.join(tmpdir(), 'day-'))
  })
  afterAll(async () => {
    await chromium?.close()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  const open = async (address: string) => {
    const opened = await openPage(chromium, `${url}${address}`)
    errors.push(opened.errors)
    return opened.page
  }

  const keep = async (name: string, bytes: Uint8Array): Promise<string> => {
    const file = path.join(folder, name)
    await writeFile(file, bytes)
    return file
  }

  describe('the try page', () => {
    let page: Page

    beforeAll(async () => {
      page = await open('/')
    })
    afterAll(() => page?.close())

    const headings = () => page.locator('.verdict h2').allTextContents()
    const choose = async (slot: '#selfie' | '#id-photo', name: string, bytes: Uint8Array) => {
      await page.setInputFiles(slot, await keep(name, bytes))
      await isChecked(page)
    }

    it('gives the verdict on a selfie', async () => {
      await choose('#selfie', 'selfie.jpg', await portrait('redhead'))
      await expect.poll(headings).toEqual(['A live person'])
    })

    it('reads an ID, and compares it with the selfie', async () => {
      await choose('#id-photo', 'id.jpg', await drawPassport('redheadAgain'))
      await expect.poll(headings).toEqual(['A live person', 'The same person'])
      await page.locator('.fields tr', { hasText: 'ERIKSSON' }).waitFor()
    })

    it('compares a clip with the ID', async () => {
      await choose('#selfie', 'clip.mp4', await makeClip(shortClip))
      await page.locator('.strip li').first().waitFor()
      await expect.poll(headings).toContain('The same person')
    })

    it('says of a group that it shows several faces', async () => {
      await choose('#selfie', 'group.jpg', await group(3))
      await page.locator('.verdict', { hasText: 'More than one face' }).first().waitFor()
    })

    it('reads HEIC, or says what to send instead', async () => {
      const side = 552
      const output = ['-vf', `crop=${side}:${side}`, '-pix_fmt', 'yuv420p']
      const size = { width: side, height: side }
      const still = await encodeStill('heic', await portrait('redhead'), { ...size, output })
      await choose('#selfie', 'selfie.heic', heifOf(still))
      const isRead = readPictureTypes.includes('image/heic')
      await expect.poll(headings).toContain(isRead ? 'The same person' : 'Could not be checked')
    })
  })

  it('a sandbox, made in the console, answers its samples in the reference', async () => {
    const name = `Integration ${Date.now()}`
    const page = await open('/console#/companies')
    await signInOn(page, admin)
    await page.locator('form', { hasText: 'Create' }).getByLabel('Name').fill(name)
    await page.getByLabel('Sandbox, for ever').check()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()

    await page.goto(`${url}/console#/users`)
    const user = page.locator('form', { hasText: 'Create' })
    await user.getByLabel('E-mail').fill(`${name.replace(' ', '-')}@vivace.test`)
    await user.getByLabel('Password').fill('a password of a test')
    await user.getByLabel('Role').selectOption('Machine account')
    await user.getByLabel('Company').selectOption(name)
    await user.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'New token' }).click()
    const token = (await page.locator('code.secret').textContent())!

    await page.goto(`${url}/docs#post_folders`)
    await page.getByLabel('Token').fill(token)
    const operation = page.locator('#post_folders')
    for (const part of ['selfie', 'id_photo'])
      await operation.getByLabel(`Sample: File ${part}`).selectOption('print_or_screen')
    await page.waitForFunction(() => document.querySelectorAll('[type=file]:valid').length === 2)
    await operation.getByRole('button', { name: 'Send' }).click()
    await operation.locator('.status', { hasText: '201' }).waitFor()
    expect(await operation.locator('.answer pre').textContent()).toContain('"sandbox": "print_or_screen"')
    await page.close()
  })

  it('a link is opened by a phone while the desktop waits', async () => {
    const page = await open('/console#/links')
    await signInOn(page, admin)
    await page.getByLabel('What is captured').selectOption('photo')
    await page.getByRole('button', { name: 'Create' }).click()
    const address = (await page.locator('code', { hasText: '#link=' }).textContent())!
    const row = page.getByRole('row').nth(1)
    await row.getByText('Sent').waitFor()

    const phone = await openPhone(chromium, address)
    await row.getByText('Opened').waitFor()
    for (const phase of ['framing', 'review', 'done']) {
      await main(phone.page).tap()
      await phaseIs(phone.page, phase)
    }
    await row.getByText('Decided').waitFor()
    await row.locator('a').last().click()
    await page.locator('.verdict').waitFor()
    errors.push(phone.errors)
    await phone.page.close()
    await page.close()
  })

  it('nothing went wrong in any page', () => {
    expect(errors.flat()).toEqual([])
  })
})
