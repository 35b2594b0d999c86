/** The loop filter (15). Edges are filtered sixteen pixels at a time: of luma, or eight of each plane of chroma. */
import {
  hasDeltas, hasSegments, isAbsolute, isKey, isSimple, level, modeDeltas, referenceDeltas, segmentLevels, sharpness,
} from './header'
import { chromaStride, height, Macroblock, macroblockAt, Picture, stride, width } from './picture'
import { modeB, modeSplit, modeZero } from './tables'

/** Four pixels on each side of an edge: p3, p2, p1, p0, q0, q1, q2, q3, sixteen of each; and room to transpose them. */
const lanes = memory.data(128, 16)
const spare = memory.data(128, 16)

/** Limits of the macroblock: of both kinds of edges, of inner differences, of high variance. */
let macroblockLimit: v128 = i8x16.splat(0)
let blockLimit: v128 = i8x16.splat(0)
let innerLimit: v128 = i8x16.splat(0)
let variance: v128 = i8x16.splat(0)

@inline
function distance(a: v128, b: v128): v128 {
  return v128.or(i8x16.sub_sat_u(a, b), i8x16.sub_sat_u(b, a))
}

/** Signed from unsigned values, and back. */
@inline
function flip(values: v128): v128 {
  return v128.xor(values, i8x16.splat(-128))
}

@inline
function lane(number: usize): v128 {
  return v128.load(lanes + (number << 4))
}

@inline
function setLane(number: usize, values: v128): void {
  v128.store(lanes + (number << 4), flip(values))
}

/** Where a step over the edge is not larger than a limit. */
@inline
function isSmooth(p1: v128, p0: v128, q0: v128, q1: v128, limit: v128): v128 {
  const step = distance(p0, q0)
  const half = i8x16.shr_u(distance(p1, q1), 1)
  return i8x16.le_u(i8x16.add_sat_u(i8x16.add_sat_u(step, step), half), limit)
}

/** `outer` and three times the step over the edge. */
@inline
function change(outer: v128, p0: v128, q0: v128): v128 {
  const step = i8x16.sub_sat_s(q0, p0)
  return i8x16.add_sat_s(i8x16.add_sat_s(i8x16.add_sat_s(outer, step), step), step)
}

/** Moves p0 and q0 towards each other. @returns the move of q0 */
@inline
function adjust(p0: v128, q0: v128, by: v128): v128 {
  const down = i8x16.shr_s(i8x16.add_sat_s(by, i8x16.splat(4)), 3)
  setLane(4, i8x16.sub_sat_s(q0, down))
  setLane(3, i8x16.add_sat_s(p0, i8x16.shr_s(i8x16.add_sat_s(by, i8x16.splat(3)), 3)))
  return down
}

/** @returns whether pixels changed */
function filterSimple(limit: v128): bool {
  const mask = isSmooth(lane(2), lane(3), lane(4), lane(5), limit)
  if (!v128.any_true(mask)) return false
  const p0 = flip(lane(3))
  const q0 = flip(lane(4))
  adjust(p0, q0, v128.and(change(i8x16.sub_sat_s(flip(lane(2)), flip(lane(5))), p0, q0), mask))
  return true
}

/** A part of the change, in 128ths. */
@inline
function share(by: v128, part: i16): v128 {
  const factor = i16x8.splat(part)
  const half = i16x8.splat(63)
  const low = i16x8.shr_s(i16x8.add(i16x8.mul(i16x8.extend_low_i8x16_s(by), factor), half), 7)
  const high = i16x8.shr_s(i16x8.add(i16x8.mul(i16x8.extend_high_i8x16_s(by), factor), half), 7)
  return i8x16.narrow_i16x8_s(low, high)
}

@inline
function isHighVariance(): v128 {
  return i8x16.gt_u(i8x16.max_u(distance(lane(2), lane(3)), distance(lane(5), lane(4))), variance)
}

/** Where an edge is filtered at all. */
@inline
function findMask(limit: v128): v128 {
  const left = i8x16.max_u(i8x16.max_u(distance(lane(0), lane(1)), distance(lane(1), lane(2))), distance(lane(2), lane(3)))
  const right = i8x16.max_u(i8x16.max_u(distance(lane(7), lane(6)), distance(lane(6), lane(5))), distance(lane(5), lane(4)))
  const smooth = isSmooth(lane(2), lane(3), lane(4), lane(5), limit)
  return v128.and(smooth, i8x16.le_u(i8x16.max_u(left, right), innerLimit))
}

/** An edge between macroblocks (15.3). @returns whether pixels changed */
function filterMacroblockEdge(): bool {
  const mask = findMask(macroblockLimit)
  if (!v128.any_true(mask)) return false
  const isHigh = isHighVariance()
  const p2 = flip(lane(1))
  const p1 = flip(lane(2))
  const p0 = flip(lane(3))
  const q0 = flip(lane(4))
  const q1 = flip(lane(5))
  const q2 = flip(lane(6))
  const by = v128.and(change(i8x16.sub_sat_s(p1, q1), p0, q0), mask)
  const narrow = v128.and(by, isHigh)
  const wide = v128.andnot(by, isHigh)
  const inner = share(wide, 27)
  const middle = share(wide, 18)
  const outer = share(wide, 9)
  // One of both is 0.
  const down = i8x16.add(inner, i8x16.shr_s(i8x16.add_sat_s(narrow, i8x16.splat(4)), 3))
  const up = i8x16.add(inner, i8x16.shr_s(i8x16.add_sat_s(narrow, i8x16.splat(3)), 3))
  setLane(3, i8x16.add_sat_s(p0, up))
  setLane(4, i8x16.sub_sat_s(q0, down))
  setLane(2, i8x16.add_sat_s(p1, middle))
  setLane(5, i8x16.sub_sat_s(q1, middle))
  setLane(1, i8x16.add_sat_s(p2, outer))
  setLane(6, i8x16.sub_sat_s(q2, outer))
  return true
}

/** An edge between blocks (15.3). @returns whether pixels changed */
function filterBlockEdge(): bool {
  const mask = findMask(blockLimit)
  if (!v128.any_true(mask)) return false
  const isHigh = isHighVariance()
  const p1 = flip(lane(2))
  const p0 = flip(lane(3))
  const q0 = flip(lane(4))
  const q1 = flip(lane(5))
  const outer = v128.and(i8x16.sub_sat_s(p1, q1), isHigh)
  const down = adjust(p0, q0, v128.and(change(outer, p0, q0), mask))
  const half = v128.andnot(i8x16.shr_s(i8x16.add(down, i8x16.splat(1)), 1), isHigh)
  setLane(2, i8x16.add_sat_s(p1, half))
  setLane(5, i8x16.sub_sat_s(q1, half))
  return true
}

@inline
function filterLanes(isInner: bool): bool {
  if (isSimple) return filterSimple(isInner ? blockLimit : macroblockLimit)
  return isInner ? filterBlockEdge() : filterMacroblockEdge()
}

/** Filters the upper edge at two places, eight columns of each. */
function filterRow(a: usize, b: usize, rowBytes: i32, isInner: bool): void {
  const before = <usize>(4 * rowBytes)
  for (let row: usize = 0; row < 8; row++) {
    const at = row * rowBytes - before
    v128.store(lanes + (row << 4), v128.load64_lane(b + at, v128.load64_zero(a + at), 1))
  }
  if (!filterLanes(isInner)) return
  for (let row: usize = 1; row < 7; row++) {
    const at = row * rowBytes - before
    const values = lane(row)
    v128.store64_lane(a + at, values, 0)
    v128.store64_lane(b + at, values, 1)
  }
}

/** Of 8 x 16 bytes, moves each to the place whose number has its bits turned by one: four times transposes, seven times does nothing. */
function turn(from: usize, to: usize): void {
  for (let i: usize = 0; i < 64; i += 16) {
    const a = v128.load(from + i)
    const b = v128.load(from + i + 64)
    v128.store(to + 2 * i, v128.shuffle<i8>(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23))
    v128.store(to + 2 * i + 16, v128.shuffle<i8>(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31))
  }
}

/** Filters the left edge at two places, eight rows of each. */
function filterColumn(a: usize, b: usize, rowBytes: i32, isInner: bool): void {
  a -= 4
  b -= 4
  for (let row: usize = 0; row < 8; row++) {
    const at = row * rowBytes
    v128.store(lanes + (row << 4), v128.load64_lane(b + at, v128.load64_zero(a + at), 1))
  }
  turn(lanes, spare)
  turn(spare, lanes)
  turn(lanes, spare)
  turn(spare, lanes)
  if (!filterLanes(isInner)) return
  turn(lanes, spare)
  turn(spare, lanes)
  turn(lanes, spare)
  for (let row: usize = 0; row < 8; row++) {
    const at = row * rowBytes
    const values = v128.load(spare + (row << 4))
    v128.store64_lane(a + at, values, 0)
    v128.store64_lane(b + at, values, 1)
  }
}

@inline
function clampLevel(value: i32): i32 {
  return min(max(value, 0), 63)
}

/** The level of a macroblock (9.6). */
function levelOf(macroblock: Macroblock): i32 {
  let own = level
  if (hasSegments) {
    const segment = <i32>load<i8>(segmentLevels + macroblock.segment)
    own = clampLevel(isAbsolute ? segment : own + segment)
  }
  if (!hasDeltas) return own
  const reference = macroblock.reference
  own += load<i8>(referenceDeltas + reference)
  const mode = macroblock.mode
  if (reference == 0) {
    if (mode == modeB) own += load<i8>(modeDeltas)
  } else own += load<i8>(modeDeltas + <usize>(mode == modeZero ? 1 : mode == modeSplit ? 3 : 2))
  return clampLevel(own)
}

/** Sets the limits of a level. */
function setLimits(own: i32): void {
  let inner = own >> (sharpness > 4 ? 2 : sharpness > 0 ? 1 : 0)
  if (sharpness > 0) inner = min(inner, 9 - sharpness)
  inner = max(inner, 1)
  innerLimit = i8x16.splat(<i8>inner)
  blockLimit = i8x16.splat(<i8>(2 * own + inner))
  macroblockLimit = i8x16.splat(<i8>(2 * own + 4 + inner))
  const high = isKey ? (own >= 40 ? 2 : own >= 15 ? 1 : 0) : own >= 40 ? 3 : own >= 20 ? 2 : own >= 15 ? 1 : 0
  variance = i8x16.splat(<i8>high)
}

function filterColumns(picture: Picture, luma: usize, chroma: usize, at: i32): void {
  filterColumn(luma + at, luma + at + 8 * stride, stride, at > 0)
  if (!isSimple && (at & 7) == 0) filterColumn(picture.cb + chroma + (at >> 1), picture.cr + chroma + (at >> 1), chromaStride, at > 0)
}

function filterRows(picture: Picture, luma: usize, chroma: usize, at: i32): void {
  const row = luma + <usize>(at * stride)
  filterRow(row, row + 8, stride, at > 0)
  if (isSimple || (at & 7) != 0) return
  const place = chroma + <usize>((at >> 1) * chromaStride)
  filterRow(picture.cb + place, picture.cr + place, chromaStride, at > 0)
}

function filterMacroblock(picture: Picture, macroblock: Macroblock, x: i32, y: i32): void {
  const own = levelOf(macroblock)
  if (own == 0) return
  setLimits(own)
  const luma = picture.luma + <usize>(y * 16 * stride + x * 16)
  const chroma = <usize>(y * 8 * chromaStride + x * 8)
  const last = macroblock.isFilled ? 16 : 4
  for (let at = x > 0 ? 0 : 4; at < last; at += 4) filterColumns(picture, luma, chroma, at)
  for (let at = y > 0 ? 0 : 4; at < last; at += 4) filterRows(picture, luma, chroma, at)
}

/** Filters a whole picture: prediction inside it needs pixels that are not filtered. */
export function filterPicture(picture: Picture): void {
  if (level == 0) return
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) filterMacroblock(picture, macroblockAt(x, y), x, y)
}
