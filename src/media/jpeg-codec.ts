import decoderFactory from '@jsquash/jpeg/codec/dec/mozjpeg_dec.js'
import encoderFactory from '@jsquash/jpeg/codec/enc/mozjpeg_enc.js'
import { defaultOptions } from '@jsquash/jpeg/meta.js'
import type { Codec, EncodeRequest } from './codec.ts'
import { type EmscriptenModule, openEncoder, startEmscripten } from './emscripten-codec.ts'
import type { RgbaImage } from './rgba-image.ts'

interface Decoder extends EmscriptenModule {
  decode(bytes: Uint8Array, turnUpright: boolean): RgbaImage | null
}

export async function openJpegDecoder(compiled: WebAssembly.Module): Promise<Codec<Uint8Array, RgbaImage>> {
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

/**
 * One scan instead of progressive ones, to save time. Huffman tables are always optimised: mozjpeg's trellis passes leave
 * tables behind that cover only the symbols which they counted, and without `optimize_coding` the last pass writes its
 * coefficients by those, so that symbols without a code are lost and the file is damaged.
 */
const fastOptions = { ...defaultOptions, baseline: true, progressive: false }

export const openJpegEncoder = (compiled: WebAssembly.Module): Promise<Codec<EncodeRequest, Uint8Array>> =>
  openEncoder('mozjpeg', encoderFactory, compiled, fastOptions)
