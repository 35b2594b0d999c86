/** An H.264 decoder. See the README for its interface. */
import { drawPicture, setColours } from '../clip/draw'
import { limitMemory, reserveInput } from '../clip/memory'
import { startBits, hasMore, readUe, unescape } from './bits'
import { decodeEnd, prepareCabac, startCabac, startContexts } from './cabac'
import { prepareCavlc } from './cavlc'
import { deblockRow } from './deblock'
import {
  cabacInit, damaged, deltaPoc1, firstMb, forgetHeaders, frameNum, idrId, deltaPoc0, nalRef, nalType, pocLsb, ppsId, ppsOf,
  readPps, readSliceHeader, readSps, sliceI, sliceQp, sliceType, Sps, spsOf, tooLarge,
} from './headers'
import { concealMacroblock, dropCoefficients, readMacroblock, readOrSkip, skipMacroblock, startSlice } from './macroblock'
import { prepareMotion } from './motion'
import {
  chromaStride, extendPicture, height, Picture, pictureOf, reserveSequence, stride, width,
} from './picture'
import {
  buildLists, dropPictures, endPicture, hasWaiting, latest, outputAll, releaseOutput, resetReferences, startPicture, takeOutput,
} from './references'
import { scan4, scan8 } from './tables'
import { prepareScales } from './transform'

/** Result of `decode`: pictures are to be taken before it is called again. */
const more = 1

/** The access unit that is being read. */
let at: usize = 0
let end: usize = 0
let lengthBytes = 0
let tag: f64 = 0
let skipsOthers = false
/** Whether a slice whose header was read waits for the picture before it to be taken. */
let isPending = false
/** The first refusal in the access unit. */
let refusal = 0

/** The sequence in force, a copy: its set may be sent again. */
const sequenceAt = memory.data(160, 16)
let hasSequence = false
let pixelsMax = 1 << 24

/** The current picture; -1 for none. */
let current = -1
/** Next macroblock that is expected, in raster order; the next row to be filtered. */
let expected = 0
let filtered = 0
let sliceCount = 0
/** Header of the current picture, to see where another begins (7.4.1.2.4). */
let currentFrameNum = 0
let currentRef = 0
let currentType = 0
let currentPps = 0
let currentIdr = 0
let currentLsb = 0
let currentDelta0 = 0
let currentDelta1 = 0

@inline
function sequence(): Sps {
  return changetype<Sps>(sequenceAt)
}

/** Prepares the decoder, once. @param pixels limit of a picture's size @param bytes limit of all memory */
export function open(pixels: i32, bytes: u32): void {
  pixelsMax = pixels
  limitMemory(bytes)
  prepareCabac()
  prepareCavlc()
  prepareMotion()
  forgetHeaders()
  resetReferences()
}

/** Returns where an access unit of some bytes belongs; 0 if there is not enough memory. */
export function input(bytes: i32): usize {
  return reserveInput(bytes)
}

/** Before another position of the stream: drops all pictures, keeps the parameter sets. */
export function reset(): void {
  dropPictures()
  current = -1
  isPending = false
}

/** Begins the access unit at `input`. @param sizeBytes bytes of the lengths before NAL units; 0 for start codes */
export function begin(bytes: i32, sizeBytes: i32, time: f64, skipsOtherPictures: bool): void {
  at = reserveInput(bytes)
  end = at + <usize>bytes
  lengthBytes = sizeBytes
  tag = time
  skipsOthers = skipsOtherPictures
  refusal = 0
}

/** Decodes up to the next picture. @returns 0 at the end of the access unit, 1 before it, or a refusal */
export function decode(): i32 {
  releaseOutput()
  if (isPending) {
    isPending = false
    const result = beginPicture()
    if (result == more) return more
    if (result < 0) refusal = result
  }
  while (findUnit()) {
    const size = unescape(unitAt + 1, unitBytes - 1)
    const head = load<u8>(unitAt)
    const type = head & 31
    if (head & 0x80) continue
    startBits(unitAt + 1, size)
    let result = 0
    if (type == 7) result = readSps()
    else if (type == 8) result = readPps()
    else if (type == 1 || type == 5) {
      const ref = <i32>(head >> 5) & 3
      if (ref == 0 && skipsOthers) continue
      result = readSliceHeader(type, ref)
      if (result == 0) {
        result = takeSlice()
        if (result == more) return more
      } else if (result == more) result = 0
    } else if (type >= 2 && type <= 4) result = -2
    if (result < 0 && refusal == 0) refusal = result
  }
  finishPicture()
  return refusal
}

/** Outputs what waits, at the end of the stream. */
export function flush(): void {
  releaseOutput()
  finishPicture()
  outputAll()
}

let unitAt: usize = 0
let unitBytes: usize = 0

/** Finds the next NAL unit. */
function findUnit(): bool {
  for (;;) {
    if (lengthBytes > 0) {
      if (at + lengthBytes > end) return false
      let size: u32 = 0
      for (let i = 0; i < lengthBytes; i++) size = (size << 8) | <u32>load<u8>(at + i)
      at += lengthBytes
      unitAt = at
      unitBytes = min<usize>(size, end - at)
      at += unitBytes
    } else {
      while (at + 3 <= end && !(load<u8>(at) == 0 && load<u8>(at, 1) == 0 && load<u8>(at, 2) == 1)) at++
      if (at + 3 > end) return false
      at += 3
      unitAt = at
      while (at < end) {
        // Two zeros and then at most 1 end a unit.
        if (load<u8>(at) == 0 && at + 2 < end && load<u8>(at, 1) == 0 && load<u8>(at, 2) <= 1) break
        at++
      }
      unitBytes = at - unitAt
    }
    if (unitBytes > 0) return true
  }
  return false
}

/** Whether the slice whose header was read belongs to another picture than the one before. */
function isOther(): bool {
  return (
    frameNum != currentFrameNum || (nalRef == 0) != (currentRef == 0) || (nalType == 5) != (currentType == 5) ||
    ppsOf(ppsId).sps != ppsOf(currentPps).sps || idrId != currentIdr || pocLsb != currentLsb ||
    deltaPoc0 != currentDelta0 || deltaPoc1 != currentDelta1 || firstMb == 0
  )
}

function takeSlice(): i32 {
  if (current >= 0) {
    if (!isOther()) return readSlice()
    // A sample of MP4 is one picture.
    if (lengthBytes > 0) return damaged
    finishPicture()
    isPending = true
    return more
  }
  return beginPicture()
}

/** Begins the picture whose first header was read. */
function beginPicture(): i32 {
  const sps = spsOf(ppsOf(ppsId).sps)
  if (!hasSequence || sps.version != sequence().version) {
    if (hasSequence && hasWaiting()) {
      outputAll()
      isPending = true
      return more
    }
    if (<i64>sps.width * sps.height * 256 > <i64>pixelsMax) return tooLarge
    const result = reserveSequence(sps)
    hasSequence = false
    resetReferences()
    if (result < 0) return result
    memory.copy(sequenceAt, changetype<usize>(sps), 160)
    hasSequence = true
  }
  current = startPicture(sequence(), deltaPoc1, tag)
  if (current < 0) return damaged
  currentFrameNum = frameNum
  currentRef = nalRef
  currentType = nalType
  currentPps = ppsId
  currentIdr = idrId
  currentLsb = pocLsb
  currentDelta0 = deltaPoc0
  currentDelta1 = deltaPoc1
  expected = 0
  filtered = 0
  sliceCount = 0
  return readSlice()
}

/** Fills in missing macroblocks up to one. */
function conceal(until: i32): void {
  const picture = pictureOf(current)
  if (expected < until) picture.isDamaged = 1
  while (expected < until) {
    concealMacroblock(picture, expected % width, expected / width, latest)
    advance()
  }
}

/** Moves on, and filters the row before one that is complete: prediction needs the last row as it is. */
function advance(): void {
  expected++
  if (expected % width == 0 && expected / width >= 2) {
    deblockRow(pictureOf(current), filtered)
    filtered++
  }
}

function readSlice(): i32 {
  const pps = ppsOf(ppsId)
  const sps = sequence()
  const count = width * height
  // Macroblocks come in order: what was decoded, or passed by, is not decoded again.
  if (firstMb < expected || sliceCount >= count) return damaged
  // The header was read by another set than that of the picture.
  if (spsOf(pps.sps).version != sps.version) return damaged
  const picture = pictureOf(current)
  conceal(firstMb)
  if (!buildLists(sps, picture)) return damaged
  prepareScales(sps, pps, scan4, scan8)
  startSlice(sps, pps, picture, ++sliceCount)
  const isWhole = pps.isCabac ? readCabacSlice(count) : readCavlcSlice(count)
  if (isWhole) return 0
  dropCoefficients()
  picture.isDamaged = 1
  return damaged
}

function readCabacSlice(count: i32): bool {
  startContexts(sliceType == sliceI ? 0 : 1 + cabacInit, sliceQp)
  startCabac()
  while (expected < count) {
    if (!readOrSkip(expected % width, expected / width)) return false
    advance()
    if (decodeEnd()) return true
  }
  return false
}

function readCavlcSlice(count: i32): bool {
  while (expected < count) {
    if (sliceType != sliceI) {
      let run = <i32>readUe()
      if (<u32>run > <u32>(count - expected)) return false
      while (run-- > 0) {
        skipMacroblock(expected % width, expected / width)
        advance()
      }
      if (!hasMore()) return true
      if (expected >= count) return false
    }
    if (!readMacroblock(expected % width, expected / width)) return false
    advance()
    if (!hasMore()) return true
  }
  return false
}

function finishPicture(): void {
  if (current < 0) return
  const picture = pictureOf(current)
  conceal(width * height)
  while (filtered < height) deblockRow(picture, filtered++)
  extendPicture(picture)
  endPicture(sequence(), picture)
  current = -1
}

/** Facts of a picture: int32 addresses of Y, U and V, strides of Y and of U and V, size, whether key and damaged, colours; its time. */
const facts = memory.data(12 * 4 + 8, 16)

/** Takes the next picture in order of output. It may be read until `decode`, `flush` or `reset`. @returns 0 if there is none */
export function next(): usize {
  const number = takeOutput()
  if (number < 0) return 0
  const picture = pictureOf(number)
  const sps = sequence()
  const chroma = <usize>((sps.cropTop >> 1) * chromaStride + (sps.cropLeft >> 1))
  store<usize>(facts, picture.luma + <usize>(sps.cropTop * stride + sps.cropLeft))
  store<usize>(facts, picture.cb + chroma, 4)
  store<usize>(facts, picture.cr + chroma, 8)
  store<i32>(facts, stride, 12)
  store<i32>(facts, chromaStride, 16)
  store<i32>(facts, width * 16 - sps.cropLeft - sps.cropRight, 20)
  store<i32>(facts, height * 16 - sps.cropTop - sps.cropBottom, 24)
  store<i32>(facts, picture.isKey, 28)
  store<i32>(facts, picture.isDamaged, 32)
  store<i32>(facts, sps.isFullRange, 36)
  store<i32>(facts, sps.matrix, 40)
  store<f64>(facts, picture.tag, 48)
  return facts
}

/**
 * Size of pictures by the set that came first.
 * @returns facts of which only the size counts; 0 if there is no set, or one whose left edge is cropped, which decoders round in
 *   different ways, or from which whole macroblocks are cropped, which are work that the size does not show
 */
export function size(): usize {
  for (let id = 0; id < 32; id++) {
    const sps = spsOf(id)
    if (!sps.isKnown) continue
    store<i32>(facts, sps.width * 16 - sps.cropLeft - sps.cropRight, 20)
    store<i32>(facts, sps.height * 16 - sps.cropTop - sps.cropBottom, 24)
    return sps.cropLeft || sps.cropRight > 15 || sps.cropTop + sps.cropBottom > 15 ? 0 : facts
  }
  return 0
}

/** Sets how colours are converted: see `setColours`. */
export function colours(scale: i32, base: i32, vRed: i32, uBlue: i32, uGreen: i32, vGreen: i32): void {
  setColours(scale, base, vRed, uBlue, uGreen, vGreen)
}

/** Draws the picture that `next` gave, at a size that is not larger. @returns the address of its RGBA; 0 without memory */
export function draw(toWidth: i32, toHeight: i32): usize {
  return drawPicture(facts, toWidth, toHeight)
}
