/** Frees memory after much work: the engine collects garbage only under memory pressure, so an idle server would keep it. */
import v8 from 'node:v8'
import vm from 'node:vm'

/** What must have been allocated since the last collection, so that the next one is worth its time. */
const worthwhileBytes = 16 * 2 ** 20
/** After this time without work nobody waits for the collection. */
const idleMs = 1000

type Collect = (options?: { type: 'minor' }) => void

function exposeCollector(): Collect | null {
  try {
    v8.setFlagsFromString('--expose-gc')
    return vm.runInNewContext('gc') as Collect
  } catch {
    return null
  }
}

const findBun = () => (globalThis as { Bun?: { gc(isFull: boolean): void } }).Bun

/** The engine's garbage collector; `null` if it cannot be called. */
export function findCollector(): (() => void) | null {
  const bun = findBun()
  if (bun) return () => bun.gc(true)
  const collect = exposeCollector()
  return collect && (() => collect())
}

/**
 * Collects what was allocated lately, in a millisecond or two; `null` if that cannot be called. Large arrays count for little in
 * the engine's own decision when to collect: 64 MB of them may be garbage.
 */
export function findYoungCollector(): (() => void) | null {
  const collect = findBun() ? null : exposeCollector()
  return collect && (() => collect({ type: 'minor' }))
}

/** Objects of this thread and what they hold outside of the heap. Bun does not tell them: there it is the memory of the process. */
function allocatedBytes(): number {
  const { heapUsed, external, rss } = process.memoryUsage()
  return findBun() ? rss : heapUsed + external
}

/**
 * Collects the garbage of a thread once it has had nothing to do for a second, if much was allocated since the last collection. Long answers are still written
 * after the end of their request, so they may meet a collection between two pieces.
 */
export class IdleCollector {
  readonly #collect: (() => void) | null
  readonly #allocated: () => number
  #restBytes: number
  #working = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(collect = findCollector(), allocated = allocatedBytes) {
    this.#collect = collect
    this.#allocated = allocated
    this.#restBytes = allocated()
  }

  /** Each piece of work is begun and ended, whether it fails or not. */
  begin(): void {
    this.#working++
    clearTimeout(this.#timer)
  }

  end(): void {
    this.#working--
    clearTimeout(this.#timer)
    if (this.#collect && this.#working === 0)
      this.#timer = setTimeout(() => this.#collectIfWorthwhile(), idleMs).unref()
  }

  #collectIfWorthwhile(): void {
    const bytes = this.#allocated()
    if (bytes - this.#restBytes < worthwhileBytes) this.#restBytes = Math.min(this.#restBytes, bytes)
    else {
      this.#collect?.()
      this.#restBytes = this.#allocated()
    }
  }
}

let ofThread: IdleCollector | undefined

/** The collector of this thread. */
export function idleCollector(): IdleCollector {
  ofThread ??= new IdleCollector()
  return ofThread
}
