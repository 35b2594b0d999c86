import { joinBytes } from '../../../join-bytes.ts'
import { type EmscriptenModule, startEmscripten } from '../../emscripten-codec.ts'
import { incomplete } from '../../incomplete.ts'
import type { RgbaImage } from '../../rgba-image.ts'
import type { PictureDecoder } from '../picture-format.ts'

interface Decoder extends EmscriptenModule {
  decode(bytes: Uint8Array, turnUpright: boolean): RgbaImage | null
}

const endOfImage = Uint8Array.of(0xff, 0xd9)

/** What mozjpeg says where it fills missing data with grey. It does not say so of files in which it has found another fault before. */
const tellsMissingData = /^Premature end|premature end of data segment|instead of RST/

/** Opens the decoder for what our own does not read: rare kinds, and damaged files, which it decodes as far as it can. */
export async function openMozjpegDecoder(compiled: WebAssembly.Module): Promise<PictureDecoder> {
  const { default: decoderFactory } = await import('@jsquash/jpeg/codec/dec/mozjpeg_dec.js')
  let isIncomplete = false
  const module = await startEmscripten<Decoder>(decoderFactory as never, compiled, {
    onWarning: (line) => {
      isIncomplete ||= tellsMissingData.test(line)
    },
  })
  return {
    run(bytes) {
      isIncomplete = false
      // Without an end marker it would miss data even if only that is missing.
      const image = module.decode(joinBytes([bytes, endOfImage]), false)
      if (isIncomplete) throw incomplete('JPEG')
      if (!image) throw new Error('mozjpeg gave no picture')
      return { width: image.width, height: image.height, data: image.data }
    },
    heapBytes: () => module.HEAPU8.length,
  }
}
