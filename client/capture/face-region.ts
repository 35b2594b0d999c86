/**
 * Where the face is, without a detector: the connected region around the middle of the oval that has the colours of the middle. The
 * colours come from the picture itself, so it makes no difference which skin or light it is.
 */
import { brightness, oval, type Picture } from './picture.ts'

export interface FaceRegion {
  /** Share of the stage's width. */
  width: number
  /** The region's middle, in shares of the stage. */
  x: number
  y: number
  /** Whether the region runs out of the picture: then its colours are those of the background too. */
  isOpen: boolean
  /** −1…1: how far the dark parts of the upper half, which are the eyes, lie beside the region's middle, in shares of its half width. */
  turn: number
}

/** Half width of the part that the colours are taken from, in shares of the oval's half width. */
const coreShare = 0.45
/** Largest difference of the shares of red and green from those of the middle. */
const hueTolerance = 0.035
/** Brightness of the region, in shares of that of the middle. */
const darkest = 0.5
const brightest = 1.6
/** Smaller regions are something else than a face, in shares of the picture. */
const sizeMin = 0.03

interface Colour {
  red: number
  green: number
  light: number
}

function colourAt(picture: Picture, at: number): Colour {
  const { data } = picture
  const sum = data[at]! + data[at + 1]! + data[at + 2]! || 1
  return { red: data[at]! / sum, green: data[at + 1]! / sum, light: brightness(picture, at) }
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0

/** The usual colour of the middle of the oval. */
function coreColour(picture: Picture): Colour {
  const { width, height } = picture
  const colours: Colour[] = []
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const dx = (x / width - oval.x) / (oval.rx * coreShare)
      const dy = (y / height - oval.y) / (oval.ry * coreShare)
      if (dx * dx + dy * dy <= 1) colours.push(colourAt(picture, (y * width + x) * 4))
    }
  }
  const of = (name: keyof Colour) => median(colours.map((colour) => colour[name]))
  return { red: of('red'), green: of('green'), light: of('light') }
}

/** Marks the pixels with the colours of the middle that are connected with it. */
function grow(picture: Picture, core: Colour): { region: Uint8Array; count: number } {
  const { width, height } = picture
  const fits = (at: number): boolean => {
    const { red, green, light } = colourAt(picture, at * 4)
    const isLit = light > core.light * darkest && light < core.light * brightest
    return isLit && Math.abs(red - core.red) < hueTolerance && Math.abs(green - core.green) < hueTolerance
  }
  const region = new Uint8Array(width * height)
  const queue: number[] = []
  const visit = (at: number): void => {
    if (region[at] !== 0) return
    region[at] = fits(at) ? 1 : 2
    if (region[at] === 1) queue.push(at)
  }
  const middle = Math.round(oval.y * height)
  // The very middle may be a nostril or a shadow.
  for (let x = Math.round(width * 0.4); x < width * 0.6; x++) visit(middle * width + x)
  let count = 0
  while (queue.length > 0) {
    const at = queue.pop()!
    count++
    const x = at % width
    if (x > 0) visit(at - 1)
    if (x + 1 < width) visit(at + 1)
    if (at >= width) visit(at - width)
    if (at + width < region.length) visit(at + width)
  }
  return { region, count }
}

/** The value below which a share of the counts lies. */
function quantile(counts: readonly number[], share: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0)
  let sum = 0
  return counts.findIndex((count) => {
    sum += count
    return sum >= total * share
  })
}

/** Where the dark parts between the sides of the region lie, from its middle. */
function measureTurn(
  picture: Picture,
  core: Colour,
  box: { left: number; right: number; top: number; bottom: number },
): number {
  const { width } = picture
  const middle = (box.left + box.right) / 2
  const half = (box.right - box.left) / 2
  let sum = 0
  let weight = 0
  const from = Math.round(box.top + (box.bottom - box.top) * 0.2)
  const to = Math.round(box.top + (box.bottom - box.top) * 0.55)
  for (let y = from; y < to; y++) {
    for (let x = Math.ceil(box.left + half * 0.15); x < box.right - half * 0.15; x++) {
      const dark = Math.max(0, core.light * 0.75 - brightness(picture, (y * width + x) * 4))
      sum += dark * ((x - middle) / half)
      weight += dark
    }
  }
  return weight === 0 ? 0 : sum / weight
}

/** @returns `null` if nothing in the middle is like a face in size */
export function findFaceRegion(picture: Picture): FaceRegion | null {
  const { width, height } = picture
  const core = coreColour(picture)
  const { region, count } = grow(picture, core)
  if (count < sizeMin * width * height) return null
  const columns = new Array<number>(width).fill(0)
  const rows = new Array<number>(height).fill(0)
  let edge = 0
  for (let at = 0; at < region.length; at++) {
    if (region[at] !== 1) continue
    const x = at % width
    const y = (at - x) / width
    columns[x]!++
    rows[y]!++
    // A neck may leave the picture below, a face leaves it nowhere.
    if (x === 0 || x === width - 1 || y === 0) edge++
  }
  // Strands of the background that have the same colour do not count.
  const box = {
    left: quantile(columns, 0.03),
    right: quantile(columns, 0.97),
    top: quantile(rows, 0.03),
    bottom: quantile(rows, 0.9),
  }
  return {
    width: (box.right - box.left + 1) / width,
    x: (box.left + box.right + 1) / 2 / width,
    y: (box.top + box.bottom + 1) / 2 / height,
    isOpen: edge > (width + 2 * height) * 0.12,
    turn: measureTurn(picture, core, box),
  }
}
