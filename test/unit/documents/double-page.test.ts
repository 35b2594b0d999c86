import { describe, expect, it } from 'vitest'
import { isDoublePageSpread } from '../../../src/documents/double-page.ts'
import type { MrzReading, Quad, TextLineReading } from '../../../src/documents/reading.ts'
import { cardZone, passportZone } from '../../fixtures/document-readings.ts'
import { readText } from '../../fixtures/mrz.ts'

/** A picture of 1400 × 1800 pixels; the zone is 1000 pixels wide, its lower edge at 1700. */
const size = { width: 1400, height: 1800 }

const box = (left: number, top: number, width: number, height: number): Quad => [
  { x: left, y: top },
  { x: left + width, y: top },
  { x: left + width, y: top + height },
  { x: left, y: top + height },
]

/** The picture turned clockwise onto its side. */
const turn = (quad: Quad): Quad => quad.map(({ x, y }) => ({ x: size.height - y, y: x })) as unknown as Quad

const zoneOf = (lines: readonly string[], place = box(200, 1600, 1000, 100)): MrzReading => ({
  ...readText(...lines),
  place,
})

const line = (place: Quad): TextLineReading => ({ text: 'REMARKS', confidence: 0.95, place })

/** Text of the page with the zone, and of the page above. */
const own = [1000, 1100, 1200, 1300, 1400].map((top) => line(box(500, top, 400, 30)))
const above = [400, 460, 520, 580].map((top) => line(box(250, top, 700, 30)))

describe('pages of a booklet', () => {
  const zone = zoneOf(passportZone)

  it('are both shown if the page above has text', () => {
    expect(isDoublePageSpread({ ...size, zone, lines: [...own, ...above] })).toBe(true)
  })

  it('are both shown also if the picture lies on its side', () => {
    const turned = [...own, ...above].map(({ place }) => line(turn(place)))
    const side = zoneOf(passportZone, turn(zone.place))
    expect(isDoublePageSpread({ width: 1800, height: 1400, zone: side, lines: turned })).toBe(true)
  })

  it('are both shown also if the page above is printed across', () => {
    const across = [300, 400, 500, 600].map((left) =>
      line([
        { x: left + 30, y: 300 },
        { x: left + 30, y: 750 },
        { x: left, y: 750 },
        { x: left, y: 300 },
      ]),
    )
    expect(isDoublePageSpread({ ...size, zone, lines: [...own, ...across] })).toBe(true)
  })

  it('are not known without text on the page above, which may be empty', () => {
    expect(isDoublePageSpread({ ...size, zone, lines: own })).toBeNull()
    expect(isDoublePageSpread({ ...size, zone, lines: [...own, ...above.slice(0, 2)] })).toBeNull()
  })

  it.each([
    ['beside both pages', box(1250, 900, 140, 30)],
    ['over the edge of the page', box(900, 640, 480, 30)],
    ['close beside the page with the zone', box(80, 1200, 60, 30)],
  ])('are not known with text %s, as on a sheet under it', (_, place) => {
    expect(isDoublePageSpread({ ...size, zone, lines: [...own, ...above, line(place)] })).toBeNull()
  })

  it('are not both shown if the picture has no room for the other one', () => {
    const place = box(200, 780, 1000, 100)
    expect(
      isDoublePageSpread({ width: 1400, height: 980, zone: zoneOf(passportZone, place), lines: own }),
    ).toBe(false)
    expect(
      isDoublePageSpread({ width: 1400, height: 980, zone: zoneOf(passportZone, place), lines: null }),
    ).toBe(false)
  })

  it('are not known where the page is not read', () => {
    expect(isDoublePageSpread({ ...size, zone, lines: null })).toBeNull()
  })

  it('are not asked for on cards, without a zone, or in a mirror', () => {
    expect(isDoublePageSpread({ ...size, zone: zoneOf(cardZone), lines: [...own, ...above] })).toBe(false)
    const short = (first: string) => [
      `${first}UTOERIKSSON<<ANNA<MARIA`.padEnd(36, '<'),
      'D231458907UTO7408122F1204159<<<<<<<6',
    ]
    expect(isDoublePageSpread({ ...size, zone: zoneOf(short('I<')), lines: [...own, ...above] })).toBe(false)
    expect(isDoublePageSpread({ ...size, zone: zoneOf(short('P<')), lines: [...own, ...above] })).toBeNull()
    expect(isDoublePageSpread({ ...size, zone: zoneOf(short('V<')), lines: [...own, ...above] })).toBe(true)
    expect(isDoublePageSpread({ ...size, zone: undefined, lines: above })).toBeNull()
    expect(
      isDoublePageSpread({ ...size, zone: { ...zone, isMirrored: true }, lines: [...own, ...above] }),
    ).toBeNull()
  })

  it('are not known for a zone without width', () => {
    expect(
      isDoublePageSpread({ ...size, zone: zoneOf(passportZone, box(5, 5, 0, 0)), lines: above }),
    ).toBeNull()
  })
})
