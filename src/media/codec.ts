import type { RgbaImage, Size } from './rgba-image.ts'

/** An open codec instance. */
export interface Codec<Input, Output> {
  run(input: Input): Output
  /** Size of the instance's memory in bytes. */
  heapBytes(): number
}

export interface EncodeRequest {
  image: RgbaImage
  /** 0…100. */
  quality: number
}

export interface JpegRequest extends EncodeRequest {
  /** Size of the file, not larger than the picture; by default its own. */
  size?: Size
}
