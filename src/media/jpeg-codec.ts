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
 * Baseline instead of progressive, to save time. Huffman tables must be optimised: mozjpeg's trellis passes leave tables that
 * cover only the symbols they counted. Without `optimize_coding` the last pass writes with these tables, symbols without a
 * code are lost, and the file is damaged.
 */
const fastOptions = { ...defaultOptions, baseline: true, progressive: false }

export const openJpegEncoder = (compiled: WebAssembly.Module): Promise<Codec<EncodeRequest, Uint8Array>> =>
  openEncoder('mozjpeg', encoderFactory, compiled, fastOptions)
