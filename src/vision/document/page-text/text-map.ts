/**
 * Boxes of text lines from the map of a DB network ("Real-time Scene Text Detection with Differentiable Binarization", Liao et
 * al., 2020): each pixel has the probability to lie in the shrunk core of a line.
 */
import type { Point } from '../../geometry.ts'
import { growBox, minimalBox, type RotatedBox } from './rotated-box.ts'

/** Probabilities `[height,width]`, 0 to 1. */
export interface TextMap {
  readonly data: Float32Array
  readonly width: number
  readonly height: number
}

/** A pixel belongs to a core above this probability. */
const coreMin = 0.3
/** Minimum mean probability in the box of a core. */
const boxMin = 0.5
/** Minimum height of a core in pixels. */
const heightMin = 3
/** Area of the margin in units of the area of the core, which the network learnt to shrink. */
const unclipRatio = 1.6

/** A connected set of core pixels, by its outermost pixels in each row. */
interface Core {
  readonly top: number
  /** First and last column of each row from `top` on. */
  readonly rows: [left: number, right: number][]
  readonly pixels: number
}

/** Collects the connected core pixels around one, also diagonally, and marks them as seen. */
function traceCore({ data, width, height }: TextMap, seen: Uint8Array, start: number): Core {
  const rows = new Map<number, [number, number]>()
  const open = [start]
  seen[start] = 1
  let pixels = 0
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    pixels++
    const x = at % width
    const y = (at - x) / width
    const row = rows.get(y)
    if (!row) rows.set(y, [x, x])
    else if (x < row[0]) row[0] = x
    else if (x > row[1]) row[1] = x
    for (let ny = Math.max(0, y - 1); ny <= Math.min(height - 1, y + 1); ny++)
      for (let nx = Math.max(0, x - 1); nx <= Math.min(width - 1, x + 1); nx++) {
        const next = ny * width + nx
        if (seen[next] || !(data[next]! > coreMin)) continue
        seen[next] = 1
        open.push(next)
      }
  }
  const top = Math.min(...rows.keys())
  return { top, rows: Array.from({ length: rows.size }, (_, i) => rows.get(top + i)!), pixels }
}

/** Corners of the outermost pixels: pixels are squares, not points. */
const outline = ({ top, rows }: Core): Point[] =>
  rows.flatMap(([left, right], i) => [
    { x: left, y: top + i },
    { x: left, y: top + i + 1 },
    { x: right + 1, y: top + i },
    { x: right + 1, y: top + i + 1 },
  ])

/** Mean probability of the pixels whose centres lie in a box. */
function meanInside({ data, width, height }: TextMap, { centre, axis, ...box }: RotatedBox): number {
  const reachX = (Math.abs(axis.x) * box.width + Math.abs(axis.y) * box.height) / 2
  const reachY = (Math.abs(axis.y) * box.width + Math.abs(axis.x) * box.height) / 2
  let [sum, count] = [0, 0]
  for (
    let y = Math.max(0, Math.floor(centre.y - reachY));
    y < Math.min(height, Math.ceil(centre.y + reachY));
    y++
  )
    for (
      let x = Math.max(0, Math.floor(centre.x - reachX));
      x < Math.min(width, Math.ceil(centre.x + reachX));
      x++
    ) {
      const [dx, dy] = [x + 0.5 - centre.x, y + 0.5 - centre.y]
      const along = Math.abs(dx * axis.x + dy * axis.y)
      const down = Math.abs(dy * axis.x - dx * axis.y)
      if (along > box.width / 2 || down > box.height / 2) continue
      sum += data[y * width + x]!
      count++
    }
  return count === 0 ? 0 : sum / count
}

/** The box of a whole line around the box of its core. */
function unclip(box: RotatedBox): RotatedBox {
  const { width, height } = box
  return growBox(box, (width * height * unclipRatio) / (2 * (width + height)))
}

/**
 * Finds the lines of a map.
 * @param boxesMax more are dropped, the smallest first
 * @returns boxes in pixels of the map, their axes along the longer sides, the largest first
 */
export function findTextBoxes(map: TextMap, boxesMax: number): RotatedBox[] {
  const seen = new Uint8Array(map.data.length)
  const cores: Core[] = []
  for (let start = 0; start < map.data.length; start++)
    if (!seen[start] && map.data[start]! > coreMin) {
      const core = traceCore(map, seen, start)
      if (core.pixels >= heightMin * heightMin) cores.push(core)
    }
  return cores
    .sort((a, b) => b.pixels - a.pixels)
    .slice(0, boxesMax)
    .map((core) => minimalBox(outline(core))!)
    .filter((box) => box.height >= heightMin && meanInside(map, box) >= boxMin)
    .map(unclip)
}
