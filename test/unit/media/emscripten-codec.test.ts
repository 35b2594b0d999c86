import { describe, expect, it } from 'vitest'
import { startEmscripten } from '../../../src/media/emscripten-codec.ts'
import type { Libheif } from '../../../src/media/formats/heic/libheif.ts'
import { hasLibheif, lateModules } from '../../../src/platform/server-wasm.ts'

describe('the memory of a codec', () => {
  it.skipIf(!hasLibheif())('grows to its limit and no further', async () => {
    const memory = { bytesMax: 32 * 2 ** 20 }
    const { factory, module } = await lateModules().heicDecoder!()
    const lib = await startEmscripten<Libheif>(factory as never, module, { memory })
    const take = () => lib._malloc(40 * 2 ** 20)
    expect(take()).toBe(0)
    expect(lib.HEAPU8.length).toBeLessThanOrEqual(memory.bytesMax)
    memory.bytesMax *= 4
    expect(take()).not.toBe(0)
    expect(lib.HEAPU8.length).toBeLessThanOrEqual(memory.bytesMax)
  })
})
