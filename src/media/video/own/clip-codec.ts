/** What a codec is to the containers and to the passes over a clip. */
import type { HeaderCursor } from '../../header-cursor.ts'
import type { RgbaImage, Size } from '../../rgba-image.ts'
import type { ClipFormat } from '../formats/clip-format.ts'

/** A picture that was decoded. It holds until the next call of its decoder. */
export interface ClipPicture extends Size {
  /** What came with the sample. */
  tag: number
  /** Begins a sequence: nothing before it is needed. */
  isKey: boolean
}

/** Decodes the samples of one clip. */
export interface ClipDecoder<Picture extends ClipPicture = ClipPicture> {
  /** Why something of the last sample was not decoded. */
  readonly refusal: 'damaged' | 'unsupported' | 'too_large' | null
  /**
   * Decodes a sample, in the order of the stream.
   * @param tag given back with its picture
   * @param skipsOthers leaves out what no other picture refers to
   * @returns pictures in order of output
   */
  decode(sample: Uint8Array, tag: number, skipsOthers?: boolean): Iterable<Picture>
  /** The pictures that still wait, at the end of the stream. */
  flush(): Iterable<Picture>
  /** Size of the pictures, by what was decoded last; `null` if nothing says one that all decoders read alike. */
  size(): Size | null
  /** Drops all pictures, before decoding continues at another key picture. */
  reset(): void
  /**
   * Converts the picture that was given last. Smaller sizes are means of areas.
   * @returns `null` if there is not enough memory
   */
  draw(picture: Picture, size: Size): RgbaImage | null
}

export interface DecoderLimits {
  /** Maximum of width × height, in whole macroblocks. */
  pixelsMax: number
  /** Maximum of the instance's memory, up to 4 GiB less one byte. */
  memoryBytesMax: number
}

/** How the samples of a track are coded. */
export interface Coding {
  readonly codec: ClipCodec
  /**
   * Demands that a sample is one whole picture.
   * @returns whether it is a key picture
   */
  isKey(sample: Uint8Array): boolean
  /**
   * Opens a decoder on its compiled module, which may be shared.
   * @param first the first sample
   * @returns it, and the size of the pictures; `null` if they are of a kind that it does not decode
   */
  open(
    module: WebAssembly.Module,
    limits: DecoderLimits,
    first: Uint8Array,
  ): Promise<{ decoder: ClipDecoder; size: Size } | null>
}

export type CodecId = 'h264' | 'vp8'

export interface ClipCodec {
  readonly id: CodecId
  /** As texts write it. */
  readonly name: string
  /** The containers that it is read from. */
  readonly formats: readonly ClipFormat[]
  /** Its sample entry in MP4, and the box with its configuration. */
  readonly mp4?: { readonly entry: string; readonly box: string }
  /** Its name in Matroska. */
  readonly matroska?: string
  /** What is decoded of it, for refusals of other kinds. */
  readonly kinds: string
  /** @param configuration as containers hold it: of MP4 the content of its box, of Matroska what is private to the codec */
  read(configuration: HeaderCursor): Coding
}
