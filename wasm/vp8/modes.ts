/** Modes and motion of macroblocks (8, 10, 11, 16 and 17). */
import { readBool, readTree } from './bool'
import {
  goldenProbability, goldenSign, hasMap, hasSkips, interProbability, isKey, lastProbability, modes, motions, otherSign,
  segmentProbabilities, skipProbability,
} from './header'
import { above, before, height, Macroblock, macroblockAt, modesOf, motionOf, width } from './picture'
import {
  blockDc, blockHe, blockModes, blockModeTree, blockMotions, blockMotionTree, blockTm, blockVe, chromaModeTree, keyBlockModes,
  keyModes, keyModeTree, modeB, modeDc, modeH, modeNear, modeNearest, modeNew, modeSplit, modeTree, modeV, modeZero, motionModes,
  motionModeTree, segmentTree, shortMotionTree, splits, splitTree,
} from './tables'

/** Motion as one number. */
@inline
export function pack(x: i32, y: i32): i32 {
  return (y << 16) | (x & 0xffff)
}

@inline
export function xOf(motion: i32): i32 {
  return (motion << 16) >> 16
}

@inline
export function yOf(motion: i32): i32 {
  return motion >> 16
}

function setMotion(macroblock: Macroblock, motion: i32): void {
  const all = i32x4.splat(motion)
  const at = motionOf(macroblock)
  v128.store(at, all)
  v128.store(at, all, 16)
  v128.store(at, all, 32)
  v128.store(at, all, 48)
}

/** The last block's motion is that of the macroblock. */
@inline
function lastMotion(macroblock: Macroblock): i32 {
  return load<i32>(motionOf(macroblock), 60)
}

@inline
function impliedMode(mode: i32): u8 {
  return <u8>(mode == modeDc ? blockDc : mode == modeV ? blockVe : mode == modeH ? blockHe : blockTm)
}

/** Modes of blocks of a key frame, which depend on those above and to the left. */
function readKeyBlocks(macroblock: Macroblock): void {
  const at = modesOf(macroblock)
  const upper = modesOf(above(macroblock)) + 12
  const left = modesOf(before(macroblock)) + 3
  for (let block: usize = 0; block < 16; block++) {
    const a = <usize>load<u8>(block < 4 ? upper + block : at + block - 4)
    const l = <usize>load<u8>((block & 3) == 0 ? left + block : at + block - 1)
    store<u8>(at + block, <u8>readTree(blockModeTree, keyBlockModes + (a * 10 + l) * 9))
  }
}

function readIntra(macroblock: Macroblock): void {
  const chances = isKey ? keyModes : modes
  const mode = readTree(isKey ? keyModeTree : modeTree, chances)
  macroblock.mode = <u8>mode
  if (mode != modeB) memory.fill(modesOf(macroblock), impliedMode(mode), 16)
  else if (isKey) readKeyBlocks(macroblock)
  else for (let block: usize = 0; block < 16; block++) store<u8>(modesOf(macroblock) + block, <u8>readTree(blockModeTree, blockModes))
  macroblock.chromaMode = <u8>readTree(chromaModeTree, chances + 4)
  if (!isKey) setMotion(macroblock, 0)
}

/** A part of a motion vector (17.2). */
function readPart(at: usize): i32 {
  let size = 0
  if (readBool(load<u8>(at))) {
    const bits = at + 9
    for (let i = 0; i < 3; i++) size |= <i32>readBool(load<u8>(bits + i)) << i
    for (let i = 9; i > 3; i--) size |= <i32>readBool(load<u8>(bits + i)) << i
    // Smaller ones are short.
    if (size < 16 || readBool(load<u8>(bits + 3))) size |= 8
  } else size = readTree(shortMotionTree, at + 2)
  return size != 0 && readBool(load<u8>(at + 1)) ? -size : size
}

function readMotion(base: i32): i32 {
  const y = yOf(base) + readPart(motions)
  return pack(xOf(base) + readPart(motions + 19), y)
}

/** Keeps motion near the picture. */
function clampMotion(motion: i32, x: i32, y: i32): i32 {
  return pack(
    min(max(xOf(motion), -64 * (x + 1)), 64 * (width - x)),
    min(max(yOf(motion), -64 * (y + 1)), 64 * (height - y)),
  )
}

/** Motion of neighbours (0 comes first) and how much each weighs (5.3, 16.3). */
const near = memory.data(4 * 4, 4)
const weights = memory.data(4 * 4, 4)
let found: usize = 0
/** Of the modes of a macroblock. */
const probabilities = memory.data(4)

@inline
function signOf(reference: i32): i32 {
  return reference == 2 ? goldenSign : reference == 3 ? otherSign : 0
}

function addWeight(to: usize, weight: i32): void {
  const at = weights + (to << 2)
  store<i32>(at, load<i32>(at) + weight)
}

function addNeighbour(neighbour: Macroblock, reference: i32, weight: i32): void {
  if (neighbour.reference == 0) return
  let motion = lastMotion(neighbour)
  if (motion == 0) return addWeight(0, weight)
  if (signOf(neighbour.reference) != signOf(reference)) motion = pack(-xOf(motion), -yOf(motion))
  if (found == 0 || load<i32>(near + (found << 2)) != motion) store<i32>(near + (++found << 2), motion)
  addWeight(found, weight)
}

@inline
function isSplit(macroblock: Macroblock): i32 {
  return <i32>(macroblock.mode == modeSplit)
}

/** Looks at the neighbours, and leaves the best motion, the nearest and the near one in `near`. */
function findNear(macroblock: Macroblock, reference: i32): void {
  const upper = above(macroblock)
  const left = before(macroblock)
  const corner = before(upper)
  v128.store(near, i32x4.splat(0))
  v128.store(weights, i32x4.splat(0))
  found = 0
  addNeighbour(upper, reference, 2)
  addNeighbour(left, reference, 2)
  addNeighbour(corner, reference, 1)
  if (found == 3 && load<i32>(near, 12) == load<i32>(near, 4)) addWeight(1, 1)
  store<i32>(weights, (isSplit(upper) + isSplit(left)) * 2 + isSplit(corner), 12)
  if (load<i32>(weights, 8) > load<i32>(weights, 4)) {
    store<u64>(weights, rotl<u64>(load<u64>(weights, 4), 32), 4)
    store<u64>(near, rotl<u64>(load<u64>(near, 4), 32), 4)
  }
  if (load<i32>(weights, 4) >= load<i32>(weights)) store<i32>(near, load<i32>(near, 4))
}

/** The part of each block, for the first three values of `splitTree`. */
const parts = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3,
])

/** Which probabilities a block has, by the motion to the left and above. */
function contextOf(left: i32, upper: i32): usize {
  if (left == upper) return upper == 0 ? 4 : 3
  return upper == 0 ? 2 : left == 0 ? 1 : 0
}

function readSplit(macroblock: Macroblock, best: i32): void {
  const split = readTree(splitTree, splits)
  macroblock.split = <u8>split
  const at = motionOf(macroblock)
  const above12 = motionOf(above(macroblock)) + 48
  const left3 = motionOf(before(macroblock)) + 12
  const partOf = parts + <usize>(split << 4)
  let next = 0
  for (let block: usize = 0; block < 16; block++) {
    const place = at + (block << 2)
    // Blocks of a part that began before move as its first one, which is to the left or above.
    if (split < 3 && <i32>load<u8>(partOf + block) < next) {
      const isBeside = (block & 3) != 0 && load<u8>(partOf + block) == load<u8>(partOf + block - 1)
      store<i32>(place, load<i32>(isBeside ? place - 4 : place - 16))
      continue
    }
    next++
    const left = load<i32>((block & 3) == 0 ? left3 + (block << 2) : place - 4)
    const upper = load<i32>(block < 4 ? above12 + (block << 2) : place - 16)
    const kind = readTree(blockMotionTree, blockMotions + contextOf(left, upper) * 3)
    store<i32>(place, kind == 0 ? left : kind == 1 ? upper : kind == 2 ? 0 : readMotion(best))
  }
}

function readInter(macroblock: Macroblock, x: i32, y: i32): void {
  const reference = readBool(lastProbability) ? 2 + <i32>readBool(goldenProbability) : 1
  macroblock.reference = <u8>reference
  findNear(macroblock, reference)
  for (let i: usize = 0; i < 4; i++)
    store<u8>(probabilities + i, load<u8>(motionModes + (<usize>load<i32>(weights + (i << 2)) << 2) + i))
  const mode = readTree(motionModeTree, probabilities)
  macroblock.mode = <u8>mode
  if (mode == modeZero) return setMotion(macroblock, 0)
  const motion = clampMotion(load<i32>(near + <usize>(mode == modeNearest ? 4 : mode == modeNear ? 8 : 0)), x, y)
  if (mode == modeSplit) readSplit(macroblock, motion)
  else setMotion(macroblock, mode == modeNew ? readMotion(motion) : motion)
}

function readMacroblock(macroblock: Macroblock, x: i32, y: i32): void {
  if (hasMap) macroblock.segment = <u8>readTree(segmentTree, segmentProbabilities)
  else if (isKey) macroblock.segment = 0
  macroblock.isSkipped = hasSkips ? <u8>readBool(skipProbability) : 0
  macroblock.reference = 0
  if (!isKey && readBool(interProbability)) readInter(macroblock, x, y)
  else readIntra(macroblock)
}

/** Reads the modes of all macroblocks. */
export function readModes(): void {
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) readMacroblock(macroblockAt(x, y), x, y)
}
