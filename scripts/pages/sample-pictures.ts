/** Pictures for sandboxes, one for each outcome: a drawn person or document with the name of the outcome. */
import { crc32, deflateSync } from 'node:zlib'
import { sandboxNames } from '../../src/records/sandbox.ts'
import { sandboxOutcome } from '../../src/records/stage-analysis.ts'
import { letters } from './letters.ts'

const [width, height] = [480, 640]

/** Colours of the pixels 0 to 3. */
const palette = [
  [226, 232, 240],
  [148, 163, 184],
  [71, 85, 105],
  [15, 23, 42],
].flat()

/** Pixels of the palette, by rows. */
type Pixels = Uint8Array

function fillBox(pixels: Pixels, colour: number, [left, top, right, bottom]: readonly number[]): void {
  for (let y = top!; y < bottom!; y++) pixels.fill(colour, y * width + left!, y * width + right!)
}

function fillEllipse(pixels: Pixels, colour: number, [x, y, across, down]: readonly number[]): void {
  for (let row = y! - down!; row <= y! + down!; row++) {
    const reach = Math.round(across! * Math.sqrt(1 - ((row - y!) / down!) ** 2))
    fillBox(pixels, colour, [x! - reach, row, x! + reach + 1, row + 1])
  }
}

function drawPerson(pixels: Pixels): void {
  fillEllipse(pixels, 2, [240, 560, 170, 165])
  fillBox(pixels, 0, [0, 560, width, height])
  fillEllipse(pixels, 1, [240, 270, 105, 140])
}

function drawDocument(pixels: Pixels): void {
  fillBox(pixels, 1, [40, 150, 440, 420])
  fillBox(pixels, 0, [70, 190, 180, 330])
  fillEllipse(pixels, 2, [125, 245, 32, 42])
  for (const y of [200, 240, 280]) fillBox(pixels, 2, [210, y, 410, y + 12])
  for (const y of [360, 385]) fillBox(pixels, 3, [70, y, 410, y + 10])
}

function drawName(pixels: Pixels, name: string): void {
  const text = name.replaceAll('_', ' ').toUpperCase()
  const size = Math.min(4, Math.floor((width - 20) / (6 * text.length)))
  const left = Math.floor((width - 6 * size * text.length) / 2)
  for (const [place, letter] of [...text].entries())
    for (const [row, squares] of (letters[letter] ?? '').split(' ').entries())
      for (const [column, square] of [...squares].entries())
        if (square === '1') {
          const [x, y] = [left + (6 * place + column) * size, 590 + row * size]
          fillBox(pixels, 3, [x, y, x + size, y + size])
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
function writePng(pixels: Pixels): Buffer {
  const stride = width / 4
  const rows = Buffer.alloc((stride + 1) * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      rows[y * (stride + 1) + 1 + (x >> 2)]! |= pixels[y * width + x]! << (6 - 2 * (x & 3))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', Buffer.concat([bigEndian(width), bigEndian(height), Buffer.from([2, 3, 0, 0, 0])])),
    chunk('PLTE', Uint8Array.from(palette)),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', new Uint8Array()),
  ])
}

/** The pictures by the names of the files that are served, such as `samples/no_face.png`. */
export function samplePictures(): ReadonlyMap<string, Uint8Array> {
  return new Map(
    sandboxNames.map((name) => {
      const pixels: Pixels = new Uint8Array(width * height)
      const isOfDocument =
        sandboxOutcome(name, 'liveness').code === null && sandboxOutcome(name, 'documents').code
      if (isOfDocument) drawDocument(pixels)
      else drawPerson(pixels)
      drawName(pixels, name)
      return [`samples/${name}.png`, writePng(pixels)]
    }),
  )
}
