/**
 * The inner loops of face registration, in AssemblyScript with SIMD. README.md describes the build. The only caller is
 * `src/vision/clip/registration-kernel.ts`. No state, no allocation: all addresses are parameters, in bytes.
 *
 * A chip is float32 `[64,64]`. A padded chip has its border around it, so that windows need no conditions: float32 `[84,88]`, the chip
 * begins in row 10 and column 12.
 */

const side = 64
const pixels = side * side
const lineBytes: usize = side << 2
const chipBytes: usize = pixels << 2
const padRows = 10
const padColumns = 12
const padBytes: usize = padColumns << 2
const paddedSide = side + 2 * padColumns
const paddedLineBytes: usize = paddedSide << 2

@inline
function paddedRow(padded: usize, row: i32): usize {
  return padded + (<usize>((row + padRows) * paddedSide + padColumns) << 2)
}

/** Coordinates of four pixels of a row, −1…1: the first is `column`. */
@inline
function coordinates(column: i32): v128 {
  const first = f32x4.splat((<f32>column + 0.5 - <f32>(side / 2)) / <f32>(side / 2))
  // In steps of half a side divided by 32.
  return f32x4.add(first, f32x4(0, 0.03125, 0.0625, 0.09375))
}

@inline
function rowCoordinate(row: i32): f32 {
  return (<f32>row + 0.5 - <f32>(side / 2)) / <f32>(side / 2)
}

@inline
function constant(from: usize, index: usize): v128 {
  return v128.load_splat<u32>(from + (index << 2))
}

/** Bilinear interpolation in a picture of bytes. */
@inline
function interpolate(picture: usize, pictureSide: i32, x0: i32, y0: i32, dx: f32, dy: f32): f32 {
  const at = picture + <usize>(y0 * pictureSide + x0)
  const below = at + <usize>pictureSide
  const a = <f32>load<u8>(at)
  const c = <f32>load<u8>(below)
  const upper = a + (<f32>load<u8>(at, 1) - a) * dx
  const lower = c + (<f32>load<u8>(below, 1) - c) * dx
  return upper + (lower - upper) * dy
}

@inline
function interpolateFour(picture: usize, pictureSide: i32, x0: v128, y0: v128, dx: v128, dy: v128): v128 {
  const first = interpolate(
    picture,
    pictureSide,
    i32x4.extract_lane(x0, 0),
    i32x4.extract_lane(y0, 0),
    f32x4.extract_lane(dx, 0),
    f32x4.extract_lane(dy, 0),
  )
  const second = interpolate(
    picture,
    pictureSide,
    i32x4.extract_lane(x0, 1),
    i32x4.extract_lane(y0, 1),
    f32x4.extract_lane(dx, 1),
    f32x4.extract_lane(dy, 1),
  )
  const third = interpolate(
    picture,
    pictureSide,
    i32x4.extract_lane(x0, 2),
    i32x4.extract_lane(y0, 2),
    f32x4.extract_lane(dx, 2),
    f32x4.extract_lane(dy, 2),
  )
  const fourth = interpolate(
    picture,
    pictureSide,
    i32x4.extract_lane(x0, 3),
    i32x4.extract_lane(y0, 3),
    f32x4.extract_lane(dx, 3),
    f32x4.extract_lane(dy, 3),
  )
  const firstTwo = f32x4.replace_lane(f32x4.splat(first), 1, second)
  return f32x4.replace_lane(f32x4.replace_lane(firstTwo, 2, third), 3, fourth)
}

/**
 * Samples a frame at the pixels of the chip.
 * @param patch uint8 `[patchSide,patchSide]`
 * @param map float32: the homography to the patch `[9]`, then what maps the patch to the frame: a, b, tx, ty, and the frame's width and height
 * @param bend displacement of each pixel, float32 planes `[2,64,64]`; 0 for none
 * @param grey padded; pixels beyond the frame are 0
 * @param seen padded: 1 for pixels that lie in patch and frame
 * @returns the number of these
 */
export function sample(patch: usize, patchSide: i32, map: usize, bend: usize, grey: usize, seen: usize): i32 {
  const h0 = constant(map, 0)
  const h3 = constant(map, 3)
  const h6 = constant(map, 6)
  const a = constant(map, 9)
  const b = constant(map, 10)
  const zero = f32x4.splat(0)
  const one = f32x4.splat(1)
  const patchEnd = f32x4.splat(<f32>patchSide)
  const last = f32x4.splat(<f32>patchSide - 1.001)
  const half = f32x4.splat(0.5)
  const rightEnd = f32x4.sub(constant(map, 13), one)
  const bottomEnd = f32x4.sub(constant(map, 14), one)
  let count = 0
  for (let row = 0; row < side; row++) {
    const v0 = f32x4.splat(rowCoordinate(row))
    let to = paddedRow(grey, row)
    let toSeen = paddedRow(seen, row)
    for (let column = 0; column < side; column += 4, to += 16, toSeen += 16) {
      let u = coordinates(column)
      let v = v0
      if (bend) {
        const at = bend + (<usize>(row * side + column) << 2)
        u = f32x4.add(u, v128.load(at))
        v = f32x4.add(v, v128.load(at + chipBytes))
      }
      const w = f32x4.add(f32x4.add(f32x4.mul(h6, u), f32x4.mul(constant(map, 7), v)), constant(map, 8))
      const px = f32x4.div(
        f32x4.add(f32x4.add(f32x4.mul(h0, u), f32x4.mul(constant(map, 1), v)), constant(map, 2)),
        w,
      )
      const py = f32x4.div(
        f32x4.add(f32x4.add(f32x4.mul(h3, u), f32x4.mul(constant(map, 4), v)), constant(map, 5)),
        w,
      )
      const fx = f32x4.add(f32x4.sub(f32x4.mul(a, px), f32x4.mul(b, py)), constant(map, 11))
      const fy = f32x4.add(f32x4.add(f32x4.mul(b, px), f32x4.mul(a, py)), constant(map, 12))
      const inFrame = v128.and(
        v128.and(f32x4.gt(fx, one), f32x4.gt(fy, one)),
        v128.and(f32x4.lt(fx, rightEnd), f32x4.lt(fy, bottomEnd)),
      )
      const inPatch = v128.and(
        v128.and(f32x4.gt(px, zero), f32x4.gt(py, zero)),
        v128.and(f32x4.lt(px, patchEnd), f32x4.lt(py, patchEnd)),
      )
      const isSeen = v128.and(inFrame, inPatch)
      count += popcnt(i32x4.bitmask(isSeen))
      v128.store(toSeen, v128.and(isSeen, one))
      const cx = f32x4.pmin(f32x4.pmax(f32x4.sub(px, half), zero), last)
      const cy = f32x4.pmin(f32x4.pmax(f32x4.sub(py, half), zero), last)
      const x0 = i32x4.trunc_sat_f32x4_s(cx)
      const y0 = i32x4.trunc_sat_f32x4_s(cy)
      const dx = f32x4.sub(cx, f32x4.convert_i32x4_s(x0))
      const dy = f32x4.sub(cy, f32x4.convert_i32x4_s(y0))
      const values = interpolateFour(patch, patchSide, x0, y0, dx, dy)
      v128.store(to, v128.and(values, isSeen))
    }
  }
  return count
}

/** Copies a chip into a padded one. */
export function pad(chip: usize, padded: usize): void {
  for (let row = 0; row < side; row++) memory.copy(paddedRow(padded, row), chip + row * lineBytes, lineBytes)
}

/** Repeats the outermost pixels of a padded chip in its border. */
function replicateBorder(padded: usize): void {
  for (let row = 0; row < side; row++) {
    const first = paddedRow(padded, row)
    const left = constant(first, 0)
    const right = constant(first, side - 1)
    for (let at: usize = 0; at < padBytes; at += 16) {
      v128.store(first - padBytes + at, left)
      v128.store(first + lineBytes + at, right)
    }
  }
  const top = padded + padRows * paddedLineBytes
  const bottom = padded + (padRows + side - 1) * paddedLineBytes
  for (let row = 0; row < padRows; row++) {
    memory.copy(padded + row * paddedLineBytes, top, paddedLineBytes)
    memory.copy(padded + (padRows + side + row) * paddedLineBytes, bottom, paddedLineBytes)
  }
}

/** Means in the windows of `2 · reach + 1` pixels a side of a padded chip with its border. */
function averageWindows(padded: usize, reach: i32, rows: usize, out: usize): void {
  const from = padRows - reach
  const to = padRows + side + reach
  for (let row = from; row < to; row++) {
    const start = padded + (<usize>(row * paddedSide + padColumns - reach) << 2)
    const line = rows + (<usize>(row * side) << 2)
    for (let column: usize = 0; column < lineBytes; column += 16) {
      let sum = v128.load(start + column)
      for (let shift = 1; shift <= 2 * reach; shift++)
        sum = f32x4.add(sum, v128.load(start + column + (<usize>shift << 2)))
      v128.store(line + column, sum)
    }
  }
  const width = 2 * reach + 1
  const scale = f32x4.splat(<f32>1 / <f32>(width * width))
  for (let row = 0; row < side; row++) {
    const start = rows + (<usize>((row + from) * side) << 2)
    const line = out + (<usize>(row * side) << 2)
    for (let column: usize = 0; column < lineBytes; column += 16) {
      let sum = v128.load(start + column)
      for (let shift = 1; shift <= 2 * reach; shift++)
        sum = f32x4.add(sum, v128.load(start + column + (<usize>(shift * side) << 2)))
      v128.store(line + column, f32x4.mul(sum, scale))
    }
  }
}

/**
 * Means in windows of odd width; the border is replicated.
 * @param padded its border is overwritten
 * @param reach pixels on each side of the middle, at most 10
 * @param rows room for float32 `[84,64]`
 * @param out a chip
 */
export function boxMean(padded: usize, reach: i32, rows: usize, out: usize): void {
  replicateBorder(padded)
  averageWindows(padded, reach, rows, out)
}

@inline
function sumLanes(value: v128): f32 {
  return (
    f32x4.extract_lane(value, 0) +
    f32x4.extract_lane(value, 1) +
    f32x4.extract_lane(value, 2) +
    f32x4.extract_lane(value, 3)
  )
}

/**
 * Brightness minus the local mean, scaled to a standard deviation of 1 over the face.
 * @param seen padded: 1 for visible pixels
 * @param isWhole whether all are
 * @param face float32 `[64,64]`: 1 within the face
 * @param surroundingsMin share of the wide window that must be visible for a pixel to count
 * @param room for five chips and float32 `[84,64]`
 * @param chip the result
 * @param isSeen uint8 `[64,64]`: pixels that count
 */
export function extractDetails(
  grey: usize,
  seen: usize,
  isWhole: bool,
  narrow: i32,
  wide: i32,
  face: usize,
  surroundingsMin: f32,
  room: usize,
  chip: usize,
  isSeen: usize,
): void {
  const fine = room
  const coarse = fine + chipBytes
  const near = coarse + chipBytes
  const far = near + chipBytes
  const counts = far + chipBytes
  const rows = counts + chipBytes
  replicateBorder(grey)
  averageWindows(grey, narrow, rows, fine)
  averageWindows(grey, wide, rows, coarse)
  const one = f32x4.splat(1)
  if (isWhole) {
    for (let at: usize = 0; at < chipBytes; at += 16) {
      v128.store(chip + at, f32x4.sub(v128.load(fine + at), v128.load(coarse + at)))
      v128.store(counts + at, one)
    }
  } else {
    // Means are taken over visible pixels only.
    replicateBorder(seen)
    averageWindows(seen, narrow, rows, near)
    averageWindows(seen, wide, rows, far)
    const least = f32x4.splat(1e-3)
    const enough = f32x4.splat(surroundingsMin)
    for (let row = 0; row < side; row++) {
      const own = paddedRow(seen, row)
      const line = <usize>(row * side) << 2
      for (let column: usize = 0; column < lineBytes; column += 16) {
        const at = line + column
        const weight = v128.load(far + at)
        const middle = f32x4.div(v128.load(coarse + at), f32x4.pmax(weight, least))
        const value = f32x4.div(v128.load(fine + at), f32x4.pmax(v128.load(near + at), least))
        const isHere = v128.load(own + column)
        v128.store(chip + at, f32x4.mul(f32x4.sub(value, middle), isHere))
        v128.store(counts + at, v128.and(isHere, f32x4.ge(weight, enough)))
      }
    }
  }
  let sum = f32x4.splat(0)
  let squares = sum
  let count = sum
  for (let at: usize = 0; at < chipBytes; at += 16) {
    const counted = v128.load(counts + at)
    const weight = f32x4.mul(counted, v128.load(face + at))
    const value = f32x4.mul(v128.load(chip + at), weight)
    sum = f32x4.add(sum, value)
    squares = f32x4.add(squares, f32x4.mul(value, value))
    count = f32x4.add(count, weight)
  }
  const counted = max<f32>(1, sumLanes(count))
  const mean = sumLanes(sum) / counted
  // Half a grey level: keeps noise from being amplified where a face has no detail.
  const scale = f32x4.splat(<f32>1 / (sqrt<f32>(max<f32>(0, sumLanes(squares) / counted - mean * mean)) + 0.5))
  for (let at: usize = 0; at < chipBytes; at += 16)
    v128.store(chip + at, f32x4.mul(v128.load(chip + at), scale))
  for (let i = 0; i < pixels; i++) store<u8>(isSeen + <usize>i, <u8>load<f32>(counts + (<usize>i << 2)))
}

/**
 * Lists the pixels of a zone that are visible in two chips.
 * @param zone uint16
 * @param count how many
 * @param step every how many-th of them is listed
 * @param a uint8 `[64,64]`, as `b`
 * @param out uint16
 * @returns their number
 */
export function findCommon(zone: usize, count: i32, step: i32, a: usize, b: usize, out: usize): i32 {
  let found = 0
  let seen = 0
  for (let i = 0; i < count; i++) {
    const at = load<u16>(zone + (<usize>i << 1))
    if (load<u8>(a + <usize>at) == 0 || load<u8>(b + <usize>at) == 0) continue
    if (seen++ % step != 0) continue
    store<u16>(out + (<usize>found << 1), at)
    found++
  }
  return found
}

/** Mean squared difference of two chips at some pixels. */
export function meanDifference(a: usize, b: usize, common: usize, count: i32): f64 {
  let sum: f64 = 0
  for (let i = 0; i < count; i++) {
    const at = <usize>load<u16>(common + (<usize>i << 1)) << 2
    const difference = <f64>(load<f32>(a + at) - load<f32>(b + at))
    sum += difference * difference
  }
  return sum / <f64>count
}

const binsPerUnit = 100
const binsMax = 400

/**
 * Median of the absolute differences of two chips, from a histogram; at most about 4.
 * @param bins room for uint32 `[401]`
 */
export function medianDifference(a: usize, b: usize, common: usize, count: i32, bins: usize): f64 {
  memory.fill(bins, 0, (binsMax + 1) << 2)
  for (let i = 0; i < count; i++) {
    const at = <usize>load<u16>(common + (<usize>i << 1)) << 2
    const size = abs(load<f32>(a + at) - load<f32>(b + at)) * <f32>binsPerUnit
    const bin = bins + (<usize>(size < <f32>binsMax ? <i32>size : binsMax) << 2)
    store<u32>(bin, load<u32>(bin) + 1)
  }
  const half = <f64>count / 2
  let seen: f64 = 0
  for (let bin = 0; bin <= binsMax; bin++) {
    const inside = <f64>load<u32>(bins + (<usize>bin << 2))
    if (seen + inside >= half) return (<f64>bin + (half - seen) / max<f64>(1, inside)) / <f64>binsPerUnit
    seen += inside
  }
  return <f64>binsMax / <f64>binsPerUnit
}

/**
 * Sums for weighted least squares: products of all pairs of slopes, and of the slopes with the difference of two chips.
 * @param slopes float32 `[64·64,size]`: derivatives of the second chip
 * @param size a multiple of 4
 * @param bound the inverse of the difference at which a pixel has half weight
 * @param sums float32 `[size,size]` and `[size]`; of the products only those right of the diagonal, from the multiple of 4 before it
 */
export function sumProducts(
  a: usize,
  b: usize,
  common: usize,
  count: i32,
  slopes: usize,
  size: i32,
  bound: f32,
  sums: usize,
): void {
  const rowBytes = <usize>size << 2
  const right = sums + rowBytes * size
  memory.fill(sums, 0, rowBytes * (size + 1))
  for (let i = 0; i < count; i++) {
    const pixel = <usize>load<u16>(common + (<usize>i << 1))
    const difference = load<f32>(a + (pixel << 2)) - load<f32>(b + (pixel << 2))
    const share = difference * bound
    const weight = <f32>1 / (<f32>1 + share * share)
    const own = slopes + pixel * rowBytes
    let sum = sums
    for (let from: usize = 0; from < rowBytes; from += 16) {
      for (let row: usize = 0; row < 16; row += 4, sum += rowBytes) {
        const slope = f32x4.splat(weight * load<f32>(own + from + row))
        for (let at = from; at < rowBytes; at += 16) {
          v128.store(sum + at, f32x4.add(v128.load(sum + at), f32x4.mul(slope, v128.load(own + at))))
        }
      }
      const product = f32x4.mul(f32x4.splat(weight * difference), v128.load(own + from))
      v128.store(right + from, f32x4.add(v128.load(right + from), product))
    }
  }
}

/**
 * Displacement of each pixel by polynomials of the third degree.
 * @param bend float32 `[2,10]`: coefficients of 1, u, v, u², uv, v², u³, u²v, uv², v³, for x and for y
 * @param out float32 planes `[2,64,64]`
 */
export function makeBendField(bend: usize, out: usize): void {
  for (let axis = 0; axis < 2; axis++, bend += 40) {
    for (let row = 0; row < side; row++) {
      const v = f32x4.splat(rowCoordinate(row))
      // A polynomial of u in each row.
      const cubic = constant(bend, 6)
      const square = f32x4.add(constant(bend, 3), f32x4.mul(constant(bend, 7), v))
      const linear = f32x4.add(
        constant(bend, 1),
        f32x4.mul(v, f32x4.add(constant(bend, 4), f32x4.mul(constant(bend, 8), v))),
      )
      const high = f32x4.add(constant(bend, 5), f32x4.mul(constant(bend, 9), v))
      const start = f32x4.add(
        constant(bend, 0),
        f32x4.mul(v, f32x4.add(constant(bend, 2), f32x4.mul(v, high))),
      )
      for (let column = 0; column < side; column += 4, out += 16) {
        const u = coordinates(column)
        const inner = f32x4.add(square, f32x4.mul(cubic, u))
        v128.store(out, f32x4.add(start, f32x4.mul(u, f32x4.add(linear, f32x4.mul(u, inner)))))
      }
    }
  }
}
