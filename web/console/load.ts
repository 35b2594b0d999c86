/** Data of a view: loaded when it opens, when what it depends on changes, and again while it is live. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, BusyError, NetworkError, NotFoundError } from '../../client/index.ts'
import { t } from './language.ts'
import { isIdle } from './use.ts'

/** Milliseconds between two looks at what changes now and then, and while nobody uses the console. */
export const calmMs = 15_000
const idleMs = 60_000

export interface Loaded<T> {
  /** `null` until it has been loaded. */
  data: T | null
  problem: string | null
  isLoading: boolean
  reload(): void
}

/** What a failed call tells the user. */
export function describeProblem(error: unknown): string {
  if (error instanceof NetworkError) return t('The server does not answer.')
  // The contract's own words for it are hard to read.
  if (error instanceof NotFoundError) return t('This does not exist, or no longer.')
  if (error instanceof ApiError) {
    // The service says why; a proxy before it, or one that ends, does not.
    if (error.errorCode !== null) return error.message
    if (error instanceof BusyError) return t('The server is busy. Try again in a moment.')
    return t('The server answered with status {status}.', { status: error.status })
  }
  return error instanceof Error ? error.message : String(error)
}

/**
 * @param load must stop when its signal aborts
 * @param on what it depends on: loads again when one of them changes
 * @param nextMs milliseconds until it is loaded again, by what was loaded; `null` for never
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  on: readonly unknown[],
  nextMs: (data: T) => number | null = () => null,
): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>({
    data: null,
    problem: null,
    isLoading: true,
  })
  const [turn, setTurn] = useState(0)
  const latest = useRef({ load, nextMs })
  latest.current = { load, nextMs }
  /** What the data depend on, as it was when they were loaded. */
  const loadedOn = useRef<readonly unknown[]>([])

  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let ms: number | null = null
    let isSlow = false
    setState((before) => ({ ...before, problem: null, isLoading: true }))
    const run = async () => {
      try {
        const data = await latest.current.load(stop.signal)
        if (stop.signal.aborted) return
        loadedOn.current = on
        setState({ data, problem: null, isLoading: false })
        ms = latest.current.nextMs(data)
      } catch (error) {
        if (stop.signal.aborted) return
        // What was loaded for other filters does not answer these.
        const isStill = on.every((part, place) => part === loadedOn.current[place])
        setState(({ data }) => ({
          data: isStill ? data : null,
          problem: describeProblem(error),
          isLoading: false,
        }))
      }
      // A live view stays live when a look fails.
      if (ms === null) return
      isSlow = ms >= calmMs && isIdle.peek()
      timer = setTimeout(again, isSlow ? idleMs : ms)
    }
    // A hidden tab needs nothing new.
    const again = () => {
      if (document.visibilityState === 'visible') void run()
      else document.addEventListener('visibilitychange', again, { once: true, signal: stop.signal })
    }
    void run()
    // Who comes back sees what is true now.
    const unwatch = isIdle.subscribe((idle) => {
      if (idle || !isSlow) return
      isSlow = false
      clearTimeout(timer)
      again()
    })
    return () => {
      unwatch()
      stop.abort()
      clearTimeout(timer)
    }
  }, [...on, turn])

  return { ...state, reload: () => setTurn((before) => before + 1) }
}
