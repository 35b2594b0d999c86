/** Pages of other origins that call the vendor's Web SDK, with our script in place of theirs. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { chromiumNote, hasChromium, openChromium, type TestBrowser } from '../fixtures/chromium.ts'
import { hasFfmpeg } from '../fixtures/clips.ts'
import { driftingPortrait } from '../fixtures/fake-camera.ts'
import { readsAllClips } from '../fixtures/server.ts'
import { administer, client, newClient, signIn } from './stage.ts'

const canCapture = hasChromium && hasFfmpeg && readsAllClips

/** What a page keeps of the callbacks. */
interface Told {
  // biome-ignore lint/suspicious/noExplicitAny: the page reads what it needs
  completed: any
  errors: unknown[]
}

client('pages of the Web SDK', () => {
  describe.skipIf(!canCapture)(`in a browser${chromiumNote}`, () => {
    const url = inject('url')
    const origin = inject('pageOrigin')
    let browser: TestBrowser
    let admin: string
    let token: string

    beforeAll(async () => {
      browser = await openChromium(await driftingPortrait())
      admin = await signIn(inject('admin'))
      token = await signIn(await newClient('Web SDK'))
    })
    afterAll(() => browser?.close())

    /** A page whose script has these settings and that opens the camera with these options. */
    async function open(settings: string, options: object): Promise<Page> {
      const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
      const body = `<!doctype html><html lang="en"><head><title>Onboarding</title>
        <script src="${url}/client/vivace-web-sdk.js" ${settings}></script></head>
        <body><script>
          const told = { completed: null, errors: [] }
          OzLiveness.open({
            ...${JSON.stringify(options)},
            on_complete: (result) => { told.completed = result },
            on_error: (error) => { told.errors.push(error) },
          })
          // As a page that sends the picture of a link on.
          const read = async (link) => {
            const blob = await (await fetch(link)).blob()
            const bitmap = await createImageBitmap(blob)
            const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
            context.drawImage(bitmap, 0, 0)
            const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height)
            const brightness = data.reduce((sum, value) => sum + value, 0) / data.length
            return { type: blob.type, width: bitmap.width, height: bitmap.height, brightness }
          }
        </script></body></html>`
      await page.route(`${origin}/`, (route) => route.fulfill({ contentType: 'text/html', body }))
      await page.goto(`${origin}/`)
      return page
    }

    /** Films as a person does, and waits for the result. */
    async function film(page: Page): Promise<Told['completed']> {
      for (const phase of ['intro', 'framing', 'review'])
        await page.locator(`vivace-capture [data-phase=${phase}] :is(.main, .shutter)`).click()
      await page.waitForFunction('told.completed !== null || told.errors.length > 0')
      const { completed, errors } = (await page.evaluate('told')) as Told
      expect(errors).toEqual([])
      return completed
    }

    it('the React page asks for no best shot, and its backend finds folder and session', async () => {
      const meta = { transaction_id: crypto.randomUUID() }
      const page = await open('', {
        token,
        lang: 'en',
        meta,
        action: ['video_selfie_scan'],
        params: { extract_best_shot: false },
      })
      const result = await film(page)
      expect(result.state).toBe('finished')
      await page.close()
      const { json } = await administer(
        token,
        'GET',
        `/api/folders/?meta_data=transaction_id==${meta.transaction_id}&with_analyses=true`,
      )
      expect(json.items).toHaveLength(1)
      const [{ folder_id, meta_data, analyses }] = json.items
      expect(meta_data).toMatchObject(meta)
      expect(meta_data).not.toHaveProperty('event_session_id')
      expect(analyses).toHaveLength(1)
      expect(analyses[0].confs.extract_best_shot).toBe(false)
      expect(analyses[0].results_media[0].output_images).toEqual([])
      const session = `/api/event_sessions/${result.event_session_id}`
      // In the order of what happened: the last reports may still be on their way.
      const read = async () => {
        const { items } = (await administer(admin, 'GET', `${session}/records`)).json
        return items.toSorted((a: { timemark: number }, b: { timemark: number }) => b.timemark - a.timemark)
      }
      await expect
        .poll(async () => (await read()).map(({ event }: { event: string }) => event), { timeout: 10_000 })
        .toEqual([
          'liveness_check_finish',
          'liveness_check_start',
          'action_finish',
          'action_start',
          'liveness_session_initialization',
        ])
      expect((await read())[0].record.context).toEqual({ folder_id })
      expect((await administer(admin, 'GET', session)).json.device).toMatchObject({
        sdk: 'vivace-web-sdk',
        user_agent: expect.stringContaining('Chrome'),
      })
    })

    it.each(['folders', 'instant'])(
      'the Angular page fetches the second frame of the clip: %s',
      async (destination) => {
        const page = await open(`data-result-mode="full" data-destination="${destination}"`, {
          token,
          lang: 'en',
          meta: { transaction_id: crypto.randomUUID() },
          action: ['video_selfie_scan'],
        })
        const { analyses } = await film(page)
        const { resolution, result_json } = analyses.quality
        expect(['success', 'declined']).toContain(resolution)
        expect(result_json.source_media[0].media_type).toBe('VIDEO_FOLDER')
        const links = result_json.source_media[0].images.map(
          ({ original_url }: { original_url: string }) => original_url,
        )
        expect(links).toHaveLength(8)
        expect(new Set(links).size).toBe(8)
        const frame = (await page.evaluate(`read(${JSON.stringify(links[1])})`)) as { brightness: number }
        expect(frame).toMatchObject({ type: 'image/jpeg', width: 480, height: 640 })
        // Neither black nor white: the portrait before the camera; a quarter of the values are opacity.
        expect(frame.brightness).toBeGreaterThan(80)
        expect(frame.brightness).toBeLessThan(240)
        await page.close()
      },
    )

    it('a clip that the browser cannot decode has no frames, and its result all the rest', async () => {
      const page = await open('data-result-mode="full" data-destination="instant"', {
        token,
        lang: 'en',
        action: ['photo_selfie'],
      })
      // No browser decodes a photo as a clip.
      await page.route('**/api/instant/folders', async (route) => {
        const response = await route.fetch()
        const folder = await response.json()
        for (const medium of folder.media) medium.info.video = { duration: 2 }
        await route.fulfill({ response, json: folder })
      })
      const { state, analyses } = await film(page)
      const { result_json, resolution } = analyses.quality
      expect([state, resolution]).toEqual(['finished', expect.stringMatching(/^(success|declined)$/)])
      expect(result_json.source_media).toMatchObject([{ images: [] }])
      await page.close()
    })
  })
})
