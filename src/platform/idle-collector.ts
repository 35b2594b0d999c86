/** Gives memory back after large media: the engine itself collects only when it needs room, which a quiet server never does. */
import v8 from 'node:v8'
import vm from 'node:vm'

/** From here on a medium leaves enough behind. */
export const largeMediumBytes = 4 * 2 ** 20
/** Nobody waits for the pause of a collection then. */
const idleMs = 1000

/** The engine's own collection of garbage; `null` where it offers none. */
export function findCollector(): (() => void) | null {
  const { Bun: bun } = globalThis as { Bun?: { gc(isFull: boolean): void } }
  if (bun) return () => bun.gc(true)
  try {
    v8.setFlagsFromString('--expose-gc')
    return vm.runInNewContext('gc') as () => void
  } catch {
    return null
  }
}

/**
 * Makes the function to be called after each large medium: when a second has passed without another one, garbage is collected
 * in this thread, once.
 */
export function createIdleCollector(collect = findCollector()): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  return () => {
    clearTimeout(timer)
    if (collect) timer = setTimeout(collect, idleMs).unref()
  }
}
