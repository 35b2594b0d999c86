/**
 * Quantised templates of one collection in a WebAssembly memory: one byte per component, and 24 more bytes per template.
 *
 * Templates are stored in blocks of 8192, ascending by number across all blocks, without gaps inside a block; empty blocks are
 * reused. So memory grows steadily, and a search can pause between two slices and continue by number, even if templates
 * were added or removed in between.
 *
 * Components are relative to a centre and rounded to steps whose size is chosen for each template. The rounding error is a
 * vector of known length, which by the triangle inequality bounds the error of every distance. So a shortlist comes with a
 * lower bound for all templates outside of it.
 */
import type { NormalizedTemplate } from '../decide/comparison.ts'
import { invariant } from '../errors.ts'
import { type Kernel, openKernel, pageBytes } from './kernel.ts'
import { type Quantization, quantize } from './quantize.ts'
import type { Pause } from './source.ts'

export const blockRows = 8192
/** Maximum size of a shortlist. */
export const shortlistMax = 4096

/** Offsets of the kernel's query, and of the heap of a search during a slice. */
const scratch = { query: 0, numbers: 512, keys: 512 + shortlistMax * 8 }
const firstBlockAt = pageBytes

/** Offsets of the columns of a block. */
interface BlockLayout {
  rows: number
  steps: number
  norms: number
  rates: number
  biases: number
  numbers: number
  /** Size of the whole block. */
  bytes: number
}

/** @param length number of components of a template */
const blockLayout = (length: number): BlockLayout => ({
  rows: 0,
  steps: blockRows * length,
  norms: blockRows * (length + 4),
  rates: blockRows * (length + 8),
  biases: blockRows * (length + 12),
  numbers: blockRows * (length + 16),
  bytes: blockBytes(length),
})

/** Size of a block in bytes; a multiple of a page if the length is a multiple of 8. */
export const blockBytes = (length: number): number => blockRows * (length + 24)

/** Blocks scanned in one slice of a search: about two milliseconds. */
const blocksPerSlice = 32

/** Bound of the float32 error of a distance; the worst case is a square root after cancellation. */
const arithmeticError = 1e-3

const int8Max = 127
const int16Max = 32_767

/** Memory in bytes for a number of templates of a length. */
export const bytesFor = (count: number, length: number): number =>
  firstBlockAt + Math.ceil(count / blockRows) * blockBytes(length)

/** Thrown if memory for an index cannot be allocated. */
export class IndexMemoryError extends Error {
  override name = 'IndexMemoryError'
}

function translateMemoryError<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new IndexMemoryError('there is no memory for an index', { cause })
  }
}

interface Shortlist {
  /** Numbers of the templates that are nearest by quantised distance. */
  numbers: number[]
  /** Lower bound of the normalised distance of all other templates; `Infinity` if there are none. */
  others: number
}

interface Block {
  /** Address in bytes. */
  at: number
  count: number
}

interface Query extends Quantization {
  components: Int16Array
  rate: number
}

/** Largest errors of all templates so far; they determine the bound of a shortlist. */
interface ErrorBounds {
  /** Length of the rounding error of a template. */
  lost: number
  rate: number
  /** Largest product of the two for one template. */
  lostRate: number
}

/**
 * Stores templates of `centre.length` components (a multiple of 16) by number, and finds those nearest to a probe. Subjects and
 * exact distances are left to the gallery and its source. Memory grows by blocks (`bytesFor`), and is released with the index.
 * @example
 * ```ts
 * import { testKernel } from '../../test/fixtures/gallery.ts'
 * import { TemplateIndex } from './template-index.ts'
 *
 * const template = (value: number) => ({ vector: new Float32Array(16).fill(value), threshold: 0.5, scale: 0.02 })
 * const index = new TemplateIndex(await testKernel(), new Float32Array(16))
 * for (let number = 1; number <= 9; number++) index.add(number, template(number / 10))
 *
 * const { numbers, others } = await index.findNearest(template(0.33), 2, async () => {})
 * numbers.sort() // → [3, 4]
 * others < Number.POSITIVE_INFINITY // → true
 * index.remove(3) // → true
 * index.count // → 8
 * ```
 */
export class TemplateIndex {
  readonly #kernel: Kernel
  readonly #centre: Float32Array
  readonly #bounds: ErrorBounds
  readonly #layout: BlockLayout
  readonly #row: Int8Array
  #blocks: Block[] = []
  /** Addresses of empty blocks. */
  readonly #free: number[] = []
  #bytes: Int8Array
  #floats: Float32Array
  #doubles: Float64Array
  /** Number of changes so far. */
  version = 0

  /**
   * @param module the compiled module of `wasm/gallery`
   * @param centre reference point of the components, ideally the mean of the templates
   * @throws {IndexMemoryError}
   * @throws {TypeError} if the centre's length is not a multiple of 16
   */
  constructor(
    module: WebAssembly.Module,
    centre: Float32Array,
    bounds: ErrorBounds = { lost: 0, rate: 0, lostRate: 0 },
  ) {
    invariant(centre.length % 16 === 0, 'the kernel takes 16 components at a time')
    this.#kernel = translateMemoryError(() => openKernel(module, firstBlockAt / pageBytes))
    this.#centre = centre
    this.#layout = blockLayout(centre.length)
    this.#row = new Int8Array(centre.length)
    this.#bounds = { ...bounds }
    const { buffer } = this.#kernel.memory
    this.#bytes = new Int8Array(buffer)
    this.#floats = new Float32Array(buffer)
    this.#doubles = new Float64Array(buffer)
  }

  get count(): number {
    return this.#blocks.reduce((sum, { count }) => sum + count, 0)
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    return this.#bytes.byteLength
  }

  get centre(): Float32Array {
    return this.#centre
  }

  get bounds(): Readonly<ErrorBounds> {
    return this.#bounds
  }

  get blockCounts(): number[] {
    return this.#blocks.map(({ count }) => count)
  }

  /**
   * Adds a template; its number must be higher than all numbers so far.
   * @throws {IndexMemoryError}
   * @throws {TypeError} for a lower number, or a template that is not made of finite numbers
   */
  add(number: number, { vector, threshold, scale }: NormalizedTemplate): void {
    const { step, norm, lost } = quantize(vector, this.#centre, int8Max, this.#row)
    const rate = 1 / scale
    invariant(Number.isFinite(norm * rate * threshold), 'a template and its place are numbers')
    invariant(number > this.#lastNumberOf(this.#blocks.length - 1), 'templates are added by ascending number')
    let block = this.#blocks.at(-1)
    if (!block || block.count === blockRows) {
      block = { at: this.#allocateBlock(), count: 0 }
      this.#blocks.push(block)
    }
    const { at, count: row } = block
    this.#bytes.set(this.#row, at + row * this.#row.length)
    this.#row.fill(0)
    this.#floats[(at + this.#layout.steps) / 4 + row] = step
    this.#floats[(at + this.#layout.norms) / 4 + row] = norm
    this.#floats[(at + this.#layout.rates) / 4 + row] = rate
    this.#floats[(at + this.#layout.biases) / 4 + row] = -threshold * rate
    this.#doubles[(at + this.#layout.numbers) / 8 + row] = number
    block.count++
    this.#bounds.lost = Math.max(this.#bounds.lost, lost)
    this.#bounds.rate = Math.max(this.#bounds.rate, rate)
    this.#bounds.lostRate = Math.max(this.#bounds.lostRate, lost * rate)
    this.version++
  }

  /** Removes a template and overwrites its bytes; `false` if it is not in the index. */
  remove(number: number): boolean {
    const index = this.#findBlock(number)
    const block = this.#blocks[index]
    if (!block) return false
    const row = this.#findRow(block, number)
    if (this.#doubles[(block.at + this.#layout.numbers) / 8 + row] !== number) return false
    this.#move(block, row + 1, block, row, block.count - row - 1)
    this.#wipe(block, --block.count, 1)
    if (block.count === 0) this.#release(index)
    else if (!this.#join(index)) this.#join(index - 1)
    this.version++
    return true
  }

  /** Empties the index at once and overwrites its bytes in slices. */
  async clear(pause: Pause): Promise<void> {
    const blocks = this.#blocks
    this.#blocks = []
    this.#centre.fill(0)
    this.version++
    for (const [i, block] of blocks.entries()) {
      this.#wipe(block, 0, block.count)
      this.#free.push(block.at)
      if (i % blocksPerSlice === blocksPerSlice - 1) await pause()
    }
  }

  /**
   * Finds the templates nearest to a probe by quantised normalised distance, in no particular order.
   * @param kept size of the shortlist, 1 to `shortlistMax`
   * @param pause awaited between slices of about two milliseconds; templates may be added and removed in the meantime
   */
  async findNearest(probe: NormalizedTemplate, kept: number, pause: Pause): Promise<Shortlist> {
    invariant(kept > 0 && kept <= shortlistMax, 'a shortlist has a size')
    const components = new Int16Array(this.#centre.length)
    const query: Query = {
      components,
      rate: 1 / probe.scale,
      ...quantize(probe.vector, this.#centre, int16Max, components),
    }
    const heap = { keys: new Float32Array(kept), numbers: new Float64Array(kept), size: 0 }
    for (let after = 0; ; ) {
      const last = this.#scanSlice(query, heap, after)
      if (last === null) break
      after = last
      await pause()
    }
    const isFull = heap.size === kept
    const { lost, rate, lostRate } = this.#bounds
    const blur = query.lost + arithmeticError
    const error = lostRate + blur * rate + (lost + blur) * query.rate
    return {
      numbers: [...heap.numbers.subarray(0, heap.size)],
      others: isFull ? (heap.keys[0]! - probe.threshold * query.rate - error) / 2 : Number.POSITIVE_INFINITY,
    }
  }

  /** Copies a block as stored on disk, with its checksum. */
  copyBlock(index: number, seed: bigint): { bytes: Uint8Array; checksum: bigint } {
    const { at } = this.#blocks[index]!
    return {
      bytes: new Uint8Array(this.#kernel.memory.buffer.slice(at, at + this.#layout.bytes)),
      checksum: this.#checksum(at, this.#layout.bytes, seed),
    }
  }

  /** Appends a block that was stored on disk; `false` if its checksum is wrong. */
  pasteBlock(bytes: Uint8Array, count: number, seed: bigint, checksum: bigint): boolean {
    const at = this.#allocateBlock()
    new Uint8Array(this.#kernel.memory.buffer).set(bytes, at)
    this.#blocks.push({ at, count })
    return this.#checksum(at, this.#layout.bytes, seed) === checksum
  }

  /** Computes a checksum of at most the size of the scratch page. */
  computeChecksum(bytes: Uint8Array): bigint {
    const page = new Uint8Array(this.#kernel.memory.buffer, 0, firstBlockAt)
    const padded = Math.ceil(bytes.length / 8) * 8
    invariant(padded <= page.length, 'the bytes fit into the scratch page')
    page.fill(0, 0, padded).set(bytes)
    const checksum = this.#checksum(0, padded, BigInt(bytes.length))
    page.fill(0, 0, padded)
    return checksum
  }

  #checksum(at: number, bytes: number, seed: bigint): bigint {
    return BigInt.asUintN(64, this.#kernel.checksum(at, bytes, seed))
  }

  /** Scans some blocks from the first number above `after`. Returns the last number scanned; `null` at the end. */
  #scanSlice(
    query: Query,
    heap: { keys: Float32Array; numbers: Float64Array; size: number },
    after: number,
  ): number | null {
    const { buffer } = this.#kernel.memory
    new Int16Array(buffer, scratch.query, query.components.length).set(query.components)
    const keys = new Float32Array(buffer, scratch.keys, heap.keys.length)
    const numbers = new Float64Array(buffer, scratch.numbers, heap.keys.length)
    keys.set(heap.keys)
    numbers.set(heap.numbers)
    const first = this.#findBlock(after + 1)
    const blocks = this.#blocks.slice(first, first + blocksPerSlice)
    blocks.forEach(({ at, count }, i) => {
      const row = i === 0 ? this.#findRow(blocks[0]!, after + 1) : 0
      heap.size = this.#kernel.scan(
        at,
        blockRows,
        query.components.length,
        row,
        count,
        scratch.query,
        query.norm,
        2 * query.step,
        query.rate,
        scratch.keys,
        scratch.numbers,
        heap.size,
        heap.keys.length,
      )
    })
    heap.keys.set(keys)
    heap.numbers.set(numbers)
    this.#bytes.fill(0, scratch.query, scratch.query + query.components.byteLength)
    const next = first + blocks.length
    return next < this.#blocks.length ? this.#lastNumberOf(next - 1) : null
  }

  /** The last number of a block; 0 if there is no such block. */
  #lastNumberOf(index: number): number {
    const block = this.#blocks[index]
    return block ? this.#doubles[(block.at + this.#layout.numbers) / 8 + block.count - 1]! : 0
  }

  /** Index of the first block whose last number is at least `number`; past the end if there is none. */
  #findBlock(number: number): number {
    let [low, high] = [0, this.#blocks.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#lastNumberOf(middle) < number) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The first row of a block with this number or a higher one. */
  #findRow({ at, count }: Block, number: number): number {
    const start = (at + this.#layout.numbers) / 8
    let [low, high] = [0, count]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#doubles[start + middle]! < number) low = middle + 1
      else high = middle
    }
    return low
  }

  #allocateBlock(): number {
    const free = this.#free.pop()
    if (free !== undefined) return free
    const at = this.bytes
    translateMemoryError(() => this.#kernel.memory.grow(this.#layout.bytes / pageBytes))
    const { buffer } = this.#kernel.memory
    this.#bytes = new Int8Array(buffer)
    this.#floats = new Float32Array(buffer)
    this.#doubles = new Float64Array(buffer)
    return at
  }

  #release(index: number): void {
    const [block] = this.#blocks.splice(index, 1)
    this.#free.push(block!.at)
  }

  /** Appends the rows of the next block to a block if they fit. */
  #join(index: number): boolean {
    const [block, next] = [this.#blocks[index], this.#blocks[index + 1]]
    if (!block || !next || block.count + next.count > blockRows) return false
    this.#move(next, 0, block, block.count, next.count)
    block.count += next.count
    this.#wipe(next, 0, next.count)
    this.#release(index + 1)
    return true
  }

  #move(from: Block, row: number, to: Block, toRow: number, count: number): void {
    for (const [start, size] of this.#rowParts) {
      const source = from.at + start + row * size
      this.#bytes.copyWithin(to.at + start + toRow * size, source, source + count * size)
    }
  }

  #wipe({ at }: Block, row: number, count: number): void {
    for (const [start, size] of this.#rowParts)
      this.#bytes.fill(0, at + start + row * size, at + start + (row + count) * size)
  }

  /** Columns of a block, with their bytes per row. */
  get #rowParts(): (readonly [start: number, bytesPerRow: number])[] {
    const { rows, steps, norms, rates, biases, numbers } = this.#layout
    return [
      [rows, this.#row.length],
      ...[steps, norms, rates, biases].map((start) => [start, 4] as const),
      [numbers, 8],
    ]
  }
}
