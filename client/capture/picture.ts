/** A picture as canvases give it: RGBA, row by row, 0…255. */
export interface Picture {
  width: number
  height: number
  data: Uint8ClampedArray
}

/**
 * The oval of the stage, in shares of width and height. A face that fills it leaves room around the head also where the stage shows
 * the whole picture: at least 1.5 face sides, which attack detection needs to be sure of a person.
 */
export const oval = { x: 0.5, y: 0.465, rx: 0.27, ry: 0.2775 }

/** Brightness of the pixel that starts at a place of the data, 0…255. */
export const brightness = ({ data }: Picture, at: number): number =>
  (data[at]! * 77 + data[at + 1]! * 150 + data[at + 2]! * 29) / 256

export const isInOval = (x: number, y: number, { width, height }: Picture): boolean =>
  (((x + 0.5) / width - oval.x) / oval.rx) ** 2 + (((y + 0.5) / height - oval.y) / oval.ry) ** 2 <= 1
