/**
 * Baseline JPEG with 4:2:0 (ITU-T T.81, annexes A and F): colours, forward DCT, quantisation and Huffman codes of one row of
 * MCUs at a time, in AssemblyScript with SIMD. README.md describes the build. The only caller is `src/media/formats/jpeg/jpeg-encoder.ts`.
 * All addresses are in bytes.
 */
import { zigzag } from './zigzag'

/** Offsets from the start of the working memory. The caller fills the tables. */
const divisorsAt: usize = 0 // float32 [2,64]: luma, chroma; factors that quantise the output of the DCT
const codesAt: usize = 512 // uint32 [2,272]: luma, chroma; 16 DC and 256 AC codes, each `code << 8 | bits`
const codesBytes: usize = 272 * 4
const ordersAt: usize = codesAt + 2 * codesBytes // uint64 [8,256]: the zigzag places of the bits of a row
const samplesAt: usize = ordersAt + 8 * 256 * 8 // float32 [6,64]: four blocks of Y, one of Cb, one of Cr
const halfwayAt: usize = samplesAt + 6 * 256 // float32 [64]
const levelsAt: usize = halfwayAt + 256 // int16 [64]: quantised coefficients of a block
const edgeAt: usize = levelsAt + 128 // RGBA [16,16]: an MCU at the border, filled up

let work: usize = 0
let out: usize = 0
let bits: u64 = 0
let bitCount: i32 = 0
let lumaBefore: i32 = 0
let blueBefore: i32 = 0
let redBefore: i32 = 0

/** Start of the free memory. */
export function encoderMemory(): usize {
  return __heap_base
}

/** Starts a picture with the tables at the start of the working memory. */
export function startEncoding(start: usize): void {
  work = start
  bits = 0
  bitCount = 0
  lumaBefore = 0
  blueBefore = 0
  redBefore = 0
  for (let row = 0; row < 8; row++) {
    for (let byte = 0; byte < 256; byte++) {
      let places: u64 = 0
      for (let k = 0; k < 64; k++) {
        const place = <i32>load<u8>(zigzag + k)
        if (place >> 3 == row && (byte >> (place & 7)) & 1) places |= <u64>1 << k
      }
      store<u64>(start + ordersAt + (<usize>((row << 8) | byte) << 3), places)
    }
  }
}

/** Writes the upper 32 of the waiting bits; a byte 0xff is followed by 0. */
function writeWord(word: u32): void {
  if ((word & ~(word + 0x01010101) & 0x80808080) == 0) {
    store<u32>(out, bswap<u32>(word))
    out += 4
    return
  }
  for (let shift = 24; shift >= 0; shift -= 8) {
    const byte = (word >> shift) & 0xff
    store<u8>(out++, byte)
    if (byte == 0xff) store<u8>(out++, 0)
  }
}

@inline
function write(value: u32, count: i32): void {
  bits = (bits << count) | value
  bitCount += count
  if (bitCount >= 32) {
    bitCount -= 32
    writeWord(<u32>(bits >> bitCount))
  }
}

/** Writes a code and the bits of a value: a negative value as its complement (F.1.2.1). */
@inline
function writeValue(codes: usize, run: i32, value: i32): void {
  const size = 32 - clz(abs(value))
  const code = load<u32>(codes + (<usize>((run << 4) | size) << 2))
  const low = (value + (value >> 31)) & ((1 << size) - 1)
  write(((code >> 8) << size) | low, <i32>(code & 0xff) + size)
}

/** Eight-point DCT of four columns (Arai, Agui, Nakajima 1988), transposed; the scale factors are in the divisors. */
@inline
function transformHalf(from: usize, to: usize): void {
  const x0 = v128.load(from)
  const x1 = v128.load(from, 32)
  const x2 = v128.load(from, 64)
  const x3 = v128.load(from, 96)
  const x4 = v128.load(from, 128)
  const x5 = v128.load(from, 160)
  const x6 = v128.load(from, 192)
  const x7 = v128.load(from, 224)
  const s0 = f32x4.add(x0, x7)
  const s1 = f32x4.add(x1, x6)
  const s2 = f32x4.add(x2, x5)
  const s3 = f32x4.add(x3, x4)
  const d0 = f32x4.sub(x0, x7)
  const d1 = f32x4.sub(x1, x6)
  const d2 = f32x4.sub(x2, x5)
  const d3 = f32x4.sub(x3, x4)
  const e0 = f32x4.add(s0, s3)
  const e1 = f32x4.add(s1, s2)
  const e2 = f32x4.sub(s1, s2)
  const e3 = f32x4.sub(s0, s3)
  const e4 = f32x4.mul(f32x4.add(e2, e3), f32x4.splat(0.70710678))
  const o0 = f32x4.add(d3, d2)
  const o1 = f32x4.mul(f32x4.add(d2, d1), f32x4.splat(0.70710678))
  const o2 = f32x4.add(d1, d0)
  const o3 = f32x4.mul(f32x4.sub(o0, o2), f32x4.splat(0.38268343))
  const o4 = f32x4.add(f32x4.mul(o0, f32x4.splat(0.5411961)), o3)
  const o5 = f32x4.add(f32x4.mul(o2, f32x4.splat(1.306563)), o3)
  const o6 = f32x4.add(d0, o1)
  const o7 = f32x4.sub(d0, o1)
  storeTransposed(to, f32x4.add(e0, e1), f32x4.add(o6, o5), f32x4.add(e3, e4), f32x4.sub(o7, o4))
  storeTransposed(to + 16, f32x4.sub(e0, e1), f32x4.add(o7, o4), f32x4.sub(e3, e4), f32x4.sub(o6, o5))
}

/** Stores four rows of four as columns, in rows of eight. */
@inline
function storeTransposed(to: usize, a: v128, b: v128, c: v128, d: v128): void {
  const ab = v128.shuffle<i32>(a, b, 0, 4, 1, 5)
  const cd = v128.shuffle<i32>(c, d, 0, 4, 1, 5)
  const ab2 = v128.shuffle<i32>(a, b, 2, 6, 3, 7)
  const cd2 = v128.shuffle<i32>(c, d, 2, 6, 3, 7)
  v128.store(to, v128.shuffle<i64>(ab, cd, 0, 2))
  v128.store(to, v128.shuffle<i64>(ab, cd, 1, 3), 32)
  v128.store(to, v128.shuffle<i64>(ab2, cd2, 0, 2), 64)
  v128.store(to, v128.shuffle<i64>(ab2, cd2, 1, 3), 96)
}

/** Quantises a block. Returns the zigzag places of the coefficients that are not 0. */
@inline
function quantise(from: usize, divisors: usize): u64 {
  let places: u64 = 0
  const levels = work + levelsAt
  const zero = i16x8.splat(0)
  for (let row: usize = 0; row < 8; row++) {
    const at = row << 5
    const low = f32x4.nearest(f32x4.mul(v128.load(from + at), v128.load(divisors + at)))
    const high = f32x4.nearest(f32x4.mul(v128.load(from + at, 16), v128.load(divisors + at, 16)))
    const line = i16x8.narrow_i32x4_s(i32x4.trunc_sat_f32x4_s(low), i32x4.trunc_sat_f32x4_s(high))
    v128.store(levels + (row << 4), line)
    const filled = i16x8.bitmask(i16x8.ne(line, zero))
    places |= load<u64>(work + ordersAt + (((row << 8) | <usize>filled) << 3))
  }
  return places
}

/** Transforms, quantises and writes one block. Returns its DC coefficient. */
function writeBlock(samples: usize, isChroma: usize, before: i32): i32 {
  const halfway = work + halfwayAt
  transformHalf(samples, halfway)
  transformHalf(samples + 16, halfway + 128)
  transformHalf(halfway, samples)
  transformHalf(halfway + 16, samples + 128)
  let places = quantise(samples, work + divisorsAt + isChroma * 256) & ~(<u64>1)
  const codes = work + codesAt + isChroma * codesBytes
  const levels = work + levelsAt
  const level = <i32>load<i16>(levels)
  writeValue(codes, 0, level - before)
  const ac = codes + 64
  let last = 0
  while (places != 0) {
    const place = <i32>ctz(places)
    places &= places - 1
    let run = place - last - 1
    last = place
    for (; run > 15; run -= 16) {
      const skip = load<u32>(ac + (0xf0 << 2))
      write(skip >> 8, <i32>(skip & 0xff))
    }
    writeValue(ac, run, <i32>load<i16>(levels + (<usize>load<u8>(zigzag + place) << 1)))
  }
  if (last < 63) {
    const end = load<u32>(ac)
    write(end >> 8, <i32>(end & 0xff))
  }
  return level
}

@inline
function channel(pixels: v128, shift: i32): v128 {
  return v128.and(i32x4.shr_u(pixels, shift), i32x4.splat(255))
}

@inline
function weigh(red: v128, green: v128, blue: v128, r: f32, g: f32, b: f32): v128 {
  return f32x4.add(
    f32x4.add(f32x4.mul(red, f32x4.splat(r)), f32x4.mul(green, f32x4.splat(g))),
    f32x4.mul(blue, f32x4.splat(b)),
  )
}

/** Brightness of four pixels, −128…127. */
@inline
function luma(pixels: v128): v128 {
  const red = f32x4.convert_i32x4_s(channel(pixels, 0))
  const green = f32x4.convert_i32x4_s(channel(pixels, 8))
  const blue = f32x4.convert_i32x4_s(channel(pixels, 16))
  return f32x4.sub(weigh(red, green, blue, 0.299, 0.587, 0.114), f32x4.splat(128))
}

/** Sums of a channel over squares of 2 × 2 pixels, in eight columns of two rows. */
@inline
function squares(a: v128, b: v128, c: v128, d: v128, shift: i32): v128 {
  const left = i32x4.add(channel(a, shift), channel(c, shift))
  const right = i32x4.add(channel(b, shift), channel(d, shift))
  return f32x4.convert_i32x4_s(
    i32x4.add(v128.shuffle<i32>(left, right, 0, 2, 4, 6), v128.shuffle<i32>(left, right, 1, 3, 5, 7)),
  )
}

/** Converts eight columns of two rows: sixteen values of Y, four of Cb and of Cr (T.871, section 7). */
@inline
function convert(upper: usize, lower: usize, toLuma: usize, toChroma: usize): void {
  const a = v128.load(upper)
  const b = v128.load(upper, 16)
  const c = v128.load(lower)
  const d = v128.load(lower, 16)
  v128.store(toLuma, luma(a))
  v128.store(toLuma, luma(b), 16)
  v128.store(toLuma, luma(c), 32)
  v128.store(toLuma, luma(d), 48)
  const red = squares(a, b, c, d, 0)
  const green = squares(a, b, c, d, 8)
  const blue = squares(a, b, c, d, 16)
  v128.store(toChroma, weigh(red, green, blue, -0.042184, -0.082816, 0.125))
  v128.store(toChroma, weigh(red, green, blue, 0.125, -0.104672, -0.020328), 256)
}

/** Writes one MCU from 16 × 16 pixels. */
function writeMcu(pixels: usize, stride: usize): void {
  const samples = work + samplesAt
  for (let y: usize = 0; y < 16; y += 2) {
    const upper = pixels + y * stride
    const toLuma = samples + (y >> 3) * 512 + (y & 7) * 32
    const toChroma = samples + 1024 + (y >> 1) * 32
    convert(upper, upper + stride, toLuma, toChroma)
    convert(upper + 32, upper + stride + 32, toLuma + 256, toChroma + 16)
  }
  for (let block: usize = 0; block < 4; block++) lumaBefore = writeBlock(samples + block * 256, 0, lumaBefore)
  blueBefore = writeBlock(samples + 1024, 1, blueBefore)
  redBefore = writeBlock(samples + 1280, 1, redBefore)
}

/** Copies an MCU that crosses the border; the last column and row are repeated. */
function fillEdge(pixels: usize, stride: usize, columns: i32, rows: i32): usize {
  const edge = work + edgeAt
  for (let y = 0; y < 16; y++) {
    const from = pixels + <usize>min(y, rows - 1) * stride
    for (let x = 0; x < 16; x++) {
      store<u32>(edge + (<usize>((y << 4) | x) << 2), load<u32>(from + (<usize>min(x, columns - 1) << 2)))
    }
  }
  return edge
}

/**
 * Writes one row of MCUs.
 * @param pixels RGBA `[rows,width]`
 * @param rows 1…16
 * @param to at least 2600 bytes per MCU
 * @returns number of bytes
 */
export function encodeRow(pixels: usize, width: i32, rows: i32, to: usize): usize {
  out = to
  const stride = <usize>width << 2
  for (let x = 0; x < width; x += 16) {
    const at = pixels + (<usize>x << 2)
    if (rows == 16 && width - x >= 16) writeMcu(at, stride)
    else writeMcu(fillEdge(at, stride, width - x, rows), 64)
  }
  return out - to
}

/** Writes the last bits, filled up with ones. Returns the number of bytes. */
export function finishEncoding(to: usize): usize {
  out = to
  while (bitCount & 7) write(1, 1)
  for (; bitCount > 0; bitCount -= 8) {
    const byte = <u32>(bits >> (bitCount - 8)) & 0xff
    store<u8>(out++, byte)
    if (byte == 0xff) store<u8>(out++, 0)
  }
  return out - to
}
