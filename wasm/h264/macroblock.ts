/** One macroblock: its syntax (7.3.5), and its pixels. */
import { alignBits, bytesLeft, isShort, readBit, readBits, readSe, readUe, skipBits } from './bits'
import {
  decode, decode399, decodeEnd, decodeEqual, isCabacShort, readCabacBlock, readRest, takePcm,
} from './cabac'
import { readCavlcBlock } from './cavlc'
import {
  count0, count1, deblocking, hasWeights, isSpatial, logWeight0, logWeight1, offsetA, offsetB, Pps, sliceB, sliceI, sliceQp,
  sliceType, Sps, weights,
} from './headers'
import { average, predictBlock, weigh, weighBoth } from './inter'
import { predict16, predict4, predict8, predictChroma } from './intra'
import {
  addVectors, diffAt, directSplit, fillDiffRect, fillDifferences, fillMotionRect, fillNeighbours, fillRefRect, implicitWeight,
  isDirectWhole, listed, motionAt, origin, predictDirect, predictHalf, predictMotion, predictSkip, refAt, startMotion, storeMotion,
  storeNone, xOf, yOf,
} from './motion'
import {
  chromaModes, chromaStride, differences, directs, filled, filters, isDirect, isInter, isIntra, isIntra16, isIntra4, isIntra8,
  isLarge, isPcm, isSkipped, kinds, macroblockAt, modes, patterns, Picture, pictureOf, pitch, quantisers, slices, stride, totals,
} from './picture'
import { blockPlace, chromaQp, scan4, scan8, scanDc } from './tables'
import {
  addBlock4, addBlock8, addDc4, addDc8, addPair4, scale4, scale8, spreadChromaDc, spreadLumaDc,
} from './transform'

/** Of the slice. */
let picture: Picture = changetype<Picture>(0)
let isCabac: bool = false
let isConstrained: bool = false
let has8: bool = false
let isInferred: bool = false
let chromaOffset0 = 0
let chromaOffset1 = 0
/** 0 none, 1 explicit, 2 implicit. */
let weighting = 0
let slice = 0
let qp = 0
let lastDelta = 0

/** Of the macroblock. */
let mb = 0
let mbX = 0
let mbY = 0
/** Neighbours of the same slice, 0 for none. */
let a = 0
let b = 0
let c = 0
let d = 0
let kindA = 0
let kindB = 0
/** Whether intra prediction may read them. */
let mayReadA: bool = false
let mayReadB: bool = false
let mayReadC: bool = false
let mayReadD: bool = false
let kind = 0
let pattern = 0
let mode16 = 0
let chromaMode = 0
let directMask = 0
/** Whether all its blocks have one motion. */
let isWhole: bool = false

/** Coefficients: 16 blocks of luma in their order, 4 of Cb, 4 of Cr. */
const coefficients = memory.data(24 * 32, 16)
const lumaDc = memory.data(32, 16)
const chromaDc = memory.data(16, 16)

/*
 * Numbers of coefficients with those of the neighbours: luma as in `motion.ts`, Cb and Cr four to a row.
 */
const counts = memory.data(80, 16)
const originCb = 53
const originCr = 65
/** A neighbour that is not there, in the number of coefficients. */
const missing = 64
/** Intra modes, as in `motion.ts`. */
const modeCache = memory.data(48, 16)

/** Begins a slice. */
export function startSlice(sps: Sps, pps: Pps, current: Picture, number: i32): void {
  picture = current
  slice = number
  isCabac = pps.isCabac != 0
  isConstrained = pps.isIntraConstrained != 0
  has8 = pps.has8 != 0
  isInferred = sps.isDirect8 != 0
  chromaOffset0 = pps.chromaOffset0
  chromaOffset1 = pps.chromaOffset1
  qp = sliceQp
  lastDelta = 0
  weighting = hasWeights ? 1 : sliceType == sliceB && pps.weightedB == 2 ? 2 : 0
  startMotion(sps, current, weighting == 2)
}

@inline
function ownSlice(number: i32): i32 {
  return <i32>load<u16>(slices + <usize>(number << 1)) == slice ? number : 0
}

@inline
function mayRead(number: i32): bool {
  return number != 0 && (!isConstrained || (load<u8>(kinds + number) & isIntra) != 0)
}

function locate(x: i32, y: i32): void {
  mbX = x
  mbY = y
  mb = macroblockAt(x, y)
  a = ownSlice(mb - 1)
  b = ownSlice(mb - pitch)
  c = ownSlice(mb - pitch + 1)
  d = ownSlice(mb - pitch - 1)
  kindA = a != 0 ? <i32>load<u8>(kinds + a) : 0
  kindB = b != 0 ? <i32>load<u8>(kinds + b) : 0
}

/** Notes what other macroblocks and the deblocking filter need. */
function finish(coded: i32): void {
  store<u16>(slices + <usize>(mb << 1), <u16>slice)
  store<u8>(kinds + mb, <u8>kind)
  store<u16>(patterns + <usize>(mb << 1), <u16>pattern)
  store<u16>(filled + <usize>(mb << 1), <u16>coded)
  store<u8>(directs + mb, <u8>directMask)
  const own = kind & isPcm ? 0 : qp
  const to = quantisers + <usize>(mb << 2)
  store<u8>(to, <u8>own)
  store<u8>(to, chromaQpOf(own, chromaOffset0), 1)
  store<u8>(to, chromaQpOf(own, chromaOffset1), 2)
  const filter = filters + <usize>(mb << 2)
  store<u8>(filter, <u8>deblocking)
  store<i8>(filter, <i8>offsetA, 1)
  store<i8>(filter, <i8>offsetB, 2)
  store<u8>(filter, isWhole ? 1 : 0, 3)
}

@inline
function chromaQpOf(luma: i32, offset: i32): u8 {
  return load<u8>(chromaQp + min(max(luma + offset, 0), 51))
}

/** Counts of coefficients of the neighbours. */
function fillCounts(): void {
  const none = isCabac && !(kind & isIntra) ? 0 : missing
  if (b != 0) {
    const from = totals + <usize>(b << 5)
    store<u32>(counts + origin - 8, load<u32>(from, 12))
    store<u16>(counts + originCb - 4, load<u16>(from, 18))
    store<u16>(counts + originCr - 4, load<u16>(from, 22))
  } else {
    store<u32>(counts + origin - 8, <u32>none * 0x01010101)
    store<u16>(counts + originCb - 4, <u16>(none * 0x0101))
    store<u16>(counts + originCr - 4, <u16>(none * 0x0101))
  }
  const from = totals + <usize>(a << 5)
  for (let y: usize = 0; y < 4; y++)
    store<u8>(counts + origin - 1 + 8 * y, a != 0 ? load<u8>(from + 4 * y + 3) : <u8>none)
  for (let y: usize = 0; y < 2; y++) {
    store<u8>(counts + originCb - 1 + 4 * y, a != 0 ? load<u8>(from + 2 * y + 17) : <u8>none)
    store<u8>(counts + originCr - 1 + 4 * y, a != 0 ? load<u8>(from + 2 * y + 21) : <u8>none)
  }
}

function clearCounts(): void {
  for (let y: usize = 0; y < 4; y++) store<u32>(counts + origin + 8 * y, 0)
  for (let y: usize = 0; y < 2; y++) {
    store<u16>(counts + originCb + 4 * y, 0)
    store<u16>(counts + originCr + 4 * y, 0)
  }
}

function storeCounts(): void {
  const to = totals + <usize>(mb << 5)
  for (let y: usize = 0; y < 4; y++) store<u32>(to + 4 * y, load<u32>(counts + origin + 8 * y))
  for (let y: usize = 0; y < 2; y++) {
    store<u16>(to + 16 + 2 * y, load<u16>(counts + originCb + 4 * y))
    store<u16>(to + 20 + 2 * y, load<u16>(counts + originCr + 4 * y))
  }
}

@inline
function neighbourCount(at: usize, step: usize): i32 {
  const both = <i32>load<u8>(at - 1) + <i32>load<u8>(at - step)
  return (both < missing ? (both + 1) >> 1 : both) & 31
}

/** Reads one block of 4 x 4 or of its AC. @returns the number of coefficients; -1 if it is damaged */
function readBlock(
  category: i32, at: usize, step: usize, to: usize, count: i32, scan: usize, scale: usize,
): i32 {
  if (!isCabac) return readCavlcBlock(neighbourCount(at, step), to, count, scan, scale, 4, 1)
  const context = 85 + (category << 2) + i32(load<u8>(at - 1) != 0) + (i32(load<u8>(at - step) != 0) << 1)
  if (!decode(context)) return 0
  return readCabacBlock(category, to, count, scan, scale, 4)
}

/** Reads DC, whose presence is noted in the pattern. @param bit of the pattern */
function readDc(category: i32, bit: i32, to: usize, count: i32, scan: usize): i32 {
  if (!isCabac)
    return readCavlcBlock(category == 3 ? -1 : neighbourCount(counts + origin, 8), to, count, scan, 0, 0, 1)
  const none = kind & isIntra ? 1 : 0
  const left = a != 0 ? (<i32>load<u16>(patterns + <usize>(a << 1)) >> bit) & 1 : none
  const above = b != 0 ? (<i32>load<u16>(patterns + <usize>(b << 1)) >> bit) & 1 : none
  if (!decode(85 + (category << 2) + left + (above << 1))) return 0
  pattern |= 1 << bit
  return readCabacBlock(category, to, count, scan, 0, 0)
}

/** Reads the coefficients of luma. @returns which blocks have some, or -1 */
function readLuma(): i32 {
  const intra = (kind & isIntra) != 0
  let coded = 0
  const scale = scale4(intra ? 0 : 3, qp)
  if (kind & isIntra16 && readDc(0, 8, lumaDc, 16, scan4) < 0) return -1
  for (let quarter = 0; quarter < 4; quarter++) {
    if (!((pattern >> quarter) & 1)) continue
    const corner = counts + <usize>(origin + 8 * (quarter & 2) + ((quarter & 1) << 1))
    const bits = 0x33 << (((quarter & 2) << 2) + ((quarter & 1) << 1))
    if (kind & isLarge) {
      const to = coefficients + <usize>(quarter << 7)
      const scaleLarge = scale8(intra ? 0 : 1, qp)
      if (isCabac) {
        const total = readCabacBlock(5, to, 64, scan8, scaleLarge, 6)
        store<u16>(corner, <u16>(total * 0x0101))
        store<u16>(corner, <u16>(total * 0x0101), 8)
        coded |= bits
      } else {
        let sum = 0
        for (let k = 0; k < 4; k++) {
          const at = corner + <usize>(8 * (k >> 1) + (k & 1))
          const total = readCavlcBlock(neighbourCount(at, 8), to, 16, scan8 + k, scaleLarge + <usize>(k << 2), 6, 4)
          if (total < 0) return -1
          store<u8>(at, <u8>total)
          sum += total
        }
        if (sum) coded |= bits
      }
      continue
    }
    for (let k = 0; k < 4; k++) {
      const at = corner + <usize>(8 * (k >> 1) + (k & 1))
      const to = coefficients + <usize>(((quarter << 2) + k) << 5)
      const total = kind & isIntra16
        ? readBlock(1, at, 8, to, 15, scan4 + 1, scale + 4)
        : readBlock(2, at, 8, to, 16, scan4, scale)
      if (total < 0) return -1
      store<u8>(at, <u8>total)
      if (total) coded |= 1 << (<i32>load<u8>(blockPlace + <usize>((quarter << 2) + k)))
    }
  }
  return coded
}

/** Reads the coefficients of chroma. */
function readChroma(): bool {
  const intra = (kind & isIntra) != 0
  if (pattern & 0x30) {
    if (readDc(3, 9, chromaDc, 4, scanDc) < 0) return false
    if (readDc(3, 10, chromaDc + 8, 4, scanDc) < 0) return false
  }
  if (!(pattern & 0x20)) return true
  for (let plane = 0; plane < 2; plane++) {
    const first = plane == 0 ? originCb : originCr
    const scale = scale4((intra ? 1 : 4) + plane, chromaQpOf(qp, plane == 0 ? chromaOffset0 : chromaOffset1))
    for (let k = 0; k < 4; k++) {
      const at = counts + <usize>(first + 4 * (k >> 1) + (k & 1))
      const total = readBlock(4, at, 4, coefficients + <usize>((16 + (plane << 2) + k) << 5), 15, scan4 + 1, scale + 4)
      if (total < 0) return false
      store<u8>(at, <u8>total)
    }
  }
  return true
}

function addChroma(): void {
  if (!(pattern & 0x30)) return
  const intra = (kind & isIntra) != 0
  for (let plane = 0; plane < 2; plane++) {
    const blocks = coefficients + <usize>((16 + (plane << 2)) << 5)
    const chroma = <i32>chromaQpOf(qp, plane == 0 ? chromaOffset0 : chromaOffset1)
    spreadChromaDc(chromaDc + <usize>(plane << 3), blocks, load<i32>(scale4((intra ? 1 : 4) + plane, chroma)))
    const base = (plane == 0 ? picture.cb : picture.cr) + <usize>(8 * (mbY * chromaStride + mbX))
    const first = counts + <usize>(plane == 0 ? originCb : originCr)
    for (let row = 0; row < 2; row++) {
      const to = base + <usize>(4 * row * chromaStride)
      const from = blocks + <usize>(row << 6)
      if (load<u16>(first + <usize>(4 * row))) addPair4(from, to, chromaStride)
      else {
        if (load<i16>(from)) addDc4(from, to, chromaStride)
        if (load<i16>(from, 32)) addDc4(from + 32, to + 4, chromaStride)
      }
    }
  }
}

/** Adds the coefficients of luma of a macroblock whose prediction is there. */
function addLuma(): void {
  const luma = picture.luma + <usize>(16 * (mbY * stride + mbX))
  for (let quarter = 0; quarter < 4; quarter++) {
    const isCoded = (pattern >> quarter) & 1
    if (!isCoded && !(kind & isIntra16)) continue
    const corner = counts + <usize>(origin + 8 * (quarter & 2) + ((quarter & 1) << 1))
    const from = coefficients + <usize>(quarter << 7)
    const to = luma + <usize>(8 * ((quarter >> 1) * stride + (quarter & 1)))
    if (kind & isLarge) {
      addLarge(from, to, corner)
      continue
    }
    for (let row = 0; row < 2; row++) {
      const at = from + <usize>(row << 6)
      const pixels = to + <usize>(4 * row * stride)
      const left = <i32>load<u8>(corner + <usize>(row << 3))
      const right = <i32>load<u8>(corner + <usize>(row << 3), 1)
      // In Intra 16 x 16 the counts are those of the AC.
      const isLeftFull = left > 1 || (left == 1 && (kind & isIntra16 || load<i16>(at) == 0))
      const isRightFull = right > 1 || (right == 1 && (kind & isIntra16 || load<i16>(at, 32) == 0))
      if (isLeftFull && isRightFull) {
        addPair4(at, pixels, stride)
        continue
      }
      if (isLeftFull) addBlock4(at, pixels, stride)
      else if (load<i16>(at)) addDc4(at, pixels, stride)
      if (isRightFull) addBlock4(at + 32, pixels + 4, stride)
      else if (load<i16>(at, 32)) addDc4(at + 32, pixels + 4, stride)
    }
  }
}

@inline
function addLarge(from: usize, to: usize, corner: usize): void {
  const total = isCabac
    ? <i32>load<u8>(corner)
    : <i32>load<u8>(corner) + <i32>load<u8>(corner, 1) + <i32>load<u8>(corner, 8) + <i32>load<u8>(corner, 9)
  if (total == 0) return
  if (total == 1 && load<i16>(from) != 0) addDc8(from, to, stride)
  else addBlock8(from, to, stride)
}

/** Reads the change of the quantiser. */
function readDelta(): bool {
  let delta = 0
  if (isCabac) {
    if (decode(60 + (lastDelta != 0 ? 1 : 0))) {
      let code = 1
      let context = 62
      while (decode(context)) {
        context = 63
        if (++code > 104) return false
      }
      delta = code & 1 ? (code + 1) >> 1 : -(code >> 1)
    }
    lastDelta = delta
  } else delta = readSe()
  if (delta < -26 || delta > 25) return false
  qp = (qp + delta + 52) % 52
  return true
}

/** Codes of the pattern, of intra and inter macroblocks (Table 9-4). */
const patternCodes = memory.data<u8>([
  47, 0, 31, 16, 15, 1, 0, 2, 23, 4, 27, 8, 29, 32, 30, 3, 7, 5, 11, 10, 13, 12, 14, 15,
  39, 47, 43, 7, 45, 11, 46, 13, 16, 14, 3, 6, 5, 9, 10, 31, 12, 35, 19, 37, 21, 42, 26, 44,
  28, 33, 35, 34, 37, 36, 42, 40, 44, 39, 1, 43, 2, 45, 4, 46, 8, 17, 17, 18, 18, 20, 20, 24,
  24, 19, 6, 21, 9, 26, 22, 28, 25, 23, 32, 27, 33, 29, 34, 30, 36, 22, 40, 25, 38, 38, 41, 41,
])

function readPattern(): i32 {
  if (!isCabac) {
    const code = readUe()
    if (code > 47) return -1
    return load<u8>(patternCodes + <usize>(code << 1) + (kind & isIntra ? 0 : 1))
  }
  const left = a != 0 ? <i32>load<u16>(patterns + <usize>(a << 1)) : 0x0f
  const above = b != 0 ? <i32>load<u16>(patterns + <usize>(b << 1)) : 0x0f
  let found = decode(73 + (((left >> 1) & 1) ^ 1) + ((((above >> 2) & 1) ^ 1) << 1))
  found |= decode(73 + ((found & 1) ^ 1) + ((((above >> 3) & 1) ^ 1) << 1)) << 1
  found |= decode(73 + (((left >> 3) & 1) ^ 1) + (((found & 1) ^ 1) << 1)) << 2
  found |= decode(73 + (((found >> 2) & 1) ^ 1) + ((((found >> 1) & 1) ^ 1) << 1)) << 3
  const chromaLeft = a != 0 ? (left >> 4) & 3 : 0
  const chromaAbove = b != 0 ? (above >> 4) & 3 : 0
  if (decode(77 + i32(chromaLeft != 0) + (i32(chromaAbove != 0) << 1)))
    found |= 16 << decode(81 + i32(chromaLeft == 2) + (i32(chromaAbove == 2) << 1))
  return found
}

@inline
function readLargeFlag(): bool {
  if (!isCabac) return readBit() != 0
  return decode399(399 + i32((kindA & isLarge) != 0) + i32((kindB & isLarge) != 0)) != 0
}

/** Reads coefficients, after the pattern. @returns which blocks of luma have some, or -1 */
function readCoefficients(): i32 {
  fillCounts()
  clearCounts()
  let coded = 0
  if (pattern & 0x3f || kind & isIntra16) {
    if (!readDelta()) return -1
    coded = readLuma()
    if (coded < 0 || !readChroma()) return -1
  } else lastDelta = 0
  storeCounts()
  return coded
}

/** After damage: what was read of the coefficients. */
export function dropCoefficients(): void {
  memory.fill(coefficients, 0, 24 * 32)
  memory.fill(lumaDc, 0, 32)
  memory.fill(chromaDc, 0, 16)
}

// Intra.

function readPcm(): bool {
  const from = isCabac ? takePcm(384) : alignBits()
  if (from == 0 || (!isCabac && bytesLeft() < 384)) return false
  if (!isCabac) skipBits(384 * 8)
  const luma = picture.luma + <usize>(16 * (mbY * stride + mbX))
  for (let y = 0; y < 16; y++) v128.store(luma + y * stride, v128.load(from + <usize>(y << 4)))
  const chroma = <usize>(8 * (mbY * chromaStride + mbX))
  for (let y = 0; y < 8; y++) {
    store<u64>(picture.cb + chroma + y * chromaStride, load<u64>(from + <usize>(y << 3), 256))
    store<u64>(picture.cr + chroma + y * chromaStride, load<u64>(from + <usize>(y << 3), 320))
  }
  pattern = 0x72f
  lastDelta = 0
  memory.fill(totals + <usize>(mb << 5), 16, 24)
  store<u8>(chromaModes + mb, 0)
  noMotion()
  finish(0xffff)
  return true
}

function noMotion(): void {
  if (sliceType == sliceI) {
    store<i32>(picture.index0 + <usize>(mb << 2), -1)
    store<i32>(picture.index1 + <usize>(mb << 2), -1)
    return
  }
  storeNone(0, picture, mb)
  storeNone(1, picture, mb)
}

@inline
function modeOf(number: i32, kindOf: i32, block: i32): i32 {
  if (kindOf & (isIntra4 | isIntra8)) return load<i8>(modes + <usize>((number << 4) + block))
  return number != 0 && !(isConstrained && kindOf & isInter) ? 2 : -1
}

/** Reads the modes of blocks (8.3.1.1). */
function readModes(): bool {
  for (let i = 0; i < 4; i++) {
    store<i8>(modeCache + <usize>(origin - 1 + 8 * i), <i8>modeOf(a, kindA, 4 * i + 3))
    store<i8>(modeCache + <usize>(origin - 8 + i), <i8>modeOf(b, kindB, 12 + i))
  }
  const isEight = (kind & isIntra8) != 0
  for (let k = 0; k < 16; k += isEight ? 4 : 1) {
    const place = <i32>load<u8>(blockPlace + k)
    const at = modeCache + <usize>(origin + 8 * (place >> 2) + (place & 3))
    const left = <i32>load<i8>(at - 1)
    const above = <i32>load<i8>(at - 8)
    const predicted = left < 0 || above < 0 ? 2 : min(left, above)
    let mode = predicted
    if (isCabac) {
      if (!decode(68)) {
        mode = decode(69)
        mode |= decode(69) << 1
        mode |= decode(69) << 2
        if (mode >= predicted) mode++
      }
    } else if (!readBit()) {
      mode = <i32>readBits(3)
      if (mode >= predicted) mode++
    }
    if (isEight) {
      store<u16>(at, <u16>(mode * 0x0101))
      store<u16>(at, <u16>(mode * 0x0101), 8)
    } else store<u8>(at, <u8>mode)
  }
  for (let y = 0; y < 4; y++)
    store<u32>(modes + <usize>((mb << 4) + 4 * y), load<u32>(modeCache + <usize>(origin + 8 * y)))
  return true
}

function readChromaMode(): bool {
  if (!isCabac) {
    const code = readUe()
    chromaMode = <i32>code
    return code <= 3
  }
  const left = kindA & isIntra ? load<u8>(chromaModes + a) : 0
  const above = kindB & isIntra ? load<u8>(chromaModes + b) : 0
  chromaMode = 0
  if (decode(64 + i32(left != 0) + i32(above != 0))) {
    chromaMode = 1
    if (decode(67)) chromaMode = 2 + decode(67)
  }
  return true
}

/** Whether the block to the right above of a block of 4 x 4 is decoded before it, inside the macroblock. */
const hasRightAbove: u32 = 0x5744

/** Predicts blocks, each of which needs the pixels of those before. */
function drawBlocks(): bool {
  const luma = picture.luma + <usize>(16 * (mbY * stride + mbX))
  if (kind & isIntra8) {
    for (let quarter = 0; quarter < 4; quarter++) {
      const x = quarter & 1
      const y = quarter >> 1
      const to = luma + <usize>(8 * (y * stride + x))
      const mode = <i32>load<u8>(modeCache + <usize>(origin + 16 * y + 2 * x))
      const hasCorner = x > 0 ? (y > 0 ? true : mayReadB) : y > 0 ? mayReadA : mayReadD
      const hasRight = quarter == 0 ? mayReadB : quarter == 1 ? mayReadC : quarter == 2
      if (!predict8(mode, to, stride, x > 0 || mayReadA, y > 0 || mayReadB, hasCorner, hasRight)) return false
      if ((pattern >> quarter) & 1)
        addLarge(coefficients + <usize>(quarter << 7), to, counts + <usize>(origin + 16 * y + 2 * x))
    }
    return true
  }
  for (let k = 0; k < 16; k++) {
    const place = <i32>load<u8>(blockPlace + k)
    const x = place & 3
    const y = place >> 2
    const to = luma + <usize>(4 * (y * stride + x))
    const mode = <i32>load<u8>(modeCache + <usize>(origin + 8 * y + x))
    const hasCorner = x > 0 ? (y > 0 ? true : mayReadB) : y > 0 ? mayReadA : mayReadD
    const hasRight = y > 0 ? x < 3 && ((hasRightAbove >> k) & 1) != 0 : x < 3 ? mayReadB : mayReadC
    if (!predict4(mode, to, stride, x > 0 || mayReadA, y > 0 || mayReadB, hasCorner, hasRight)) return false
    const total = <i32>load<u8>(counts + <usize>(origin + 8 * y + x))
    if (total == 0) continue
    const from = coefficients + <usize>(k << 5)
    if (total == 1 && load<i16>(from) != 0) addDc4(from, to, stride)
    else addBlock4(from, to, stride)
  }
  return true
}

/** @param type as in Table 7-11 */
function readIntra(type: i32): bool {
  directMask = 0
  if (type == 25) {
    kind = isPcm
    return readPcm()
  }
  mayReadA = mayRead(a)
  mayReadB = mayRead(b)
  mayReadC = mayRead(c)
  mayReadD = mayRead(d)
  if (type == 0) {
    kind = isIntra4
    if (has8 && readLargeFlag()) kind = isIntra8 | isLarge
    if (!readModes()) return false
  } else {
    kind = isIntra16
    mode16 = (type - 1) & 3
  }
  if (!readChromaMode()) return false
  if (type == 0) {
    pattern = readPattern()
    if (pattern < 0) return false
  } else pattern = ((((type - 1) >> 2) % 3) << 4) | (type > 12 ? 15 : 0)
  const coded = readCoefficients()
  if (coded < 0 || (isCabac ? isCabacShort() : isShort())) return false
  if (kind & isIntra16) {
    const luma = picture.luma + <usize>(16 * (mbY * stride + mbX))
    if (!predict16(mode16, luma, stride, mayReadA, mayReadB, mayReadD)) return false
    spreadLumaDc(lumaDc, coefficients, blockPlace, load<i32>(scale4(0, qp)))
    addLuma()
  } else if (!drawBlocks()) return false
  const chroma = <usize>(8 * (mbY * chromaStride + mbX))
  if (!predictChroma(chromaMode, picture.cb + chroma, chromaStride, mayReadA, mayReadB, mayReadD)) return false
  predictChroma(chromaMode, picture.cr + chroma, chromaStride, mayReadA, mayReadB, mayReadD)
  addChroma()
  store<u8>(chromaModes + mb, <u8>chromaMode)
  noMotion()
  finish(coded)
  return true
}

/** Reads an intra type in CABAC. @param first its first context; in I slices the first decision depends on neighbours */
function readIntraType(first: i32, isInI: bool): i32 {
  let at = first
  if (isInI) {
    const left = a != 0 && !(kindA & (isIntra4 | isIntra8))
    const above = b != 0 && !(kindB & (isIntra4 | isIntra8))
    if (!decode(at + i32(left) + i32(above))) return 0
    at += 2
  } else if (!decode(at)) return 0
  if (decodeEnd()) return 25
  let type = 1
  if (decode(at + 1)) type += 12
  if (decode(at + 2)) type += 4 + 4 * decode(at + 2 + (isInI ? 1 : 0))
  type += 2 * decode(at + 3 + (isInI ? 1 : 0))
  type += decode(at + 3 + (isInI ? 2 : 0))
  return type
}

// Inter.

/** Pixels of the second picture of a block. */
const secondLuma = memory.data(256, 16)
const secondCb = memory.data(64 + 16, 16)
const secondCr = memory.data(64 + 16, 16)

@inline
function weightAt(list: i32, ref: i32, plane: i32): usize {
  return weights + <usize>((list * 32 + ref) * 12 + (plane << 2))
}

/** Draws a block of the prediction. Places in blocks of 4 x 4. */
function drawInter(x: i32, y: i32, columns: i32, rows: i32): void {
  const at = origin + 8 * y + x
  const ref0 = <i32>load<i8>(refAt(0, at))
  const ref1 = sliceType == sliceB ? <i32>load<i8>(refAt(1, at)) : -1
  const px = 16 * mbX + 4 * x
  const py = 16 * mbY + 4 * y
  const luma = picture.luma + <usize>(py * stride + px)
  const chroma = <usize>((py >> 1) * chromaStride + (px >> 1))
  const cb = picture.cb + chroma
  const cr = picture.cr + chroma
  const w = columns << 2
  const h = rows << 2
  const first = ref0 >= 0 ? 0 : 1
  const ref = first == 0 ? ref0 : ref1
  predictBlock(pictureOf(listed(first, ref)), load<i32>(motionAt(first, at)), px, py, w, h, luma, cb, cr, stride, chromaStride)
  if (ref0 < 0 || ref1 < 0) {
    if (weighting != 1) return
    weighOne(weightAt(first, ref, 0), luma, stride, w, h, logWeight0)
    weighOne(weightAt(first, ref, 1), cb, chromaStride, w >> 1, h >> 1, logWeight1)
    weighOne(weightAt(first, ref, 2), cr, chromaStride, w >> 1, h >> 1, logWeight1)
    return
  }
  predictBlock(
    pictureOf(listed(1, ref1)), load<i32>(motionAt(1, at)), px, py, w, h, secondLuma, secondCb, secondCr, 16, 8,
  )
  if (weighting == 0) {
    average(luma, stride, secondLuma, 16, w, h)
    average(cb, chromaStride, secondCb, 8, w >> 1, h >> 1)
    average(cr, chromaStride, secondCr, 8, w >> 1, h >> 1)
  } else if (weighting == 2) {
    const weight = implicitWeight(ref0, ref1)
    joinBoth(luma, stride, secondLuma, 16, w, h, 5, 64 - weight, weight, 0)
    joinBoth(cb, chromaStride, secondCb, 8, w >> 1, h >> 1, 5, 64 - weight, weight, 0)
    joinBoth(cr, chromaStride, secondCr, 8, w >> 1, h >> 1, 5, 64 - weight, weight, 0)
  } else {
    joinWeighed(weightAt(0, ref0, 0), weightAt(1, ref1, 0), luma, stride, secondLuma, 16, w, h, logWeight0)
    joinWeighed(weightAt(0, ref0, 1), weightAt(1, ref1, 1), cb, chromaStride, secondCb, 8, w >> 1, h >> 1, logWeight1)
    joinWeighed(weightAt(0, ref0, 2), weightAt(1, ref1, 2), cr, chromaStride, secondCr, 8, w >> 1, h >> 1, logWeight1)
  }
}

@inline
function weighOne(factors: usize, to: usize, toStride: i32, columns: i32, rows: i32, log: i32): void {
  const weight = <i32>load<i16>(factors)
  const offset = <i32>load<i16>(factors, 2)
  if (weight == 1 << log && offset == 0) return
  weigh(to, toStride, columns, rows, log, weight, offset)
}

@inline
function joinWeighed(
  first: usize, second: usize, to: usize, toStride: i32, other: usize, otherStride: i32, columns: i32, rows: i32, log: i32,
): void {
  const offset = (<i32>load<i16>(first, 2) + <i32>load<i16>(second, 2) + 1) >> 1
  joinBoth(to, toStride, other, otherStride, columns, rows, log, load<i16>(first), load<i16>(second), offset)
}

function joinBoth(
  to: usize, toStride: i32, other: usize, otherStride: i32, columns: i32, rows: i32, log: i32, weight: i32, otherWeight: i32, offset: i32,
): void {
  if (weight == 1 << log && otherWeight == weight && offset == 0) average(to, toStride, other, otherStride, columns, rows)
  else weighBoth(to, toStride, other, otherStride, columns, rows, log, weight, otherWeight, offset)
}

function fillBoth(): void {
  fillNeighbours(0, picture, a, b, c, d)
  if (sliceType == sliceB) fillNeighbours(1, picture, a, b, c, d)
}

function storeBoth(): void {
  storeMotion(0, picture, mb)
  if (sliceType == sliceB) storeMotion(1, picture, mb)
  else storeNone(1, picture, mb)
}

/** Draws direct quarters. */
function drawDirect(mask: i32): void {
  if (mask == 15 && isDirectWhole) return drawInter(0, 0, 4, 4)
  for (let quarter = 0; quarter < 4; quarter++) {
    if (!((mask >> quarter) & 1)) continue
    const x = (quarter & 1) << 1
    const y = quarter & 2
    if (!load<u8>(directSplit + <usize>quarter)) drawInter(x, y, 2, 2)
    else for (let k = 0; k < 4; k++) drawInter(x + (k & 1), y + (k >> 1), 1, 1)
  }
}

/** Draws a skipped macroblock. */
export function skipMacroblock(x: i32, y: i32): void {
  locate(x, y)
  drawSkipped()
}

function drawSkipped(): void {
  fillBoth()
  kind = isInter | isSkipped
  if (sliceType == sliceB) {
    kind |= isDirect
    directMask = 15
    predictDirect(mb, 15, isSpatial != 0)
    isWhole = isDirectWhole
    drawDirect(15)
  } else {
    directMask = 0
    isWhole = true
    fillRefRect(0, origin, 4, 4, 0)
    fillMotionRect(0, origin, 4, 4, predictSkip())
    drawInter(0, 0, 4, 4)
  }
  storeBoth()
  pattern = 0
  lastDelta = 0
  const to = totals + <usize>(mb << 5)
  v128.store(to, i32x4.splat(0))
  store<u64>(to, 0, 16)
  finish(0)
}

/** Shapes and uses of the lists (1: first, 2: second, 3: both) of two parts, by B type from 1 on (Table 7-14). */
const partsB = memory.data<u8>([
  0, 1, 0, 0, 2, 0, 0, 3, 0, 1, 1, 1, 2, 1, 1, 1, 2, 2, 2, 2, 2, 1, 1, 2, 2, 1, 2, 1, 2, 1, 2, 2, 1,
  1, 1, 3, 2, 1, 3, 1, 2, 3, 2, 2, 3, 1, 3, 1, 2, 3, 1, 1, 3, 2, 2, 3, 2, 1, 3, 3, 2, 3, 3,
])
/** Shapes (0: 8 x 8, 1: 8 x 4, 2: 4 x 8, 3: 4 x 4) and uses of quarters, by B type (Table 7-18). */
const quartersB = memory.data<u8>([3, 0, 0, 1, 0, 2, 0, 3, 1, 1, 2, 1, 1, 2, 2, 2, 1, 3, 2, 3, 3, 1, 3, 2, 3, 3])

/** Shape of the macroblock: 0: 16 x 16, 1: 16 x 8, 2: 8 x 16, 3: quarters. */
let shape = 0
const uses = memory.data(4, 4)
const subShapes = memory.data(4, 4)

@inline
function usesList(part: i32, list: i32): bool {
  return ((<i32>load<u8>(uses + <usize>part) >> list) & 1) != 0
}

function readQuarterTypeP(): i32 {
  if (!isCabac) {
    const code = readUe()
    return code > 3 ? -1 : <i32>code
  }
  if (decode(21)) return 0
  if (!decode(22)) return 1
  return decode(23) ? 2 : 3
}

function readQuarterTypeB(): i32 {
  if (!isCabac) {
    const code = readUe()
    return code > 12 ? -1 : <i32>code
  }
  if (!decode(36)) return 0
  if (!decode(37)) return 1 + decode(39)
  let type = 3
  if (decode(38)) {
    if (decode(39)) return 11 + decode(39)
    type = 7
  }
  type += 2 * decode(39)
  return type + decode(39)
}

/** Reads a type of an inter macroblock in CABAC; those from 32 on are intra. */
function readTypeP(): i32 {
  if (decode(14)) return 32 + readIntraType(17, false)
  if (decode(15)) return decode(17) ? 1 : 2
  return decode(16) ? 3 : 0
}

function readTypeB(): i32 {
  const left = a != 0 && !(kindA & isDirect)
  const above = b != 0 && !(kindB & isDirect)
  if (!decode(27 + i32(left) + i32(above))) return 0
  if (!decode(30)) return 1 + decode(32)
  let bits = decode(31) << 3
  bits |= decode(32) << 2
  bits |= decode(32) << 1
  bits |= decode(32)
  if (bits < 8) return bits + 3
  if (bits == 13) return 32 + readIntraType(32, false)
  if (bits == 14) return 11
  if (bits == 15) return 22
  bits = (bits << 1) | decode(32)
  return bits - 4
}

@inline
function isLargeRef(list: i32, at: i32, isDirectThere: bool): i32 {
  return i32(load<i8>(refAt(list, at)) > 0 && !isDirectThere)
}

/** Reads an index. @param quarter the first that it counts for */
function readRef(list: i32, quarter: i32): i32 {
  const count = list == 0 ? count0 : count1
  if (!isCabac) {
    if (count == 2) return <i32>(readBit() ^ 1)
    const code = readUe()
    return code >= <u32>count ? -1 : <i32>code
  }
  const x = (quarter & 1) << 1
  const y = quarter & 2
  const at = origin + 8 * y + x
  const leftDirect = x > 0 ? (directMask >> (quarter - 1)) & 1 : a != 0 ? (<i32>load<u8>(directs + a) >> (quarter + 1)) & 1 : 0
  const aboveDirect = y > 0 ? (directMask >> (quarter - 2)) & 1 : b != 0 ? (<i32>load<u8>(directs + b) >> (quarter + 2)) & 1 : 0
  let context = isLargeRef(list, at - 1, leftDirect != 0) + (isLargeRef(list, at - 8, aboveDirect != 0) << 1)
  let ref = 0
  while (decode(54 + context)) {
    context = ref == 0 ? 4 : 5
    if (++ref >= 32) return -1
  }
  return ref >= count ? -1 : ref
}

/** Reads one component of a difference in CABAC. */
function readDifference(first: i32, near: i32): i32 {
  if (!decode(first + (near < 3 ? 0 : near > 32 ? 2 : 1))) return 0
  let size = 1
  let context = 3
  while (size < 9 && decode(first + context)) {
    size++
    if (context < 6) context++
  }
  if (size == 9) size += readRest(3)
  return decodeEqual() ? -size : size
}

/** Reads the difference of a part, and fills the caches. */
function readVector(list: i32, x: i32, y: i32, columns: i32, rows: i32, predicted: i32): void {
  const at = origin + 8 * y + x
  let dx: i32
  let dy: i32
  if (isCabac) {
    const left = <i32>load<u16>(diffAt(list, at - 1))
    const above = <i32>load<u16>(diffAt(list, at - 8))
    dx = readDifference(40, (left & 255) + (above & 255))
    dy = readDifference(47, (left >> 8) + (above >> 8))
    fillDiffRect(list, at, columns, rows, min(abs(dx), 127) | (min(abs(dy), 127) << 8))
  } else {
    dx = readSe()
    dy = readSe()
  }
  fillMotionRect(list, at, columns, rows, addVectors(predicted, dx, dy))
}

/** Reads the indices of all parts. */
function readRefs(list: i32, isFixed: bool): bool {
  const count = list == 0 ? count0 : count1
  const parts = shape == 0 ? 1 : shape == 3 ? 4 : 2
  for (let part = 0; part < parts; part++) {
    const quarter = shape == 1 ? 2 * part : part
    const at = origin + 8 * (quarter & 2) + ((quarter & 1) << 1)
    const columns = shape < 2 ? 4 : 2
    const rows = shape == 0 || shape == 2 ? 4 : 2
    if ((directMask >> quarter) & 1 && shape == 3) continue
    let ref = -1
    if (usesList(part, list)) {
      ref = count > 1 && !isFixed ? readRef(list, quarter) : 0
      if (ref < 0) return false
    } else {
      fillMotionRect(list, at, columns, rows, 0)
    }
    fillRefRect(list, at, columns, rows, ref)
    if (isCabac) fillDiffRect(list, at, columns, rows, 0)
  }
  return true
}

function readVectors(list: i32): void {
  if (shape < 3) {
    const parts = shape == 0 ? 1 : 2
    for (let part = 0; part < parts; part++) {
      if (!usesList(part, list)) continue
      const x = shape == 2 ? 2 * part : 0
      const y = shape == 1 ? 2 * part : 0
      const ref = <i32>load<i8>(refAt(list, origin + 8 * y + x))
      const predicted = shape == 0 ? predictMotion(list, 0, 0, 4, ref) : predictHalf(list, shape, part, ref)
      readVector(list, x, y, shape == 2 ? 2 : 4, shape == 1 ? 2 : 4, predicted)
    }
    return
  }
  for (let quarter = 0; quarter < 4; quarter++) {
    if (!usesList(quarter, list) || (directMask >> quarter) & 1) continue
    const x = (quarter & 1) << 1
    const y = quarter & 2
    const ref = <i32>load<i8>(refAt(list, origin + 8 * y + x))
    const sub = <i32>load<u8>(subShapes + <usize>quarter)
    const columns = sub < 2 ? 2 : 1
    const rows = sub == 0 || sub == 2 ? 2 : 1
    for (let sy = 0; sy < 2; sy += rows)
      for (let sx = 0; sx < 2; sx += columns)
        readVector(list, x + sx, y + sy, columns, rows, predictMotion(list, x + sx, y + sy, columns, ref))
  }
}

function drawParts(): void {
  if (shape == 0) return drawInter(0, 0, 4, 4)
  if (shape == 1) {
    drawInter(0, 0, 4, 2)
    return drawInter(0, 2, 4, 2)
  }
  if (shape == 2) {
    drawInter(0, 0, 2, 4)
    return drawInter(2, 0, 2, 4)
  }
  for (let quarter = 0; quarter < 4; quarter++) {
    if ((directMask >> quarter) & 1) continue
    const x = (quarter & 1) << 1
    const y = quarter & 2
    const sub = <i32>load<u8>(subShapes + <usize>quarter)
    const columns = sub < 2 ? 2 : 1
    const rows = sub == 0 || sub == 2 ? 2 : 1
    for (let sy = 0; sy < 2; sy += rows)
      for (let sx = 0; sx < 2; sx += columns) drawInter(x + sx, y + sy, columns, rows)
  }
}

/** Reads the types of quarters. */
function readQuarters(): bool {
  for (let quarter = 0; quarter < 4; quarter++) {
    if (sliceType == sliceB) {
      const type = readQuarterTypeB()
      if (type < 0) return false
      store<u8>(subShapes + <usize>quarter, load<u8>(quartersB + <usize>(type << 1)))
      store<u8>(uses + <usize>quarter, load<u8>(quartersB + <usize>(type << 1), 1))
      if (type == 0) directMask |= 1 << quarter
    } else {
      const type = readQuarterTypeP()
      if (type < 0) return false
      store<u8>(subShapes + <usize>quarter, <u8>type)
      store<u8>(uses + <usize>quarter, 1)
    }
  }
  return true
}

/** @param type as in Tables 7-13 and 7-14 */
function readInter(type: i32): bool {
  const isB = sliceType == sliceB
  kind = isInter
  directMask = 0
  shape = 3
  let mayBeLarge = has8
  fillBoth()
  if (isB && type == 0) {
    kind |= isDirect
    directMask = 15
    predictDirect(mb, 15, isSpatial != 0)
    mayBeLarge = has8 && isInferred
  } else {
    if (isCabac) {
      fillDifferences(0, differences, a, b)
      if (isB) fillDifferences(1, differences, a, b)
    }
    if (isB && type < 22) {
      const entry = partsB + <usize>((type - 1) * 3)
      shape = load<u8>(entry)
      store<u16>(uses, load<u16>(entry, 1))
    } else if (!isB && type < 3) {
      shape = type
      store<u16>(uses, 0x0101)
    } else {
      if (!readQuarters()) return false
      if (directMask) {
        predictDirect(mb, directMask, isSpatial != 0)
        if (!isInferred) mayBeLarge = false
        if (isCabac)
          for (let quarter = 0; quarter < 4; quarter++)
            if ((directMask >> quarter) & 1) {
              fillDiffRect(0, origin + 8 * (quarter & 2) + ((quarter & 1) << 1), 2, 2, 0)
              fillDiffRect(1, origin + 8 * (quarter & 2) + ((quarter & 1) << 1), 2, 2, 0)
            }
      }
      for (let quarter = 0; quarter < 4; quarter++)
        if (!((directMask >> quarter) & 1) && load<u8>(subShapes + <usize>quarter)) mayBeLarge = false
    }
    if (!readRefs(0, !isB && type == 4)) return false
    if (isB && !readRefs(1, false)) return false
    readVectors(0)
    if (isB) readVectors(1)
    if (isCabac) storeDifferences()
  }
  pattern = readPattern()
  if (pattern < 0) return false
  if (mayBeLarge && pattern & 15 && readLargeFlag()) kind |= isLarge
  const coded = readCoefficients()
  if (coded < 0 || (isCabac ? isCabacShort() : isShort())) return false
  if (directMask) drawDirect(directMask)
  if (directMask != 15) drawParts()
  isWhole = shape == 0 || (directMask == 15 && isDirectWhole)
  storeBoth()
  addLuma()
  addChroma()
  finish(coded)
  return true
}

function storeDifferences(): void {
  for (let list = 0; list < (sliceType == sliceB ? 2 : 1); list++) {
    const to = differences + <usize>((mb << 6) + (list << 5))
    for (let y = 0; y < 4; y++) store<u64>(to + <usize>(y << 3), load<u64>(diffAt(list, origin + 8 * y)))
  }
}

/** Reads a macroblock that is not skipped. @returns false if it is damaged */
export function readMacroblock(x: i32, y: i32): bool {
  locate(x, y)
  return readBody()
}

function readBody(): bool {
  let type: i32
  if (isCabac) {
    if (sliceType == sliceI) return readIntra(readIntraType(3, true))
    type = sliceType == sliceB ? readTypeB() : readTypeP()
    return type >= 32 ? readIntra(type - 32) : readInter(type)
  }
  const code = readUe()
  if (code > 48) return false
  type = <i32>code
  if (sliceType == sliceI) return type <= 25 && readIntra(type)
  const inter = sliceType == sliceB ? 23 : 5
  return type < inter ? readInter(type) : type - inter <= 25 && readIntra(type - inter)
}

/** Reads, in CABAC, a macroblock that may be skipped. */
export function readOrSkip(x: i32, y: i32): bool {
  locate(x, y)
  if (sliceType != sliceI) {
    const left = a != 0 && !(kindA & isSkipped)
    const above = b != 0 && !(kindB & isSkipped)
    if (decode((sliceType == sliceB ? 24 : 11) + i32(left) + i32(above))) {
      drawSkipped()
      return true
    }
  }
  return readBody()
}

/** Fills in a macroblock that is missing, from another picture or in grey. */
export function concealMacroblock(current: Picture, x: i32, y: i32, from: i32): void {
  picture = current
  mbX = x
  mbY = y
  mb = macroblockAt(x, y)
  const luma = 16 * (y * stride + x)
  const chroma = 8 * (y * chromaStride + x)
  const source = pictureOf(from < 0 ? current.number : from)
  const grey = i8x16.splat(<i8>128)
  for (let row = 0; row < 16; row++) {
    const at = <usize>(luma + row * stride)
    v128.store(current.luma + at, from < 0 ? grey : v128.load(source.luma + at))
  }
  for (let row = 0; row < 8; row++) {
    const at = <usize>(chroma + row * chromaStride)
    store<u64>(current.cb + at, from < 0 ? 0x8080808080808080 : load<u64>(source.cb + at))
    store<u64>(current.cr + at, from < 0 ? 0x8080808080808080 : load<u64>(source.cr + at))
  }
  kind = isIntra16
  pattern = 0
  directMask = 0
  slice = 0xffff
  storeNone(0, current, mb)
  storeNone(1, current, mb)
  const to = totals + <usize>(mb << 5)
  v128.store(to, i32x4.splat(0))
  store<u64>(to, 0, 16)
  store<u8>(chromaModes + mb, 0)
  finish(0)
  // Not filtered.
  store<u8>(filters + <usize>(mb << 2), 1)
}
