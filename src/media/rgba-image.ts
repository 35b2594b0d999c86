export interface Size {
  width: number
  height: number
}

/** A decoded opaque picture: 8-bit RGBA `[height,width,4]`, rows from top to bottom. */
export interface RgbaImage extends Size {
  data: Uint8ClampedArray
}
