/** Finds and reads the machine-readable zones of a picture. */
import type { MrzReading, Point, Quad } from '../../documents/reading.ts'
import type { Pyramid } from '../pyramid.ts'
import { shrinkTo, sizeWithin } from '../resample.ts'
import { darkShare, findTextLines, printShare } from './find-text-lines.ts'
import { enlargeGrey, toGrey } from './grey-picture.ts'
import type { LineReader } from './line-reader.ts'
import { type FoundZone, readZone, traceZoneLine } from './read-zone.ts'
import type { RoughLine } from './trace-line.ts'

/** The longer side at which lines are looked for, and how dark they are. */
interface Look {
  side: number
  share: number
}

/** A document that fills the picture is found at the first side, half of it at the next ones. */
const looksInTurn: readonly (readonly Look[])[] = [
  [{ side: 800, share: printShare }],
  [
    { side: 800, share: darkShare },
    { side: 480, share: printShare },
    { side: 1280, share: printShare },
  ],
  [{ side: 320, share: printShare }],
]
/** Pictures whose longer side is smaller are enlarged. */
const sideMin = 640
/** Lines that are tried at each turn. */
const triesMax = [8, 16, 8]
/** No zone has more lines than these and one more; the lines of security print have. */
const partnersMax = 3
const mirroredTriesMax = 4
const zonesMax = 4

interface Candidate extends RoughLine {
  score: number
}

/** Lines of a picture of some size, in pixels of the pyramid's picture. */
function findAt(pyramid: Pyramid, { side, share }: Look): RoughLine[] {
  const { width, height } = sizeWithin(pyramid, side)
  const shrunk = toGrey(shrinkTo(pyramid, width, height))
  const factor = Math.max(1, Math.min(side, sideMin) / Math.max(width, height))
  const grey = factor > 1.2 ? enlargeGrey(shrunk, factor) : shrunk
  const scale = pyramid.width / grey.width
  return findTextLines(grey, share).map(({ x, y, dx, dy, length, thickness }) => ({
    ...{ x: x * scale, y: y * scale, dx, dy, isMirrored: false },
    // The blur makes the line longer and thicker.
    ...{ length: Math.max(1, length - 3) * scale, thickness: Math.max(2, thickness - 2) * scale },
  }))
}

/** Whether two lines are parallel, equally long and beside each other, as the lines of a zone are. */
function arePartners(a: RoughLine, b: RoughLine): boolean {
  if (Math.abs(a.dx * b.dy - a.dy * b.dx) > 0.1) return false
  const ratio = a.length / b.length
  if (ratio < 0.7 || ratio > 1.43) return false
  const [x, y] = [b.x - a.x, b.y - a.y]
  const across = Math.abs(x * a.dy - y * a.dx)
  const along = Math.abs(x * a.dx + y * a.dy)
  const thickness = Math.min(a.thickness, b.thickness)
  return across > 0.7 * thickness && across < 4 * thickness && along < 0.25 * a.length
}

/** Whether two candidates are the same line, found at different sizes. */
function isSame(a: RoughLine, b: RoughLine): boolean {
  const [x, y] = [b.x - a.x, b.y - a.y]
  const across = Math.abs(x * a.dy - y * a.dx)
  const along = Math.abs(x * a.dx + y * a.dy)
  return (
    across < 0.4 * Math.max(a.thickness, b.thickness) &&
    along < 0.15 * a.length &&
    Math.abs(Math.log(a.length / b.length)) < 0.25 &&
    // Two lines that run into each other in a smaller copy are none of them.
    Math.abs(Math.log(a.thickness / b.thickness)) < 0.5
  )
}

/** The most promising lines first: long in proportion to their thickness, with others beside them. */
function rank(lines: readonly RoughLine[]): Candidate[] {
  return lines
    .map((line) => {
      const partners = lines.filter((other) => other !== line && arePartners(line, other)).length
      const ratio = Math.min(30, line.length / line.thickness)
      return { ...line, score: ratio * (partners > partnersMax ? 0.5 : 1 + 0.5 * Math.min(2, partners)) }
    })
    .toSorted((a, b) => b.score - a.score)
}

/** Whether a point lies in a zone, or within a margin around it. */
function isInside({ x, y }: Point, place: Quad, margin: number): boolean {
  const middle = {
    x: place.reduce((sum, corner) => sum + corner.x, 0) / 4,
    y: place.reduce((sum, corner) => sum + corner.y, 0) / 4,
  }
  return place.every((from, i) => {
    const to = place[(i + 1) % 4]!
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1
    const side = (point: Point) =>
      ((to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x)) / length
    return side({ x, y }) * Math.sign(side(middle) || 1) > -margin
  })
}

const sizeOf = ({ place }: MrzReading): number => Math.hypot(place[1].x - place[0].x, place[1].y - place[0].y)

/** Lines found at some looks, each once, the most promising first. */
function collect(pyramid: Pyramid, wanted: readonly Look[]): Candidate[] {
  const longer = Math.max(pyramid.width, pyramid.height)
  // Larger copies of a small picture show nothing new.
  const seen = new Set<string>()
  const found: Candidate[] = []
  for (const look of wanted) {
    const { side, share } = look
    const used = `${longer < sideMin ? Math.min(side, sideMin) : Math.min(side, longer)} ${share}`
    if (seen.has(used)) continue
    seen.add(used)
    for (const candidate of rank(findAt(pyramid, look)))
      if (!found.some((other) => isSame(other, candidate))) found.push(candidate)
  }
  return found.toSorted((a, b) => b.score - a.score)
}

/**
 * Finds the machine-readable zones of a picture at any rotation, also in a mirror, and reads them.
 * @param second another network for zones that this one does not prove
 * @returns the largest first
 * @throws {AppError} `engine_unavailable`
 */
export async function findZones(
  read: LineReader,
  pyramid: Pyramid,
  second?: LineReader,
): Promise<MrzReading[]> {
  const found: FoundZone[] = []
  const tried: Candidate[] = []
  const tryAll = async (candidates: readonly Candidate[], most: number): Promise<void> => {
    let tries = 0
    for (const candidate of candidates) {
      if (tries >= most || found.length >= zonesMax) return
      if (found.some(({ zone, pitch }) => isInside(candidate, zone.place, pitch))) continue
      const traced = traceZoneLine(pyramid, candidate)
      if (!traced) continue
      tries++
      const zone = await readZone(read, pyramid, traced, second)
      if (zone) found.push(zone)
    }
  }
  for (const [turn, looks] of looksInTurn.entries()) {
    const candidates = collect(pyramid, looks).filter((line) => !tried.some((other) => isSame(other, line)))
    await tryAll(candidates, triesMax[turn]!)
    if (found.length > 0) break
    tried.push(...candidates)
  }
  if (found.length === 0) {
    const mirrored = tried
      .toSorted((a, b) => b.score - a.score)
      .map((line) => ({ ...line, isMirrored: true }))
    await tryAll(mirrored, mirroredTriesMax)
  }
  return found.map(({ zone }) => zone).toSorted((a, b) => sizeOf(b) - sizeOf(a))
}
