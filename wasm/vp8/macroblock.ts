/** Macroblocks: their tokens, and their pixels. */
import { keepBools, partitionBytes, resumeBools, startBools } from './bool'
import { damaged, hasSegments, isAbsolute, othersAt, partitionsLog, quantiser, quantiserDeltas, segmentQuantisers } from './header'
import { predictInter } from './inter'
import { predictBlock, predictPlane } from './intra'
import {
  chromaStride, contexts, height, Macroblock, macroblockAt, modesOf, Picture, startPicture, stride, width,
} from './picture'
import { acSteps, dcSteps, modeB, modeSplit } from './tables'
import { readBlock } from './tokens'
import { addDc, addResidual, spreadDc } from './transform'

/** Coefficients `int16 [25][16]`: of Y 16 blocks, U 4, V 4, Y2. */
const blocks = memory.data(25 * 32, 16)
/** Where the last token of each block ends. uint8 [24] */
const ends = memory.data(24)
/** Whether blocks to the left are not empty, as `contexts`. */
const left = memory.data(9)

/** Partitions of tokens, of which each row has one. */
const partitions = memory.data(8 * partitionBytes, 16)

/** Finds the partitions (9.5). @returns 0 or a refusal */
export function startPartitions(end: usize): i32 {
  const count = 1 << partitionsLog
  let at = othersAt + <usize>(3 * (count - 1))
  if (at > end) return damaged
  for (let i = 0; i < count; i++) {
    const sizeAt = othersAt + <usize>(3 * i)
    const isLast = i == count - 1
    const bytes = isLast ? end - at : <usize>load<u16>(sizeAt) | (<usize>load<u8>(sizeAt, 2) << 16)
    if (bytes > end - at) return damaged
    startBools(at, bytes)
    keepBools(partitions + <usize>(i * partitionBytes))
    at += bytes
  }
  return 0
}

/** Steps of DC and AC by segment: of Y, Y2 and chroma. int32 [4][6] */
const steps = memory.data(4 * 24, 16)

@inline
function indexOf(index: i32): usize {
  return <usize>min(max(index, 0), 127)
}

@inline
function delta(number: i32): i32 {
  return load<i8>(quantiserDeltas + <usize>number)
}

/** Prepares the steps of a frame (9.6, 14.1). */
export function prepareSteps(): void {
  for (let segment = 0; segment < 4; segment++) {
    let index = quantiser
    if (hasSegments) {
      const own = <i32>load<i8>(segmentQuantisers + <usize>segment)
      index = <i32>indexOf(isAbsolute ? own : index + own)
    }
    const at = steps + <usize>(segment * 24)
    store<i32>(at, load<u8>(dcSteps + indexOf(index + delta(0))))
    store<i32>(at, load<u16>(acSteps + (indexOf(index) << 1)), 4)
    store<i32>(at, <i32>load<u8>(dcSteps + indexOf(index + delta(1))) * 2, 8)
    store<i32>(at, max(8, (<i32>load<u16>(acSteps + (indexOf(index + delta(2)) << 1)) * 155) / 100), 12)
    store<i32>(at, min(132, <i32>load<u8>(dcSteps + indexOf(index + delta(3)))), 16)
    store<i32>(at, load<u16>(acSteps + (indexOf(index + delta(4)) << 1)), 20)
  }
}

/** Reads a block, and notes for its neighbours whether it is empty. @returns where its last token ends */
function readOne(kind: i32, above: usize, beside: usize, step: usize, to: usize): i32 {
  const end = readBlock(kind, load<u8>(above) + load<u8>(beside), load<i32>(step), load<i32>(step, 4), to)
  const isThere = <u8>(end != 0)
  store<u8>(above, isThere)
  store<u8>(beside, isThere)
  return end
}

/** @param place of their contexts @returns whether one of the blocks has tokens */
function readSquare(kind: i32, above: usize, place: usize, size: i32, step: usize, first: usize): i32 {
  let all = 0
  for (let block = 0; block < size * size; block++) {
    const at = first + <usize>block
    const up = above + place + <usize>(block & (size - 1))
    const beside = left + place + <usize>(block / size)
    const end = readOne(kind, up, beside, step, blocks + (at << 5))
    store<u8>(ends + at, <u8>end)
    all |= end
  }
  return all
}

@inline
function hasY2(macroblock: Macroblock): bool {
  return macroblock.mode != modeB && macroblock.mode != modeSplit
}

/** Reads the tokens. @returns whether there are any */
function readTokens(macroblock: Macroblock, x: i32): bool {
  const above = contexts + <usize>(x * 9)
  const isWhole = hasY2(macroblock)
  if (macroblock.isSkipped) {
    const count = isWhole ? 9 : 8
    memory.fill(above, 0, count)
    memory.fill(left, 0, count)
    return false
  }
  const step = steps + (hasSegments ? <usize>macroblock.segment * 24 : 0)
  const y2 = blocks + 24 * 32
  let all = isWhole ? readOne(1, above + 8, left + 8, step + 8, y2) : 0
  const hasDc = all != 0
  all |= readSquare(isWhole ? 0 : 3, above, 0, 4, step, 0)
  all |= readSquare(2, above, 4, 2, step + 16, 16)
  all |= readSquare(2, above, 6, 2, step + 16, 20)
  if (hasDc) spreadDc(y2, blocks)
  return all != 0
}

@inline
function addBlock(to: usize, rowBytes: i32, number: usize): void {
  const block = blocks + (number << 5)
  if (load<u8>(ends + number) > 1) addResidual(to, rowBytes, block)
  else if (load<i16>(block) != 0) addDc(to, rowBytes, block)
}

/** Adds residuals to the four blocks of each of two planes of chroma, or to the sixteen of luma. */
function addSquare(to: usize, rowBytes: i32, size: i32, first: usize): void {
  for (let block = 0; block < size * size; block++)
    addBlock(to + <usize>((block / size) * 4 * rowBytes + (block & (size - 1)) * 4), rowBytes, first + <usize>block)
}

/** Predicts blocks one by one, each from those before with their residuals. */
function decodeBlocks(macroblock: Macroblock, luma: usize, hasTokens: bool): void {
  const upper = luma - stride + 16
  for (let block = 0; block < 16; block++) {
    const at = luma + <usize>((block >> 2) * 4 * stride + (block & 3) * 4)
    // To the right of the macroblock only the row above it is known.
    predictBlock(at, stride, load<u8>(modesOf(macroblock) + <usize>block), (block & 3) == 3 ? upper : at - stride + 4)
    if (hasTokens) addBlock(at, stride, block)
  }
}

function decodeIntra(picture: Picture, macroblock: Macroblock, x: i32, y: i32, luma: usize, chroma: usize, hasTokens: bool): void {
  const mode = macroblock.chromaMode
  predictPlane(picture.cb + chroma, chromaStride, 8, mode, y > 0, x > 0)
  predictPlane(picture.cr + chroma, chromaStride, 8, mode, y > 0, x > 0)
  if (macroblock.mode == modeB) decodeBlocks(macroblock, luma, hasTokens)
  else predictPlane(luma, stride, 16, macroblock.mode, y > 0, x > 0)
}

/** @param references addresses of three pictures */
function decodeMacroblock(picture: Picture, references: usize, x: i32, y: i32): void {
  const macroblock = macroblockAt(x, y)
  const hasTokens = readTokens(macroblock, x)
  const luma = picture.luma + <usize>(y * 16 * stride + x * 16)
  const chroma = <usize>(y * 8 * chromaStride + x * 8)
  macroblock.isFilled = <u8>(hasTokens || !hasY2(macroblock))
  const reference = <usize>macroblock.reference
  if (reference == 0) decodeIntra(picture, macroblock, x, y, luma, chroma, hasTokens)
  else predictInter(picture, changetype<Picture>(load<usize>(references + ((reference - 1) << 2))), macroblock, x, y)
  if (!hasTokens) return
  if (macroblock.mode != modeB) addSquare(luma, stride, 4, 0)
  addSquare(picture.cb + chroma, chromaStride, 2, 16)
  addSquare(picture.cr + chroma, chromaStride, 2, 20)
}

/** Decodes all macroblocks, whose modes are known. @param references addresses of three pictures */
export function decodeMacroblocks(picture: Picture, references: usize): void {
  startPicture(picture)
  memory.fill(contexts, 0, <usize>(width * 9))
  for (let y = 0; y < height; y++) {
    const partition = partitions + <usize>((y & ((1 << partitionsLog) - 1)) * partitionBytes)
    resumeBools(partition)
    memory.fill(left, 0, 9)
    for (let x = 0; x < width; x++) decodeMacroblock(picture, references, x, y)
    keepBools(partition)
    // What the next row finds above to the right of its last block.
    const last = picture.luma + <usize>((y * 16 + 15) * stride + width * 16)
    store<u32>(last, <u32>load<u8>(last - 1) * 0x01010101)
  }
}
