import { describe, expect, it } from 'vitest'
import type { CodecModules } from '../../../src/media/codec-modules.ts'
import { openImageCodecs } from '../../../src/media/image-codecs.ts'
import { compileCodecs, lateModules } from '../../../src/platform/server-wasm.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import { ramp, writePng } from '../../fixtures/pictures.ts'

describe('a codec that failed', () => {
  it('throws an error with the reason, and encodes the next picture', async () => {
    const error = await testCodecs
      .encodeJpeg({ image: ramp(1, 66_000), quality: 80 })
      .catch((thrown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(error.message).toMatch(/65535/)
    expect((await testCodecs.encodeJpeg({ image: ramp(16, 16), quality: 80 })).length).toBeGreaterThan(100)
  })
})

describe('a codec that cannot be opened', () => {
  const empty: WebAssembly.Module = {}
  const lost = async () => {
    throw new Error('no such file')
  }
  const image = ramp(16, 16)
  const open = async (modules: Partial<CodecModules>) =>
    openImageCodecs({ ...(await compileCodecs()), ...lateModules(), ...modules })

  it('is not the fault of the picture', async () => {
    const picture = writePng(image, 'rgb8')
    for (const [format, modules] of [
      ['avif', { avifDecoder: lost }],
      ['heic', { heicDecoder: lost }],
      ['png', { pngDecoder: empty }],
      ['webp', { webpDecoder: empty }],
      ['jpeg', { jpeg: empty }],
    ] as const) {
      const codecs = await open(modules)
      await expect(codecs.decode(format, picture)).rejects.toMatchObject({
        code: 'internal',
        cause: expect.any(Error),
      })
    }
  })

  it('is opened again for the next picture', async () => {
    const found = lateModules().avifDecoder!
    let isLost = true
    const codecs = await open({ avifDecoder: () => (isLost ? lost() : found()) })
    await expect(codecs.decode('avif', new Uint8Array(20))).rejects.toMatchObject({ code: 'internal' })
    isLost = false
    await expect(codecs.decode('avif', new Uint8Array(20))).rejects.toMatchObject({
      code: 'media_unreadable',
    })
  })
})
