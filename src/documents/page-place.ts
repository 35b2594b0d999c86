/** Where printed lines are with regard to the zones of a picture. */
import type { MrzReading, Point, TextLineReading } from './reading.ts'

/** The page with a zone, in widths of the zone: pages are less high than wide, and the zone is at the bottom. */
const pageAround = { left: -0.15, right: 1.15, above: 0.85, below: 0.08 }

const subtract = (a: Point, b: Point): Point => ({ x: a.x - b.x, y: a.y - b.y })
const dot = (a: Point, b: Point): number => a.x * b.x + a.y * b.y

/** The middle of a line in widths of the zone, from its lower left corner; `null` for a zone without width. */
function placeAt({ place: zone }: MrzReading, { place }: TextLineReading) {
  const [, , bottomRight, bottomLeft] = zone
  const along = subtract(bottomRight, bottomLeft)
  const square = dot(along, along)
  if (square === 0) return null
  const middle = subtract({ x: (place[0].x + place[2].x) / 2, y: (place[0].y + place[2].y) / 2 }, bottomLeft)
  return { across: dot(middle, along) / square, down: dot(middle, { x: -along.y, y: along.x }) / square }
}

/** Whether a line is on the page with the zone. */
export function isOnPage(zone: MrzReading, line: TextLineReading): boolean {
  const at = placeAt(zone, line)
  if (!at) return true
  const { left, right, above, below } = pageAround
  return at.across >= left && at.across <= right && at.down >= -above && at.down <= below
}

/** How little a line belongs to the page with a zone: it is above it, and neither left nor right of it. */
function distanceFrom(zone: MrzReading, line: TextLineReading): number {
  if (!isOnPage(zone, line)) return Number.POSITIVE_INFINITY
  const at = placeAt(zone, line)
  if (!at) return 0
  const beside = Math.max(0, -at.across, at.across - 1)
  // Below a zone another page begins.
  return Math.abs(at.down) + beside + (at.down > 0 || beside > 0 ? 1 : 0)
}

/** Whether a line is nearer to the page of a zone than to those of others, or on none of them. */
export const isNearest = (line: TextLineReading, own: MrzReading, others: readonly MrzReading[]): boolean =>
  others.every((other) => {
    const distance = distanceFrom(other, line)
    return distance === Number.POSITIVE_INFINITY || distanceFrom(own, line) <= distance
  })
