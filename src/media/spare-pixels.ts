/** Keeps the memory of a picture that nobody uses any more for the next one: fresh memory takes longer to get than to fill. */
import type { RgbaImage } from './rgba-image.ts'

export interface SparePixels {
  /** @returns room for pixels, with any content */
  take(bytes: number): Uint8ClampedArray<ArrayBuffer>
  /** Takes back a picture whose pixels nobody reads any more. */
  giveBack(image: RgbaImage): void
}

/** @param bytesMax larger pictures are left to the garbage collector */
export function openSparePixels(bytesMax: number): SparePixels {
  let spare: ArrayBuffer | null = null
  return {
    take(bytes) {
      const free = spare
      if (!free || free.byteLength < bytes) return new Uint8ClampedArray(bytes)
      spare = null
      return new Uint8ClampedArray(free, 0, bytes)
    },
    giveBack({ data: { buffer } }) {
      if (buffer instanceof ArrayBuffer && buffer.byteLength <= bytesMax) spare = buffer
    },
  }
}
