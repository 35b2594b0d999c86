/** A drawn page of a passport of nobody, whose zone can be read and is in order. */
import { type Drawing, drawText, fillBox, fillEllipse, newDrawing, palette } from './drawing.ts'
import { printZone } from './printed-zones.ts'

const [width, height] = [1000, 700]

/** The specimen of ICAO Doc 9303-4, which expired in 2012, with a date of expiry ahead and its check digits. */
export const samplePassportZone = [
  'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
  'L898902C36UTO7408122F4404156ZE184226B<<<<<14',
] as const

/** What the zone says. */
const fields = [
  ['SURNAME', 'ERIKSSON'],
  ['GIVEN NAMES', 'ANNA MARIA'],
  ['DATE OF BIRTH', '12.08.1974'],
  ['DATE OF EXPIRY', '15.04.2044'],
] as const

/** The zone has edges between light and dark, which the palette has two greys for. */
function addZone(drawing: Drawing): void {
  const { data } = printZone(samplePassportZone, {
    ...{ width, height, pitch: 20, at: [0.5, 0.84] },
    paper: palette[0],
  })
  const levels = palette.map(([red]) => red)
  for (let i = 0; i < drawing.pixels.length; i++) {
    const nearest = levels.findIndex((level, place) => data[i * 4]! * 2 > level + (levels[place + 1] ?? -255))
    if (nearest > 0) drawing.pixels[i] = nearest
  }
}

export function drawPassport(): Drawing {
  const drawing = newDrawing(width, height)
  fillBox(drawing, 1, [60, 130, 330, 470])
  fillEllipse(drawing, 2, [195, 270, 70, 90])
  fillEllipse(drawing, 2, [195, 470, 110, 100])
  fillBox(drawing, 0, [60, 470, 330, 580])
  drawText(drawing, 'PASSPORT', 60, 50, 5)
  drawText(drawing, 'SPECIMEN', width - 60 - 48 * 5, 50, 5)
  for (const [row, [label, value]] of fields.entries()) {
    drawText(drawing, label, 380, 130 + row * 88, 2)
    drawText(drawing, value, 380, 158 + row * 88, 4)
  }
  addZone(drawing)
  return drawing
}
