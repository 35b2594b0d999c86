/**
 * Memory: pictures with their motion, and what is known of each macroblock of the current one. Everything is reserved when a
 * sequence begins.
 *
 * Macroblocks are numbered with one column to the left and one row above that are never decoded, so that neighbours need no test
 * of the picture's edges: only of the slice.
 */
import { reserveForSequence } from '../clip/memory'
import { edge, repeatEdges } from '../clip/planes'
import { Sps, tooLarge } from './headers'

/** A picture, decoded or current. */
@unmanaged
export class Picture {
  luma: usize
  cb: usize
  cr: usize
  /** Motion vectors `int16 [macroblock][16][x, y]` of both lists, by rows of blocks. */
  motion0: usize
  motion1: usize
  /** Indices into the lists `int8 [macroblock][4]`; -1 for none. */
  index0: usize
  index1: usize
  /** The same as numbers of pictures. */
  source0: usize
  source1: usize
  number: i32
  poc: i32
  frameNum: i32
  /** Negative for those before the wrap of the number. */
  frameNumWrap: i32
  longIndex: i32
  isShort: i32
  isLong: i32
  /** Waits for output; was output and may be read until the next step. */
  isWaiting: i32
  isLocked: i32
  isCurrent: i32
  /** Fills a gap: never output. */
  isFiller: i32
  isKey: i32
  /** Whether something was concealed. */
  isDamaged: i32
  tag: f64
}

export const picturesMax = 18
const pictureBytes = 128
const picturesAt = memory.data(picturesMax * pictureBytes, 16)

@inline
export function pictureOf(number: i32): Picture {
  return changetype<Picture>(picturesAt + <usize>(number * pictureBytes))
}

/** Kinds of a macroblock. */
export const isIntra4 = 1
export const isIntra8 = 2
export const isIntra16 = 4
export const isPcm = 8
export const isIntra = 15
export const isInter = 16
export const isSkipped = 32
/** Skipped or direct as a whole, in B slices. */
export const isDirect = 64
export const isLarge = 128

/** Facts of the sequence. */
export let width = 0
export let height = 0
/** Distance between numbers of macroblocks in one column. */
export let pitch = 0
export let stride = 0
export let chromaStride = 0
export let pictures = 0
/** Capacity of the buffer of decoded pictures. */
export let capacity = 0

/** Of each macroblock: its slice, 0 for none. uint16 */
export let slices: usize = 0
/** uint8 */
export let kinds: usize = 0
/** Quantisers of Y, Cb, Cr. uint8 [4] */
export let quantisers: usize = 0
/** Bits 0-3: luma, 4-5: chroma, 8-10: DC of luma, Cb, Cr. uint16 */
export let patterns: usize = 0
/** Number of coefficients of each block. uint8 [32] */
export let totals: usize = 0
/** Blocks with coefficients, for the deblocking filter. uint16 */
export let filled: usize = 0
/** Intra modes of blocks. int8 [16] */
export let modes: usize = 0
/** uint8 */
export let chromaModes: usize = 0
/** Which quarters are direct. uint8 */
export let directs: usize = 0
/** Absolute differences of motion vectors for CABAC, of two lists. uint8 [2][16][x, y] */
export let differences: usize = 0
/** Deblocking: mode, two offsets, whether all blocks have one motion. int8 [4] */
export let filters: usize = 0

/** How many pictures of the sequence may be in the buffer (A.3.1, Table A-1). */
function bufferOf(sps: Sps): i32 {
  const level = sps.level
  let macroblocks = 184320
  if (level == 11 && (sps.constraints & 16) != 0 && sps.profile < 100) macroblocks = 396
  else if (level <= 10) macroblocks = 396
  else if (level <= 11) macroblocks = 900
  else if (level <= 20) macroblocks = 2376
  else if (level <= 21) macroblocks = 4752
  else if (level <= 30) macroblocks = 8100
  else if (level <= 31) macroblocks = 18000
  else if (level <= 32) macroblocks = 20480
  else if (level <= 41) macroblocks = 32768
  else if (level <= 42) macroblocks = 34816
  else if (level <= 50) macroblocks = 110400
  let count = min(16, macroblocks / (sps.width * sps.height))
  if (sps.bufferMax >= 0) count = sps.bufferMax
  return max(1, max(count, sps.references))
}

/** Reserves memory for a sequence. @returns 0 or a refusal */
export function reserveSequence(sps: Sps): i32 {
  width = sps.width
  height = sps.height
  pitch = width + 1
  stride = width * 16 + 2 * edge
  chromaStride = stride >> 1
  capacity = bufferOf(sps)
  pictures = min(picturesMax, capacity + 2)
  memory.fill(picturesAt, 0, picturesMax * pictureBytes)
  const macroblocks = <u64>(pitch * (height + 1) + 2)
  const lumaBytes = <u64>stride * <u64>(height * 16 + 2 * edge) + 64
  const chromaBytes = <u64>chromaStride * <u64>(height * 8 + edge) + 64
  const each = lumaBytes + 2 * chromaBytes + macroblocks * 144 + 1024
  const start = reserveForSequence(each * pictures + macroblocks * 160 + 4096)
  if (start == 0) return tooLarge
  let at = start
  for (let number = 0; number < pictures; number++) {
    const picture = pictureOf(number)
    picture.number = number
    picture.luma = at + <usize>(edge * stride + edge)
    at += <usize>((lumaBytes + 15) & ~15)
    picture.cb = at + <usize>((edge >> 1) * chromaStride + (edge >> 1))
    at += <usize>((chromaBytes + 15) & ~15)
    picture.cr = at + <usize>((edge >> 1) * chromaStride + (edge >> 1))
    at += <usize>((chromaBytes + 15) & ~15)
    picture.motion0 = at
    at += <usize>macroblocks * 64
    picture.motion1 = at
    at += <usize>macroblocks * 64
    picture.index0 = at
    at += <usize>macroblocks * 4
    picture.index1 = at
    at += <usize>macroblocks * 4
    picture.source0 = at
    at += <usize>macroblocks * 4
    picture.source1 = at
    at += (<usize>macroblocks * 4 + 15) & ~15
  }
  const perMacroblock = at
  differences = at
  at += <usize>macroblocks * 64
  totals = at
  at += <usize>macroblocks * 32
  modes = at
  at += <usize>macroblocks * 16
  quantisers = at
  at += <usize>macroblocks * 4
  filters = at
  at += <usize>macroblocks * 4
  slices = at
  at += <usize>macroblocks * 2
  patterns = at
  at += <usize>macroblocks * 2
  filled = at
  at += <usize>macroblocks * 2
  kinds = at
  at += <usize>macroblocks
  chromaModes = at
  at += <usize>macroblocks
  directs = at
  at += <usize>macroblocks
  memory.fill(perMacroblock, 0, at - perMacroblock)
  return 0
}

/** Forgets which macroblocks are decoded. */
export function clearMacroblocks(): void {
  memory.fill(slices, 0, <usize>(pitch * (height + 1) + 2) * 2)
}

@inline
export function macroblockAt(x: i32, y: i32): i32 {
  return (y + 1) * pitch + x + 1
}

/** Repeats the pixels at the edges, to which motion may point (8.4.2.2.1). */
export function extendPicture(picture: Picture): void {
  repeatEdges(picture.luma, stride, width * 16, height * 16, edge)
  repeatEdges(picture.cb, chromaStride, width * 8, height * 8, edge >> 1)
  repeatEdges(picture.cr, chromaStride, width * 8, height * 8, edge >> 1)
}

/** Copies the pixels of a whole picture with its edges. */
export function copyPixels(from: Picture, to: Picture): void {
  const lumaBytes = <usize>(stride * (height * 16 + 2 * edge))
  const chromaBytes = <usize>(chromaStride * (height * 8 + edge))
  const before = <usize>(edge * stride + edge)
  const chromaBefore = <usize>((edge >> 1) * chromaStride + (edge >> 1))
  memory.copy(to.luma - before, from.luma - before, lumaBytes)
  memory.copy(to.cb - chromaBefore, from.cb - chromaBefore, chromaBytes)
  memory.copy(to.cr - chromaBefore, from.cr - chromaBefore, chromaBytes)
}

/** Makes a picture grey. */
export function greyPixels(to: Picture): void {
  memory.fill(to.luma - <usize>(edge * stride + edge), 128, <usize>(stride * (height * 16 + 2 * edge)))
  const before = <usize>((edge >> 1) * chromaStride + (edge >> 1))
  memory.fill(to.cb - before, 128, <usize>(chromaStride * (height * 8 + edge)))
  memory.fill(to.cr - before, 128, <usize>(chromaStride * (height * 8 + edge)))
}
