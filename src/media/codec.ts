import { AppError } from '../errors.ts'
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

/** Converts anything thrown to an `Error`: codecs throw numbers and plain objects with a message. */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown
  const { message } = Object(thrown) as { message?: unknown }
  return new Error(`the codec broke off: ${String(message ?? thrown)}`, { cause: thrown })
}

/** The fault of a codec that does not start: whatever it was given is not to blame. */
export const cannotOpen = (thrown: unknown): AppError =>
  new AppError('internal', 'a codec cannot be opened', { cause: toError(thrown) })
