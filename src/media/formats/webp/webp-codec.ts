import type { Codec, EncodeRequest } from '../../codec.ts'
import { type EmscriptenModule, openEncoder, startEmscripten } from '../../emscripten-codec.ts'
import { flattenAlpha } from '../../flatten-alpha.ts'
import type { RgbaImage } from '../../rgba-image.ts'
import type { PictureDecoder } from '../picture-format.ts'

interface Decoder extends EmscriptenModule {
  decode(bytes: Uint8Array): RgbaImage | null
}

export async function openWebpDecoder(compiled: WebAssembly.Module): Promise<PictureDecoder> {
  const { default: decoderFactory } = await import('@jsquash/webp/codec/dec/webp_dec.js')
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

/** Opens an encoder of lossy files without transparency. It encodes fast, because previews are small and only glanced at. */
export async function openWebpEncoder(
  compiled: WebAssembly.Module,
): Promise<Codec<EncodeRequest, Uint8Array>> {
  const { default: encoderFactory } = await import('@jsquash/webp/codec/enc/webp_enc_simd.js')
  const { defaultOptions } = await import('@jsquash/webp/meta.js')
  return openEncoder('libwebp', encoderFactory, compiled, { ...defaultOptions, method: 2 })
}
