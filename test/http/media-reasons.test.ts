/** Refusals of media say why in a word, so that pages can tell it in the person's own language. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { MediaReason } from '../../src/errors.ts'
import { hasLibheif } from '../../src/platform/server-wasm.ts'
import { hasFfmpeg, makeClip, shortClip } from '../fixtures/clips.ts'
import { blackPng } from '../fixtures/pictures.ts'
import { portrait } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { zip } from '../fixtures/zip.ts'
import { file, form, postForm } from './client.ts'

const isServer = testedRuntime !== 'workers'
const quality = { analyses: [{ type: 'quality' }] }
const letters = (text: string) => Uint8Array.from([...text].map((letter) => letter.charCodeAt(0)))

async function reasonOf(medium: Uint8Array): Promise<unknown> {
  const { status, json } = await postForm('/api/instant/folders/', form([file('selfie', medium)], quality))
  expect(status).toBe(400)
  expect(json.error_details).toEqual(json.details)
  return json.details.reason
}

describe('a medium that is refused', () => {
  it.each<[MediaReason, string, () => Promise<Uint8Array> | Uint8Array]>([
    ['empty', 'nothing', () => new Uint8Array()],
    ['format', 'a text', () => letters('words')],
    [isServer ? 'damaged' : 'format', 'AVIF', () => letters('\0\0\0\x1cftypavif')],
    [isServer && hasLibheif() ? 'damaged' : 'heic', 'HEIC', () => letters('\0\0\0\x18ftypheic')],
    ['damaged', 'a photo that is cut off', async () => (await portrait('redhead')).subarray(0, 5000)],
    ['too_large', 'more bytes than allowed', () => new Uint8Array(25 * 2 ** 20)],
    ['too_many_pixels', 'a picture of 100 megapixels', () => blackPng(10_000, 10_000, 'grey8')],
    ['too_small', 'a picture of 8 pixels', () => blackPng(8, 8, 'grey8')],
    ['archive', 'an empty archive', () => zip({})],
  ])('%s: %s', async (reason, _, make) => {
    expect(await reasonOf(await make())).toBe(reason)
  })
})

describe.skipIf(!hasFfmpeg)('a clip that is refused', () => {
  let whole: Uint8Array

  beforeAll(async () => {
    whole = await makeClip(shortClip)
  })

  it.each<[MediaReason, string, () => Promise<Uint8Array> | Uint8Array]>([
    ['damaged', 'that is cut off', () => whole.subarray(0, whole.length >> 1)],
    ['too_short', 'of three frames', () => makeClip({ ...shortClip, seconds: 0.3 })],
    ['too_long', 'of eleven seconds', () => makeClip({ ...shortClip, framesPerSecond: 5, seconds: 11 })],
    [
      'codec',
      'of a codec of archives',
      () => makeClip({ ...shortClip, extension: 'mov', encoder: ['-c:v', 'ffv1'] }),
    ],
  ])('%s: %s', async (reason, _, make) => {
    expect(await reasonOf(await make())).toBe(reason)
  })
})
