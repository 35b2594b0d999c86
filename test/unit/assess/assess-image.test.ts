import { expect, it } from 'vitest'
import { orientImage } from '../../../src/media/orient-image.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import { largePhoto } from '../../fixtures/large-photos.ts'
import { assessPhoto } from '../../fixtures/networks.ts'
import { portrait, portraitImage } from '../../fixtures/portraits.ts'

const nothing = { faces: false, template: false, pad: false, bestShot: false }
const pictures = ['thumbnail', 'snapshot', 'bestShot', 'portrait', 'preview'] as const

it('makes only the pictures of a photo that were asked for', async () => {
  const photo = await portrait('redhead')
  const madeOf = async (wanted: Partial<Parameters<typeof assessPhoto>[1]>) => {
    const assessment = await assessPhoto(photo, { ...nothing, ...wanted })
    return pictures.filter((name) => assessment[name] !== null)
  }
  expect(await madeOf({})).toEqual([])
  expect(await madeOf({ faces: true, pad: true, template: true })).toEqual([])
  expect(await madeOf({ thumbnail: true })).toEqual(['thumbnail'])
  expect(await madeOf({ faces: true, bestShot: true })).toEqual(['bestShot'])
})

it('has a thumbnail of its own for a best shot that was turned later, and for a portrait', async () => {
  const wanted = { ...nothing, faces: true, bestShot: true, portrait: true }
  const upright = await assessPhoto(await portrait('redhead'), wanted)
  expect(upright.bestShot).not.toHaveProperty('thumbnail')
  expect(upright.portrait!.thumbnail).toMatchObject({ mimeType: 'image/jpeg' })
  const image = orientImage(await portraitImage('redhead'), 6)
  const lying = await assessPhoto(await testCodecs.encodeJpeg({ image, quality: 92 }), wanted)
  expect(lying).toMatchObject({ quarterTurns: 3, bestShot: { thumbnail: { mimeType: 'image/jpeg' } } })
})

it('has a preview where the photo is large, which lies as the photo does', async () => {
  const previewOf = async (photo: Uint8Array) =>
    (await assessPhoto(photo, { ...nothing, faces: true, preview: true })).preview
  expect(await previewOf(await portrait('redhead'))).toBe(null)
  const lying = orientImage(await portraitImage('redhead'), 6)
  const photo = await largePhoto(lying, 2000, () => 0.5)
  const preview = await previewOf(photo)
  expect(preview).toMatchObject({ mimeType: 'image/jpeg' })
  expect(Math.max(preview!.width, preview!.height)).toBeLessThanOrEqual(1280)
  expect(Math.max(preview!.width, preview!.height)).toBeGreaterThanOrEqual(960)
  expect(preview!.width / preview!.height).toBeCloseTo(lying.width / lying.height, 2)
  const shown = await testCodecs.decode('jpeg', preview!.bytes)
  expect([shown.width, shown.height]).toEqual([preview!.width, preview!.height])
})

it('has no preview that would be a larger file than the photo', async () => {
  const size = { width: 1600, height: 1600 }
  const photo = await testCodecs.encodeJpeg({ image: await portraitImage('redhead'), quality: 60, size })
  const assessed = await assessPhoto(photo, { ...nothing, preview: true })
  expect(assessed.source.width).toBe(1600)
  expect(assessed.preview).toBe(null)
})
