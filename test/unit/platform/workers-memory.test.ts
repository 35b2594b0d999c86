/** What an isolate needs: its WebAssembly memories never shrink, and it has 128 MB for everything. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeKibibytesMax } from '../../../scripts/workers/deployment.ts'
import type { ImageAssessor } from '../../../src/assess/assess-image.ts'
import { openMediumAssessor } from '../../../src/assess/assess-medium.ts'
import { assignNetworks } from '../../../src/inference/open-engine.ts'
import { openOwnEngine } from '../../../src/inference/own-engine.ts'
import { openImageCodecs } from '../../../src/media/image-codecs.ts'
import { openModels } from '../../../src/platform/server-models.ts'
import { compileCodecs, compileInferenceKernel } from '../../../src/platform/server-wasm.ts'
import { readSettings } from '../../../src/settings.ts'
import { noClips, testMd5 } from '../../fixtures/codecs.ts'
import { generator } from '../../fixtures/gallery.ts'
import { largePhoto } from '../../fixtures/large-photos.ts'
import { ramp, writePng } from '../../fixtures/pictures.ts'
import { portraitImage } from '../../fixtures/portraits.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const wrangler = path.join(root, 'test/runtime/node_modules/.bin/wrangler')
const mebibyte = 2 ** 20

describe('the memories of an isolate', () => {
  const { Instance, instantiate } = WebAssembly
  const memories = new Set<WebAssembly.Memory>()
  let assess: ImageAssessor
  let photo: Uint8Array

  /** The limit that `src/platform/workers.ts` sets, whose modules only Workers can import. */
  const wholePixelsMax = 4e6
  const wanted = { faces: true, template: true, pad: true, bestShot: true }
  const sum = (): number =>
    [...memories].reduce((bytes, { buffer }) => bytes + buffer.byteLength, 0) / mebibyte

  beforeAll(async () => {
    // 12 megapixels, made before memories are counted.
    photo = await largePhoto(await portraitImage('redhead'), 3490, generator(1))
    const { chosen, files } = await openModels(readSettings(process.env))
    const [modules, kernel] = [await compileCodecs(), await compileInferenceKernel()]
    const note = (instance: WebAssembly.Instance): WebAssembly.Instance => {
      for (const part of Object.values(instance.exports))
        if (part instanceof WebAssembly.Memory) memories.add(part)
      return instance
    }
    WebAssembly.Instance = new Proxy(Instance, {
      construct: (original, [module, imports]) => note(new original(module, imports)),
    })
    WebAssembly.instantiate = (async (module: WebAssembly.Module, imports: WebAssembly.Imports) =>
      note(await instantiate(module, imports))) as typeof instantiate
    assess = openMediumAssessor({
      ...noClips,
      engine: openOwnEngine(kernel, assignNetworks(files, 'own').plans),
      profile: chosen.profile,
      profileName: chosen.name,
      codecs: openImageCodecs({ ...modules, webpEncoder: null }),
      md5: testMd5,
      limits: { pixelsMax: 13e6, wholePixelsMax },
      monotonicMs: () => performance.now(),
    })
  }, 90_000)
  afterAll(() => Object.assign(WebAssembly, { Instance, instantiate }))

  it('have 90 MB at most after a photo of 12 megapixels', async () => {
    expect((await assess(photo, wanted)).faces).toHaveLength(1)
    expect(memories.size).toBeGreaterThan(2)
    expect(sum()).toBeLessThan(90)
  })

  it('have 90 MB at most after the largest PNG, and larger ones are refused', async () => {
    await assess(writePng(ramp(2000, 2000), 'rgb8'), wanted)
    expect(sum()).toBeLessThan(90)
    await expect(assess(writePng(ramp(2001, 2000), 'rgb8'), wanted)).rejects.toMatchObject({
      code: 'media_unreadable',
    })
  })
})

describe.skipIf(!existsSync(wrangler))('the code of a Worker', () => {
  it('is small enough to be uploaded', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'workers-'))
    await mkdir(path.join(root, 'dist/assets'), { recursive: true })
    const words = ['deploy', '--dry-run', '--env', 'whole', '--outdir', folder]
    const env = { ...process.env, CI: '1', WRANGLER_SEND_METRICS: 'false' }
    const { stdout } = await promisify(execFile)(wrangler, words, { cwd: root, env })
    await rm(folder, { recursive: true })
    const kibibytes = Number(/gzip: ([\d.]+) KiB/.exec(stdout)?.[1])
    expect(kibibytes).toBeGreaterThan(500)
    expect(kibibytes).toBeLessThanOrEqual(codeKibibytesMax)
  }, 90_000)
})
