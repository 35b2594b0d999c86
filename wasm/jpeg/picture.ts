/** What is known of the picture that is being decoded. */

/** Results of the functions that the caller sees. */
export const done = 0
/** A kind of JPEG that this decoder does not read. */
export const unsupported = -1
/** The file breaks a rule of the standard. */
export const damaged = -2
/** The picture needs too much memory. */
export const tooLarge = -3
/** A part of the picture is not in the file. */
export const incomplete = -4

export const componentsMax = 4

/** One component of the frame; `samples` are those at full scale, `rows` and `columns` those of a block at the chosen scale. */
@unmanaged
export class Component {
  id: i32
  h: i32
  v: i32
  stepsIndex: i32
  /** int16 `[64]` in natural order, as they are when the component's first scan begins; 0 before. */
  steps: usize
  dc: usize
  ac: usize
  /** Last DC coefficient. */
  before: i32
  width: i32
  height: i32
  /** Blocks of the component itself; `blocksPerRow` includes those that fill the last MCU. */
  blocksX: i32
  blocksY: i32
  blocksPerRow: i32
  /** int16 `[blocks,64]` in natural order; 0 if blocks are not kept. */
  coefficients: usize
  rows: i32
  columns: i32
  /** Enlargement of the decoded samples, down and across. */
  fy: i32
  fx: i32
  /** Three rows of MCUs, one after the other, uint8 `[3,slotRows,stride]`. */
  plane: usize
  slotRows: i32
  stride: i32
}

@unmanaged
export class Picture {
  width: i32
  height: i32
  components: i32
  hMax: i32
  vMax: i32
  mcusX: i32
  mcusY: i32
  isProgressive: bool
  hasFrame: bool
  hasJfif: bool
  hasAdobe: bool
  adobeTransform: i32
  /** MCUs between restarts; 0 for none. */
  interval: i32
  scale: i32
}

const pictureBytes = 64
export const picture = changetype<Picture>(memory.data(pictureBytes, 16))
const componentBytes: usize = 128
const components = memory.data(512, 16)

/** Components of the frame, in its order. */
@inline
export function componentAt(index: i32): Component {
  return changetype<Component>(components + <usize>index * componentBytes)
}

/** Components of the scan, in its order: their number, then their indices. */
export const scanOrder = memory.data(16, 16)

@inline
export function scanCount(): i32 {
  return load<i32>(scanOrder)
}

@inline
export function scanComponent(index: i32): Component {
  return componentAt(load<u8>(scanOrder + 4 + index))
}

export function clearPicture(): void {
  memory.fill(changetype<usize>(picture), 0, pictureBytes)
  memory.fill(components, 0, 512)
  memory.fill(scanOrder, 0, 16)
}

@inline
export function divideUp(value: i32, by: i32): i32 {
  return (value + by - 1) / by
}
