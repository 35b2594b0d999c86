/** The inner loops of face registration, in the memory of the WebAssembly module built from `wasm/registration`. */
import type { Similarity } from '../geometry.ts'
import { bendSize } from './bend.ts'
import { chipSide, type Zone } from './face-zones.ts'
import type { Homography } from './homography.ts'

/** Functions of `wasm/registration/kernel.ts`; addresses in bytes. */
interface KernelExports {
  sample(patch: number, side: number, map: number, bend: number, grey: number, seen: number): number
  pad(chip: number, padded: number): void
  boxMean(padded: number, reach: number, rows: number, out: number): void
  extractDetails(
    grey: number,
    seen: number,
    isWhole: boolean,
    narrow: number,
    wide: number,
    face: number,
    surroundingsMin: number,
    room: number,
    chip: number,
    isSeen: number,
  ): void
  findCommon(zone: number, count: number, step: number, a: number, b: number, out: number): number
  meanDifference(a: number, b: number, common: number, count: number): number
  medianDifference(a: number, b: number, common: number, count: number, bins: number): number
  sumProducts(
    a: number,
    b: number,
    common: number,
    count: number,
    slopes: number,
    size: number,
    bound: number,
    sums: number,
  ): void
  makeBendField(bend: number, out: number): void
}

/** What is sampled: a square picture, and where it lies in the frame. */
export interface SampledPatch {
  /** Brightness, 0…255. */
  grey: Uint8Array
  toFrame: Similarity
  frameWidth: number
  frameHeight: number
}

/** How details are extracted: half the widths of the windows in pixels, and the share of the wide one that must be visible. */
interface DetailOptions {
  narrow: number
  wide: number
  surroundingsMin: number
}

/** A frame at the pixels of the chip. */
export interface Sample {
  /** Details `[64,64]`, scaled to a standard deviation of 1 over the face. */
  chip: Float32Array
  /** 1 for pixels that are visible with their surroundings. */
  isSeen: Uint8Array
}

/** A zone in the kernel's memory. */
export interface PlacedZone {
  address: number
  length: number
}

/** Which parameters of a frame are improved: eight of its homography, or those of a bend. */
export type Parameters = 'view' | 'bend'

const sizes: Record<Parameters, number> = { view: 8, bend: bendSize }

/** Sums for least squares. */
interface NormalEquations {
  /** Symmetric. */
  matrix: number[][]
  right: number[]
}

const pixels = chipSide * chipSide
const pageBytes = 65_536
const chipBytes = pixels * 4
const rowsBytes = (chipSide + 20) * chipSide * 4
const paddedBytes = (chipSide + 20) * (chipSide + 24) * 4

/** Compares frames with one reference. It is of one clip: the frame that was sampled last stays in its memory. */
export class RegistrationKernel {
  readonly #kernel: KernelExports
  readonly #memory = new WebAssembly.Memory({ initial: 1 })
  readonly #details: DetailOptions
  readonly #patchSide: number
  #end = 1024
  readonly #patch: number
  readonly #map = this.#take(15 * 4)
  readonly #bend = this.#take(bendSize * 4)
  readonly #field = this.#take(2 * chipBytes)
  readonly #grey = this.#take(paddedBytes)
  readonly #seen = this.#take(paddedBytes)
  readonly #face = this.#take(chipBytes)
  /** Of the frame, and of the reference. */
  readonly #chip = this.#take(chipBytes)
  readonly #isSeen = this.#take(pixels)
  readonly #referenceChip = this.#take(chipBytes)
  readonly #referenceSeen = this.#take(pixels)
  readonly #slopes = { view: this.#take(chipBytes * sizes.view), bend: this.#take(chipBytes * sizes.bend) }
  readonly #sums = this.#take((bendSize + 1) * bendSize * 4)
  readonly #bins = this.#take(401 * 4)
  readonly #common = this.#take(pixels * 2)
  #commonCount = 0
  /** For intermediate chips. */
  readonly #room = this.#take(5 * chipBytes + rowsBytes)
  #sampled: SampledPatch | null = null

  /** @param compiled from `wasm/registration/kernel.wasm` */
  constructor(compiled: WebAssembly.Module, patchSide: number, details: DetailOptions) {
    this.#patchSide = patchSide
    this.#details = details
    this.#patch = this.#take(patchSide * patchSide)
    const { exports } = new WebAssembly.Instance(compiled, { env: { memory: this.#memory } })
    this.#kernel = exports as unknown as KernelExports
  }

  /** Takes room in the memory. */
  #take(bytes: number): number {
    const address = this.#end
    this.#end = (address + bytes + 15) & ~15
    const missing = this.#end - this.#memory.buffer.byteLength
    if (missing > 0) this.#memory.grow(Math.ceil(missing / pageBytes))
    return address
  }

  #floats(address: number, length = pixels): Float32Array {
    return new Float32Array(this.#memory.buffer, address, length)
  }

  #bytes(address: number, length = pixels): Uint8Array {
    return new Uint8Array(this.#memory.buffer, address, length)
  }

  placeZone(zone: Zone): PlacedZone {
    const address = this.#take(zone.byteLength)
    new Uint16Array(this.#memory.buffer, address, zone.length).set(zone)
    return { address, length: zone.length }
  }

  /** Details are scaled over these pixels. */
  setFace(face: Zone): void {
    const mask = this.#floats(this.#face)
    for (const at of face) mask[at] = 1
  }

  /** @param slopes derivatives of the chip with respect to the parameters, `[64·64,8]` and `[64·64,20]` */
  setReference({ chip, isSeen }: Sample, slopes: Record<Parameters, Float32Array>): void {
    this.#floats(this.#referenceChip).set(chip)
    this.#bytes(this.#referenceSeen).set(isSeen)
    for (const kind of ['view', 'bend'] as const)
      this.#floats(this.#slopes[kind], slopes[kind].length).set(slopes[kind])
  }

  /**
   * Samples a frame.
   * @param toPatch maps the coordinates of the chip, -1…1, to the patch
   * @param bend coefficients of the displacement of each pixel; `null` for none
   */
  sample(patch: SampledPatch, toPatch: Homography, bend: readonly number[] | null = null): void {
    if (this.#sampled !== patch) this.#bytes(this.#patch, patch.grey.length).set(patch.grey)
    this.#sampled = patch
    const { a, b, tx, ty } = patch.toFrame
    this.#floats(this.#map, 15).set([...toPatch, a, b, tx, ty, patch.frameWidth, patch.frameHeight])
    if (bend) {
      this.#floats(this.#bend, bendSize).set(bend)
      this.#kernel.makeBendField(this.#bend, this.#field)
    }
    const count = this.#kernel.sample(
      ...([this.#patch, this.#patchSide, this.#map, bend ? this.#field : 0, this.#grey, this.#seen] as const),
    )
    const { narrow, wide, surroundingsMin } = this.#details
    this.#kernel.extractDetails(
      ...([this.#grey, this.#seen, count === pixels, narrow, wide, this.#face, surroundingsMin] as const),
      ...([this.#room, this.#chip, this.#isSeen] as const),
    )
  }

  /** The frame that was sampled. */
  read(): Sample {
    return { chip: this.#floats(this.#chip).slice(), isSeen: this.#bytes(this.#isSeen).slice() }
  }

  /** Takes a frame that was read before. */
  write({ chip, isSeen }: Sample): void {
    this.#floats(this.#chip).set(chip)
    this.#bytes(this.#isSeen).set(isSeen)
  }

  /**
   * Chooses the pixels of a zone that are visible in frame and reference; what follows looks at them.
   * @param step every how many-th of them counts
   * @returns their number
   */
  findCommon({ address, length }: PlacedZone, step = 1): number {
    this.#commonCount = this.#kernel.findCommon(
      ...([address, length, step, this.#isSeen, this.#referenceSeen, this.#common] as const),
    )
    return this.#commonCount
  }

  /** Mean squared difference of frame and reference. */
  meanDifference(): number {
    return this.#kernel.meanDifference(this.#chip, this.#referenceChip, this.#common, this.#commonCount)
  }

  /** Median of the absolute differences, to about a hundredth; at most 4. */
  medianDifference(): number {
    return this.#kernel.medianDifference(
      ...([this.#chip, this.#referenceChip, this.#common, this.#commonCount, this.#bins] as const),
    )
  }

  /**
   * The equations of weighted least squares: which change of the parameters explains most of the difference.
   * @param bound the inverse of the difference at which a pixel has half weight
   */
  sumProducts(kind: Parameters, bound: number): NormalEquations {
    const size = sizes[kind]
    this.#kernel.sumProducts(
      ...([this.#chip, this.#referenceChip, this.#common, this.#commonCount] as const),
      ...([this.#slopes[kind], size, bound, this.#sums] as const),
    )
    const sums = this.#floats(this.#sums, (size + 1) * size)
    const product = (row: number, column: number) =>
      sums[Math.min(row, column) * size + Math.max(row, column)]!
    const indices = Array.from({ length: size }, (_, i) => i)
    return {
      matrix: indices.map((row) => indices.map((column) => product(row, column))),
      right: [...sums.subarray(size * size)],
    }
  }

  /** Means in windows of `2 · reach + 1` pixels a side, at most 21; the border is replicated. */
  boxMean(values: Float32Array, reach: number): Float32Array {
    this.#floats(this.#room).set(values)
    this.#kernel.pad(this.#room, this.#grey)
    this.#kernel.boxMean(this.#grey, reach, this.#room + 5 * chipBytes, this.#room)
    return this.#floats(this.#room).slice()
  }
}
