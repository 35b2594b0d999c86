/**
 * The image codecs: the third-party ones (@jsquash: mozjpeg, libwebp, libavif, the Rust png crate; libheif) and our own, each in its own WebAssembly
 * instance.
 *
 * An instance that threw is never reused: after an error mozjpeg fails for every later picture with "memory access out of
 * bounds", and a Rust panic does not unwind the stack of the png instance. An instance whose heap exceeds a limit is
 * replaced as well, because WebAssembly memory never shrinks.
 */
import { AppError, invariant } from '../errors.ts'
import { type Codec, cannotOpen, type EncodeRequest, type JpegRequest, toError } from './codec.ts'
import type { CodecModules } from './codec-modules.ts'
import { jpeg } from './formats/jpeg/jpeg.ts'
import { JpegRefused, type OpenJpeg, openJpegReader } from './formats/jpeg/jpeg-decoder.ts'
import { openJpegEncoder } from './formats/jpeg/jpeg-encoder.ts'
import {
  lackingFormats,
  type PictureFormatId,
  pictureFormats,
  type RegisteredFormat,
} from './formats/registry.ts'
import { openWebpEncoder } from './formats/webp/webp-codec.ts'
import { HeaderCursor, threadBudget } from './header-cursor.ts'
import { damaged, incomplete } from './incomplete.ts'
import { openPictureKernel, type PictureKernel } from './picture-kernel.ts'
import type { RgbaImage } from './rgba-image.ts'
import { openSparePixels } from './spare-pixels.ts'

/** Larger heaps are not kept for the next picture, unless other limits are given. */
const heapBytesKeptUsual = 96 * 2 ** 20

/** Larger pictures are not kept: 4 megapixels. */
const pixelBytesKept = 16 * 2 ** 20

export interface CodecOptions {
  /** Maximum size of the memory that a decoder keeps for the next picture. */
  heapBytesKept?: number
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

  /** @throws {AppError} `internal` */
  async #take(): Promise<Codec<Input, Output>> {
    this.#current ??= this.#open()
    try {
      return await this.#current
    } catch (thrown) {
      this.#current = null
      throw cannotOpen(thrown)
    }
  }

  async run(input: Input): Promise<Output> {
    const codec = await this.#take()
    try {
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
  /** Formats whose decoder is not here. */
  lacking: readonly PictureFormatId[]
  /** Makes decoded pictures smaller. */
  pictures: PictureKernel
  /**
   * @returns the stored picture, without applying its orientation
   * @throws {AppError} `media_unreadable` if the bytes cannot be decoded, `internal` if the decoder cannot be opened
   */
  decode(format: PictureFormatId, bytes: Uint8Array): Promise<RgbaImage>
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

function undecodable(format: RegisteredFormat, bytes: Uint8Array, cause: unknown): AppError {
  if (format.isCut?.(new HeaderCursor(bytes, threadBudget()))) return incomplete(format.name)
  return damaged(format.name, cause)
}

/** Opens the codecs of one worker; the modules may be shared between workers. */
export function openImageCodecs(modules: CodecModules, { heapBytesKept }: CodecOptions = {}): ImageCodecs {
  const decoders = new Map(
    pictureFormats.map((format) => {
      const open = format.decoder(modules)
      return [format.id, { format, slot: open && new CodecSlot(open, heapBytesKept) }] as const
    }),
  )
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
    lacking: lackingFormats(modules),
    pictures: openPictureKernel(modules.picture),
    async decode(id, bytes) {
      const { format, slot } = decoders.get(id)!
      try {
        const image = id === jpeg.id ? decodeOwnJpeg(bytes) : null
        if (image) return image
        invariant(slot, `${format.name} is refused by its first bytes`)
        return await slot.run(bytes)
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
