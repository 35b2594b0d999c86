/** Motion vectors and references of the current macroblock (8.4.1). */
import { count0, count1, sliceB, sliceType, Sps } from './headers'
import { isDirect, isInter, isSkipped, kinds, Picture, pictureOf } from './picture'
import { lists } from './references'
import { blockPlace } from './tables'

/*
 * Caches hold the macroblock with its neighbours, eight to a row: block (x, y) is at `origin + 8 y + x`. The left neighbours are
 * at x = -1, those above at y = -1, the one to the right above at x = 4.
 */
export const origin = 12
const cacheSize = 48
const motions = memory.data(2 * cacheSize * 4, 16)
const refs = memory.data(2 * cacheSize, 16)
/** Absolute differences, x in the low byte, y in the high one. */
const diffs = memory.data(2 * cacheSize * 2, 16)

const unavailable = -2

@inline
export function motionAt(list: i32, at: i32): usize {
  return motions + <usize>((list * cacheSize + at) << 2)
}

@inline
export function refAt(list: i32, at: i32): usize {
  return refs + <usize>(list * cacheSize + at)
}

@inline
export function diffAt(list: i32, at: i32): usize {
  return diffs + <usize>((list * cacheSize + at) << 1)
}

export function prepareMotion(): void {
  for (let list = 0; list < 2; list++)
    for (let y = 0; y < 4; y++) store<i8>(refAt(list, origin + 8 * y + 4), unavailable)
}

@inline
function has(list: i32, at: i32, mb: i32, isThere: bool, motion: usize, index: usize, block: i32): void {
  let ref = unavailable
  let vector = 0
  if (isThere) {
    ref = -1
    if (load<u8>(kinds + mb) & isInter) {
      ref = load<i8>(index + <usize>((mb << 2) + ((block >> 3) << 1) + ((block >> 1) & 1)))
      vector = load<i32>(motion + <usize>((mb << 6) + (block << 2)))
    }
  }
  store<i8>(refAt(list, at), <i8>ref)
  store<i32>(motionAt(list, at), vector)
}

/** Fills the caches of a list with the neighbours. Numbers of macroblocks, 0 for those that are not available. */
export function fillNeighbours(list: i32, picture: Picture, a: i32, b: i32, c: i32, d: i32): void {
  const motion = list == 0 ? picture.motion0 : picture.motion1
  const index = list == 0 ? picture.index0 : picture.index1
  for (let y = 0; y < 4; y++) has(list, origin - 1 + 8 * y, a, a != 0, motion, index, 4 * y + 3)
  if (b != 0 && load<u8>(kinds + b) & isInter) {
    v128.store(motionAt(list, origin - 8), v128.load(motion + <usize>((b << 6) + 48)))
    const left = <u32>load<u8>(index + <usize>((b << 2) + 2))
    const right = <u32>load<u8>(index + <usize>((b << 2) + 3))
    store<u32>(refAt(list, origin - 8), left * 0x0101 + right * 0x01010000)
  } else {
    v128.store(motionAt(list, origin - 8), i32x4.splat(0))
    store<i32>(refAt(list, origin - 8), b != 0 ? -1 : <i32>0xfefefefe)
  }
  has(list, origin - 4, c, c != 0, motion, index, 12)
  has(list, origin - 9, d, d != 0, motion, index, 15)
}

/** Fills the cache of differences with the neighbours. */
export function fillDifferences(list: i32, differences: usize, a: i32, b: i32): void {
  const from = differences + <usize>(list << 5)
  const other = isSkipped | isDirect
  const hasA = a != 0 && (load<u8>(kinds + a) & (isInter | other)) == isInter
  for (let y = 0; y < 4; y++)
    store<u16>(diffAt(list, origin - 1 + 8 * y), hasA ? load<u16>(from + <usize>((a << 6) + 8 * y + 6)) : 0)
  const hasB = b != 0 && (load<u8>(kinds + b) & (isInter | other)) == isInter
  store<u64>(diffAt(list, origin - 8), hasB ? load<u64>(from + <usize>((b << 6) + 24)) : 0)
}

export function fillMotionRect(list: i32, at: i32, columns: i32, rows: i32, vector: i32): void {
  for (let y = 0; y < rows; y++) {
    const to = motionAt(list, at + 8 * y)
    if (columns == 4) v128.store(to, i32x4.splat(vector))
    else
      for (let x = 0; x < columns; x++) store<i32>(to + <usize>(x << 2), vector)
  }
}

export function fillRefRect(list: i32, at: i32, columns: i32, rows: i32, ref: i32): void {
  for (let y = 0; y < rows; y++) {
    const to = refAt(list, at + 8 * y)
    if (columns == 4) store<u32>(to, <u32>(ref & 255) * 0x01010101)
    else store<u16>(to, <u16>((ref & 255) * 0x0101))
  }
}

export function fillDiffRect(list: i32, at: i32, columns: i32, rows: i32, value: i32): void {
  for (let y = 0; y < rows; y++) {
    const to = diffAt(list, at + 8 * y)
    for (let x = 0; x < columns; x++) store<u16>(to + <usize>(x << 1), <u16>value)
  }
}

@inline
function median(a: i32, b: i32, c: i32): i32 {
  return max(min(a, b), min(max(a, b), c))
}

@inline
function pack(x: i32, y: i32): i32 {
  return (x & 0xffff) | (y << 16)
}

@inline
export function xOf(vector: i32): i32 {
  return (vector << 16) >> 16
}

@inline
export function yOf(vector: i32): i32 {
  return vector >> 16
}

/** Adds two vectors. */
@inline
export function addVectors(a: i32, dx: i32, dy: i32): i32 {
  return pack(xOf(a) + dx, yOf(a) + dy)
}

/** Where the neighbour to the right above is, or the one to the left above instead (8.4.1.3.2). */
@inline
function findC(list: i32, x: i32, y: i32, columns: i32): i32 {
  const at = origin + 8 * y + x
  const c = at - 8 + columns
  if (y > 0 && (x + columns > 3 || load<u8>(blockPlace + 4 * (y - 1) + x + columns) > load<u8>(blockPlace + 4 * y + x))) return at - 9
  return <i32>load<i8>(refAt(list, c)) == unavailable ? at - 9 : c
}

/** Predicts a motion vector by the median of its neighbours (8.4.1.3.1). */
export function predictMotion(list: i32, x: i32, y: i32, columns: i32, ref: i32): i32 {
  const at = origin + 8 * y + x
  const c = findC(list, x, y, columns)
  const refA = <i32>load<i8>(refAt(list, at - 1))
  const refB = <i32>load<i8>(refAt(list, at - 8))
  const refC = <i32>load<i8>(refAt(list, c))
  const a = load<i32>(motionAt(list, at - 1))
  const b = load<i32>(motionAt(list, at - 8))
  const third = load<i32>(motionAt(list, c))
  const matches = i32(refA == ref) + i32(refB == ref) + i32(refC == ref)
  if (matches == 1) return refA == ref ? a : refB == ref ? b : third
  if (matches == 0 && refB == unavailable && refC == unavailable && refA != unavailable) return a
  return pack(median(xOf(a), xOf(b), xOf(third)), median(yOf(a), yOf(b), yOf(third)))
}

/** Predicts that of a half (8.4.1.3). @param shape 1: 16 x 8, 2: 8 x 16 */
export function predictHalf(list: i32, shape: i32, part: i32, ref: i32): i32 {
  if (shape == 1) {
    if (part == 0) {
      if (<i32>load<i8>(refAt(list, origin - 8)) == ref) return load<i32>(motionAt(list, origin - 8))
    } else if (<i32>load<i8>(refAt(list, origin + 15)) == ref) return load<i32>(motionAt(list, origin + 15))
    return predictMotion(list, 0, 2 * part, 4, ref)
  }
  if (part == 0) {
    if (<i32>load<i8>(refAt(list, origin - 1)) == ref) return load<i32>(motionAt(list, origin - 1))
  } else {
    const c = findC(list, 2, 0, 2)
    if (<i32>load<i8>(refAt(list, c)) == ref) return load<i32>(motionAt(list, c))
  }
  return predictMotion(list, 2 * part, 0, 2, ref)
}

/** The vector of a skipped macroblock of a P slice (8.4.1.1). */
export function predictSkip(): i32 {
  const refA = <i32>load<i8>(refAt(0, origin - 1))
  const refB = <i32>load<i8>(refAt(0, origin - 8))
  if (refA == unavailable || refB == unavailable) return 0
  if (refA == 0 && load<i32>(motionAt(0, origin - 1)) == 0) return 0
  if (refB == 0 && load<i32>(motionAt(0, origin - 8)) == 0) return 0
  return predictMotion(0, 0, 0, 4, 0)
}

/** Of the slice: the first index of list 0 with a picture; factors for temporal direct by index of list 0; implicit weights. */
const indexOf = memory.data(32, 16)
const factors = memory.data(32 * 4, 16)
const noFactor = 0x7fffffff
/** Weights of the picture of list 1: int16 `[32][32]`. */
const implicit = memory.data(32 * 32 * 2, 16)
let isInferred: i32 = 0
let colocated: Picture = changetype<Picture>(0)

@inline
function clip(value: i32, low: i32, high: i32): i32 {
  return min(max(value, low), high)
}

/** DistScaleFactor (8-197), or `noFactor`. */
function factorOf(current: Picture, first: Picture, second: Picture): i32 {
  if (first.isLong || second.poc == first.poc) return noFactor
  const tb = clip(current.poc - first.poc, -128, 127)
  const td = clip(second.poc - first.poc, -128, 127)
  const tx = (16384 + abs(td / 2)) / td
  return clip((tb * tx + 32) >> 6, -1024, 1023)
}

@inline
export function listed(list: i32, index: i32): i32 {
  return load<i32>(lists + <usize>((list * 32 + index) << 2))
}

/** Prepares direct prediction and implicit weights of a B slice. */
export function startMotion(sps: Sps, current: Picture, hasImplicit: bool): void {
  if (sliceType != sliceB) return
  isInferred = sps.isDirect8
  colocated = pictureOf(listed(1, 0))
  memory.fill(indexOf, 0, 32)
  for (let i = count0 - 1; i >= 0; i--) {
    store<u8>(indexOf + listed(0, i), <u8>i)
    store<i32>(factors + <usize>(i << 2), factorOf(current, pictureOf(listed(0, i)), colocated))
  }
  if (!hasImplicit) return
  for (let i = 0; i < count0; i++)
    for (let k = 0; k < count1; k++) {
      const second = pictureOf(listed(1, k))
      const factor = second.isLong ? noFactor : factorOf(current, pictureOf(listed(0, i)), second)
      let weight = 32
      if (factor != noFactor && factor >> 2 >= -64 && factor >> 2 <= 128) weight = factor >> 2
      store<i16>(implicit + <usize>((i * 32 + k) << 1), <i16>weight)
    }
}

@inline
export function implicitWeight(ref0: i32, ref1: i32): i32 {
  return load<i16>(implicit + <usize>((ref0 * 32 + ref1) << 1))
}

/** Whether blocks of a direct quarter differ: then it is predicted in blocks of 4 x 4. */
export const directSplit = memory.data(4, 4)
/** Whether the whole macroblock has one motion. */
export let isDirectWhole: bool = false

/** Derives the motion of direct quarters. @param mask a bit for each of them */
export function predictDirect(mb: i32, mask: i32, isSpatial: bool): void {
  if (isSpatial) directSpatially(mb, mask)
  else directTemporally(mb, mask)
}

@inline
function minPositive(a: i32, b: i32): i32 {
  return <i32>min(<u32>a & 0xff, <u32>b & 0xff)
}

/** Reference of a list in spatial direct mode; 255 or 254 for none. */
@inline
function spatialRef(list: i32): i32 {
  const c = findC(list, 0, 0, 4)
  const a = <i32>load<u8>(refAt(list, origin - 1))
  const b = <i32>load<u8>(refAt(list, origin - 8))
  return minPositive(a, minPositive(b, <i32>load<u8>(refAt(list, c))))
}

/** Block of the co-located macroblock that stands for a block (8.4.1.2.1). */
@inline
function cornerOf(x: i32, y: i32): i32 {
  return isInferred ? ((y >> 1) * 3) * 4 + (x >> 1) * 3 : y * 4 + x
}

@inline
function isStill(mb: i32, block: i32): bool {
  const quarter = <usize>((mb << 2) + ((block >> 3) << 1) + ((block >> 1) & 1))
  let motion = colocated.motion0
  let ref = <i32>load<i8>(colocated.index0 + quarter)
  if (ref < 0) {
    ref = load<i8>(colocated.index1 + quarter)
    motion = colocated.motion1
  }
  if (ref != 0) return false
  const vector = load<i32>(motion + <usize>((mb << 6) + (block << 2)))
  return <u32>(xOf(vector) + 1) <= 2 && <u32>(yOf(vector) + 1) <= 2
}

/** Spatial direct prediction (8.4.1.2.2). */
function directSpatially(mb: i32, mask: i32): void {
  let ref0 = spatialRef(0)
  let ref1 = spatialRef(1)
  let vector0 = 0
  let vector1 = 0
  let mayStand = false
  if (ref0 > 127 && ref1 > 127) {
    ref0 = ref1 = 0
  } else {
    ref0 = ref0 > 127 ? -1 : ref0
    ref1 = ref1 > 127 ? -1 : ref1
    if (ref0 >= 0) vector0 = predictMotion(0, 0, 0, 4, ref0)
    if (ref1 >= 0) vector1 = predictMotion(1, 0, 0, 4, ref1)
    mayStand = colocated.isShort != 0 && ((ref0 == 0 && vector0 != 0) || (ref1 == 0 && vector1 != 0))
  }
  store<u32>(directSplit, 0)
  isDirectWhole = true
  let stillBlocks = 0
  for (let quarter = 0; quarter < 4; quarter++) {
    if (!((mask >> quarter) & 1)) continue
    const x = (quarter & 1) << 1
    const y = quarter & 2
    const at = origin + 8 * y + x
    fillRefRect(0, at, 2, 2, ref0)
    fillRefRect(1, at, 2, 2, ref1)
    fillMotionRect(0, at, 2, 2, vector0)
    fillMotionRect(1, at, 2, 2, vector1)
    if (!mayStand) continue
    let still = 0
    if (isInferred) still = isStill(mb, cornerOf(x, y)) ? 4 : 0
    for (let k = 0; k < 4; k++) {
      const dx = k & 1
      const dy = k >> 1
      if (!isInferred) {
        if (!isStill(mb, (y + dy) * 4 + x + dx)) continue
        still++
      } else if (still == 0) break
      if (ref0 == 0) store<i32>(motionAt(0, at + 8 * dy + dx), 0)
      if (ref1 == 0) store<i32>(motionAt(1, at + 8 * dy + dx), 0)
    }
    if (still != 0 && still != 4) store<u8>(directSplit + <usize>quarter, 1)
    stillBlocks += still
  }
  if (stillBlocks != 0 && stillBlocks != 16) isDirectWhole = false
}

/** Temporal direct prediction (8.4.1.2.3). */
function directTemporally(mb: i32, mask: i32): void {
  store<u32>(directSplit, isInferred ? 0 : 0x01010101)
  isDirectWhole = false
  for (let quarter = 0; quarter < 4; quarter++) {
    if (!((mask >> quarter) & 1)) continue
    const x = (quarter & 1) << 1
    const y = quarter & 2
    const at = origin + 8 * y + x
    const place = <usize>((mb << 2) + quarter)
    let motion = colocated.motion0
    let ref = <i32>load<i8>(colocated.index0 + place)
    let source = <i32>load<i8>(colocated.source0 + place)
    if (ref < 0) {
      ref = load<i8>(colocated.index1 + place)
      source = load<i8>(colocated.source1 + place)
      motion = colocated.motion1
    }
    const index = ref < 0 ? 0 : <i32>load<u8>(indexOf + <usize>(source & 31))
    fillRefRect(0, at, 2, 2, index)
    fillRefRect(1, at, 2, 2, 0)
    const factor = load<i32>(factors + <usize>(index << 2))
    for (let k = 0; k < 4; k++) {
      const block = cornerOf(x + (k & 1), y + (k >> 1))
      const vector = ref < 0 ? 0 : load<i32>(motion + <usize>((mb << 6) + (block << 2)))
      let first = vector
      let second = 0
      if (factor != noFactor) {
        const vx = (factor * xOf(vector) + 128) >> 8
        const vy = (factor * yOf(vector) + 128) >> 8
        first = pack(vx, vy)
        second = pack(vx - xOf(vector), vy - yOf(vector))
      }
      const to = at + 8 * (k >> 1) + (k & 1)
      store<i32>(motionAt(0, to), first)
      store<i32>(motionAt(1, to), second)
    }
  }
}

/** Copies the caches of a list to the picture. */
export function storeMotion(list: i32, picture: Picture, mb: i32): void {
  const motion = (list == 0 ? picture.motion0 : picture.motion1) + <usize>(mb << 6)
  v128.store(motion, v128.load(motionAt(list, origin)))
  v128.store(motion, v128.load(motionAt(list, origin + 8)), 16)
  v128.store(motion, v128.load(motionAt(list, origin + 16)), 32)
  v128.store(motion, v128.load(motionAt(list, origin + 24)), 48)
  const index = (list == 0 ? picture.index0 : picture.index1) + <usize>(mb << 2)
  const source = (list == 0 ? picture.source0 : picture.source1) + <usize>(mb << 2)
  for (let quarter = 0; quarter < 4; quarter++) {
    const ref = load<i8>(refAt(list, origin + 8 * (quarter & 2) + ((quarter & 1) << 1)))
    store<i8>(index + <usize>quarter, ref)
    store<i8>(source + <usize>quarter, ref < 0 ? -1 : <i8>listed(list, ref))
  }
}

/** Notes that a list is not used. */
export function storeNone(list: i32, picture: Picture, mb: i32): void {
  const motion = (list == 0 ? picture.motion0 : picture.motion1) + <usize>(mb << 6)
  const zero = i32x4.splat(0)
  v128.store(motion, zero)
  v128.store(motion, zero, 16)
  v128.store(motion, zero, 32)
  v128.store(motion, zero, 48)
  store<i32>((list == 0 ? picture.index0 : picture.index1) + <usize>(mb << 2), -1)
  store<i32>((list == 0 ? picture.source0 : picture.source1) + <usize>(mb << 2), -1)
}
