/** Reads the lines of one machine-readable zone, starting from a line of print that may be one of them. */
import type { MrzReading, Point, Quad } from '../../documents/reading.ts'
import type { Pyramid } from '../pyramid.ts'
import { followPrint } from './follow-print.ts'
import type { LineReader, LineReading } from './line-reader.ts'
import { readAgain } from './read-again.ts'
import { askSecond, type PlacedLines } from './second-opinion.ts'
import {
  acrossOf,
  alongAt,
  capHeight,
  type LinePath,
  pitch,
  placeOn,
  type StripPlan,
  sampleStrip,
} from './strip.ts'
import { fitParabola, type RoughLine, type TracedLine, traceLine } from './trace-line.ts'

/** Numbers of characters of the formats' lines. */
const lineLengths = [30, 36, 44]
/** Distance of characters in heights of capital letters, in OCR-B. */
const usualPitch = 0.95
const stripWidthMax = 1024

/** A line that has been read, with its place. */
interface ReadLine {
  reading: LineReading
  plan: StripPlan
  /** Distance of characters and height of capital letters, in pixels of the picture. */
  pitch: number
  cap: number
}

/** Where the characters of a line are probably: a number of them that some format has. */
function guessPitch({ from, to, cap }: TracedLine): number {
  const usual = cap * usualPitch
  const guesses = lineLengths.map((count) => (to - from) / (count - 0.25))
  const nearest = guesses.reduce((best, guess) =>
    Math.abs(Math.log(guess / usual)) < Math.abs(Math.log(best / usual)) ? guess : best,
  )
  return Math.abs(Math.log(nearest / usual)) < 0.3 ? nearest : usual
}

/** Characters that fit into the margins of a strip: the ends of weak print are easily missed. */
const margin = 2.5
/** Print this near to an end of the strip may go on beyond it, for so many characters. */
const cutMax = 1.3
const cutMargin = 9

/** The strip of a line. */
function planStrip({ path, from, to, cap }: TracedLine, distance: number): StripPlan {
  const step = distance / pitch
  const wanted = (to - from) / step + 2 * margin * pitch
  const width = Math.min(stripWidthMax, Math.ceil(wanted / 32) * 32)
  return { path, along: [from - margin * distance, step, 0], rowStep: cap / capHeight, width }
}

/** Whether a reading reaches the beginning or the end of its strip, so that the line may go on there. */
const isCut = ({ width }: StripPlan, { characters }: LineReading): readonly [boolean, boolean] => [
  characters.length > 0 && characters[0]!.place < cutMax * pitch,
  characters.length > 0 && characters.at(-1)!.place > width - cutMax * pitch,
]

/** The plan that puts each character of a reading at its regular place, with room where the line may go on. */
function straighten(plan: StripPlan, reading: LineReading): StripPlan | null {
  const { characters } = reading
  if (characters.length < 12) return null
  const { at } = fitParabola(
    characters.map(({ place, probability }, i) => ({
      t: i,
      value: alongAt(plan, place),
      weight: probability,
    })),
  )
  const [before, after] = isCut(plan, reading).map((cut) => (cut ? cutMargin : margin)) as [number, number]
  // A character with the number i stands in the column (i + before) · pitch.
  const [start, step, bend] = at
  const along = [
    start - before * step + before * before * bend,
    (step - 2 * before * bend) / pitch,
    bend / (pitch * pitch),
  ] as const
  const wanted = (characters.length - 1 + before + after) * pitch
  const width = Math.min(stripWidthMax, Math.ceil(wanted / 32) * 32)
  const steps = [0, width].map((column) => along[1] + 2 * along[2] * column)
  const { path, rowStep } = plan
  return steps.every((value) => value > 0.3 * plan.along[1]) ? { path, rowStep, along, width } : null
}

const roundsMax = 3
/** Readings above this confidence are not read again. */
const sureConfidence = 0.985

/** Whether a reading says more: surer, or longer and about as sure. */
const isBetter = (a: LineReading, b: LineReading): boolean =>
  evidence(a) > evidence(b) && a.confidence > b.confidence - 0.02

/** Reads a line again with the distances that its reading shows, and with its print followed, as long as that helps. */
async function readBetter(read: LineReader, pyramid: Pyramid, line: ReadLine): Promise<ReadLine> {
  let best = line
  for (let round = 0; round < roundsMax; round++) {
    const mayGoOn = isCut(best.plan, best.reading).includes(true)
    if (!mayGoOn && (best.reading.confidence >= sureConfidence || round >= 2)) break
    const straight = straighten(best.plan, best.reading)
    if (!straight) break
    const plan = { ...straight, shifts: followPrint(pyramid, straight) }
    const reading = await read(pyramid, plan)
    if (!isBetter(reading, best.reading)) break
    best = { ...best, reading, plan }
  }
  return best
}

/** Reads a traced line, and once more with the distances that the first reading shows. */
async function readLine(read: LineReader, pyramid: Pyramid, traced: TracedLine): Promise<ReadLine> {
  const distance = guessPitch(traced)
  const plan = planStrip(traced, distance)
  const first: ReadLine = { reading: await read(pyramid, plan), plan, pitch: distance, cap: traced.cap }
  const line = await readBetter(read, pyramid, first)
  const { characters } = line.reading
  const ends = [characters[0], characters.at(-1)].map((end) => (end ? alongAt(line.plan, end.place) : 0))
  const measured = characters.length > 5 ? (ends[1]! - ends[0]!) / (characters.length - 1) : distance
  return { ...line, pitch: measured }
}

/** The same line read from its other end. */
const reverse = ({ path, from, to, cap }: TracedLine): TracedLine => ({
  path: { ...path, dx: -path.dx, dy: -path.dy, bend: [-path.bend[0], path.bend[1], -path.bend[2]] },
  from: -to,
  to: -from,
  cap,
})

/** Characters that a reading has beyond chance. */
const evidence = ({ characters }: LineReading): number =>
  characters.reduce((sum, { probability }) => sum + Math.max(0, probability - 0.4), 0)

const charactersMin = 20
const confidenceMin = 0.55
/** Characters of a line have equal distances: the deviation in distances. */
const unevenMax = 0.22

function isZoneLine({ characters, confidence }: LineReading): boolean {
  if (characters.length < charactersMin || confidence < confidenceMin) return false
  const gaps = characters.slice(1).map(({ place }, i) => place - characters[i]!.place)
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
  const spread = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length)
  return spread < unevenMax * mean
}

/** Characters in the middle of a line that tell whether it is one of a zone, and in which direction it is read. */
const probeCharacters = 17
/** Evidence that is needed to read the whole line, and with which the other direction is not tried. */
const probeMin = 2.2
const probeSure = 6

/** Reads the middle of a line. */
async function probe(read: LineReader, pyramid: Pyramid, traced: TracedLine): Promise<number> {
  const distance = guessPitch(traced)
  const step = distance / pitch
  const width = Math.ceil((probeCharacters * pitch) / 32) * 32
  const along = [(traced.from + traced.to - width * step) / 2, step, 0] as const
  return evidence(await read(pyramid, { path: traced.path, along, rowStep: traced.cap / capHeight, width }))
}

/** Reads the line in the direction in which its middle can be read. */
async function readEitherWay(
  read: LineReader,
  pyramid: Pyramid,
  traced: TracedLine,
): Promise<ReadLine | null> {
  const forwards = await probe(read, pyramid, traced)
  const backwards = forwards < probeSure ? await probe(read, pyramid, reverse(traced)) : 0
  if (Math.max(forwards, backwards) < probeMin) return null
  const line = await readLine(read, pyramid, backwards > forwards ? reverse(traced) : traced)
  return isZoneLine(line.reading) ? line : null
}

/** Distance of lines in distances of characters. */
const lineStepMin = 1.15
const lineStepMax = 3.6
const linesMax = 3
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

const fillersMin = 2
const symbolsMin = 3

const isLineLength = (count: number): boolean => lineLengths.some((length) => Math.abs(length - count) <= 3)

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

/** Whether a zone has as many lines as the format of its longest line. */
function isComplete(lines: readonly ReadLine[]): boolean {
  const longest = Math.max(...lines.map(({ reading }) => reading.characters.length))
  return lines.length >= (longest > lineLengths[0]! + 3 ? 2 : linesMax)
}

/**
 * Reads the line beside a line, if there is one.
 * @param isGuessed whether to look where no print stands out, instead of where it does
 */
async function readBeside(
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
  const [nx, ny] = acrossOf(path)
  const [x, y] = [middle.x - path.x, middle.y - path.y]
  const t = x * path.dx + y * path.dy
  return x * nx + y * ny - (path.bend[0] + path.bend[1] * t + path.bend[2] * t * t)
}

/** Reads lines of which a part was found again, from one that was read as a whole. */
async function completeLines(
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

/** The corners of a line's print: where it begins and ends, at an offset across. */
function cornersOf({ plan, pitch: distance, cap, reading }: ReadLine, side: 1 | -1): [Point, Point] {
  const first = reading.characters[0]!.place
  const last = reading.characters.at(-1)!.place
  const place = (column: number, by: number) =>
    placeOn(plan.path, alongAt(plan, column) + by * distance, (side * cap) / 2)
  return [place(first, -0.5), place(last, 0.5)]
}

function placeZone(lines: readonly ReadLine[]): Quad {
  const [topLeft, topRight] = cornersOf(lines[0]!, -1)
  const [bottomLeft, bottomRight] = cornersOf(lines.at(-1)!, 1)
  return [topLeft, topRight, bottomRight, bottomLeft]
}

/** Without fillers before a line that is longer than any format's: no name and no number begins with one. */
function trim(characters: LineReading['characters']): LineReading['characters'] {
  const extra = characters.length - (lineLengths.findLast((length) => length <= characters.length) ?? 0)
  const leading = characters.findIndex(({ symbol }) => symbol !== '<')
  return extra > 0 && extra <= 3 && leading > 0 ? characters.slice(Math.min(extra, leading)) : characters
}

/** How many characters a line lacks or has too many at most, if those of the others tell its number. */
const missedMax = 3

/** How many characters each line of a zone has by the format that its lines fit best; `null` if it fits none. */
function countCharacters(counts: readonly number[]): (number | null)[] {
  const possible = counts.length === linesMax ? lineLengths.slice(0, 1) : lineLengths.slice(1)
  const missed = (length: number) =>
    counts.reduce((sum, count) => sum + Math.min(missedMax + 1, Math.abs(count - length)), 0)
  const length = possible.reduce((best, other) => (missed(other) < missed(best) ? other : best))
  return counts.map((count) => (Math.abs(count - length) <= missedMax ? length : null))
}

/** A zone with its size, by which several are compared. */
export interface FoundZone {
  zone: MrzReading
  path: LinePath
  pitch: number
}

/** Least height of capital letters in pixels, and least number of characters, of a line that is read. */
const capMin = 4.5
const roomMin = 12

/**
 * Follows a line of print that may be one of a zone.
 * @returns `null` if it is too small or too short
 */
export function traceZoneLine(pyramid: Pyramid, rough: RoughLine): TracedLine | null {
  const traced = traceLine(pyramid, rough)
  if (!traced || traced.cap < capMin) return null
  return traced.to - traced.from > roomMin * usualPitch * traced.cap ? traced : null
}

/**
 * Reads the zone that a line of print may belong to.
 * @param second another network for zones that this one does not prove
 * @returns `null` if the line is no machine-readable one
 * @throws {AppError} `engine_unavailable`
 */
export async function readZone(
  read: LineReader,
  pyramid: Pyramid,
  traced: TracedLine,
  second?: LineReader,
): Promise<FoundZone | null> {
  const line = await readEitherWay(read, pyramid, traced)
  if (!line) return null
  const found = [line]
  for (const isGuessed of [false, true])
    for (const side of [1, -1] as const) {
      while (!isComplete(found)) {
        const next = await readBeside(read, pyramid, side === 1 ? found.at(-1)! : found[0]!, side, isGuessed)
        if (!next) break
        if (side === 1) found.push(next)
        else found.unshift(next)
      }
    }
  const lines = await completeLines(read, pyramid, found)
  if (!lines.some(({ reading }) => isLineLength(reading.characters.length))) return null
  // Every format has fillers; headlines in capital letters have none.
  const fillers = lines.flatMap(({ reading }) => reading.characters.filter(({ symbol }) => symbol === '<'))
  if (fillers.length < fillersMin) return null
  const { path } = line.plan
  const zone = { place: placeZone(lines), isMirrored: path.isMirrored }
  const counts = countCharacters(lines.map(({ reading }) => reading.characters.length))
  let settled: PlacedLines = []
  for (const [i, { plan, reading }] of lines.entries())
    settled = [...settled, trim(await readAgain(read, pyramid, plan, reading, counts[i]!))]
  const plans = lines.map(({ plan }) => plan)
  if (second) settled = (await askSecond(second, pyramid, plans, settled, zone)).map(trim)
  return {
    zone: {
      ...zone,
      lines: settled.map((line) => ({ characters: line.map(({ place: _, ...character }) => character) })),
    },
    path,
    pitch: line.pitch,
  }
}
