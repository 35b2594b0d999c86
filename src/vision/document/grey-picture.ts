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

/** Averages over squares of 2 · radius + 1 pixels, by running sums; at the borders over the part that exists. */
export function blurBox({ width, height, data }: GreyPicture, radius: number): GreyPicture {
  const across = new Float32Array(data.length)
  for (let y = 0; y < height; y++) {
    const row = y * width
    let sum = 0
    for (let x = 0; x < Math.min(radius, width); x++) sum += data[row + x]!
    for (let x = 0; x < width; x++) {
      if (x + radius < width) sum += data[row + x + radius]!
      if (x > radius) sum -= data[row + x - radius - 1]!
      across[row + x] = sum / (Math.min(width, x + radius + 1) - Math.max(0, x - radius))
    }
  }
  const out = new Float32Array(data.length)
  const sums = new Float64Array(width)
  for (let y = 0; y < Math.min(radius, height); y++)
    for (let x = 0; x < width; x++) sums[x] = sums[x]! + across[y * width + x]!
  for (let y = 0; y < height; y++) {
    const [added, removed] = [(y + radius) * width, (y - radius - 1) * width]
    const share = 1 / (Math.min(height, y + radius + 1) - Math.max(0, y - radius))
    const [adds, removes] = [y + radius < height, y > radius]
    for (let x = 0; x < width; x++) {
      let sum = sums[x]!
      if (adds) sum += across[added + x]!
      if (removes) sum -= across[removed + x]!
      sums[x] = sum
      out[y * width + x] = sum * share
    }
  }
  return { width, height, data: out }
}
