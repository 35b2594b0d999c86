/**
 * JPEG decoder (ITU-T T.81): baseline, extended and progressive Huffman coding, 8 bits, one, three or four components. README.md
 * describes it. The only caller is `src/media/formats/jpeg/jpeg-decoder.ts`. Addresses are in bytes; results below 0 are those of `picture.ts`.
 */
import { reserve, resetArena } from './arena'
import { bitsAt, isBitsBroken, isBitsShort, readBlock, readRestart, restoreBits, saveBits, startBits } from './bits'
import { inverse } from './inverse'
import { continueMarkers, firstPlace, lastPlace, lowBit, markersAt, readSegments, startMarkers } from './markers'
import {
  Component,
  componentAt,
  damaged,
  divideUp,
  done,
  incomplete,
  picture,
  scanComponent,
  scanCount,
  tooLarge,
  unsupported,
} from './picture'
import { readPart, startProgressive } from './progressive'
import { isSmoothAcross, isSmoothDown, neighbourRow, reserveLines, writeRow } from './rows'

/** int16 `[64]`: the block that is being read. */
const scratch = memory.data(128, 16)
/** Row of MCUs in each third of the planes; −1 for none. */
const slotRow = memory.data(12, 4)
/** Bits that each coefficient of the components still lacks, uint8 `[4,64]`. */
const lacking = memory.data(256, 16)

/** Bytes that say where reading continues: the bits, their address, the zeros among them, and the last DC coefficients. */
const levelsAt: usize = 16
const markBytes: usize = 32

/** Blocks are kept because several scans contribute to them. */
let isKept: bool = false
let scanStart: usize = 0
/** The next MCU of the scan that is being read. */
let nextMcu: i32 = 0
/** Marks at every `marksEvery`-th MCU of a row; they exist when a scan has been read once. */
let marks: usize = 0
let marksEvery: i32 = 1
let marksPerRow: i32 = 0
let hasMarks: bool = false
let nextRow: i32 = 0
/** RGBA of a row of MCUs. */
let band: usize = 0
/** Bytes up to here belong to the picture at any scale. */
let scaledStart: usize = 0

/** Start of the free memory. */
export function decoderMemory(): usize {
  return __heap_base
}

/** Opens a file with at least one marker behind its end. Reads a picture of several scans completely. */
export function openPicture(start: usize, end: usize): i32 {
  resetArena(end + 16)
  if (load<u8>(start) != 0xff || load<u8>(start, 1) != 0xd8) return damaged
  startMarkers(start + 2, end)
  const found = readSegments()
  if (found != 1) return found < 0 ? found : incomplete
  isKept = picture.isProgressive || scanCount() < picture.components
  hasMarks = false
  scanStart = markersAt()
  const result = isKept ? readScans() : reserveMarks()
  scaledStart = reserve(0)
  return result
}

export function pictureWidth(): i32 {
  return picture.width
}

export function pictureHeight(): i32 {
  return picture.height
}

function reserveMarks(): i32 {
  let blocks = 0
  for (let i = 0; i < scanCount(); i++) blocks += scanComponent(i).h * scanComponent(i).v
  marksEvery = divideUp(6, blocks)
  marksPerRow = divideUp(picture.mcusX, marksEvery)
  marks = reserve(<u64>marksPerRow * picture.mcusY * markBytes)
  return marks == 0 ? tooLarge : done
}

/** Prepares reading a scan from its first MCU. */
function startScan(start: usize): void {
  startBits(start)
  startProgressive()
  forgetLevels()
  nextMcu = 0
}

function forgetLevels(): void {
  for (let i = 0; i < scanCount(); i++) scanComponent(i).before = 0
}

/** Whether what was read breaks a rule: the amount of data, a code, or the range of DC coefficients, which have 11 bits (F.1.2.1). */
function checkRow(): i32 {
  if (isBitsShort()) return incomplete
  for (let i = 0; i < scanCount(); i++) if (abs(scanComponent(i).before) > 2047) return damaged
  return isBitsBroken() ? damaged : done
}

/** Reads the restart marker before the next MCU, if there is to be one. */
function passRestart(): i32 {
  const interval = picture.interval
  if (interval == 0 || nextMcu == 0 || nextMcu % interval != 0) return done
  const result = readRestart((nextMcu / interval - 1) & 7)
  if (result != done) return result
  startProgressive()
  forgetLevels()
  return done
}

/** Reads all scans into kept blocks. */
function readScans(): i32 {
  for (let i = 0; i < picture.components; i++) {
    const component = componentAt(i)
    const bytes = <u64>component.blocksPerRow * picture.mcusY * component.v * 128
    component.coefficients = reserve(bytes)
    if (component.coefficients == 0) return tooLarge
    memory.fill(component.coefficients, 0, <usize>bytes)
  }
  memory.fill(lacking, 255, 256)
  while (true) {
    for (let i = 0; i < picture.components; i++) noteScan(i)
    startScan(markersAt())
    const result = scanCount() > 1 ? readInterleaved() : readAlone(scanComponent(0))
    if (result != done) return result
    continueMarkers(bitsAt())
    const found = readSegments()
    if (found == 0) return isComplete() ? done : incomplete
    if (found != 1) return found
  }
}

/** Notes the bits that the scan has of a component. */
function noteScan(index: i32): void {
  for (let i = 0; i < scanCount(); i++) {
    if (scanComponent(i) != componentAt(index)) continue
    for (let place = firstPlace; place <= lastPlace; place++) store<u8>(lacking + ((index << 6) | place), lowBit)
  }
}

/** Whether the scans have all bits of all coefficients. Other decoders smooth what lacks some. */
function isComplete(): bool {
  for (let i = 0; i < picture.components << 6; i++) if (load<u8>(lacking + i) != 0) return false
  return true
}

@inline
function readKept(component: Component, row: i32, column: i32): void {
  const block = component.coefficients + ((<usize>row * component.blocksPerRow + column) << 7)
  if (picture.isProgressive) readPart(component, block)
  else readBlock(component, block)
}

function readInterleaved(): i32 {
  for (let my = 0; my < picture.mcusY; my++) {
    for (let mx = 0; mx < picture.mcusX; mx++, nextMcu++) {
      const passed = passRestart()
      if (passed != done) return passed
      for (let i = 0; i < scanCount(); i++) {
        const component = scanComponent(i)
        for (let y = 0; y < component.v; y++) {
          for (let x = 0; x < component.h; x++) readKept(component, my * component.v + y, mx * component.h + x)
        }
      }
    }
    const result = checkRow()
    if (result != done) return result
  }
  return done
}

/** A scan of one component has its blocks row by row, without those that fill the last MCU. */
function readAlone(component: Component): i32 {
  for (let y = 0; y < component.blocksY; y++) {
    for (let x = 0; x < component.blocksX; x++, nextMcu++) {
      const passed = passRestart()
      if (passed != done) return passed
      readKept(component, y, x)
    }
    const result = checkRow()
    if (result != done) return result
  }
  return done
}

/** Chooses the size of the blocks of a component: at a smaller scale, samples that are fewer need no enlargement. */
function chooseBlocks(component: Component, scale: i32): i32 {
  component.rows = component.columns = 8 >> scale
  component.fy = picture.vMax / component.v
  component.fx = picture.hMax / component.h
  for (; component.rows < 8 && component.fy % 2 == 0; component.fy >>= 1) component.rows <<= 1
  for (; component.columns < 8 && component.fx % 2 == 0; component.fx >>= 1) component.columns <<= 1
  component.slotRows = component.v * component.rows
  component.stride = component.blocksPerRow * component.columns
  component.plane = reserve(<u64>component.stride * component.slotRows * 3 + 32)
  return component.plane == 0 ? tooLarge : done
}

/**
 * Starts writing the picture at 1/1, 1/2, 1/4 or 1/8. Its sides are rounded down.
 * @param scale 0…3
 */
export function startRows(scale: i32): i32 {
  picture.scale = scale
  resetArena(scaledStart)
  for (let i = 0; i < picture.components; i++) {
    const result = chooseBlocks(componentAt(i), scale)
    if (result != done) return result
  }
  const width = <u64>picture.mcusX * picture.hMax * 8 + 64
  if (!reserveLines(<i32>width)) return tooLarge
  band = reserve(width * 4 * bandRows())
  if (band == 0) return tooLarge
  for (let slot: usize = 0; slot < 12; slot += 4) store<i32>(slotRow + slot, -1)
  nextRow = 0
  // After the first time, rows are found by their marks.
  if (!isKept && !hasMarks) startScan(scanStart)
  return done
}

/** Rows of pixels in a row of MCUs at the chosen scale. */
@inline
function bandRows(): i32 {
  return (picture.vMax << 3) >> picture.scale
}

export function bandAddress(): usize {
  return band
}

@inline
function slotOf(component: Component, row: i32): usize {
  return component.plane + <usize>((row % 3) * component.slotRows * component.stride)
}

/** Reads the next MCU, and transforms its blocks if they are wanted. */
function readMcu(row: i32, column: i32, isWanted: bool): void {
  for (let i = 0; i < scanCount(); i++) {
    const component = scanComponent(i)
    const slot = slotOf(component, row)
    for (let y = 0; y < component.v; y++) {
      for (let x = 0; x < component.h; x++) {
        memory.fill(scratch, 0, 128)
        const last = readBlock(component, scratch)
        if (!isWanted) continue
        const to = slot + <usize>(y * component.rows * component.stride + (column * component.h + x) * component.columns)
        inverse(scratch, component.steps, last, component.rows, component.columns, to, component.stride)
      }
    }
  }
  nextMcu++
}

@inline
function isWantedAt(wanted: usize, column: i32): bool {
  return wanted == 0 || load<u8>(wanted + <usize>column) != 0
}

/** Reads a row of MCUs behind the last one, and marks where its parts begin. */
function readFirstTime(row: i32): i32 {
  for (let column = 0; column < picture.mcusX; column++) {
    const passed = passRestart()
    if (passed != done) return passed
    if (column % marksEvery == 0) {
      const mark = marks + <usize>(row * marksPerRow + column / marksEvery) * markBytes
      saveBits(mark)
      for (let i = 0; i < scanCount(); i++) store<i32>(mark + levelsAt + (<usize>i << 2), scanComponent(i).before)
    }
    readMcu(row, column, true)
  }
  return checkRow()
}

/** Goes to an MCU by the last mark before it, unless it can be reached from where reading stopped. */
function seek(row: i32, column: i32): void {
  const target = row * picture.mcusX + column
  const start = target - (column % marksEvery)
  // A mark is behind the restart marker.
  let isPassed = false
  if (nextMcu < start || nextMcu > target) {
    const mark = marks + <usize>(row * marksPerRow + column / marksEvery) * markBytes
    restoreBits(mark)
    for (let i = 0; i < scanCount(); i++) scanComponent(i).before = load<i32>(mark + levelsAt + (<usize>i << 2))
    nextMcu = start
    isPassed = true
  }
  while (nextMcu < target) {
    if (!isPassed) passRestart()
    isPassed = false
    readMcu(row, 0, false)
  }
  if (!isPassed) passRestart()
}

/** Reads the wanted MCUs of a row. */
function readAgain(row: i32, wanted: usize): void {
  for (let column = 0; column < picture.mcusX; column++) {
    if (!isWantedAt(wanted, column)) continue
    seek(row, column)
    readMcu(row, column, true)
  }
}

/** Transforms the wanted blocks of a row of MCUs that are kept. */
function transformKept(row: i32, wanted: usize): void {
  for (let i = 0; i < picture.components; i++) {
    const component = componentAt(i)
    const slot = slotOf(component, row)
    for (let y = 0; y < component.v; y++) {
      let block = component.coefficients + ((<usize>(row * component.v + y) * component.blocksPerRow) << 7)
      let to = slot + <usize>(y * component.rows * component.stride)
      for (let x = 0; x < component.blocksPerRow; x++, block += 128, to += component.columns) {
        if (!isWantedAt(wanted, x / component.h)) continue
        inverse(block, component.steps, 63, component.rows, component.columns, to, component.stride)
      }
    }
  }
}

/** Has a row of MCUs in its third of the planes. */
function holdRow(row: i32, wanted: usize): i32 {
  const slot = slotRow + (<usize>(row % 3) << 2)
  if (load<i32>(slot) == row) return done
  store<i32>(slot, row)
  if (isKept) transformKept(row, wanted)
  else if (hasMarks) readAgain(row, wanted)
  else return readFirstTime(row)
  return done
}

/** Has all samples that a row of pixels needs. */
function holdSamples(y: i32, wanted: usize): i32 {
  let result = holdRow(y / bandRows(), wanted)
  for (let i = 0; i < picture.components && result == done; i++) {
    const component = componentAt(i)
    if (isSmoothDown(component)) result = holdRow(neighbourRow(component, y) / component.slotRows, wanted)
  }
  return result
}

/** What follows the only scan: nothing that changes the picture. */
function readEnd(): i32 {
  continueMarkers(bitsAt())
  const found = readSegments()
  return found > 0 ? damaged : found
}

/**
 * Writes the next rows of the picture to the band, one after the other.
 * @returns their number; 0 at the end
 */
export function writeRows(): i32 {
  const width = picture.width >> picture.scale
  const height = picture.height >> picture.scale
  const first = nextRow * bandRows()
  if (first >= height) return finishRows()
  const rows = min(bandRows(), height - first)
  for (let row = 0; row < rows; row++) {
    const held = holdSamples(first + row, 0)
    if (held != done) return held
    writeRow(first + row, 0, width, band + ((<usize>row * width) << 2))
  }
  nextRow++
  return rows
}

/** Reads the rows of MCUs of which the scale leaves no pixel, and the end of the file. */
function finishRows(): i32 {
  if (isKept || hasMarks) return done
  for (; nextRow < picture.mcusY; nextRow++) {
    const held = holdRow(nextRow, 0)
    if (held != done) return held
  }
  hasMarks = true
  return readEnd()
}

/** Memory for `pick`, after `startRows`: its parameters and its result. */
export function reservePick(bytes: usize): i32 {
  const start = reserve(bytes)
  return start == 0 ? tooLarge : <i32>start
}

/** Marks the columns of MCUs that some columns of pixels need. */
function markColumns(columns: usize, count: i32, wanted: usize): void {
  const side = (picture.hMax << 3) >> picture.scale
  let isSmooth = false
  for (let i = 0; i < picture.components; i++) isSmooth = isSmooth || isSmoothAcross(componentAt(i))
  for (let i = 0; i < count; i++) {
    const x = load<i32>(columns + (<usize>i << 2))
    store<u8>(wanted + <usize>(x / side), 1)
    if (!isSmooth) continue
    if (x % side == 0 && x > 0) store<u8>(wanted + <usize>(x / side - 1), 1)
    if (x % side == side - 1 && x + 1 < picture.width) store<u8>(wanted + <usize>(x / side + 1), 1)
  }
}

/**
 * Writes the pixels at the crossings of some columns and rows of the picture at the chosen scale. All rows must have been
 * written once, at any scale; then `startRows` chooses the scale.
 * @param columns int32, ascending
 * @param rows int32, ascending
 * @param to RGBA `[rowCount,columnCount]`
 */
export function pick(columns: usize, columnCount: i32, rows: usize, rowCount: i32, to: usize): i32 {
  const free = reserve(0)
  const wanted = reserve(<u64>picture.mcusX + 1)
  const line = reserve(<u64>picture.mcusX * picture.hMax * 32 + 64)
  if (wanted == 0 || line == 0) return tooLarge
  memory.fill(wanted, 0, <usize>picture.mcusX + 1)
  markColumns(columns, columnCount, wanted)
  for (let slot: usize = 0; slot < 12; slot += 4) store<i32>(slotRow + slot, -1)
  const from = load<i32>(columns) & ~15
  const end = load<i32>(columns + (<usize>(columnCount - 1) << 2)) + 1
  for (let i = 0; i < rowCount; i++) {
    const y = load<i32>(rows + (<usize>i << 2))
    const held = holdSamples(y, wanted)
    if (held != done) return held
    writeRow(y, from, end, line)
    for (let x = 0; x < columnCount; x++, to += 4) {
      store<u32>(to, load<u32>(line + (<usize>load<i32>(columns + (<usize>x << 2)) << 2)))
    }
  }
  resetArena(free)
  return done
}
