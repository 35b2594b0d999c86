import { type EmscriptenModule, startEmscripten } from '../../emscripten-codec.ts'
import { flattenAlpha } from '../../flatten-alpha.ts'
import type { RgbaImage } from '../../rgba-image.ts'
import type { HeifCoding } from '../heif/heif-header.ts'
import { heifMemoryMax } from '../heif/heif-memory.ts'
import type { PictureDecoder } from '../picture-format.ts'

export const avifCoding: HeifCoding = {
  name: 'AVIF',
  itemType: 'av01',
  configuration: 'av1C',
  // 33.6 were decoded, 38.5 not.
  piecePixelsMax: 33e6,
}

interface Decoder extends EmscriptenModule {
  decode(bytes: Uint8Array, bitDepth: 8): RgbaImage | null
}

/** libavif with libaom. It leaves rotations and mirrors to its caller. */
export async function openAvifDecoder(compiled: WebAssembly.Module): Promise<PictureDecoder> {
  const { default: decoderFactory } = await import('@jsquash/avif/codec/dec/avif_dec.js')
  const memory = { bytesMax: 0 }
  const module = await startEmscripten<Decoder>(decoderFactory as never, compiled, { memory })
  return {
    run(bytes) {
      memory.bytesMax = heifMemoryMax(bytes, avifCoding)
      const image = module.decode(bytes, 8)
      if (!image) throw new Error('libavif gave no picture')
      return flattenAlpha({ width: image.width, height: image.height, data: image.data })
    },
    heapBytes: () => module.HEAPU8.length,
  }
}
