/** Finds long straight lines of dark print in any direction. */
import { blurBox, type GreyPicture } from './grey-picture.ts'

/** A run of print, in pixels of the picture in which it was found. */
interface TextRun {
  /** Its middle. */
  x: number
  y: number
  /** Direction as a unit vector; which end is the first is not known. */
  dx: number
  dy: number
  length: number
  /** Across, with the blur that joins its characters. */
  thickness: number
}

/** Sums over the pixels of a region, from which its axes follow. */
interface Moments {
  count: number
  x: number
  y: number
  xx: number
  xy: number
  yy: number
}

/** Radius in pixels that joins the characters of a line and keeps lines apart, for print 5 to 14 pixels high. */
const joinRadius = 3
const backgroundRadius = 8
const contrastRadius = 24
/** Least difference from the background, in grey levels. */
const contrastMin = 5
/** Least difference as a share of the usual one around it; and that of print much darker than the security print around it. */
export const printShare = 0.9
export const darkShare = 2
/** Share of print around a pixel of a line. */
const densityMin = 0.13

/** Share of dark print around each pixel. */
function measureDensity(picture: GreyPicture, share: number): GreyPicture {
  const { width, height } = picture
  const background = blurBox(picture, backgroundRadius)
  const smooth = blurBox(picture, 1)
  const depth = background.data
  for (let i = 0; i < depth.length; i++) depth[i] = Math.max(0, depth[i]! - smooth.data[i]!)
  const usual = blurBox(background, contrastRadius, smooth.data)
  const print = depth
  for (let i = 0; i < print.length; i++)
    print[i] = depth[i]! > Math.max(contrastMin, share * usual.data[i]!) ? 1 : 0
  const joined = blurBox({ width, height, data: print }, joinRadius, print)
  return blurBox(joined, joinRadius - 1, print)
}

/** The regions of dense print: pixels that touch, row by row. */
function collectRegions({ width, height, data }: GreyPicture): Moments[] {
  const parents: number[] = []
  const moments: Moments[] = []
  const find = (label: number): number => {
    let root = label
    while (parents[root] !== root) root = parents[root]!
    for (let at = label; parents[at] !== root; ) [at, parents[at]] = [parents[at]!, root]
    return root
  }
  let above: [from: number, to: number, label: number][] = []
  for (let y = 0; y < height; y++) {
    const runs: [number, number, number][] = []
    let first = 0
    for (let x = 0; x < width; ) {
      if (data[y * width + x]! < densityMin) {
        x++
        continue
      }
      const from = x
      while (x < width && data[y * width + x]! >= densityMin) x++
      while (first < above.length && above[first]![1] < from) first++
      let label = -1
      for (let i = first; i < above.length && above[i]![0] <= x; i++) {
        const other = find(above[i]![2])
        if (label === -1) label = other
        else parents[other] = label = find(label)
      }
      if (label === -1) {
        label = parents.push(parents.length) - 1
        moments.push({ count: 0, x: 0, y: 0, xx: 0, xy: 0, yy: 0 })
      }
      runs.push([from, x, label])
      const sum = moments[label]!
      for (let column = from; column < x; column++) {
        sum.count++
        sum.x += column
        sum.y += y
        sum.xx += column * column
        sum.xy += column * y
        sum.yy += y * y
      }
    }
    above = runs
  }
  for (let label = 0; label < parents.length; label++) {
    const root = find(label)
    if (root !== label) addMoments(moments[root]!, moments[label]!)
  }
  return moments.filter((_, label) => parents[label] === label)
}

function addMoments(sum: Moments, other: Moments): void {
  sum.count += other.count
  sum.x += other.x
  sum.y += other.y
  sum.xx += other.xx
  sum.xy += other.xy
  sum.yy += other.yy
}

/** The rectangle with the moments of a region. */
function toRun({ count, ...sums }: Moments): TextRun {
  const [x, y] = [sums.x / count, sums.y / count]
  const [xx, xy, yy] = [sums.xx / count - x * x, sums.xy / count - x * y, sums.yy / count - y * y]
  const angle = Math.atan2(2 * xy, xx - yy) / 2
  const [mean, spread] = [(xx + yy) / 2, Math.hypot((xx - yy) / 2, xy)]
  return {
    x: x + 0.5,
    y: y + 0.5,
    dx: Math.cos(angle),
    dy: Math.sin(angle),
    length: Math.sqrt(12 * (mean + spread) + 1),
    thickness: Math.sqrt(Math.max(0, 12 * (mean - spread)) + 1),
  }
}

/** Least and greatest thickness of a line, with the blur. */
const thicknessMin = 4
const thicknessMax = 30
/** Pieces are longer than thick; whole lines of 30 characters much more. */
const pieceRatio = 2.5
const lineRatio = 6.5
const piecesMax = 300

interface Piece {
  run: TextRun
  moments: Moments
}

/** Whether one piece continues the other: the same direction and thickness, a small gap. */
function continues(a: TextRun, b: TextRun): boolean {
  const along = (b.x - a.x) * a.dx + (b.y - a.y) * a.dy
  const thickness = Math.max(a.thickness, b.thickness)
  if (Math.min(a.thickness, b.thickness) < 0.45 * thickness) return false
  if (Math.abs(along) - (a.length + b.length) / 2 > 3.5 * thickness) return false
  const longer = a.length > b.length ? a : b
  const across = Math.abs((b.x - a.x) * longer.dy - (b.y - a.y) * longer.dx)
  if (across > 0.5 * thickness + 0.03 * Math.abs(along)) return false
  // The direction of a short piece is not certain.
  const shorter = a.length > b.length ? b : a
  return shorter.length < 6 * shorter.thickness || Math.abs(a.dx * b.dy - a.dy * b.dx) < 0.12
}

function joinPieces(pieces: Piece[]): Piece[] {
  const joined: Piece[] = []
  const rest = [...pieces]
  while (rest.length > 0) {
    let piece = rest.shift()!
    for (let i = 0; i < rest.length; ) {
      if (!continues(piece.run, rest[i]!.run)) {
        i++
        continue
      }
      const moments = { ...piece.moments }
      addMoments(moments, rest[i]!.moments)
      const run = toRun(moments)
      // Pieces beside each other would make a thick run.
      if (run.thickness > 1.6 * Math.max(piece.run.thickness, rest[i]!.run.thickness)) {
        i++
        continue
      }
      piece = { run, moments }
      rest.splice(i, 1)
      i = 0
    }
    joined.push(piece)
  }
  return joined
}

/**
 * Finds lines of print that are 5 to 14 pixels high.
 * @param share how much darker they are than usual around them: less finds weak print, more leaves out security print
 * @returns the longest in proportion to their thickness first
 */
export function findTextLines(picture: GreyPicture, share = printShare): TextRun[] {
  const pieces = collectRegions(measureDensity(picture, share))
    .filter(({ count }) => count >= 24)
    .map((moments) => ({ moments, run: toRun(moments) }))
    .filter(
      ({ run: { length, thickness } }) =>
        thickness >= thicknessMin && thickness <= thicknessMax && length >= pieceRatio * thickness,
    )
    .toSorted((a, b) => b.run.length - a.run.length)
    .slice(0, piecesMax)
  return joinPieces(pieces)
    .map(({ run }) => run)
    .filter(({ length, thickness }) => length >= lineRatio * thickness)
    .toSorted((a, b) => b.length / b.thickness - a.length / a.thickness)
}
