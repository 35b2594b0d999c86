/** Shrinks rows of a picture by area averaging. The weights of the pixels that a target pixel covers add up to 256. */

/** Adds a row of RGBA pixels with a weight to a line of uint16 `[width,4]`. */
export function addRow(line: usize, pixels: usize, width: i32, weight: i32): void {
  const weights = i16x8.splat(<i16>weight)
  const end = pixels + (<usize>width << 2)
  for (; pixels + 16 <= end; pixels += 16, line += 32) {
    const four = v128.load(pixels)
    const low = i16x8.mul(i16x8.extend_low_i8x16_u(four), weights)
    const high = i16x8.mul(i16x8.extend_high_i8x16_u(four), weights)
    v128.store(line, i16x8.add(v128.load(line), low))
    v128.store(line, i16x8.add(v128.load(line, 16), high), 16)
  }
  for (; pixels < end; pixels++, line += 2) {
    store<u16>(line, <u16>(<i32>load<u16>(line) + <i32>load<u8>(pixels) * weight))
  }
}

/**
 * Averages a line to a row of RGBA pixels.
 * @param spans for each pixel the first column of the line and the number of columns, int32 `[width,2]`
 * @param weights of these columns, one after the other, int32
 */
export function averageLine(line: usize, spans: usize, weights: usize, width: i32, to: usize): void {
  const half = i32x4.splat(1 << 15)
  for (let x = 0; x < width; x++, spans += 8, to += 4) {
    let from = line + (<usize>load<u32>(spans) << 3)
    let sum = half
    for (let count = load<i32>(spans, 4); count > 0; count--, from += 8, weights += 4) {
      sum = i32x4.add(sum, i32x4.mul(v128.load_ext<u16>(from), v128.load_splat<u32>(weights)))
    }
    const pixel = i32x4.shr_u(sum, 16)
    const words = i16x8.narrow_i32x4_u(pixel, pixel)
    store<u32>(to, i32x4.extract_lane(i8x16.narrow_i16x8_u(words, words), 0))
  }
}
