/** Reads one line of print that may be a machine-readable one. */
import type { Pyramid } from '../pyramid.ts'
import { followPrint } from './follow-print.ts'
import type { LineReader, LineReading } from './line-reader.ts'
import { alongAt, capHeight, pitch, type StripPlan } from './strip.ts'
import { fitParabola, type TracedLine } from './trace-line.ts'

/** Numbers of characters of the formats' lines. */
export const lineLengths = [30, 36, 44]
/** Most lines of a format. */
export const linesMax = 3
/** Distance of characters in heights of capital letters, in OCR-B. */
export const usualPitch = 0.95
const stripWidthMax = 1024

/** A line that has been read, with its place. */
export interface ReadLine {
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
export function planStrip({ path, from, to, cap }: TracedLine, distance: number): StripPlan {
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
export async function readBetter(read: LineReader, pyramid: Pyramid, line: ReadLine): Promise<ReadLine> {
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
export const confidenceMin = 0.55
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
export async function readEitherWay(
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
