/**
 * The image codecs: the third-party ones (@jsquash: mozjpeg, libwebp, the Rust png crate) and our own, each in its own WebAssembly
 * instance.
 *
 * An instance that threw is never reused: after an error mozjpeg fails for every later picture with "memory access out of
 * bounds", and a Rust panic does not unwind the stack of the png instance. An instance whose heap exceeds a limit is
 * replaced as well, because WebAssembly memory never shrinks.
 */
import { AppError } from '../errors.ts'
import type { Codec, EncodeRequest, JpegRequest } from './codec.ts'
import { HeaderCursor, unlimitedBudget } from './header-cursor.ts'
import { incomplete } from './incomplete.ts'
import { JpegRefused, type OpenJpeg, openJpegReader } from './jpeg-decoder.ts'
import { openJpegEncoder } from './jpeg-encoder.ts'
import { openMozjpegDecoder } from './mozjpeg-codec.ts'
import { openPictureKernel, type PictureKernel } from './picture-kernel.ts'
import { openPngDecoder } from './png-codec.ts'
import { isPngCut } from './png-header.ts'
import type { RgbaImage } from './rgba-image.ts'
import type { ImageFormat } from './sniff.ts'
import { openSparePixels } from './spare-pixels.ts'
import { openWebpDecoder, openWebpEncoder } from './webp-codec.ts'
import { isWebpCut } from './webp-header.ts'

/** Compiled modules of the codecs by name; `jpeg` is `wasm/jpeg`, `picture` is `wasm/picture`. */
export type CodecModules = Record<
  'jpegDecoder' | 'jpeg' | 'picture' | 'pngDecoder' | 'webpDecoder',
  WebAssembly.Module
> & {
  /** Only previews of clips and archives need it; `null` where there is no memory for it: then they have none. */
  webpEncoder: WebAssembly.Module | null
}

/** Larger heaps are not kept for the next picture, unless other limits are given. */
const heapBytesKeptUsual = 96 * 2 ** 20

/** Larger pictures are not kept: 4 megapixels. */
const pixelBytesKept = 16 * 2 ** 20

export interface CodecOptions {
  /** Maximum size of the memory that a decoder keeps for the next picture. */
  heapBytesKept?: number
}

/** Converts anything thrown to an `Error`: codecs throw numbers and plain objects with a message. */
function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown
  const { message } = Object(thrown) as { message?: unknown }
  return new Error(`the codec broke off: ${String(message ?? thrown)}`, { cause: thrown })
}

/** Holds one codec instance; opens a new one if the last one failed or grew too large. */
class CodecSlot<Input, Output> {
  readonly #open: () => Promise<Codec<Input, Output>>
  readonly #heapBytesKept: number
  #current: Promise<Codec<Input, Output>> | null = null

  constructor(open: () => Promise<Codec<Input, Output>>, heapBytesKept = heapBytesKeptUsual) {
    this.#open = open
    this.#heapBytesKept = heapBytesKept
  }

  async run(input: Input): Promise<Output> {
    this.#current ??= this.#open()
    const opening = this.#current
    try {
      const codec = await opening
      const output = codec.run(input)
      if (codec.heapBytes() > this.#heapBytesKept) this.#current = null
      return output
    } catch (thrown) {
      this.#current = null
      throw toError(thrown)
    }
  }
}

/** Decoders, the JPEG encoder and the picture kernel of one worker. */
export interface ImageCodecs {
  /** Makes decoded pictures smaller. */
  pictures: PictureKernel
  /**
   * @returns the stored picture, without applying its orientation
   * @throws {AppError} `media_unreadable` if the bytes cannot be decoded
   */
  decode(format: ImageFormat, bytes: Uint8Array): Promise<RgbaImage>
  /**
   * Decodes a JPEG by our own decoder, which needs little memory.
   * @returns `null` if only `decode` may read it
   */
  decodeOwnJpeg(bytes: Uint8Array): RgbaImage | null
  /**
   * Opens a JPEG that is decoded piece by piece. Close the picture to free its memory.
   * @returns `null` if only `decode` may read it
   */
  openJpeg(bytes: Uint8Array): OpenJpeg | null
  /** Takes back a decoded picture that nobody uses any more: its memory serves the next one. */
  giveBack(image: RgbaImage): void
  encodeJpeg(request: JpegRequest): Promise<Uint8Array>
  /** Encodes a simple lossy file; `null` if there is no encoder. */
  encodeWebp(request: EncodeRequest): Promise<Uint8Array | null>
}

const formatName: Record<ImageFormat, string> = { jpeg: 'JPEG', png: 'PNG', webp: 'WebP' }
/** How files show that they are cut off; the decoders of JPEG say it. */
const isCut: Partial<Record<ImageFormat, (cursor: HeaderCursor) => boolean>> = {
  png: isPngCut,
  webp: isWebpCut,
}

function undecodable(format: ImageFormat, bytes: Uint8Array, cause: unknown): AppError {
  if (isCut[format]?.(new HeaderCursor(bytes, unlimitedBudget()))) return incomplete(formatName[format])
  const message = `The ${formatName[format]} cannot be decoded: it is damaged. Send another copy`
  return new AppError('media_unreadable', message, { cause })
}

/** Opens the codecs of one worker; the modules may be shared between workers. */
export function openImageCodecs(modules: CodecModules, { heapBytesKept }: CodecOptions = {}): ImageCodecs {
  const decoders: Record<ImageFormat, CodecSlot<Uint8Array, RgbaImage>> = {
    jpeg: new CodecSlot(() => openMozjpegDecoder(modules.jpegDecoder), heapBytesKept),
    png: new CodecSlot(() => openPngDecoder(modules.pngDecoder), heapBytesKept),
    webp: new CodecSlot(() => openWebpDecoder(modules.webpDecoder), heapBytesKept),
  }
  const jpegEncoder = new CodecSlot(async () => openJpegEncoder(modules.jpeg))
  const { webpEncoder: webp } = modules
  const webpEncoder = webp && new CodecSlot(() => openWebpEncoder(webp))
  const pixels = openSparePixels(Math.min(pixelBytesKept, heapBytesKept ?? pixelBytesKept))
  const readJpeg = openJpegReader(modules.jpeg, heapBytesKept, pixels.take)

  /** Runs our decoder; returns `null` for files that only mozjpeg reads, or reads despite their damage. */
  function unlessRefused<Result>(decode: () => Result): Result | null {
    try {
      return decode()
    } catch (thrown) {
      if (thrown instanceof JpegRefused) return null
      throw thrown
    }
  }

  const openJpeg = (bytes: Uint8Array): OpenJpeg | null => unlessRefused(() => readJpeg(bytes))

  function decodeOwnJpeg(bytes: Uint8Array): RgbaImage | null {
    const picture = openJpeg(bytes)
    try {
      return picture && unlessRefused(() => picture.decode(0))
    } finally {
      picture?.close()
    }
  }

  return {
    pictures: openPictureKernel(modules.picture),
    async decode(format, bytes) {
      try {
        const image = format === 'jpeg' ? decodeOwnJpeg(bytes) : null
        if (image) return image
        return await decoders[format].run(bytes)
      } catch (cause) {
        if (cause instanceof AppError) throw cause
        throw undecodable(format, bytes, cause)
      }
    },
    decodeOwnJpeg,
    openJpeg,
    giveBack: pixels.giveBack,
    encodeJpeg: (request) => jpegEncoder.run(request),
    encodeWebp: async (request) => (await webpEncoder?.run(request)) ?? null,
  }
}
