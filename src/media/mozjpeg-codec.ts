import decoderFactory from '@jsquash/jpeg/codec/dec/mozjpeg_dec.js'
import type { Codec } from './codec.ts'
import { type EmscriptenModule, startEmscripten } from './emscripten-codec.ts'
import type { RgbaImage } from './rgba-image.ts'

interface Decoder extends EmscriptenModule {
  decode(bytes: Uint8Array, turnUpright: boolean): RgbaImage | null
}

/** Opens the decoder for what our own does not read: rare kinds, and damaged files, which it decodes as far as it can. */
export async function openMozjpegDecoder(
  compiled: WebAssembly.Module,
): Promise<Codec<Uint8Array, RgbaImage>> {
  const module = await startEmscripten<Decoder>(decoderFactory as never, compiled)
  return {
    run(bytes) {
      const image = module.decode(bytes, false)
      if (!image) throw new Error('mozjpeg gave no picture')
      return { width: image.width, height: image.height, data: image.data }
    },
    heapBytes: () => module.HEAPU8.length,
  }
}
