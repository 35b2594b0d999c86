/** Pictures of four greys that are drawn without a font, and written as PNG. */
import { crc32, deflateSync } from 'node:zlib'
import { letters } from './letters.ts'

/** Colours of the pixels 0 to 3, the lightest first. */
export const palette = [
  [226, 232, 240],
  [148, 163, 184],
  [71, 85, 105],
  [15, 23, 42],
] as const

export interface Drawing {
  /** A multiple of 4. */
  width: number
  height: number
  /** Places in the palette, by rows. */
  pixels: Uint8Array
}

type Place = readonly [number, number, number, number]

export const newDrawing = (width: number, height: number): Drawing => ({
  ...{ width, height },
  pixels: new Uint8Array(width * height),
})

export function fillBox({ width, pixels }: Drawing, colour: number, [left, top, right, bottom]: Place): void {
  for (let y = top; y < bottom; y++) pixels.fill(colour, y * width + left, y * width + right)
}

/** @param place middle, and half of the width and of the height */
export function fillEllipse(drawing: Drawing, colour: number, [x, y, across, down]: Place): void {
  for (let row = y - down; row <= y + down; row++) {
    const reach = Math.round(across * Math.sqrt(1 - ((row - y) / down) ** 2))
    fillBox(drawing, colour, [x - reach, row, x + reach + 1, row + 1])
  }
}

/** @param size side of a square of a letter in pixels; letters are 6 of them apart */
export function drawText(drawing: Drawing, text: string, left: number, top: number, size: number): void {
  for (const [place, letter] of [...text].entries())
    for (const [row, squares] of (letters[letter] ?? '').split(' ').entries())
      for (const [column, square] of [...squares].entries())
        if (square === '1') {
          const [x, y] = [left + (6 * place + column) * size, top + row * size]
          fillBox(drawing, 3, [x, y, x + size, y + size])
        }
}

const bigEndian = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function chunk(type: string, data: Uint8Array): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return Buffer.concat([bigEndian(data.length), typed, bigEndian(crc32(typed))])
}

/** PNG (ISO/IEC 15948) with a palette, two bits a pixel. */
export function writePng({ width, height, pixels }: Drawing): Buffer {
  const stride = width / 4
  const rows = Buffer.alloc((stride + 1) * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      rows[y * (stride + 1) + 1 + (x >> 2)]! |= pixels[y * width + x]! << (6 - 2 * (x & 3))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', Buffer.concat([bigEndian(width), bigEndian(height), Buffer.from([2, 3, 0, 0, 0])])),
    chunk('PLTE', Uint8Array.from(palette.flat())),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', new Uint8Array()),
  ])
}
