/** Reads the lines beside a line of a machine-readable zone. */
import type { Point } from '../../documents/reading.ts'
import type { Pyramid } from '../pyramid.ts'
import type { LineReader } from './line-reader.ts'
import { confidenceMin, lineLengths, linesMax, planStrip, type ReadLine, readBetter } from './read-line.ts'
import { alongAt, placeOn, sampleStrip, turnAcross } from './strip.ts'
import { type RoughLine, type TracedLine, traceLine } from './trace-line.ts'

/** Distance of lines in distances of characters. */
const lineStepMin = 1.15
const lineStepMax = 3.6
const probeRows = 96
/** Columns of the line's strip that are sampled as one: a seventh of a character. */
const probeColumns = 2
/** Where lines are tried that do not stand out from their background: distances as in ICAO Doc 9303, and as on small cards. */
const stepsTried = [2.4, 1.9]

/** Rows with print on one side of a line, nearest first, as offsets across in pixels of the picture. */
function findRowsBeside(pyramid: Pyramid, line: ReadLine, side: 1 | -1): number[] {
  const rowStep = (2 * (lineStepMax + 1) * line.pitch) / probeRows
  const { along, shifts: _, ...plan } = line.plan
  const width = Math.floor(plan.width / probeColumns)
  const coarse = [along[0], along[1] * probeColumns, along[2] * probeColumns * probeColumns] as const
  const strip = sampleStrip(pyramid, { ...plan, along: coarse, rowStep, width }, probeRows)
  const profile = new Float64Array(probeRows)
  for (let row = 0; row < probeRows; row++) {
    let sum = 0
    // Print alternates along the row; shadows and edges do not.
    for (let column = 1; column < width; column++)
      sum += Math.abs(strip[row * width + column]! - strip[row * width + column - 1]!)
    profile[row] = sum
  }
  const own = profile[probeRows / 2]!
  const least = Math.min(...profile)
  const level = least + 0.3 * (own - least)
  const offsets: number[] = []
  const first = Math.ceil((lineStepMin - 0.5) * (line.pitch / rowStep))
  for (let distance = first; distance < probeRows / 2 - 1; ) {
    const at = (by: number) => profile[probeRows / 2 + side * by]!
    if (at(distance) < level) {
      distance++
      continue
    }
    const start = distance
    while (distance < probeRows / 2 - 1 && at(distance) >= level) distance++
    const middle = ((start + distance - 1) / 2 + 0.5 * (side === 1 ? 1 : -1)) * rowStep
    if (middle >= lineStepMin * line.pitch && middle <= lineStepMax * line.pitch) offsets.push(middle * side)
  }
  return offsets
}

const symbolsMin = 3

/** Whether a line has all characters of a format. */
const isWhole = ({ reading: { characters, confidence } }: ReadLine): boolean =>
  lineLengths.includes(characters.length) && confidence > 0.8

/** Whether a reading belongs to the same zone as a line beside it: the same print, and it begins below or above it. */
function belongs(line: ReadLine, other: ReadLine): boolean {
  const [a, b] = [line.reading.characters, other.reading.characters]
  if (b.length < 6 || other.reading.confidence < confidenceMin) return false
  // Security print between the lines may look like fillers.
  if (b.filter(({ symbol }) => symbol !== '<').length < symbolsMin) return false
  if (Math.abs(Math.log(other.pitch / line.pitch)) > 0.15) return false
  const begins = ({ plan, reading }: ReadLine) => {
    const first = reading.characters[0]!
    return placeOn(plan.path, alongAt(plan, first.place), 0)
  }
  const [one, two] = [begins(line), begins(other)]
  // The direction of a line of which a part was read is not certain.
  const { dx, dy } = (a.length < b.length ? other : line).plan.path
  const shift = Math.abs((two.x - one.x) * dx + (two.y - one.y) * dy) / line.pitch
  // In perspective the lines do not begin at right angles.
  if (shift > (isWhole(line) ? 4.5 : 9)) return false
  // A line whose print is weak is easily taken for the one beside it.
  const across = Math.abs((two.x - one.x) * dy - (two.y - one.y) * dx) / line.pitch
  if (across < 0.8 * lineStepMin) return false
  const isShort = b.length <= 12 && a.length < 34
  return Math.abs(a.length - b.length) <= 4 || isShort || (isWhole(other) && a.length < b.length)
}

/**
 * Reads the line beside a line, if there is one.
 * @param isGuessed whether to look where no print stands out, instead of where it does
 */
export async function readBeside(
  read: LineReader,
  pyramid: Pyramid,
  line: ReadLine,
  side: 1 | -1,
  isGuessed: boolean,
): Promise<ReadLine | null> {
  const seen = findRowsBeside(pyramid, line, side)
  const guessed = stepsTried.map((step) => step * line.pitch * side)
  const unseen = guessed.filter((offset) =>
    seen.every((other) => Math.abs(other - offset) > 0.4 * line.pitch),
  )
  for (const offset of isGuessed ? unseen : seen) {
    const other = await readAt(read, pyramid, line, offset)
    if (other && belongs(line, other)) return other
  }
  return null
}

/** Reads the line at an offset across from another one, in pixels of the picture, as long as that is. */
async function readAt(
  read: LineReader,
  pyramid: Pyramid,
  line: ReadLine,
  offset: number,
): Promise<ReadLine | null> {
  const { plan, cap } = line
  const [from, to] = [0, plan.width].map((column) => alongAt(plan, column)) as [number, number]
  const middle = placeOn(plan.path, (from + to) / 2, offset)
  const ends = [from, to].map((t) => placeOn(plan.path, t, offset)) as [Point, Point]
  const length = Math.hypot(ends[1].x - ends[0].x, ends[1].y - ends[0].y)
  const rough: RoughLine = {
    ...{ x: middle.x, y: middle.y, isMirrored: plan.path.isMirrored },
    ...{ dx: (ends[1].x - ends[0].x) / length, dy: (ends[1].y - ends[0].y) / length },
    ...{ length: length - 2 * line.pitch, thickness: 1.5 * cap },
  }
  const traced = traceLine(pyramid, rough)
  return traced && readBesideLine(read, pyramid, line, traced)
}

/** How far the middle of a line is across from another one, in pixels of the picture. */
function offsetFrom({ plan: { path } }: ReadLine, { plan, reading: { characters } }: ReadLine): number {
  const { place } = characters[Math.floor(characters.length / 2)]!
  const middle = placeOn(
    plan.path,
    alongAt(plan, place),
    (plan.shifts?.[Math.floor(place)] ?? 0) * plan.rowStep,
  )
  const [nx, ny] = turnAcross(path)
  const [x, y] = [middle.x - path.x, middle.y - path.y]
  const t = x * path.dx + y * path.dy
  return x * nx + y * ny - (path.bend[0] + path.bend[1] * t + path.bend[2] * t * t)
}

/** Reads a line with the distances of the one beside it, which is known better than its height. */
async function readBesideLine(
  read: LineReader,
  pyramid: Pyramid,
  line: ReadLine,
  traced: TracedLine,
): Promise<ReadLine> {
  const cap = Math.min(1.25 * line.cap, Math.max(0.8 * line.cap, traced.cap))
  const count = Math.round((traced.to - traced.from) / line.pitch + 0.25)
  const isRegular = Math.abs(count - line.reading.characters.length) <= 1
  const known = isRegular ? (traced.to - traced.from) / (count - 0.25) : line.pitch
  const plan = planStrip({ ...traced, cap }, known)
  let found: ReadLine = { reading: await read(pyramid, plan), plan, pitch: line.pitch, cap }
  found = await readBetter(read, pyramid, found)
  const { characters } = found.reading
  if (characters.length < 2) return found
  const span = alongAt(found.plan, characters.at(-1)!.place) - alongAt(found.plan, characters[0]!.place)
  return { ...found, pitch: span / (characters.length - 1) }
}

/** Reads lines of which a part was found again, from one that was read as a whole. */
export async function completeLines(
  read: LineReader,
  pyramid: Pyramid,
  lines: readonly ReadLine[],
): Promise<ReadLine[]> {
  const whole = lines.find(isWhole)
  if (!whole) return [...lines]
  const length = whole.reading.characters.length
  const lack = ({ reading: { characters } }: ReadLine) => Math.abs(characters.length - length)
  const completed: ReadLine[] = []
  for (const line of lines) {
    const isShort = lines.length === linesMax && line.reading.characters.length <= 12
    const again =
      lack(line) > 0 && !isShort ? await readAt(read, pyramid, whole, offsetFrom(whole, line)) : null
    completed.push(again && lack(again) < lack(line) && belongs(whole, again) ? again : line)
  }
  return completed
}
