import { AppError } from '../../../errors.ts'
import { type EmscriptenModule, startEmscripten } from '../../emscripten-codec.ts'
import { HeaderCursor, threadBudget } from '../../header-cursor.ts'
import type { RgbaImage } from '../../rgba-image.ts'
import { hideAuxiliary } from '../heif/heif-auxiliary.ts'
import type { HeifCoding } from '../heif/heif-coding.ts'
import { readCodedData } from '../heif/heif-data.ts'
import { heifMemoryMax } from '../heif/heif-memory.ts'
import type { PictureDecoder } from '../picture-format.ts'
import { countFrames } from './av1-frames.ts'

export const avifCoding: HeifCoding = {
  name: 'AVIF',
  itemType: 'av01',
  configuration: 'av1C',
  // 33.6 were decoded, 38.5 not.
  piecePixelsMax: 33e6,
}

/** The brand of files that show an item. */
const stillBrand = Uint8Array.from('avif', (letter) => letter.charCodeAt(0))
const stillBrandAt = 8

interface Decoder extends EmscriptenModule {
  decode(bytes: Uint8Array, bitDepth: 8): RgbaImage | null
}

/** One frame is a picture. Others would cost as much each, and only a layered picture has a use for them. */
function checkFrames(bytes: Uint8Array): void {
  const data = readCodedData(new HeaderCursor(bytes, threadBudget()), avifCoding)
  if (data.every((coded) => countFrames(coded) <= 1)) return
  throw new AppError('media_unreadable', 'The AVIF has several frames in one picture: send a JPEG', {
    reason: 'too_costly',
  })
}

/** libavif with libaom. It leaves rotations and mirrors to its caller. */
export async function openAvifDecoder(compiled: WebAssembly.Module): Promise<PictureDecoder> {
  const { default: decoderFactory } = await import('@jsquash/avif/codec/dec/avif_dec.js')
  const memory = { bytesMax: 0 }
  const module = await startEmscripten<Decoder>(decoderFactory as never, compiled, { memory })
  return {
    run(bytes) {
      checkFrames(bytes)
      memory.bytesMax = heifMemoryMax(bytes, avifCoding)
      const file = bytes.slice()
      // Of other brands libavif decodes the first picture of a track, which is not the one that was checked.
      file.set(stillBrand, stillBrandAt)
      hideAuxiliary(file)
      const image = module.decode(file, 8)
      if (!image) throw new Error('libavif gave no picture')
      return { width: image.width, height: image.height, data: image.data }
    },
    heapBytes: () => module.HEAPU8.length,
  }
}
