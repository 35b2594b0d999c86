/** Drawing on decoded pictures: lines, dots and words, in whole pixels. */
import type { RgbaImage } from '../../src/media/rgba-image.ts'

export type Colour = readonly [red: number, green: number, blue: number]

/** Letters of five columns and seven rows; a row is a digit of base 32, whose highest bit is the left column. */
const glyphs: Readonly<Record<string, string>> = {
  ...{ A: 'ehhvhhh', B: 'uhhuhhu', C: 'ehggghe', D: 'uhhhhhu', E: 'vgguggv', F: 'vgguggg', G: 'ehgnhhf' },
  ...{ H: 'hhhvhhh', I: 'e44444e', J: '72222ic', K: 'hikokih', L: 'ggggggv', M: 'hrllhhh', N: 'hpljhhh' },
  ...{ O: 'ehhhhhe', P: 'uhhuggg', Q: 'ehhhlid', R: 'uhhukih', S: 'fgge11u', T: 'v444444', U: 'hhhhhhe' },
  ...{ V: 'hhhhha4', W: 'hhhllla', X: 'hha4ahh', Y: 'hha4444', Z: 'v1248gv', '.': '00000cc', '-': '000v000' },
  ...{ '0': 'ehjlphe', '1': '4c4444e', '2': 'eh1248v', '3': 'v2421he', '4': '26aiv22', '5': 'vgu11he' },
  ...{ '6': '68guhhe', '7': 'v124888', '8': 'ehhehhe', '9': 'ehhf12c' },
}
const glyphWidth = 5
const glyphHeight = 7
const advance = glyphWidth + 1

/** Fills a rectangle; parts outside the picture are left out. */
export function fillBox(
  { data, width, height }: RgbaImage,
  box: { x: number; y: number; width: number; height: number },
  [red, green, blue]: Colour,
): void {
  const clamp = (value: number, max: number) => Math.min(max, Math.max(0, Math.round(value)))
  const [left, right] = [clamp(box.x, width), clamp(box.x + box.width, width)]
  const [top, bottom] = [clamp(box.y, height), clamp(box.y + box.height, height)]
  for (let y = top; y < bottom; y++)
    for (let at = (y * width + left) * 4; at < (y * width + right) * 4; at += 4) {
      data[at] = red
      data[at + 1] = green
      data[at + 2] = blue
    }
}

/** Draws the frame of a rectangle, inside of it. */
export function frameBox(
  image: RgbaImage,
  [x, y, width, height]: readonly [number, number, number, number],
  thickness: number,
  colour: Colour,
): void {
  fillBox(image, { x, y, width, height: thickness }, colour)
  fillBox(image, { x, y: y + height - thickness, width, height: thickness }, colour)
  fillBox(image, { x, y, width: thickness, height }, colour)
  fillBox(image, { x: x + width - thickness, y, width: thickness, height }, colour)
}

/** Draws a square dot around a point. */
export function drawDot(
  image: RgbaImage,
  [x, y]: readonly [number, number],
  size: number,
  colour: Colour,
): void {
  fillBox(image, { x: x - size / 2, y: y - size / 2, width: size, height: size }, colour)
}

/** Size of words in pixels. `scale`: pixels of one pixel of a letter. */
export const measureWords = (words: string, scale: number) => ({
  width: (words.length * advance - 1) * scale,
  height: glyphHeight * scale,
})

/** Draws capital letters, digits, `.` and `-`; anything else is a space. */
export function drawWords(
  image: RgbaImage,
  words: string,
  [x, y]: readonly [number, number],
  scale: number,
  colour: Colour,
): void {
  for (const [place, letter] of [...words.toUpperCase()].entries()) {
    const rows = [...(glyphs[letter] ?? '')].map((digit) => Number.parseInt(digit, 32))
    for (const [row, bits] of rows.entries())
      for (let column = 0; column < glyphWidth; column++) {
        if (((bits >> (glyphWidth - 1 - column)) & 1) === 0) continue
        const left = x + (place * advance + column) * scale
        fillBox(image, { x: left, y: y + row * scale, width: scale, height: scale }, colour)
      }
  }
}
