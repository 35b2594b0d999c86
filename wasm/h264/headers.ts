/** Parameter sets and slice headers (7.3.2, 7.3.3). */
import { hasMore, isShort, readBit, readBits, readSe, readUe, skipBits } from './bits'

/** Refusals. */
export const damaged = -1
/** A tool that is not decoded: interlace, other samplings or depths, slice groups, data partitions, switching slices. */
export const unsupported = -2
/** A picture larger than the limit, or more memory than there may be. */
export const tooLarge = -3

export const sliceP = 0
export const sliceB = 1
export const sliceI = 2

const spsCount: u32 = 32
const ppsCount: u32 = 256

/** Six lists of 16 and two of 64, in the order of coefficients. */
export const listsBytes = 6 * 16 + 2 * 64

@unmanaged
export class Sps {
  isKnown: i32
  /** Changes with each set that is stored. */
  version: i32
  profile: i32
  constraints: i32
  level: i32
  /** Size in macroblocks. */
  width: i32
  height: i32
  cropLeft: i32
  cropRight: i32
  cropTop: i32
  cropBottom: i32
  frameNumBits: i32
  pocType: i32
  pocLsbBits: i32
  isDeltaAlwaysZero: i32
  offsetForNonRef: i32
  offsetForTopToBottom: i32
  cycleLength: i32
  references: i32
  areGapsAllowed: i32
  isDirect8: i32
  /** Pictures that may wait, and pictures in the buffer; -1 if not said. */
  reorderMax: i32
  bufferMax: i32
  isFullRange: i32
  matrix: i32
  hasLists: i32
  /** `int32 [255]` */
  offsets: usize
  lists: usize
}

@unmanaged
export class Pps {
  isKnown: i32
  sps: i32
  isCabac: i32
  hasBottomDelta: i32
  references0: i32
  references1: i32
  isWeightedP: i32
  weightedB: i32
  qp: i32
  chromaOffset0: i32
  chromaOffset1: i32
  hasDeblocking: i32
  isIntraConstrained: i32
  hasRedundant: i32
  has8: i32
  hasLists: i32
  /** One byte per list: 0 not sent, 1 the default, 2 sent. */
  sent: usize
  lists: usize
}

const offsetsBytes = 1024
const spsAt = memory.data(spsCount * (sizeof<usize>() * 40), 16)
const spsOffsets = memory.data(spsCount * offsetsBytes, 16)
const spsLists = memory.data(spsCount * listsBytes, 16)
const ppsAt = memory.data(ppsCount * 128, 16)
const ppsSent = memory.data(ppsCount * 8, 16)
const ppsLists = memory.data(ppsCount * listsBytes, 16)
let versions = 0

export function spsOf(id: i32): Sps {
  return changetype<Sps>(spsAt + <usize>id * (sizeof<usize>() * 40))
}

export function ppsOf(id: i32): Pps {
  return changetype<Pps>(ppsAt + <usize>id * 128)
}

export function forgetHeaders(): void {
  memory.fill(spsAt, 0, spsCount * (sizeof<usize>() * 40))
  memory.fill(ppsAt, 0, ppsCount * 128)
}

// Tables 7-3 and 7-4.
const default4Intra = memory.data<u8>([6, 13, 13, 20, 20, 20, 28, 28, 28, 28, 32, 32, 32, 37, 37, 42])
const default4Inter = memory.data<u8>([10, 14, 14, 20, 20, 20, 24, 24, 24, 24, 27, 27, 27, 30, 30, 34])
const default8Intra = memory.data<u8>([
  6, 10, 10, 13, 11, 13, 16, 16, 16, 16, 18, 18, 18, 18, 18, 23, 23, 23, 23, 23, 23, 25, 25, 25, 25, 25, 25, 25, 27, 27, 27, 27,
  27, 27, 27, 27, 29, 29, 29, 29, 29, 29, 29, 31, 31, 31, 31, 31, 31, 33, 33, 33, 33, 33, 36, 36, 36, 36, 38, 38, 38, 40, 40, 42,
])
const default8Inter = memory.data<u8>([
  9, 13, 13, 15, 13, 15, 17, 17, 17, 17, 19, 19, 19, 19, 19, 21, 21, 21, 21, 21, 21, 22, 22, 22, 22, 22, 22, 22, 24, 24, 24, 24,
  24, 24, 24, 24, 25, 25, 25, 25, 25, 25, 25, 27, 27, 27, 27, 27, 27, 28, 28, 28, 28, 28, 30, 30, 30, 30, 32, 32, 32, 33, 33, 35,
])

@inline
function listAt(lists: usize, index: i32): usize {
  return lists + (index < 6 ? <usize>index * 16 : 96 + <usize>(index - 6) * 64)
}

@inline
function listSize(index: i32): i32 {
  return index < 6 ? 16 : 64
}

function defaultList(index: i32): usize {
  if (index < 6) return index < 3 ? default4Intra : default4Inter
  return index == 6 ? default8Intra : default8Inter
}

/** Reads the lists of a set (7.3.2.1.1.1), and notes which were sent. */
function readLists(lists: usize, sent: usize, count: i32): void {
  store<u64>(sent, 0)
  for (let index = 0; index < count; index++) {
    if (!readBit()) continue
    const to = listAt(lists, index)
    const size = listSize(index)
    let last = 8
    let next = 8
    let state: u8 = 2
    for (let k = 0; k < size; k++) {
      if (next != 0) {
        next = (last + readSe()) & 255
        if (k == 0 && next == 0) {
          state = 1
          break
        }
      }
      if (next != 0) last = next
      store<u8>(to + k, <u8>last)
    }
    store<u8>(sent + index, state)
  }
}

/**
 * Fills in the lists that were not sent (Table 7-2).
 * @param fallback lists of the sequence for rule B; 0 for rule A
 */
function fillLists(lists: usize, sent: usize, to: usize, fallback: usize): void {
  for (let index = 0; index < 8; index++) {
    const state = load<u8>(sent + index)
    let from = listAt(lists, index)
    if (state == 1) from = defaultList(index)
    else if (state == 0) {
      if (index == 0 || index == 3 || index >= 6)
        from = fallback ? listAt(fallback, index) : defaultList(index)
      else from = listAt(to, index - 1)
    }
    memory.copy(listAt(to, index), from, listSize(index))
  }
}

const resolved = memory.data(listsBytes, 16)

/** The lists of a picture, in force with its sets. */
export function resolveLists(sps: Sps, pps: Pps): usize {
  if (pps.hasLists) fillLists(pps.lists, pps.sent, resolved, sps.hasLists ? sps.lists : 0)
  else memory.copy(resolved, sps.lists, listsBytes)
  return resolved
}

/** Skips parameters of the hypothetical decoder (E.1.2). */
function skipHrd(): void {
  const count = readUe() + 1
  skipBits(8)
  for (let i: u32 = 0; i < count && i < 32; i++) {
    readUe()
    readUe()
    skipBits(1)
  }
  skipBits(20)
}

/** Reads what is needed of the usability information (E.1.1). */
function readVui(sps: Sps): void {
  if (readBit() && readBits(8) == 255) skipBits(32)
  if (readBit()) skipBits(1)
  if (readBit()) {
    skipBits(3)
    sps.isFullRange = <i32>readBit()
    if (readBit()) {
      skipBits(16)
      sps.matrix = <i32>readBits(8)
    }
  }
  if (readBit()) {
    readUe()
    readUe()
  }
  if (readBit()) skipBits(65)
  const hasNal = readBit()
  if (hasNal) skipHrd()
  const hasVcl = readBit()
  if (hasVcl) skipHrd()
  if (hasNal | hasVcl) skipBits(1)
  skipBits(1)
  if (!readBit()) return
  skipBits(1)
  for (let i = 0; i < 4; i++) readUe()
  const reorder = <i32>readUe()
  const buffer = <i32>readUe()
  if (isShort() || reorder < 0 || buffer < reorder || buffer > 16) return
  sps.reorderMax = reorder
  sps.bufferMax = buffer
}

function isHighProfile(profile: i32): bool {
  return (
    profile == 100 || profile == 110 || profile == 122 || profile == 244 || profile == 44 || profile == 83 ||
    profile == 86 || profile == 118 || profile == 128 || profile == 138 || profile == 139 || profile == 134 || profile == 135
  )
}

const draft = memory.data(sizeof<usize>() * 40, 16)
const draftOffsets = memory.data(offsetsBytes, 16)
const draftLists = memory.data(listsBytes, 16)
const draftSent = memory.data(8, 8)

/** Reads a sequence parameter set. */
export function readSps(): i32 {
  memory.fill(draft, 0, sizeof<usize>() * 40)
  const sps = changetype<Sps>(draft)
  sps.profile = <i32>readBits(8)
  sps.constraints = <i32>readBits(8)
  sps.level = <i32>readBits(8)
  const id = readUe()
  if (id >= spsCount) return damaged
  memory.fill(draftOffsets, 0, offsetsBytes)
  memory.fill(draftLists, 16, listsBytes)
  if (isHighProfile(sps.profile)) {
    const chroma = readUe()
    if (chroma != 1) return unsupported
    if (readUe() != 0 || readUe() != 0) return unsupported
    if (readBit()) return unsupported
    sps.hasLists = <i32>readBit()
    if (sps.hasLists) {
      readLists(draftLists, draftSent, 8)
      fillLists(draftLists, draftSent, draftLists, 0)
    }
  }
  const frameNumBits = readUe()
  if (frameNumBits > 12) return damaged
  sps.frameNumBits = <i32>frameNumBits + 4
  const pocType = readUe()
  if (pocType > 2) return damaged
  sps.pocType = <i32>pocType
  if (pocType == 0) {
    const bits = readUe()
    if (bits > 12) return damaged
    sps.pocLsbBits = <i32>bits + 4
  } else if (pocType == 1) {
    sps.isDeltaAlwaysZero = <i32>readBit()
    sps.offsetForNonRef = readSe()
    sps.offsetForTopToBottom = readSe()
    const length = readUe()
    if (length > 255) return damaged
    sps.cycleLength = <i32>length
    for (let i: u32 = 0; i < length; i++) store<i32>(draftOffsets + (<usize>i << 2), readSe())
  }
  const references = readUe()
  if (references > 16) return damaged
  sps.references = <i32>references
  sps.areGapsAllowed = <i32>readBit()
  const width = readUe()
  const height = readUe()
  if (isShort() || width >= 1024 || height >= 1024) return isShort() ? damaged : tooLarge
  sps.width = <i32>width + 1
  sps.height = <i32>height + 1
  if (!readBit()) return unsupported
  sps.isDirect8 = <i32>readBit()
  if (readBit()) {
    const left = readUe()
    const right = readUe()
    const top = readUe()
    const bottom = readUe()
    if (left > 8192 || right > 8192 || top > 8192 || bottom > 8192) return damaged
    if (<i32>(left + right) * 2 >= sps.width * 16 || <i32>(top + bottom) * 2 >= sps.height * 16) return damaged
    sps.cropLeft = <i32>left * 2
    sps.cropRight = <i32>right * 2
    sps.cropTop = <i32>top * 2
    sps.cropBottom = <i32>bottom * 2
  }
  sps.reorderMax = -1
  sps.bufferMax = -1
  sps.matrix = 2
  const hasVui = readBit()
  if (isShort()) return damaged
  if (hasVui) readVui(sps)
  const kept = spsOf(<i32>id)
  sps.isKnown = 1
  sps.version = kept.version
  sps.offsets = spsOffsets + <usize>id * offsetsBytes
  sps.lists = spsLists + <usize>id * listsBytes
  // A set that is sent again changes nothing.
  if (
    memory.compare(changetype<usize>(kept), draft, sizeof<usize>() * 40) == 0 &&
    memory.compare(sps.offsets, draftOffsets, offsetsBytes) == 0 && memory.compare(sps.lists, draftLists, listsBytes) == 0
  ) return 0
  sps.version = ++versions
  memory.copy(changetype<usize>(kept), draft, sizeof<usize>() * 40)
  memory.copy(sps.offsets, draftOffsets, offsetsBytes)
  memory.copy(sps.lists, draftLists, listsBytes)
  return 0
}

/** Reads a picture parameter set. */
export function readPps(): i32 {
  const id = readUe()
  const spsId = readUe()
  if (id >= ppsCount || spsId >= spsCount) return damaged
  const isCabac = readBit()
  const hasBottomDelta = readBit()
  if (readUe() != 0) return unsupported
  const references0 = readUe() + 1
  const references1 = readUe() + 1
  if (references0 - 1 > 31 || references1 - 1 > 31) return damaged
  const pps = ppsOf(<i32>id)
  pps.isKnown = 0
  pps.sps = <i32>spsId
  pps.isCabac = <i32>isCabac
  pps.hasBottomDelta = <i32>hasBottomDelta
  pps.references0 = <i32>references0
  pps.references1 = <i32>references1
  pps.isWeightedP = <i32>readBit()
  pps.weightedB = <i32>readBits(2)
  const qp = 26 + readSe()
  readSe()
  const offset = readSe()
  if (qp < 0 || qp > 51 || offset < -12 || offset > 12) return damaged
  pps.qp = qp
  pps.chromaOffset0 = offset
  pps.chromaOffset1 = offset
  pps.hasDeblocking = <i32>readBit()
  pps.isIntraConstrained = <i32>readBit()
  pps.hasRedundant = <i32>readBit()
  pps.has8 = 0
  pps.hasLists = 0
  pps.sent = ppsSent + <usize>(id * 8)
  pps.lists = ppsLists + <usize>id * listsBytes
  if (isShort()) return damaged
  if (hasMore()) {
    pps.has8 = <i32>readBit()
    pps.hasLists = <i32>readBit()
    if (pps.hasLists) readLists(pps.lists, pps.sent, 6 + 2 * pps.has8)
    const offset1 = readSe()
    if (offset1 < -12 || offset1 > 12) return damaged
    pps.chromaOffset1 = offset1
  }
  pps.isKnown = 1
  return 0
}

/** The header of the slice that was read last. */
export let nalType: i32 = 0
export let nalRef: i32 = 0
export let firstMb: i32 = 0
export let sliceType: i32 = 0
export let ppsId: i32 = 0
export let frameNum: i32 = 0
export let idrId: i32 = 0
export let pocLsb: i32 = 0
export let deltaPoc0: i32 = 0
export let deltaPoc1: i32 = 0
export let isSpatial: i32 = 0
/** Entries of the two lists. */
export let count0: i32 = 0
export let count1: i32 = 0
export let isLongIdr: i32 = 0
export let isAdaptive: i32 = 0
/** Memory management: triples of int32. */
export let markings: i32 = 0
export const marking: usize = memory.data(4 * 3 * 68, 16)
/** Changes of the two lists: 67 pairs of int32 each, and their number. */
export const change: usize = memory.data(2 * 8 * 68, 16)
export let changes0: i32 = 0
export let changes1: i32 = 0
export let logWeight0: i32 = 0
export let logWeight1: i32 = 0
export let hasWeights: i32 = 0
/** Weight and offset as int16 pairs, of luma, Cb and Cr: `[2 lists][32][3]`. */
export const weights: usize = memory.data(2 * 32 * 3 * 4, 16)
export let cabacInit: i32 = 0
export let sliceQp: i32 = 0
export let deblocking: i32 = 0
export let offsetA: i32 = 0
export let offsetB: i32 = 0

function readChanges(to: usize): i32 {
  if (!readBit()) return 0
  for (let count = 0; count < 67; count++) {
    const kind = readUe()
    if (kind == 3) return count
    if (kind > 2) return -1
    store<i32>(to + <usize>(count << 3), <i32>kind)
    store<i32>(to + <usize>(count << 3), <i32>readUe(), 4)
  }
  return -1
}

function readWeights(list: i32, count: i32): bool {
  for (let i = 0; i < count; i++) {
    const to = weights + <usize>((list * 32 + i) * 12)
    store<i16>(to, <i16>(<i32>1 << logWeight0))
    store<i16>(to, 0, 2)
    store<i16>(to, <i16>(<i32>1 << logWeight1), 4)
    store<i16>(to, 0, 6)
    store<i16>(to, <i16>(<i32>1 << logWeight1), 8)
    store<i16>(to, 0, 10)
    if (readBit()) {
      store<i16>(to, <i16>readSe())
      store<i16>(to, <i16>readSe(), 2)
    }
    if (readBit())
      for (let c = 0; c < 2; c++) {
        store<i16>(to + <usize>(c << 2), <i16>readSe(), 4)
        store<i16>(to + <usize>(c << 2), <i16>readSe(), 6)
      }
    for (let k = 0; k < 6; k++) {
      const value = load<i16>(to + <usize>(k << 1))
      if (value < -128 || value > 128) return false
    }
  }
  return true
}

function readMarking(): bool {
  markings = 0
  isLongIdr = 0
  isAdaptive = 0
  if (nalRef == 0) return true
  if (nalType == 5) {
    skipBits(1)
    isLongIdr = <i32>readBit()
    return true
  }
  isAdaptive = <i32>readBit()
  if (!isAdaptive) return true
  for (; markings < 67; markings++) {
    const kind = readUe()
    if (kind == 0) return true
    if (kind > 6) return false
    const to = marking + <usize>(markings * 12)
    store<i32>(to, <i32>kind)
    if (kind != 5) store<i32>(to, <i32>readUe(), 4)
    if (kind == 3) store<i32>(to, <i32>readUe(), 8)
  }
  return false
}

/**
 * Reads a slice header.
 * @returns 0, a refusal, or 1 for a slice that is not needed
 */
export function readSliceHeader(type: i32, ref: i32): i32 {
  const first = readUe()
  const kind = readUe()
  const set = readUe()
  if (kind > 9 || set >= ppsCount) return damaged
  const slice = <i32>(kind % 5)
  if (slice > 2) return unsupported
  const pps = ppsOf(<i32>set)
  if (!pps.isKnown) return damaged
  const sps = spsOf(pps.sps)
  if (!sps.isKnown) return damaged
  if (<i32>first >= sps.width * sps.height || (type == 5 && slice != sliceI)) return damaged
  nalType = type
  nalRef = ref
  firstMb = <i32>first
  sliceType = slice
  ppsId = <i32>set
  frameNum = <i32>readBits(sps.frameNumBits)
  idrId = type == 5 ? <i32>readUe() : 0
  pocLsb = 0
  deltaPoc0 = 0
  deltaPoc1 = 0
  if (sps.pocType == 0) {
    pocLsb = <i32>readBits(sps.pocLsbBits)
    if (pps.hasBottomDelta) deltaPoc1 = readSe()
  } else if (sps.pocType == 1 && !sps.isDeltaAlwaysZero) {
    deltaPoc0 = readSe()
    if (pps.hasBottomDelta) deltaPoc1 = readSe()
  }
  if (pps.hasRedundant && readUe() != 0) return 1
  isSpatial = slice == sliceB ? <i32>readBit() : 0
  count0 = slice == sliceI ? 0 : pps.references0
  count1 = slice == sliceB ? pps.references1 : 0
  if (slice != sliceI && readBit()) {
    const entries = readUe()
    if (entries > 31) return damaged
    count0 = <i32>entries + 1
    if (slice == sliceB) {
      const entries1 = readUe()
      if (entries1 > 31) return damaged
      count1 = <i32>entries1 + 1
    }
  }
  changes0 = slice != sliceI ? readChanges(change) : 0
  changes1 = slice == sliceB ? readChanges(change + 8 * 68) : 0
  if (changes0 < 0 || changes1 < 0) return damaged
  hasWeights = 0
  if ((slice == sliceP && pps.isWeightedP) || (slice == sliceB && pps.weightedB == 1)) {
    const luma = readUe()
    const chroma = readUe()
    if (luma > 7 || chroma > 7) return damaged
    logWeight0 = <i32>luma
    logWeight1 = <i32>chroma
    hasWeights = 1
    if (!readWeights(0, count0)) return damaged
    if (slice == sliceB && !readWeights(1, count1)) return damaged
  }
  if (!readMarking()) return damaged
  cabacInit = 0
  if (pps.isCabac && slice != sliceI) {
    const init = readUe()
    if (init > 2) return damaged
    cabacInit = <i32>init
  }
  sliceQp = pps.qp + readSe()
  if (sliceQp < 0 || sliceQp > 51) return damaged
  deblocking = 0
  offsetA = 0
  offsetB = 0
  if (pps.hasDeblocking) {
    const mode = readUe()
    if (mode > 2) return damaged
    deblocking = <i32>mode
    if (mode != 1) {
      offsetA = readSe() * 2
      offsetB = readSe() * 2
      if (offsetA < -12 || offsetA > 12 || offsetB < -12 || offsetB > 12) return damaged
    }
  }
  return isShort() ? damaged : 0
}
