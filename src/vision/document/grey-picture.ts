import type { RgbaImage, Size } from '../../media/rgba-image.ts'

/** Grey levels 0…255, row by row. */
export interface GreyPicture extends Size {
  data: Float32Array
}

/** Luma of ITU-R BT.601. */
export function toGrey({ width, height, data }: RgbaImage): GreyPicture {
  const grey = new Float32Array(width * height)
  for (let i = 0, at = 0; i < grey.length; i++, at += 4)
    grey[i] = 0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!
  return { width, height, data: grey }
}

/** Enlarges a picture by bilinear interpolation, so that its finest print is a few pixels wide. */
export function enlargeGrey(picture: GreyPicture, factor: number): GreyPicture {
  const [width, height] = [Math.round(picture.width * factor), Math.round(picture.height * factor)]
  const data = new Float32Array(width * height)
  const limit = (place: number, last: number) => Math.min(last, Math.max(0, place))
  for (let y = 0, at = 0; y < height; y++) {
    const row = limit((y + 0.5) / factor - 0.5, picture.height - 1)
    const upper = Math.floor(row) * picture.width
    const lower = Math.min(picture.height - 1, Math.floor(row) + 1) * picture.width
    const down = row - Math.floor(row)
    for (let x = 0; x < width; x++, at++) {
      const column = limit((x + 0.5) / factor - 0.5, picture.width - 1)
      const left = Math.floor(column)
      const right = Math.min(picture.width - 1, left + 1)
      const share = column - left
      const top = picture.data[upper + left]! * (1 - share) + picture.data[upper + right]! * share
      const bottom = picture.data[lower + left]! * (1 - share) + picture.data[lower + right]! * share
      data[at] = top * (1 - down) + bottom * down
    }
  }
  return { width, height, data }
}

/**
 * Means of the values up to `radius` before and after each place of a row; at its ends of those that exist.
 * @param from where the row begins
 */
function blurRow(data: Float32Array, from: number, radius: number, out: Float32Array): void {
  const width = out.length
  let sum = 0
  for (let x = 0; x < Math.min(radius, width); x++) sum += data[from + x]!
  const [begun, ended] = [Math.min(width, radius + 1), Math.max(radius + 1, width - radius)]
  for (let x = 0; x < begun; x++) {
    if (x + radius < width) sum += data[from + x + radius]!
    out[x] = sum / Math.min(width, x + radius + 1)
  }
  const whole = 2 * radius + 1
  for (let x = radius + 1; x < width - radius; x++) {
    sum += data[from + x + radius]! - data[from + x - radius - 1]!
    out[x] = sum / whole
  }
  for (let x = ended; x < width; x++) {
    sum -= data[from + x - radius - 1]!
    out[x] = sum / (width - x + radius)
  }
}

/** A row of sums down, from which one row is taken while another is added. */
function moveSums(sums: Float64Array, added: Float32Array, removed: Float32Array): void {
  for (let x = 0; x < sums.length; x++) sums[x] = sums[x]! + added[x]! - removed[x]!
}

function writeShares(sums: Float64Array, share: number, out: Float32Array, from: number): void {
  for (let x = 0; x < sums.length; x++) out[from + x] = sums[x]! * share
}

/**
 * Averages over squares of 2 · radius + 1 pixels, by running sums; at the borders over the part that exists.
 * @param out where the result is written; may be the picture's own data
 */
export function blurBox(
  { width, height, data }: GreyPicture,
  radius: number,
  out: Float32Array = new Float32Array(data.length),
): GreyPicture {
  // Rows blurred across, as long as they are part of the sums.
  const rows = Array.from({ length: Math.min(height, 2 * radius + 2) }, () => new Float32Array(width))
  const none = new Float32Array(width)
  const sums = new Float64Array(width)
  const take = (y: number): Float32Array => {
    const row = rows[y % rows.length]!
    blurRow(data, y * width, radius, row)
    return row
  }
  for (let y = 0; y < Math.min(radius, height); y++) moveSums(sums, take(y), none)
  for (let y = 0; y < height; y++) {
    const removed = y > radius ? rows[(y - radius - 1) % rows.length]! : none
    moveSums(sums, y + radius < height ? take(y + radius) : none, removed)
    const share = 1 / (Math.min(height, y + radius + 1) - Math.max(0, y - radius))
    writeShares(sums, share, out, y * width)
  }
  return { width, height, data: out }
}
