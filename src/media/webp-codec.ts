import decoderFactory from '@jsquash/webp/codec/dec/webp_dec.js'
import encoderFactory from '@jsquash/webp/codec/enc/webp_enc_simd.js'
import { defaultOptions } from '@jsquash/webp/meta.js'
import type { Codec, EncodeRequest } from './codec.ts'
import { type EmscriptenModule, openEncoder, startEmscripten } from './emscripten-codec.ts'
import { flattenAlpha } from './flatten-alpha.ts'
import type { RgbaImage } from './rgba-image.ts'

interface Decoder extends EmscriptenModule {
  decode(bytes: Uint8Array): RgbaImage | null
}

export async function openWebpDecoder(compiled: WebAssembly.Module): Promise<Codec<Uint8Array, RgbaImage>> {
  const module = await startEmscripten<Decoder>(decoderFactory as never, compiled)
  return {
    run(bytes) {
      const image = module.decode(bytes)
      if (!image) throw new Error('libwebp gave no picture')
      return flattenAlpha({ width: image.width, height: image.height, data: image.data })
    },
    heapBytes: () => module.HEAPU8.length,
  }
}

/** Fast encoding, because previews are small and only glanced at. */
const fastOptions = { ...defaultOptions, method: 2 }

/** Opens an encoder of lossy files without transparency. */
export const openWebpEncoder = (compiled: WebAssembly.Module): Promise<Codec<EncodeRequest, Uint8Array>> =>
  openEncoder('libwebp', encoderFactory, compiled, fastOptions)
