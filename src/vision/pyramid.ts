import type { Orientation } from '../media/exif.ts'
import { orientImage } from '../media/orient-image.ts'
import type { PictureKernel } from '../media/picture-kernel.ts'
import { orientSource, type PictureSource } from '../media/picture-source.ts'
import type { RgbaImage, Size } from '../media/rgba-image.ts'
import type { Box } from './geometry.ts'

function cropImage({ width, data }: RgbaImage, { x, y, ...size }: Box): RgbaImage {
  const cropped = new Uint8ClampedArray(size.width * size.height * 4)
  for (let row = 0; row < size.height; row++) {
    const from = ((y + row) * width + x) * 4
    cropped.set(data.subarray(from, from + size.width * 4), row * size.width * 4)
  }
  return { ...size, data: cropped }
}

/** A part of a level of the pyramid, or all of it. */
export interface Window {
  image: RgbaImage
  /** Pixels of the picture per pixel of the level. */
  step: number
  /** Place of the part in the level; negative if the image reaches beyond the level, as that of a cropped picture does. */
  left: number
  top: number
  /** Size of the whole level. */
  level: Size
}

/** Where a level lies in the image of a window. */
const boxOfLevel = ({ left, top, level }: Window): Box => ({ x: -left, y: -top, ...level })

const copyLevel = (window: Window): RgbaImage => cropImage(window.image, boxOfLevel(window))

/** Parts begin and end at multiples of this, so that compression blocks keep their places. */
const blockSide = 8
/** Pixels around a part that is asked for, and share of its sides: the next part asked for is often nearly the same. */
const windowMargin = 8
const windowReserve = 0.15
/** If a part has more than this share of the picture, the whole level is decoded. */
const windowShareMax = 0.5

const count = (from: number, to: number): Int32Array =>
  Int32Array.from({ length: to - from }, (_, i) => from + i)

/** A range of a level that contains a range of the picture. */
function spanWindow(from: number, length: number, step: number, end: number): [from: number, to: number] {
  const reserve = length * windowReserve
  const first = Math.floor((from - reserve) / step) - windowMargin
  const last = Math.ceil((from + length + reserve) / step) + windowMargin
  const start = Math.min(Math.max(0, first), end - 1)
  return [
    start - (start % blockSide),
    Math.min(end, Math.max(start + 1, Math.ceil(last / blockSide) * blockSide)),
  ]
}

/**
 * An image pyramid: the picture and successively halved copies, computed on first use. Downscaling starts from a level that
 * is already close to the target size. Of a picture that is a source, only the levels and parts that are used are decoded; a
 * cropped picture is copied only where a part is halved.
 */
export class Pyramid implements Size {
  /** Size of the picture itself. */
  readonly width: number
  readonly height: number
  /** Makes its levels. */
  readonly kernel: PictureKernel
  readonly #source: PictureSource | null
  /** The picture as a part of a larger one in memory. */
  readonly #view: Window | null
  readonly #levels: (RgbaImage | undefined)[] = []
  readonly #windows: Window[] = []
  /** The picture of which this is a part, and the place of the part. */
  #whole: { pyramid: Pyramid; x: number; y: number } | null = null

  /** @param picture a window is a level that is the picture */
  constructor(kernel: PictureKernel, picture: RgbaImage | PictureSource | Window) {
    const { width, height } = 'level' in picture ? picture.level : picture
    this.kernel = kernel
    this.width = width
    this.height = height
    this.#source = 'pick' in picture ? picture : null
    this.#view = 'level' in picture ? picture : null
    if ('data' in picture) this.#levels[0] = picture
  }

  /** The whole picture itself; decodes it if it is a source. */
  get image(): RgbaImage {
    return this.#decoded(0)
  }

  /** Parts that are cropped begin at multiples of this, in pixels of the picture. */
  get grid(): number {
    return 2 ** this.firstLevel
  }

  /** The coarsest level that is decoded rather than halved; 0 unless the picture is a source. */
  get firstLevel(): number {
    return this.#source?.firstLevel ?? 0
  }

  /** Whether the whole picture itself is in memory. */
  get isWhole(): boolean {
    return this.#view !== null || this.#levels[0] !== undefined
  }

  /** The picture halved `level` times, from the nearest level in memory or from the source. */
  #decoded(level: number): RgbaImage {
    let from = level
    while (from > 0 && !this.#levels[from]) {
      const shared = this.#sharedLevel(from)
      if (shared) this.#levels[from] = copyLevel(shared)
      else from--
    }
    if (!this.#levels[from]) {
      from = Math.min(level, this.#view ? 1 : this.firstLevel)
      this.#levels[from] = !this.#view
        ? this.#source!.decode(from)
        : from === 0
          ? copyLevel(this.#view)
          : this.kernel.halve(this.#view.image, boxOfLevel(this.#view))
    }
    for (; from < level; from++) this.#levels[from + 1] = this.kernel.halve(this.#levels[from]!)
    return this.#levels[level]!
  }

  /** A level that the picture of which this is a part has in memory, if their pixels coincide. */
  #sharedLevel(level: number): Window | null {
    if (!this.#whole) return null
    const { pyramid, x, y } = this.#whole
    const step = 2 ** level
    const image = pyramid.#levels[level]
    const whole = image ? { image, left: 0, top: 0 } : pyramid.#sharedLevel(level)
    if (!whole || x % step || y % step) return null
    const size = { width: this.width >> level, height: this.height >> level }
    return { image: whole.image, step, left: whole.left - x / step, top: whole.top - y / step, level: size }
  }

  /** The number of halvings for a scale, or fewer if the picture would become empty. */
  #levelFor(scale: number): number {
    const wanted = Math.max(0, Math.floor(Math.log2(scale) + 1e-9))
    return Math.min(wanted, Math.floor(Math.log2(Math.min(this.width, this.height))))
  }

  /**
   * The smallest level that is not smaller than the target size.
   * @param scale pixels of the picture per pixel of the target
   * @returns that level; `step` is the number of pixels of the picture per pixel of the level
   */
  nearest(scale: number): { image: RgbaImage; step: number } {
    const level = this.#levelFor(scale)
    return { image: this.#decoded(level), step: 2 ** level }
  }

  /**
   * The smallest level that is not smaller than the target size, at least the part of it that contains a box.
   * @param scale pixels of the picture per pixel of the target
   * @param box in pixels of the picture; parts outside of the picture are ignored
   */
  near(scale: number, box: Box): Window {
    const level = this.#levelFor(scale)
    const step = 2 ** level
    const size = { width: this.width >> level, height: this.height >> level }
    if (level === 0 && this.#view) return this.#view
    const shared = this.#sharedLevel(level)
    if (shared) return shared
    const isDecoded = this.#levels.findIndex((image) => image !== undefined) <= level
    const hasParts = this.#view !== null || level < this.firstLevel
    if ((isDecoded && this.#levels.length > 0) || !hasParts)
      return { image: this.#decoded(level), step, left: 0, top: 0, level: size }
    return this.#window(level, size, box)
  }

  #window(level: number, size: Size, box: Box): Window {
    const step = 2 ** level
    const known = this.#windows.find((window) => window.step === step && contains(window, box))
    if (known) return known
    const [left, right] = spanWindow(box.x, box.width, step, size.width)
    const [top, bottom] = spanWindow(box.y, box.height, step, size.height)
    if ((right - left) * (bottom - top) > windowShareMax * size.width * size.height)
      return { image: this.#decoded(level), step, left: 0, top: 0, level: size }
    const image = this.#view
      ? this.#halvedPart(this.#view, level, { x: left, y: top, width: right - left, height: bottom - top })
      : this.#source!.pick(level, count(left, right), count(top, bottom))
    const window = { image, step, left, top, level: size }
    this.#windows.push(window)
    return window
  }

  /** @param part in pixels of the level */
  #halvedPart({ image, left, top }: Window, level: number, { x, y, width, height }: Box): RgbaImage {
    const step = 2 ** level
    const box = { x: x * step - left, y: y * step - top, width: width * step, height: height * step }
    let part = this.kernel.halve(image, box)
    for (let i = 1; i < level; i++) part = this.kernel.halve(part)
    return part
  }

  /** The pixels at the crossings of some columns and rows of the picture, both ascending. */
  pick(columns: Int32Array, rows: Int32Array): RgbaImage {
    if (this.#source && !this.isWhole) return this.#source.pick(0, columns, rows)
    const { image } = this
    const from = new Uint32Array(image.data.buffer, image.data.byteOffset, image.width * image.height)
    const to = new Uint32Array(columns.length * rows.length)
    let at = 0
    for (const y of rows) for (const x of columns) to[at++] = from[y * image.width + x]!
    return { width: columns.length, height: rows.length, data: new Uint8ClampedArray(to.buffer) }
  }

  /**
   * A part of the picture.
   * @param part in whole pixels; its left and upper sides lie on the grid
   */
  cropped(part: Box): Pyramid {
    const level = { width: part.width, height: part.height }
    if (!this.#source || this.isWhole) {
      const { image, left, top } = this.near(1, part)
      const view = { image, step: 1, left: left - part.x, top: top - part.y, level }
      const cropped = new Pyramid(this.kernel, view)
      cropped.#whole = { pyramid: this, x: part.x, y: part.y }
      return cropped
    }
    const source = this.#source
    const shift = (places: Int32Array, by: number, level: number) =>
      places.map((place) => place + by / 2 ** level)
    return new Pyramid(this.kernel, {
      ...level,
      firstLevel: source.firstLevel,
      // The whole picture can be much larger than the part.
      decode: (level) => {
        const [x, y] = [part.x / 2 ** level, part.y / 2 ** level]
        const [width, height] = [part.width >> level, part.height >> level]
        return level < source.firstLevel && !this.#levels[level]
          ? source.pick(level, count(x, x + width), count(y, y + height))
          : cropImage(this.#decoded(level), { x, y, width, height })
      },
      pick: (level, columns, rows) =>
        source.pick(level, shift(columns, part.x, level), shift(rows, part.y, level)),
    })
  }

  /** The picture rotated or mirrored as an EXIF orientation says. */
  turned(orientation: Orientation): Pyramid {
    if (!this.#source || this.isWhole) return new Pyramid(this.kernel, orientImage(this.image, orientation))
    const turned = new Pyramid(this.kernel, orientSource(this.#source, orientation))
    const { firstLevel } = this.#source
    const first = this.#levels[firstLevel]
    if (first) turned.#levels[firstLevel] = orientImage(first, orientation)
    return turned
  }
}

/** Whether a window has the pixels of a box, and one more on each side. */
function contains({ image, step, left, top, level }: Window, box: Box): boolean {
  const has = (from: number, length: number, start: number, size: number, end: number): boolean =>
    Math.max(0, from / step - 1) >= start && Math.min(end, (from + length) / step + 1) <= start + size
  return (
    has(box.x, box.width, left, image.width, level.width) &&
    has(box.y, box.height, top, image.height, level.height)
  )
}
