/** Pictures of the HEIF family, in all services that take photos. */
import { beforeAll, describe, expect, it } from 'vitest'
import { hasLibheif } from '../../src/platform/server-wasm.ts'
import { hasFfmpeg } from '../fixtures/clips.ts'
import { testCodecs } from '../fixtures/codecs.ts'
import { encodeStill, heifOf, rotationBox } from '../fixtures/heif.ts'
import { largePhoto } from '../fixtures/large-photos.ts'
import { portrait, portraitImage } from '../fixtures/portraits.ts'
import { keepsFolders, testedRuntime } from '../fixtures/server.ts'
import { zip } from '../fixtures/zip.ts'
import { file, form, postBytes, postForm, url } from './client.ts'
import { call, signInAsAdmin, tokenHeader, upload } from './persistent/service.ts'

// Lying on its side, as the sensor of a phone is.
const lying = [
  '-vf',
  'scale=640:480:force_original_aspect_ratio=increase,crop=640:480,transpose=1',
  '-pix_fmt',
  'yuv420p',
]
const isServer = testedRuntime !== 'workers'
const liveness = { analyses: [{ type: 'quality' }] }

describe.each([
  ['heic', 'image/heic', isServer && hasLibheif()],
  ['avif', 'image/avif', isServer],
] as const)('%s', (brand, mimeType, isRead) => {
  let photo: Uint8Array

  beforeAll(async () => {
    if (!hasFfmpeg) return
    const still = await encodeStill(brand, await portrait('redhead'), {
      width: 480,
      height: 640,
      output: lying,
    })
    photo = heifOf(still, rotationBox(1))
  })

  it.skipIf(!hasFfmpeg || isRead)('is refused with what to do, where it is not read', async () => {
    const { status, json } = await postForm('/api/instant/folders/', form([file('selfie', photo)], liveness))
    expect([status, json]).toMatchObject([
      400,
      { error_code: 5, error_message: expect.stringContaining('JPEG') },
    ])
  })

  it.skipIf(!hasFfmpeg || !isRead)('is judged by Instant, also in an archive', async () => {
    for (const medium of [photo, zip({ 'photo.bin': photo })]) {
      const { status, json } = await postForm(
        '/api/instant/folders/',
        form([file('selfie', medium)], liveness),
      )
      expect([status, json.error_message]).toEqual([200, undefined])
      expect(json.analyses[0]).toMatchObject({ state: 'FINISHED', error_message: null })
      expect(json.media[0]).toMatchObject({
        technical_meta_data: { faces: 1, quarter_turns: 0 },
        info: { thumb: { width: 160, height: 120 } },
      })
    }
  })

  it.skipIf(!hasFfmpeg || !isRead)('is judged by Lite', async () => {
    const { status, json } = await postBytes('/v1/face/liveness/detect', photo, mimeType)
    expect([status, typeof json.score]).toEqual([200, 'number'])
  })

  it.skipIf(!hasFfmpeg || !isRead || !keepsFolders)('is kept as it was sent', async () => {
    const { token } = await signInAsAdmin()
    const { status, json } = await upload(token, '/api/folders/', form([file('selfie', photo)], liveness))
    expect(status).toBe(201)
    const { original_url } = json.media[0]
    expect(original_url.endsWith(`.${brand}`)).toBe(true)
    const kept = await fetch(new URL(new URL(original_url).pathname, url), { headers: tokenHeader(token) })
    expect(kept.headers.get('Content-Type')).toBe(mimeType)
    expect(new Uint8Array(await kept.arrayBuffer())).toEqual(photo)
  })

  it.skipIf(!hasFfmpeg || !isRead || !keepsFolders)(
    'has a preview if browsers do not show it, as a large photo has, until it is removed',
    async () => {
      const { token } = await signInAsAdmin()
      const large = await largePhoto(await portraitImage('redhead'), 1600, () => 0.5)
      const { json } = await upload(token, '/api/folders/', form([file('a', photo), file('b', large)]))
      const [own, ofLarge] = json.media.map(({ preview_url }: { preview_url: string | null }) => preview_url)
      expect(own === null).toBe(brand === 'avif')
      for (const link of brand === 'avif' ? [ofLarge] : [own, ofLarge]) {
        const { pathname } = new URL(link)
        expect(pathname).toMatch(/_preview\.jpg$/)
        const shown = await fetch(new URL(pathname, url), { headers: tokenHeader(token) })
        expect(shown.headers.get('Content-Type')).toBe('image/jpeg')
        const { width, height } = await testCodecs.decode('jpeg', new Uint8Array(await shown.arrayBuffer()))
        expect(Math.max(width, height)).toBe(link === own ? 640 : 1280)
      }
      await call(token, 'DELETE', `/api/folders/${json.folder_id}`)
      const gone = await fetch(new URL(new URL(ofLarge).pathname, url), { headers: tokenHeader(token) })
      expect(gone.status).toBe(404)
    },
  )
})
