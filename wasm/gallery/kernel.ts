/**
 * The inner loops of 1:N search, in AssemblyScript with SIMD. README.md describes the build. The only caller is
 * `src/gallery/kernel.ts`, which owns the memory and its layout. No state, no allocation: all addresses are parameters, in
 * bytes. Templates have a multiple of 16 components.
 */

/** Adds the squares of four differences to four sums. */
@inline
function addSquare(sums: v128, a: usize, b: usize): v128 {
  const difference = f32x4.sub(v128.load(a), v128.load(b))
  return f32x4.add(sums, f32x4.mul(difference, difference))
}

/** Writes the Euclidean distances of a template to `count` others, all float32, `[count,components]` and `[count]`. */
export function distances(query: usize, rows: usize, components: usize, count: i32, out: usize): void {
  for (let row = 0; row < count; row++) {
    let a = f32x4.splat(0)
    let b = a
    let c = a
    let d = a
    for (let at: usize = 0; at < components * 4; at += 64) {
      a = addSquare(a, query + at, rows + at)
      b = addSquare(b, query + at + 16, rows + at + 16)
      c = addSquare(c, query + at + 32, rows + at + 32)
      d = addSquare(d, query + at + 48, rows + at + 48)
    }
    const sums = f32x4.add(f32x4.add(a, b), f32x4.add(c, d))
    const halves = f32x4.add(sums, v128.shuffle<f32>(sums, sums, 2, 3, 0, 1))
    f32.store(out, sqrt<f32>(f32x4.extract_lane(halves, 0) + f32x4.extract_lane(halves, 1)))
    rows += components * 4
    out += 4
  }
}

/** Dot product of 16 components, int16 with int8, added to four sums. */
@inline
function addDot(sums: v128, low: v128, high: v128, row: usize): v128 {
  return i32x4.add(
    sums,
    i32x4.add(
      i32x4.dot_i16x8_s(low, v128.load_ext<i8>(row)),
      i32x4.dot_i16x8_s(high, v128.load_ext<i8>(row, 8)),
    ),
  )
}

/** Replaces the top of a max-heap by a key and sifts it down. */
function siftDown(keys: usize, numbers: usize, size: i32, key: f32, number: f64): void {
  let place = 0
  for (;;) {
    let child = 2 * place + 1
    if (child >= size) break
    if (child + 1 < size && f32.load(keys + (<usize>(child + 1) << 2)) > f32.load(keys + (<usize>child << 2))) child++
    const childKey = f32.load(keys + (<usize>child << 2))
    if (childKey <= key) break
    f32.store(keys + (<usize>place << 2), childKey)
    f64.store(numbers + (<usize>place << 3), f64.load(numbers + (<usize>child << 3)))
    place = child
  }
  f32.store(keys + (<usize>place << 2), key)
  f64.store(numbers + (<usize>place << 3), number)
}

/** Appends a key to a max-heap and sifts it up. */
function siftUp(keys: usize, numbers: usize, size: i32, key: f32, number: f64): void {
  let place = size
  while (place > 0) {
    const parent = (place - 1) >> 1
    const parentKey = f32.load(keys + (<usize>parent << 2))
    if (parentKey >= key) break
    f32.store(keys + (<usize>place << 2), parentKey)
    f64.store(numbers + (<usize>place << 3), f64.load(numbers + (<usize>parent << 3)))
    place = parent
  }
  f32.store(keys + (<usize>place << 2), key)
  f64.store(numbers + (<usize>place << 3), number)
}

/**
 * Scans rows of a block and keeps the smallest keys of all rows so far, with the rows' numbers, in a max-heap. The key of a row
 * is `distance * (rate + queryRate) + bias`, where the distance is the Euclidean distance of the dequantised vectors:
 * `sqrt(norm + queryNorm - step * queryStep * dot)`.
 *
 * @param block `capacity` rows, stored by column: components int8 `[capacity,components]`, then steps, norms, rates, biases float32
 *   `[capacity]` each, then numbers float64 `[capacity]`; the capacity is a multiple of 4
 * @param components number of components of a template
 * @param first first row to scan
 * @param end row after the last one
 * @param query int16 `[components]`
 * @param queryStep twice the size of a step of the query
 * @param keys float32 `[kept]`
 * @param numbers float64 `[kept]`
 * @param size current size of the heap
 * @param kept maximum size of the heap
 * @returns new size of the heap
 */
export function scan(
  block: usize,
  capacity: i32,
  components: usize,
  first: i32,
  end: i32,
  query: usize,
  queryNorm: f32,
  queryStep: f32,
  queryRate: f32,
  keys: usize,
  numbers: usize,
  size: i32,
  kept: i32,
): i32 {
  let rows = block + <usize>first * components
  let steps = block + <usize>capacity * components + (<usize>first << 2)
  let norms = steps + (<usize>capacity << 2)
  let rates = norms + (<usize>capacity << 2)
  let biases = rates + (<usize>capacity << 2)
  let rowNumbers = block + <usize>capacity * (components + 16) + (<usize>first << 3)
  const queryNorms = f32x4.splat(queryNorm)
  const querySteps = f32x4.splat(queryStep)
  const queryRates = f32x4.splat(queryRate)
  let limit = size < kept ? f32.MAX_VALUE : f32.load(keys)
  for (let row = first; row < end; row += 4) {
    let a = i32x4.splat(0)
    let b = i32x4.splat(0)
    let c = i32x4.splat(0)
    let d = i32x4.splat(0)
    for (let at: usize = 0; at < components; at += 16) {
      const low = v128.load(query + 2 * at)
      const high = v128.load(query + 2 * at, 16)
      const part = rows + at
      a = addDot(a, low, high, part)
      b = addDot(b, low, high, part + components)
      c = addDot(c, low, high, part + 2 * components)
      d = addDot(d, low, high, part + 3 * components)
    }
    const ab = i32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7))
    const cd = i32x4.add(v128.shuffle<i32>(c, d, 0, 4, 1, 5), v128.shuffle<i32>(c, d, 2, 6, 3, 7))
    const dots = f32x4.convert_i32x4_s(
      i32x4.add(v128.shuffle<i32>(ab, cd, 0, 1, 4, 5), v128.shuffle<i32>(ab, cd, 2, 3, 6, 7)),
    )
    const squares = f32x4.sub(
      f32x4.add(queryNorms, v128.load(norms)),
      f32x4.mul(f32x4.mul(v128.load(steps), querySteps), dots),
    )
    const found = f32x4.add(
      f32x4.mul(
        f32x4.sqrt(f32x4.max(squares, f32x4.splat(0))),
        f32x4.add(v128.load(rates), queryRates),
      ),
      v128.load(biases),
    )
    let better = i32x4.bitmask(f32x4.lt(found, f32x4.splat(limit)))
    // The last four rows may extend past the end.
    if (end - row < 4) better &= (1 << (end - row)) - 1
    while (better != 0) {
      const lane = ctz(better)
      better &= better - 1
      const key =
        lane == 0 ? f32x4.extract_lane(found, 0)
        : lane == 1 ? f32x4.extract_lane(found, 1)
        : lane == 2 ? f32x4.extract_lane(found, 2)
        : f32x4.extract_lane(found, 3)
      if (key >= limit) continue
      const number = f64.load(rowNumbers + (<usize>lane << 3))
      if (size < kept) siftUp(keys, numbers, size++, key, number)
      else siftDown(keys, numbers, kept, key, number)
      if (size == kept) limit = f32.load(keys)
    }
    rows += 4 * components
    steps += 16
    norms += 16
    rates += 16
    biases += 16
    rowNumbers += 32
  }
  return size
}

/** A checksum of `bytes` bytes (a multiple of 8) that detects accidental damage, not tampering. */
export function checksum(start: usize, bytes: usize, seed: u64): u64 {
  let sum = seed
  for (const end = start + bytes; start < end; start += 8) {
    sum = rotl<u64>((sum ^ load<u64>(start)) * 0x9e3779b97f4a7c15, 29)
  }
  return sum
}
