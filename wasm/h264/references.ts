/** Order of pictures, lists of references, marking and output (8.2.1, 8.2.4, 8.2.5, C.4). */
import {
  change, changes0, changes1, count0, count1, deltaPoc0, frameNum, isAdaptive, isLongIdr, marking, markings, nalRef, nalType,
  pocLsb, Sps, sliceB, sliceI, sliceType,
} from './headers'
import {
  capacity, clearMacroblocks, copyPixels, greyPixels, Picture, pictureOf, pictures,
} from './picture'

/** Numbers of pictures `int32 [2][32]`. */
export const lists: usize = memory.data(2 * 32 * 4, 16)

let previousLsb = 0
let previousMsb = 0
let previousFrameNum = 0
let previousOffset = 0
/** Frame number of the last reference picture. */
let previousRef = 0
/** The picture that was decoded last, for concealment; -1 for none. */
export let latest = -1

const queue = memory.data(32 * 4, 16)
let queued = 0
let taken = 0

export function resetReferences(): void {
  previousLsb = previousMsb = previousFrameNum = previousOffset = previousRef = 0
  latest = -1
  queued = taken = 0
}

/** Drops all pictures. */
export function dropPictures(): void {
  for (let i = 0; i < pictures; i++) {
    const picture = pictureOf(i)
    picture.isShort = picture.isLong = picture.isWaiting = picture.isLocked = picture.isCurrent = 0
  }
  resetReferences()
}

/** Releases the pictures that were output. */
export function releaseOutput(): void {
  for (let i = 0; i < pictures; i++) pictureOf(i).isLocked = 0
  queued = taken = 0
}

/** The next picture to be shown, or -1. */
export function takeOutput(): i32 {
  return taken < queued ? load<i32>(queue + <usize>(taken++ << 2)) : -1
}

@inline
function isFree(picture: Picture): bool {
  return !(picture.isShort | picture.isLong | picture.isWaiting | picture.isLocked | picture.isCurrent)
}

/** Moves the first waiting picture to the output. */
function outputFirst(): bool {
  let first = -1
  for (let i = 0; i < pictures; i++)
    if (pictureOf(i).isWaiting && (first < 0 || pictureOf(i).poc < pictureOf(first).poc)) first = i
  if (first < 0) return false
  const picture = pictureOf(first)
  picture.isWaiting = 0
  if (queued < 32) {
    picture.isLocked = 1
    store<i32>(queue + <usize>(queued++ << 2), first)
  }
  return true
}

/** Outputs everything that waits. */
export function outputAll(): void {
  while (outputFirst()) {}
}

export function hasWaiting(): bool {
  for (let i = 0; i < pictures; i++) if (pictureOf(i).isWaiting) return true
  return false
}

function countWaiting(): i32 {
  let count = 0
  for (let i = 0; i < pictures; i++) count += pictureOf(i).isWaiting
  return count
}

function countHeld(): i32 {
  let count = 0
  for (let i = 0; i < pictures; i++) {
    const picture = pictureOf(i)
    if (picture.isShort | picture.isLong | picture.isWaiting) count++
  }
  return count
}

/** Pictures that may wait before the first of them is output. */
function reorderOf(sps: Sps): i32 {
  if (sps.pocType == 2) return 0
  if (sps.reorderMax >= 0) return sps.reorderMax
  const profile = sps.profile
  if ((sps.constraints & 16) != 0 && (profile == 44 || profile == 86 || profile >= 100)) return 0
  return capacity
}

function outputSome(sps: Sps): void {
  const most = reorderOf(sps)
  while (countWaiting() > most && outputFirst()) {}
  while (countHeld() > capacity && outputFirst()) {}
}

function dropAll(): void {
  for (let i = 0; i < pictures; i++) {
    pictureOf(i).isShort = 0
    pictureOf(i).isLong = 0
  }
}

/** A free picture, or -1. Takes the oldest one if none is free, which happens in damaged streams only. */
function findFree(): i32 {
  for (let i = 0; i < pictures; i++) if (isFree(pictureOf(i))) return i
  for (let i = 0; i < pictures; i++) {
    const picture = pictureOf(i)
    if (picture.isLocked | picture.isCurrent | picture.isWaiting) continue
    picture.isShort = picture.isLong = 0
    return i
  }
  return -1
}

/** Order of the current picture (8.2.1). */
function findPoc(sps: Sps): i32 {
  const isIdr = nalType == 5
  if (sps.pocType == 0) {
    if (isIdr) previousMsb = previousLsb = 0
    const range = 1 << sps.pocLsbBits
    let msb = previousMsb
    if (pocLsb < previousLsb && previousLsb - pocLsb >= range >> 1) msb += range
    else if (pocLsb > previousLsb && pocLsb - previousLsb > range >> 1) msb -= range
    if (nalRef != 0) {
      previousMsb = msb
      previousLsb = pocLsb
    }
    // The other field may come first.
    return msb + pocLsb + min(0, bottomDelta)
  }
  let offset = previousOffset
  if (isIdr) offset = 0
  else if (previousFrameNum > frameNum) offset += 1 << sps.frameNumBits
  previousOffset = offset
  previousFrameNum = frameNum
  if (sps.pocType == 2) return isIdr ? 0 : 2 * (offset + frameNum) - (nalRef == 0 ? 1 : 0)
  let count = sps.cycleLength != 0 ? offset + frameNum : 0
  if (nalRef == 0 && count > 0) count--
  let expected = 0
  if (count > 0) {
    const cycles = (count - 1) / sps.cycleLength
    const within = (count - 1) % sps.cycleLength
    let sum = 0
    for (let i = 0; i < sps.cycleLength; i++) sum += load<i32>(sps.offsets + <usize>(i << 2))
    expected = cycles * sum
    for (let i = 0; i <= within; i++) expected += load<i32>(sps.offsets + <usize>(i << 2))
  }
  if (nalRef == 0) expected += sps.offsetForNonRef
  const top = expected + deltaPoc0
  return min(top, top + sps.offsetForTopToBottom + bottomDelta)
}

let bottomDelta = 0

/** Removes the oldest short reference if there are as many as the sequence allows (8.2.5.3). */
function slide(sps: Sps): void {
  for (;;) {
    let count = 0
    let oldest = -1
    for (let i = 0; i < pictures; i++) {
      const picture = pictureOf(i)
      if (picture.isCurrent) continue
      if (picture.isLong) count++
      if (!picture.isShort) continue
      count++
      if (oldest < 0 || picture.frameNumWrap < pictureOf(oldest).frameNumWrap) oldest = i
    }
    if (count < max(1, sps.references)) return
    if (oldest >= 0) pictureOf(oldest).isShort = 0
    else
      for (let i = 0; i < pictures; i++)
        if (pictureOf(i).isLong && !pictureOf(i).isCurrent) {
          pictureOf(i).isLong = 0
          break
        }
  }
}

function numberWraps(sps: Sps, current: i32): void {
  for (let i = 0; i < pictures; i++) {
    const picture = pictureOf(i)
    picture.frameNumWrap = picture.frameNum > current ? picture.frameNum - (1 << sps.frameNumBits) : picture.frameNum
  }
}

/** Fills a gap of frame numbers with pictures that are never shown (8.2.5.2). */
function fillGap(sps: Sps): void {
  const range = 1 << sps.frameNumBits
  let missing = (frameNum - previousRef - 1) & (range - 1)
  missing = min(missing, max(1, sps.references))
  let number = (frameNum - missing) & (range - 1)
  for (; missing > 0; missing--) {
    numberWraps(sps, number)
    slide(sps)
    const free = findFree()
    if (free < 0) return
    const picture = pictureOf(free)
    if (latest >= 0 && latest != free) copyPixels(pictureOf(latest), picture)
    else if (latest < 0) greyPixels(picture)
    picture.frameNum = number
    picture.frameNumWrap = number
    picture.isShort = 1
    picture.isFiller = 1
    picture.isDamaged = sps.areGapsAllowed ? 0 : 1
    picture.poc = latest >= 0 ? pictureOf(latest).poc : 0
    clearMotion(picture)
    latest = free
    previousRef = number
    if (previousFrameNum > number) previousOffset += range
    previousFrameNum = number
    number = (number + 1) & (range - 1)
    outputSome(sps)
  }
}

function clearMotion(picture: Picture): void {
  // No motion, no references: as in an intra picture.
  const count = picture.index1 - picture.index0
  memory.fill(picture.index0, 0xff, 4 * count)
}

/**
 * Begins the picture of the slice header that was read last.
 * @returns its number, or -1 if no memory is free
 */
export function startPicture(sps: Sps, bottom: i32, tag: f64): i32 {
  bottomDelta = bottom
  const isIdr = nalType == 5
  if (isIdr) {
    outputAll()
    dropAll()
    previousRef = 0
  } else if (frameNum != previousRef && frameNum != ((previousRef + 1) & ((1 << sps.frameNumBits) - 1))) fillGap(sps)
  const free = findFree()
  if (free < 0) return -1
  const picture = pictureOf(free)
  picture.poc = findPoc(sps)
  picture.frameNum = frameNum
  picture.longIndex = 0
  picture.isShort = picture.isLong = picture.isWaiting = picture.isFiller = picture.isDamaged = 0
  picture.isCurrent = 1
  picture.isKey = isIdr ? 1 : 0
  picture.tag = tag
  numberWraps(sps, frameNum)
  clearMacroblocks()
  keepHeader()
  return free
}

const sorted = memory.data(32 * 4, 16)
let sortedCount = 0

/** Inserts a picture before the first with a larger key. */
function insertSorted(number: i32, key: i32): void {
  let i = sortedCount++
  while (i > 0 && load<i32>(sortKeys + <usize>((i - 1) << 2)) > key) {
    store<i32>(sortKeys + <usize>(i << 2), load<i32>(sortKeys + <usize>((i - 1) << 2)))
    store<i32>(sorted + <usize>(i << 2), load<i32>(sorted + <usize>((i - 1) << 2)))
    i--
  }
  store<i32>(sortKeys + <usize>(i << 2), key)
  store<i32>(sorted + <usize>(i << 2), number)
}

const sortKeys = memory.data(32 * 4, 16)

function appendSorted(list: usize, at: i32): i32 {
  for (let i = 0; i < sortedCount && at < 32; i++) store<i32>(list + <usize>(at++ << 2), load<i32>(sorted + <usize>(i << 2)))
  return at
}

/** Kinds of sorting: P by descending number, B by order before and after the current picture, long ones by index. */
function appendRefs(list: usize, at: i32, kind: i32, poc: i32): i32 {
  sortedCount = 0
  for (let i = 0; i < pictures; i++) {
    const picture = pictureOf(i)
    if (picture.isCurrent) continue
    if (kind == 3) {
      if (picture.isLong) insertSorted(i, picture.longIndex)
      continue
    }
    if (!picture.isShort || (kind != 0 && picture.isFiller)) continue
    if (kind == 0) insertSorted(i, -picture.frameNumWrap)
    else if (kind == 1) {
      if (picture.poc <= poc) insertSorted(i, -picture.poc)
    } else if (picture.poc > poc) insertSorted(i, picture.poc)
  }
  return appendSorted(list, at)
}

/** Changes the order of a list (8.2.4.3). */
function modify(sps: Sps, list: usize, changes: usize, number: i32, count: i32): void {
  const range = 1 << sps.frameNumBits
  let predicted = frameNum
  for (let k = 0; k < number; k++) {
    if (k >= count) return
    const kind = load<i32>(changes + <usize>(k << 3))
    const value = load<i32>(changes + <usize>(k << 3), 4)
    let found = -1
    if (kind < 2) {
      predicted = (predicted + (kind == 0 ? -(value + 1) : value + 1)) & (range - 1)
      for (let i = 0; i < pictures; i++) {
        const picture = pictureOf(i)
        if (picture.isShort && !picture.isCurrent && picture.frameNum == predicted) found = i
      }
    } else
      for (let i = 0; i < pictures; i++) {
        const picture = pictureOf(i)
        if (picture.isLong && !picture.isCurrent && picture.longIndex == value) found = i
      }
    if (found < 0) continue
    let carried = found
    for (let i = k; i < count; i++) {
      const at = list + <usize>(i << 2)
      const here = load<i32>(at)
      store<i32>(at, carried)
      if (here == found) break
      carried = here
    }
  }
}

/** Makes each entry that may be used a picture. @returns false if there is none at all */
function fillList(list: usize, count: i32): bool {
  let any = latest
  for (let i = count - 1; i >= 0; i--) if (load<i32>(list + <usize>(i << 2)) >= 0) any = load<i32>(list + <usize>(i << 2))
  if (any < 0) return false
  for (let i = 0; i < count; i++) if (load<i32>(list + <usize>(i << 2)) < 0) store<i32>(list + <usize>(i << 2), any)
  return true
}

/** Builds the lists of the current slice. @returns false if there is nothing to refer to */
export function buildLists(sps: Sps, current: Picture): bool {
  memory.fill(lists, 0xff, 256)
  if (sliceType == sliceI) return true
  const list1 = lists + 128
  const poc = current.poc
  if (sliceType == sliceB) {
    let at = appendRefs(lists, 0, 1, poc)
    at = appendRefs(lists, at, 2, poc)
    at = appendRefs(lists, at, 3, poc)
    let at1 = appendRefs(list1, 0, 2, poc)
    at1 = appendRefs(list1, at1, 1, poc)
    at1 = appendRefs(list1, at1, 3, poc)
    if (at1 > 1 && memory.compare(lists, list1, <usize>(at1 << 2)) == 0) {
      const first = load<i32>(list1)
      store<i32>(list1, load<i32>(list1, 4))
      store<i32>(list1, first, 4)
    }
  } else {
    const at = appendRefs(lists, 0, 0, poc)
    appendRefs(lists, at, 3, poc)
  }
  // Entries beyond the list's length count as missing.
  for (let i = count0; i < 32; i++) store<i32>(lists + <usize>(i << 2), -1)
  for (let i = count1; i < 32; i++) store<i32>(list1 + <usize>(i << 2), -1)
  modify(sps, lists, change, changes0, count0)
  if (sliceType == sliceB) modify(sps, list1, change + 8 * 68, changes1, count1)
  if (!fillList(lists, count0)) return false
  return sliceType != sliceB || fillList(list1, count1)
}

function dropLong(index: i32): void {
  for (let i = 0; i < pictures; i++) {
    const picture = pictureOf(i)
    if (picture.isLong && picture.longIndex == index && !picture.isCurrent) picture.isLong = 0
  }
}

function findShort(sps: Sps, difference: i32): i32 {
  const wanted = (keptFrameNum - (difference + 1)) & ((1 << sps.frameNumBits) - 1)
  for (let i = 0; i < pictures; i++) {
    const picture = pictureOf(i)
    if (picture.isShort && !picture.isCurrent && picture.frameNum == wanted) return i
  }
  return -1
}

/** Memory management (8.2.5.4). @returns whether everything before was dropped */
function markAdaptively(sps: Sps, current: Picture): bool {
  let isReset = false
  for (let k = 0; k < keptMarkings; k++) {
    const at = keptMarking + <usize>(k * 12)
    const kind = load<i32>(at)
    const first = load<i32>(at, 4)
    if (kind == 1) {
      const found = findShort(sps, first)
      if (found >= 0) pictureOf(found).isShort = 0
    } else if (kind == 2) dropLong(first)
    else if (kind == 3) {
      const found = findShort(sps, first)
      const index = load<i32>(at, 8)
      if (found >= 0) {
        dropLong(index)
        const picture = pictureOf(found)
        picture.isShort = 0
        picture.isLong = 1
        picture.longIndex = index
      }
    } else if (kind == 4) {
      for (let i = 0; i < pictures; i++) {
        const picture = pictureOf(i)
        if (picture.isLong && !picture.isCurrent && picture.longIndex >= first) picture.isLong = 0
      }
    } else if (kind == 5) {
      dropAll()
      isReset = true
    } else {
      dropLong(first)
      current.isLong = 1
      current.longIndex = first
    }
  }
  return isReset
}

/** The part of the header of the current picture's first slice that its end needs: the next header is read before. */
let keptRef = 0
let keptType = 0
let keptFrameNum = 0
let keptAdaptive = 0
let keptLongIdr = 0
let keptMarkings = 0
const keptMarking = memory.data(4 * 3 * 68, 16)

function keepHeader(): void {
  keptRef = nalRef
  keptType = nalType
  keptFrameNum = frameNum
  keptAdaptive = isAdaptive
  keptLongIdr = isLongIdr
  keptMarkings = markings
  memory.copy(keptMarking, marking, 4 * 3 * 68)
}

/** Ends the current picture: marks references, and outputs what may be shown. */
export function endPicture(sps: Sps, current: Picture): void {
  let isReset = false
  if (keptRef != 0) {
    if (keptType == 5) current.isLong = keptLongIdr
    else if (keptAdaptive) isReset = markAdaptively(sps, current)
    current.isShort = current.isLong ? 0 : 1
    slide(sps)
    previousRef = keptFrameNum
  }
  if (isReset) {
    // The picture counts as the first of a new sequence (8.2.1).
    outputAll()
    previousMsb = 0
    previousLsb = max(0, -bottomDelta)
    current.poc = 0
    current.frameNum = 0
    current.frameNumWrap = 0
    previousRef = 0
    previousOffset = 0
    previousFrameNum = 0
  }
  current.isCurrent = 0
  current.isWaiting = 1
  latest = current.number
  outputSome(sps)
}
