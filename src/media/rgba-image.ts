/** A decoded picture: 8-bit RGBA, row by row from the top left, opaque. */
export interface RgbaImage {
  width: number
  height: number
  data: Uint8ClampedArray
}
