/** Reads the printed text of a page: finds its lines at any rotation, and reads them one by one. */
import type { Quad, TextLineReading } from '../../../documents/reading.ts'
import type { Engine, ModelId } from '../../../inference/engine.ts'
import type { Point } from '../../geometry.ts'
import type { Pyramid } from '../../pyramid.ts'
import { toLineReadings } from './line-text.ts'
import { alignBox, findDirection, isLong, sortForReading } from './page-direction.ts'
import { type RotatedBox, turnAxis } from './rotated-box.ts'
import { detectText, toTextFrame } from './text-detector.ts'
import { lineConfidence, type RecognisedLine, readingWidth, recogniseLine } from './text-recogniser.ts'

interface PageNetworks {
  readonly detector: ModelId
  readonly recogniser: ModelId
}

/** Reads the text of a page. */
interface PageReader {
  /**
   * @param known places whose text is known already, such as machine-readable zones: their lines are left out
   * @returns the lines from top to bottom as the text stands, in pixels of the picture; empty if there is no text
   * @throws {AppError} `engine_unavailable`
   */
  read(pyramid: Pyramid, known?: readonly Quad[]): Promise<TextLineReading[]>
}

/** Longer side of the frame in which lines are looked for. */
const frameSide = 960
/** Pixels of the frame: the memory of the network, about 110 bytes for each. */
const frameArea = 960 * 672
/** A small picture is enlarged up to this factor: the network finds lines of at least about 8 pixels. */
const enlargementMax = 2.5
/** Text tilted by more than this is looked for a second time, in a frame that is rotated accordingly. Sine of 12 degrees. */
const tiltSineMax = 0.2
/** Some lines tell whether the page is upside down: the longest up to a width in which they are read, which is the cost of it. */
const senseLines = 4
const senseWidthMax = 400
/** Upright text is read with more confidence than this. */
const senseConfidence = 0.85
/** Lines below this confidence are no text, or none that the network can read. */
const lineConfidenceMin = 0.5
/** Pixels of all lines together, at the height in which they are read; more lines are left out, the smallest first. */
const widthsMax = 40_000

/** Opens the reader of pages on an engine that has both networks. */
export function openPageReader(engine: Engine, { detector, recogniser }: PageNetworks): PageReader {
  async function find(pyramid: Pyramid, part: RotatedBox): Promise<RotatedBox[]> {
    const longSide = Math.max(part.width, part.height)
    const side = Math.sqrt((frameArea * longSide) / Math.min(part.width, part.height))
    const frame = toTextFrame(part, Math.min(frameSide, side, longSide * enlargementMax))
    return detectText(engine, detector, pyramid, frame)
  }

  /** Whether lines are read better from the other end. */
  async function isUpsideDown(recognise: Recognise, boxes: readonly RotatedBox[]): Promise<boolean> {
    const long = boxes
      .filter((box) => isLong(box) && box.width > box.height)
      .sort((a, b) => readingWidth(b) - readingWidth(a))
    const cheap = long.filter((box) => readingWidth(box) <= senseWidthMax)
    const chosen = (cheap.length > 0 ? cheap : long.toReversed()).slice(0, senseLines)
    if (chosen.length === 0) return false
    const measure = async (boxesToRead: readonly RotatedBox[]) => {
      let sum = 0
      for (const box of boxesToRead) sum += lineConfidence((await recognise(box)).characters)
      return sum / chosen.length
    }
    const upright = await measure(chosen)
    return upright < senseConfidence && (await measure(chosen.map((box) => turnAxis(box, 2)))) > upright
  }

  /** Reads a line; one across the page may run up or down. */
  async function readLine(recognise: Recognise, box: RotatedBox, direction: Point) {
    const read = await recognise(box)
    const isAcross = Math.abs(box.axis.x * direction.x + box.axis.y * direction.y) < Math.SQRT1_2
    if (!isAcross || lineConfidence(read.characters) >= senseConfidence) return toLineReadings(box, read)
    const turned = turnAxis(box, 2)
    const other = await recognise(turned)
    return lineConfidence(other.characters) > lineConfidence(read.characters)
      ? toLineReadings(turned, other)
      : toLineReadings(box, read)
  }

  return {
    async read(pyramid, known = []) {
      const recognise = remember((box) => recogniseLine(engine, recogniser, pyramid, box))
      const { width, height } = pyramid
      const whole = { centre: { x: width / 2, y: height / 2 }, axis: { x: 1, y: 0 }, width, height }
      let found = await find(pyramid, whole)
      const tilt = findDirection(found)
      if (!tilt) return []
      if (Math.abs(tilt.y) > tiltSineMax) found = await find(pyramid, boundPart(whole, tilt))
      const along = findDirection(found) ?? tilt
      const unknown = found.filter(({ centre }) => !known.some((place) => isInside(centre, place)))
      const aligned = unknown.map((box) => alignBox(box, along))
      const isTurned = await isUpsideDown(recognise, aligned)
      const direction = isTurned ? { x: -along.x, y: -along.y } : along
      const boxes = isTurned ? unknown.map((box) => alignBox(box, direction)) : aligned

      const lines: TextLineReading[] = []
      for (const box of sortForReading(limitWidths(boxes), direction))
        lines.push(...(await readLine(recognise, box, direction)))
      return lines.filter(({ confidence }) => confidence >= lineConfidenceMin)
    },
  }
}

type Recognise = (box: RotatedBox) => Promise<RecognisedLine>

/** Recognises each line once: those that told the direction of the page are read already. */
function remember(recognise: Recognise): Recognise {
  const known = new Map<string, Promise<RecognisedLine>>()
  return (box) => {
    const { centre, axis } = box
    const key = [centre.x, centre.y, axis.x, axis.y].map((value) => value.toFixed(3)).join()
    const line = known.get(key) ?? recognise(box)
    known.set(key, line)
    return line
  }
}

/** Whether a point lies inside a quadrilateral, whose corners run clockwise or counterclockwise. */
function isInside(point: Point, quad: Quad): boolean {
  const sides = quad.map((from, i) => {
    const to = quad[(i + 1) % 4]!
    return (to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x)
  })
  return sides.every((side) => side >= 0) || sides.every((side) => side <= 0)
}

/** The boxes that may be read: all, unless they are many and long. They are sorted by size. */
function limitWidths(boxes: readonly RotatedBox[]): RotatedBox[] {
  let left = widthsMax
  return boxes.filter((box) => {
    left -= readingWidth(box)
    return left >= 0
  })
}

/** The rectangle in another direction around a part. */
function boundPart({ centre, axis, width, height }: RotatedBox, direction: Point): RotatedBox {
  const cosine = Math.abs(axis.x * direction.x + axis.y * direction.y)
  const sine = Math.abs(axis.x * direction.y - axis.y * direction.x)
  return {
    ...{ centre, axis: direction },
    width: width * cosine + height * sine,
    height: width * sine + height * cosine,
  }
}
