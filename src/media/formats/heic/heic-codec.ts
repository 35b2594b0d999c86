import { asciiText } from '../../ascii.ts'
import { startEmscripten } from '../../emscripten-codec.ts'
import type { RgbaImage } from '../../rgba-image.ts'
import { hideAuxiliary } from '../heif/heif-auxiliary.ts'
import type { HeifCoding } from '../heif/heif-coding.ts'
import { heifMemoryMax } from '../heif/heif-memory.ts'
import type { PictureDecoder } from '../picture-format.ts'
import {
  channelInterleaved,
  chromaRgba,
  colourSpaceRgb,
  ignoreTransformations,
  type Libheif,
  type LibheifParts,
} from './libheif.ts'

export const heicCoding: HeifCoding = { name: 'HEIC', itemType: 'hvc1', configuration: 'hvcC' }

/** Room for an error (code, detail, text), and for an address behind it. */
const errorBytes = 12
const scratchBytes = 16

/** Calls into one instance. After an error it is dropped as a whole, with what it has allocated. */
class Caller {
  readonly lib: Libheif
  readonly #scratch: number

  constructor(lib: Libheif) {
    this.lib = lib
    this.#scratch = lib._malloc(scratchBytes)
  }

  #read(offset: number): number {
    const { buffer } = this.lib.HEAPU8
    return new DataView(buffer).getUint32(this.#scratch + offset, true)
  }

  /** Runs a call that may fail. @returns what it wrote */
  call(run: (error: number, result: number) => void): number {
    run(this.#scratch, this.#scratch + errorBytes)
    if (this.#read(0) === 0) return this.#read(errorBytes)
    const [text, { HEAPU8: heap }] = [this.#read(8), this.lib]
    throw new Error(`libheif: ${asciiText(heap, text, Math.min(heap.indexOf(0, text), text + 200))}`)
  }

  /** Copies the pixels of a decoded picture. */
  copyPixels(image: number): RgbaImage {
    const { lib } = this
    const width = lib._heif_image_get_width(image, channelInterleaved)
    const height = lib._heif_image_get_height(image, channelInterleaved)
    const result = this.#scratch + errorBytes
    const plane = lib._heif_image_get_plane_readonly2(image, channelInterleaved, result)
    const stride = this.#read(errorBytes)
    const rowBytes = 4 * width
    const data = new Uint8ClampedArray(rowBytes * height)
    for (let y = 0; y < height; y++) {
      const from = plane + y * stride
      data.set(lib.HEAPU8.subarray(from, from + rowBytes), y * rowBytes)
    }
    return { width, height, data }
  }
}

function decode(caller: Caller, bytes: Uint8Array): RgbaImage {
  const { lib } = caller
  const file = lib._malloc(bytes.length)
  if (file === 0) throw new Error('libheif has no memory for the file')
  lib.HEAPU8.set(bytes, file)
  hideAuxiliary(lib.HEAPU8.subarray(file, file + bytes.length))
  const context = lib._heif_context_alloc()
  caller.call((error) =>
    lib._heif_context_read_from_memory_without_copy(error, context, file, bytes.length, 0),
  )
  const handle = caller.call((error, result) =>
    lib._heif_context_get_primary_image_handle(error, context, result),
  )
  const options = lib._heif_decoding_options_alloc()
  lib.HEAPU8[options + ignoreTransformations] = 1
  const image = caller.call((error, result) =>
    lib._heif_decode_image(error, handle, result, colourSpaceRgb, chromaRgba, options),
  )
  const picture = caller.copyPixels(image)
  lib._heif_decoding_options_free(options)
  lib._heif_image_release(image)
  lib._heif_image_handle_release(handle)
  lib._heif_context_free(context)
  lib._free(file)
  return picture
}

/** libheif with libde265. Rotations and mirrors are left to the caller, as those of AVIF. */
export async function openHeicDecoder({ factory, module }: LibheifParts): Promise<PictureDecoder> {
  const memory = { bytesMax: Number.POSITIVE_INFINITY }
  const lib = await startEmscripten<Libheif>(factory as never, module, { memory })
  const caller = new Caller(lib)
  return {
    run(bytes) {
      memory.bytesMax = heifMemoryMax(bytes, heicCoding)
      return decode(caller, bytes)
    },
    heapBytes: () => lib.HEAPU8.length,
  }
}
