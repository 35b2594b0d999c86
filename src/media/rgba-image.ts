/** A decoded opaque picture: 8-bit RGBA `[height,width,4]`, rows from top to bottom. */
export interface RgbaImage {
  width: number
  height: number
  data: Uint8ClampedArray
}
