/** Reads the segments of a JPEG (annex B). */
import { reserve } from './arena'
import { buildTable, forgetTables, isDefined, tableAt } from './huffman'
import {
  Component,
  clearPicture,
  componentAt,
  componentsMax,
  damaged,
  divideUp,
  done,
  picture,
  scanComponent,
  scanCount,
  scanOrder,
  tooLarge,
  unsupported,
} from './picture'
import { zigzag } from './zigzag'

/** int16 `[4,64]` in natural order, and whether they are defined. */
const steps = memory.data(512, 16)
const stepsDefined = memory.data(4)

/** Spectral selection and successive approximation of the scan. */
export let firstPlace: i32 = 0
export let lastPlace: i32 = 0
export let highBit: i32 = 0
export let lowBit: i32 = 0

let at: usize = 0
let end: usize = 0

@inline
function word(address: usize): i32 {
  return (<i32>load<u8>(address) << 8) | load<u8>(address, 1)
}

/** Starts a file, behind its first marker. */
export function startMarkers(start: usize, fileEnd: usize): void {
  at = start
  end = fileEnd
  clearPicture()
  forgetTables()
  store<u32>(stepsDefined, 0)
}

/** Continues at an address. */
export function continueMarkers(address: usize): void {
  at = address
}

@inline
export function markersAt(): usize {
  return at
}

function readSteps(from: usize, to: usize): i32 {
  while (from < to) {
    const head = <i32>load<u8>(from++)
    const index = head & 15
    const size: usize = head >> 4 ? 2 : 1
    if (index > 3 || from + 64 * size > to) return damaged
    for (let k: usize = 0; k < 64; k++) {
      const step = size == 2 ? word(from + 2 * k) : <i32>load<u8>(from + k)
      store<i16>(steps + (<usize>index << 7) + (<usize>load<u8>(zigzag + k) << 1), <i16>step)
    }
    store<u8>(stepsDefined + index, 1)
    from += 64 * size
  }
  return done
}

function readTables(from: usize, to: usize): i32 {
  while (from < to) {
    if (from + 17 > to) return damaged
    const head = <i32>load<u8>(from++)
    let total = 0
    for (let i: usize = 0; i < 16; i++) total += <i32>load<u8>(from + i)
    if (head & 0xec || total > 256 || from + 16 + total > to) return damaged
    const result = buildTable(head >> 4, head & 3, from, total)
    if (result != done) return result
    from += 16 + total
  }
  return done
}

function readFrame(marker: i32, from: usize, to: usize): i32 {
  if (picture.hasFrame || marker > 0xc2) return unsupported
  if (from + 6 > to) return damaged
  picture.hasFrame = true
  picture.isProgressive = marker == 0xc2
  picture.height = word(from + 1)
  picture.width = word(from + 3)
  picture.components = load<u8>(from, 5)
  if (load<u8>(from) != 8 || picture.height == 0 || picture.width == 0) return unsupported
  if (picture.components != 1 && picture.components != 3 && picture.components != componentsMax) return unsupported
  if (from + 6 + 3 * picture.components != to) return damaged
  for (let i = 0; i < picture.components; i++) {
    const component = componentAt(i)
    const entry = from + 6 + 3 * i
    const factors = <i32>load<u8>(entry, 1)
    component.id = load<u8>(entry)
    component.h = factors >> 4
    component.v = factors & 15
    component.stepsIndex = load<u8>(entry, 2)
    if (component.h < 1 || component.h > 4 || component.v < 1 || component.v > 4) return damaged
    if (component.stepsIndex > 3) return damaged
    for (let k = 0; k < i; k++) if (componentAt(k).id == component.id) return unsupported
    picture.hMax = max(picture.hMax, component.h)
    picture.vMax = max(picture.vMax, component.v)
  }
  return measureComponents()
}

/** Sizes of the components and numbers of their blocks (A.1.1, A.2). */
function measureComponents(): i32 {
  if (picture.components == 1) {
    // The blocks of a single component are not grouped, whatever its factors.
    const only = componentAt(0)
    only.h = only.v = picture.hMax = picture.vMax = 1
  }
  picture.mcusX = divideUp(picture.width, 8 * picture.hMax)
  picture.mcusY = divideUp(picture.height, 8 * picture.vMax)
  for (let i = 0; i < picture.components; i++) {
    const component = componentAt(i)
    if (picture.hMax % component.h != 0 || picture.vMax % component.v != 0) return unsupported
    component.width = divideUp(picture.width * component.h, picture.hMax)
    component.height = divideUp(picture.height * component.v, picture.vMax)
    component.blocksX = divideUp(component.width, 8)
    component.blocksY = divideUp(component.height, 8)
    component.blocksPerRow = picture.mcusX * component.h
  }
  return done
}

function findComponent(id: i32): i32 {
  for (let i = 0; i < picture.components; i++) if (componentAt(i).id == id) return i
  return -1
}

/** Keeps the steps that a component has when its first scan begins. */
function keepSteps(component: Component): i32 {
  if (component.steps != 0) return done
  if (load<u8>(stepsDefined + component.stepsIndex) == 0) return damaged
  component.steps = reserve(128)
  if (component.steps == 0) return tooLarge
  memory.copy(component.steps, steps + (<usize>component.stepsIndex << 7), 128)
  return done
}

function readScan(from: usize, to: usize): i32 {
  if (!picture.hasFrame || from >= to) return damaged
  const count = <i32>load<u8>(from)
  if (count < 1 || count > picture.components || from + 4 + 2 * count != to) return damaged
  let blocks = 0
  store<i32>(scanOrder, count)
  for (let i = 0; i < count; i++) {
    const index = findComponent(load<u8>(from + 1 + 2 * i))
    if (index < 0) return damaged
    for (let k = 0; k < i; k++) if (load<u8>(scanOrder + 4 + k) == index) return damaged
    store<u8>(scanOrder + 4 + i, index)
    const component = componentAt(index)
    const selected = <i32>load<u8>(from + 2 + 2 * i)
    if (selected & 0xcc) return damaged
    component.dc = tableAt(0, selected >> 4)
    component.ac = tableAt(1, selected & 15)
    blocks += component.h * component.v
    const result = keepSteps(component)
    if (result != done) return result
  }
  if (count > 1 && blocks > 10) return damaged
  firstPlace = load<u8>(to - 3)
  lastPlace = load<u8>(to - 2)
  highBit = load<u8>(to - 1) >> 4
  lowBit = load<u8>(to - 1) & 15
  return checkScan()
}

/** Whether the scan keeps the rules of its kind (G.1.1.1) and has its tables. */
function checkScan(): i32 {
  if (!picture.isProgressive) {
    firstPlace = 0
    lastPlace = 63
    highBit = lowBit = 0
  } else {
    if (firstPlace == 0 ? lastPlace != 0 : scanCount() != 1 || lastPlace < firstPlace || lastPlace > 63) return damaged
    if (lowBit > 13 || (highBit != 0 && highBit != lowBit + 1)) return damaged
  }
  for (let i = 0; i < scanCount(); i++) {
    const component = scanComponent(i)
    if (firstPlace == 0 && highBit == 0 && !isDefined(component.dc)) return damaged
    if (lastPlace != 0 && !isDefined(component.ac)) return damaged
  }
  return done
}

function readAdobe(from: usize, to: usize): void {
  if (from + 12 > to || load<u32>(from) != 0x626f6441 || load<u8>(from, 4) != 0x65) return
  picture.hasAdobe = true
  picture.adobeTransform = load<u8>(from, 11)
}

function readSegment(marker: i32, from: usize, to: usize): i32 {
  if (marker == 0xdb) return readSteps(from, to)
  if (marker == 0xc4) return readTables(from, to)
  if (marker == 0xdd) {
    if (from + 2 != to) return damaged
    picture.interval = word(from)
    return done
  }
  if (marker == 0xe0 && from + 14 <= to && load<u32>(from) == 0x4649464a && load<u8>(from, 4) == 0) picture.hasJfif = true
  if (marker == 0xee) readAdobe(from, to)
  if ((marker >= 0xe0 && marker <= 0xef) || marker == 0xfe) return done
  // What is left has another coding, or a size that follows its data.
  return marker >= 0xc0 && marker <= 0xcf && marker < 0xc3 ? readFrame(marker, from, to) : unsupported
}

/** Reads segments up to the next scan, whose coded data follow. Returns 1 for a scan, 0 for the end of the picture or of the file. */
export function readSegments(): i32 {
  while (true) {
    while (at < end && load<u8>(at) != 0xff) at++
    while (at < end && load<u8>(at) == 0xff) at++
    if (at >= end) return 0
    const marker = <i32>load<u8>(at++)
    if (marker == 0xd9) return 0
    // Fill bytes, and restart markers behind the coded data.
    if (marker == 0 || (marker >= 0xd0 && marker <= 0xd7)) continue
    if (marker == 0xd8 || marker == 0x01) return damaged
    if (at + 2 > end) return 0
    const from = at + 2
    const length = word(at)
    at += length
    if (length < 2) return damaged
    if (at > end) return 0
    const result = marker == 0xda ? readScan(from, at) : readSegment(marker, from, at)
    if (result != done) return result
    if (marker == 0xda) return 1
  }
}

/** Whether the three components are RGB rather than YCbCr, as common decoders tell it. */
export function isRgb(): bool {
  if (picture.components != 3 || picture.hasJfif) return false
  if (picture.hasAdobe) return picture.adobeTransform == 0
  return componentAt(0).id == 82 && componentAt(1).id == 71 && componentAt(2).id == 66
}

/** Whether three of the four components are YCbCr rather than CMY, as common decoders tell it. */
export function isYcck(): bool {
  return picture.components == 4 && picture.hasAdobe && picture.adobeTransform != 0
}
