/** Whether a picture shows both pages of a booklet. */
import type { MrzReading, Point, TextLineReading } from './reading.ts'

/** What is known of one picture. */
interface PictureOfPage {
  readonly width: number
  readonly height: number
  readonly zone: MrzReading | undefined
  /** `null` if the page was not read. */
  readonly lines: readonly TextLineReading[] | null
}

/** Lengths of lines in booklets: 44 characters, of which some may be lost. Cards have 30 or 36. */
const bookletMin = 40
/** Zones of 36 characters are on visas of the small format, on some passports, and on cards. */
const visaSymbol = 'V'
const passportSymbol = 'P'

/** The page opposite, in widths of the zone above its lower edge: ICAO Doc 9303-4 gives pages of 125 × 88 mm with a zone of 112 mm. */
const opposite = { from: 0.8, to: 1.5 }
/** A page is wider than its zone by this share on both sides; the one opposite may be larger in perspective. */
const sideMargin = 0.08
const oppositeMargin = 0.14
/** Where both pages end: what is written beyond is on neither. */
const pages = { from: -0.14, to: 1.65 }
/** The picture has to reach so far up to show the page opposite. */
const roomMin = 0.95
/** Sine of the angle between the zone and lines of the page opposite, which may also be printed across. */
const angleMax = 0.2
const linesMin = 3

type Place = (point: Point) => { across: number; up: number }

/** Coordinates in widths of the zone: from its lower left corner to the right, and up. `null` for a zone without width. */
function openPlace([, , right, left]: MrzReading['place']): Place | null {
  const along = { x: right.x - left.x, y: right.y - left.y }
  const square = along.x * along.x + along.y * along.y
  if (square === 0) return null
  return ({ x, y }) => ({
    across: ((x - left.x) * along.x + (y - left.y) * along.y) / square,
    up: ((x - left.x) * along.y - (y - left.y) * along.x) / square,
  })
}

/** How far the picture reaches up from the zone, in its widths, at the least of three places. */
function findRoom({ width, height }: PictureOfPage, [, , right, left]: MrzReading['place']): number {
  const along = { x: right.x - left.x, y: right.y - left.y }
  const reach = (from: number, step: number, end: number) =>
    step > 0 ? (end - from) / step : step < 0 ? from / -step : Number.POSITIVE_INFINITY
  const rooms = [0.2, 0.5, 0.8].map((share) =>
    Math.min(
      reach(left.x + share * along.x, along.y, width),
      reach(left.y + share * along.y, -along.x, height),
    ),
  )
  return Math.min(...rooms)
}

/** `null` if the format is not clear. */
function isBooklet({ lines }: MrzReading): boolean | null {
  if (lines.length === 3) return false
  if (lines.length !== 2) return null
  if (lines.some(({ characters }) => characters.length >= bookletMin)) return true
  const symbol = lines[0]?.characters[0]?.symbol
  if (symbol === visaSymbol) return true
  return symbol === passportSymbol ? null : false
}

/** The line's place, and whether it runs along the zone or across it. */
function placeLine({ place }: TextLineReading, toPlace: Place) {
  const corners = place.map(toPlace)
  const [first, second] = corners as [ReturnType<Place>, ReturnType<Place>]
  const [run, rise] = [second.across - first.across, second.up - first.up]
  const length = Math.hypot(run, rise)
  return {
    left: Math.min(...corners.map(({ across }) => across)),
    right: Math.max(...corners.map(({ across }) => across)),
    bottom: Math.min(...corners.map(({ up }) => up)),
    top: Math.max(...corners.map(({ up }) => up)),
    isStraight: length > 0 && Math.min(Math.abs(run), Math.abs(rise)) <= angleMax * length,
  }
}

/**
 * Judges by the place of printed lines: a booklet lies open if there is text on the page above the one with the zone, and none around
 * both, as on a sheet under it. No text proves nothing, since the page may be empty.
 * @returns false for cards and where the picture has no room for another page; `null` if unknown
 */
export function isDoublePageSpread(picture: PictureOfPage): boolean | null {
  const { zone, lines } = picture
  if (zone === undefined || zone.isMirrored) return null
  const toPlace = openPlace(zone.place)
  if (toPlace === null) return null
  const booklet = isBooklet(zone)
  if (booklet !== true) return booklet
  if (findRoom(picture, zone.place) < roomMin) return false
  if (lines === null) return null
  const placed = lines.map((line) => placeLine(line, toPlace))
  const isAround = placed.some(({ left, right, bottom, top }) => {
    const margin = (bottom + top) / 2 < opposite.from ? sideMargin : oppositeMargin
    return left < -margin || right > 1 + margin || bottom < pages.from || top > pages.to
  })
  if (isAround) return null
  const found = placed.filter(
    ({ bottom, top, isStraight }) =>
      isStraight && (bottom + top) / 2 >= opposite.from && (bottom + top) / 2 <= opposite.to,
  )
  return found.length >= linesMin ? true : null
}
