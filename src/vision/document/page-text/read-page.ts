/** Reads the printed text of a page: finds its lines at any rotation, and reads them one by one. */
import type { Quad, TextLineReading } from '../../../documents/reading.ts'
import type { Engine, ModelId } from '../../../inference/engine.ts'
import type { Point } from '../../geometry.ts'
import type { Pyramid } from '../../pyramid.ts'
import { toLineReadings } from './line-text.ts'
import { alignBox, findDirection, isLong, sortForReading } from './page-direction.ts'
import { minimalBox, type RotatedBox, turnAxis } from './rotated-box.ts'
import { detectText, frameOf } from './text-detector.ts'
import { lineConfidence, type RecognisedLine, readingWidth, recogniseLine } from './text-recogniser.ts'

export interface PageNetworks {
  readonly detector: ModelId
  readonly recogniser: ModelId
}

/** Reads the text of a page. */
export interface PageReader {
  /**
   * @param place the document in the picture, if its borders are known; otherwise the whole picture is read
   * @returns the lines from top to bottom as the text stands, in pixels of the picture; empty if there is no text
   * @throws {AppError} `engine_unavailable`
   */
  read(pyramid: Pyramid, place?: Quad | null): Promise<TextLineReading[]>
}

/** Longer side of the frame in which lines are looked for. */
const frameSide = 960
/** A small picture is enlarged up to this factor: the network finds lines of at least about 8 pixels. */
const enlargementMax = 2.5
/** Text tilted by more than this is looked for a second time, in a frame that is rotated accordingly. Sine of 12 degrees. */
const tiltSineMax = 0.2
/** The longest lines tell whether the page is upside down. */
const senseLines = 4
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
    const frame = frameOf(part, Math.min(frameSide, longSide * enlargementMax))
    return detectText(engine, detector, pyramid, frame)
  }

  const recognise = (pyramid: Pyramid, box: RotatedBox) => recogniseLine(engine, recogniser, pyramid, box)

  /** Whether lines are read better from the other end. */
  async function isUpsideDown(pyramid: Pyramid, boxes: readonly RotatedBox[]): Promise<boolean> {
    const longest = boxes
      .filter((box) => isLong(box) && box.width > box.height)
      .sort((a, b) => readingWidth(b) - readingWidth(a))
      .slice(0, senseLines)
    if (longest.length === 0) return false
    const measure = async (quarterTurns: number) => {
      let sum = 0
      for (const box of longest)
        sum += lineConfidence((await recognise(pyramid, turnAxis(box, quarterTurns))).characters)
      return sum / longest.length
    }
    const upright = await measure(0)
    return upright < senseConfidence && (await measure(2)) > upright
  }

  /** Reads a line; one across the page may run up or down. */
  async function readLine(pyramid: Pyramid, box: RotatedBox, direction: Point) {
    const read = await recognise(pyramid, box)
    const isAcross = Math.abs(box.axis.x * direction.x + box.axis.y * direction.y) < Math.SQRT1_2
    if (!isAcross || lineConfidence(read.characters) >= senseConfidence) return toLineReadings(box, read)
    const turned = turnAxis(box, 2)
    const other: RecognisedLine = await recognise(pyramid, turned)
    return lineConfidence(other.characters) > lineConfidence(read.characters)
      ? toLineReadings(turned, other)
      : toLineReadings(box, read)
  }

  return {
    async read(pyramid, place = null) {
      const part = placeToPart(place) ?? {
        ...{ centre: { x: pyramid.width / 2, y: pyramid.height / 2 }, axis: { x: 1, y: 0 } },
        ...{ width: pyramid.width, height: pyramid.height },
      }
      let found = await find(pyramid, part)
      const tilt = findDirection(found)
      if (!tilt) return []
      const inFrame = tilt.x * part.axis.y - tilt.y * part.axis.x
      if (Math.abs(inFrame) > tiltSineMax) found = await find(pyramid, boundPart(part, tilt))
      const along = findDirection(found) ?? tilt
      const aligned = found.map((box) => alignBox(box, along))
      const isTurned = await isUpsideDown(pyramid, aligned)
      const direction = isTurned ? { x: -along.x, y: -along.y } : along
      const boxes = isTurned ? found.map((box) => alignBox(box, direction)) : aligned

      const lines: TextLineReading[] = []
      for (const box of sortForReading(limitWidths(boxes), direction))
        lines.push(...(await readLine(pyramid, box, direction)))
      return lines.filter(({ confidence }) => confidence >= lineConfidenceMin)
    },
  }
}

/** The rectangle around the borders of a document, its axis as near to the rows of the picture as its sides allow. */
function placeToPart(place: Quad | null): RotatedBox | null {
  const box = place && minimalBox(place)
  if (!box) return null
  const { x, y } = box.axis
  return Math.abs(y) > Math.abs(x) ? turnAxis(box, y > 0 ? 3 : 1) : box
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
