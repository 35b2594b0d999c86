/** Frees memory after much work: the engine collects garbage only under memory pressure, so an idle server would keep it. */
import v8 from 'node:v8'
import vm from 'node:vm'

/** What must have been allocated since the last collection, so that the next one is worth its time. */
const worthwhileBytes = 16 * 2 ** 20
/** After this idle time nobody has to wait for the collection. */
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

/** Objects of this thread, and what they hold outside of the heap. */
function allocatedBytes(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/**
 * Makes the function to call after each piece of work. Once a second has passed without another call, garbage is collected in this
 * thread if much has been allocated.
 */
export function createIdleCollector(collect = findCollector(), allocated = allocatedBytes): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let restBytes = allocated()
  const collectIfWorthwhile = (): void => {
    const bytes = allocated()
    if (bytes - restBytes >= worthwhileBytes) collect?.()
    restBytes = Math.min(restBytes, allocated())
  }
  return () => {
    clearTimeout(timer)
    if (collect) timer = setTimeout(collectIfWorthwhile, idleMs).unref()
  }
}
