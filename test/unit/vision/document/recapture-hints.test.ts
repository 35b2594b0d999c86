import { describe, expect, it } from 'vitest'
import type { MrzReading, Quad } from '../../../../src/documents/reading.ts'
import { findRecaptureHints } from '../../../../src/vision/document/recapture-hints.ts'
import { toPyramid } from '../../../fixtures/codecs.ts'
import { passportZone } from '../../../fixtures/document-readings.ts'
import { readText } from '../../../fixtures/mrz.ts'

type Colour = readonly [red: number, green: number, blue: number]

const width = 512
const height = 384
const place: Quad = [
  { x: 56, y: 300 },
  { x: 456, y: 300 },
  { x: 456, y: 340 },
  { x: 56, y: 340 },
]
const zone: MrzReading = { ...readText(...passportZone), place }

/** A page of paper with broad lines of ink on a table, in the light of one lamp. */
function draw({
  table,
  paper,
  inks,
  lamp = [1, 1, 1],
}: Record<'table' | 'paper', Colour> & { inks: Colour[]; lamp?: Colour }) {
  const data = new Uint8ClampedArray(width * height * 4)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const isPage = x >= 36 && x < 476 && y >= 60 && y < 356
      const isInk = isPage && Math.floor(y / 10) % 3 === 0
      const colour = isInk ? inks[Math.floor(x / 40) % inks.length]! : isPage ? paper : table
      const shade = 0.8 + (0.2 * x) / width
      for (const channel of [0, 1, 2] as const)
        data[(y * width + x) * 4 + channel] = colour[channel] * shade * lamp[channel]
      data[(y * width + x) * 4 + 3] = 255
    }
  return toPyramid({ width, height, data })
}

const greys: Colour[] = [
  [40, 40, 40],
  [120, 120, 120],
  [180, 180, 180],
]
const inks: Colour[] = [
  [40, 40, 40],
  [200, 150, 120],
  [90, 120, 190],
]
const white: Colour = [235, 235, 235]
const green: Colour = [40, 120, 60]
const warm: Colour = [1, 0.88, 0.75]

describe('a document', () => {
  it('is a copy if it has no colour, on a coloured table and in warm light too', () => {
    expect(findRecaptureHints(draw({ table: green, paper: white, inks: greys }), zone).isCopy).toBe(true)
    expect(
      findRecaptureHints(draw({ table: green, paper: white, inks: greys, lamp: warm }), zone).isCopy,
    ).toBe(true)
  })

  it('is no copy if its print has colours, on a grey table too', () => {
    expect(findRecaptureHints(draw({ table: white, paper: white, inks }), zone).isCopy).toBe(false)
    expect(findRecaptureHints(draw({ table: green, paper: white, inks, lamp: warm }), zone).isCopy).toBe(
      false,
    )
  })

  it('says nothing in a mirror', () => {
    const mirrored = { ...zone, isMirrored: true }
    expect(findRecaptureHints(draw({ table: white, paper: white, inks }), mirrored).isCopy).toBeNull()
  })

  it('may be a copy or pale if it has hardly any colour', () => {
    const pale = greys.map(([value], i): Colour => [value + 8 - 6 * i, value, value - 8 + 6 * i])
    expect(findRecaptureHints(draw({ table: green, paper: white, inks: pale }), zone).isCopy).toBeNull()
  })

  it('is not told from its table without a zone, unless nothing has colour', () => {
    expect(findRecaptureHints(draw({ table: green, paper: white, inks: greys }), undefined).isCopy).toBeNull()
    expect(findRecaptureHints(draw({ table: white, paper: white, inks: greys }), undefined).isCopy).toBe(true)
  })

  it('is not judged if most of its page is outside of the picture, or its zone has no width', () => {
    const picture = draw({ table: green, paper: white, inks: greys })
    const moved = place.map(({ x, y }) => ({ x, y: y - 330 })) as unknown as Quad
    const point = place.map(() => ({ x: 900, y: 900 })) as unknown as Quad
    expect(findRecaptureHints(picture, { ...zone, place: moved }).isCopy).toBeNull()
    expect(findRecaptureHints(picture, { ...zone, place: point }).isCopy).toBeNull()
  })

  it('is never called a screen', () => {
    expect(findRecaptureHints(draw({ table: green, paper: white, inks }), zone).isScreen).toBeNull()
  })
})
