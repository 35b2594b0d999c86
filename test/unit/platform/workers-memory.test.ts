/** What an isolate needs: its WebAssembly memories never shrink, and it has 128 MB for everything. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeVideoModule } from '../../../scripts/build-command.ts'
import { codeKibibytesMax } from '../../../scripts/workers/deployment.ts'
import type { AppError } from '../../../src/errors.ts'
import { findCollector } from '../../../src/platform/idle-collector.ts'
import { imageLimits } from '../../../src/platform/isolate-memory.ts'
import { hasFfmpeg, makeClip } from '../../fixtures/clips.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import { type CountedIsolate, openCountedIsolate } from '../../fixtures/counted-isolate.ts'
import { generator } from '../../fixtures/gallery.ts'
import { largePhoto } from '../../fixtures/large-photos.ts'
import { blackPng, ramp } from '../../fixtures/pictures.ts'
import { portraitImage } from '../../fixtures/portraits.ts'
import { separateScansJpeg } from '../../fixtures/progressive-jpeg.ts'
import { zip } from '../../fixtures/zip.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const wrangler = path.join(root, 'test/runtime/node_modules/.bin/wrangler')
const mebibyte = 2 ** 20

describe('the memories of an isolate', () => {
  const collect = findCollector()!
  let isolate: CountedIsolate
  let photo: Uint8Array
  let webp: Uint8Array

  const wanted = { faces: true, template: true, pad: true, bestShot: true, preview: true }
  const side = Math.sqrt(imageLimits.wholePixelsMax)

  /** The memories at the end of an assessment, without what earlier ones left to the collector. */
  async function assessAlone(medium: Uint8Array): Promise<{ refusal: string | null; megabytes: number }> {
    await new Promise((resolve) => setTimeout(resolve, 0))
    collect()
    const refusal = await isolate.assess(medium, wanted).then(
      () => null,
      ({ code, message }: AppError) => `${code}: ${message}`,
    )
    return { refusal, megabytes: isolate.megabytes() }
  }

  beforeAll(async () => {
    // 12 megapixels, made before memories are counted.
    photo = await largePhoto(await portraitImage('redhead'), 3490, generator(1))
    webp = (await testCodecs.encodeWebp({ image: ramp(side, side), quality: 60 }))!
    isolate = await openCountedIsolate()
  }, 90_000)
  afterAll(() => isolate?.close())

  it('have 60 MB at most after a photo of 0.8 megapixels', async () => {
    const small = await largePhoto(await portraitImage('redhead'), 1024, generator(1))
    expect((await isolate.assess(small, wanted)).faces).toHaveLength(1)
    expect(isolate.megabytes()).toBeLessThan(60)
  })

  it('have 90 MB at most after a photo of 12 megapixels', async () => {
    expect((await isolate.assess(photo, wanted)).faces).toHaveLength(1)
    expect(isolate.made()).toBeGreaterThan(2)
    expect(isolate.megabytes()).toBeLessThan(90)
  })

  /** The same photo with a code that means nothing. */
  const damaged = () => {
    const bytes = photo.slice()
    bytes.set([0xff, 0, 0xff, 0, 0xff, 0], photo.length >> 1)
    return bytes
  }

  const archive = () =>
    zip({
      'a.png': blackPng(1920, 1088, 'rgb16'),
      'b.jpg': separateScansJpeg({ width: 1920, height: 1088 }, true),
      'c.jpg': separateScansJpeg({ width: 1920, height: 1088 }),
    })

  it.each<[string, number, () => Uint8Array]>([
    ['PNG', 90, () => blackPng(side, side, 'rgb8')],
    ['PNG of 16 bits', 90, () => blackPng(side, side, 'rgb16')],
    ['WebP', 90, () => webp],
    ['JPEG of several scans in 4:4:4', 90, () => separateScansJpeg({ width: 2576, height: 2576 })],
    ['damaged JPEG', 90, () => separateScansJpeg({ width: 2000, height: 1500 }, true)],
    // Four decoders of up to 20 MB, three of which are garbage by then.
    ['archive of several formats', 110, archive],
  ])('after the largest %s have %i MB at most', async (_, megabytesMax, make) => {
    const { refusal, megabytes } = await assessAlone(make())
    expect(refusal).toBeNull()
    expect(megabytes).toBeLessThan(megabytesMax)
  })

  // An archive of one picture is that picture.
  const largerPicture = () =>
    zip({ 'a.png': blackPng(1930, 1100, 'rgb8'), 'b.png': blackPng(16, 16, 'rgb8') })

  it.each<[string, () => Uint8Array, RegExp]>([
    ['a larger PNG', () => blackPng(side + 1, side, 'rgb8'), /at most 4 megapixels/],
    ['a larger JPEG of several scans', () => separateScansJpeg({ width: 2592, height: 2592 }), /scans/],
    ['a damaged photo of 12 megapixels', damaged, /at most 3 megapixels/],
    ['an archive with a larger picture', largerPicture, /2100000/],
    ['an archive that unpacks to more', () => zip({ 'a.jpg': new Uint8Array(17 * mebibyte) }), /too much/],
  ])('%s is refused, within the same memory', async (_, make, text) => {
    const { refusal, megabytes } = await assessAlone(make())
    expect(refusal).toMatch(/^media_unreadable: /)
    expect(refusal).toMatch(text)
    expect(megabytes).toBeLessThan(90)
  })

  /** A second with noise, which no encoder makes small. */
  const noisy = (size: string, referencePictures: number) =>
    makeClip({
      extension: 'mp4',
      seconds: 1,
      encoder: [
        ...['-vf', `scale=${size},noise=alls=5:allf=t`, '-c:v', 'libx264', '-preset', 'ultrafast'],
        ...['-pix_fmt', 'yuv420p', '-b:v', '60M', '-bf', '3', '-refs', `${referencePictures}`],
      ],
    })

  describe.skipIf(!hasFfmpeg)('with a clip', () => {
    it('have 90 MB at most after one in 1280 × 720', async () => {
      const { refusal, megabytes } = await assessAlone(await noisy('1280:720', 4))
      expect(refusal).toBeNull()
      expect(megabytes).toBeGreaterThan(20)
      expect(megabytes).toBeLessThan(90)
    })

    it.each<[string, string, number, RegExp]>([
      ['with larger pictures', '1920:1080', 1, /at most 1300000 pixels/],
      ['that needs many pictures at once', '1280:1014', 16, /too much memory/],
    ])('a clip %s is refused, within the same memory', async (_, size, referencePictures, text) => {
      const { refusal, megabytes } = await assessAlone(await noisy(size, referencePictures))
      expect(refusal).toMatch(text)
      expect(megabytes).toBeLessThan(90)
    })
  })
})

describe.skipIf(!existsSync(wrangler))('the code of a Worker', () => {
  it('is small enough to be uploaded', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'workers-'))
    await mkdir(path.join(root, 'dist/assets'), { recursive: true })
    await writeVideoModule()
    const words = ['deploy', '--dry-run', '--env', 'whole', '--outdir', folder]
    const env = { ...process.env, CI: '1', WRANGLER_SEND_METRICS: 'false' }
    const { stdout } = await promisify(execFile)(wrangler, words, { cwd: root, env })
    await rm(folder, { recursive: true })
    const kibibytes = Number(/gzip: ([\d.]+) KiB/.exec(stdout)?.[1])
    expect(kibibytes).toBeGreaterThan(500)
    expect(kibibytes).toBeLessThanOrEqual(codeKibibytesMax)
  }, 90_000)
})
