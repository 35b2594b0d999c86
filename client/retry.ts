/** Which calls are tried again, and when. */
import { ApiError, BusyError, NetworkError } from './errors.ts'

export interface RetryOptions {
  /** Further attempts after the first; 0 for none. */
  attempts: number
  /** Longest pause before another attempt, also if the server asks for a longer one, which ends the attempts. */
  pauseMaxMs: number
}

/** Calls that may run twice with the same effect as once. */
const idempotent = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])
const gatewayTrouble = new Set([502, 504])

const firstPauseMs = 500

/** What came before the service saw the call may be sent again, whatever the method. */
function mayRepeat(method: string, error: unknown): boolean {
  if (error instanceof BusyError) return true
  if (!idempotent.has(method)) return false
  return error instanceof NetworkError || (error instanceof ApiError && gatewayTrouble.has(error.status))
}

/** Milliseconds before the next attempt; `null` for no other one. */
export function pauseBefore(
  attempt: number,
  method: string,
  error: unknown,
  { attempts, pauseMaxMs }: RetryOptions,
  random: () => number = Math.random,
): number | null {
  // Also if `attempts` is NaN.
  if (!(attempt <= attempts) || !mayRepeat(method, error)) return null
  const asked = error instanceof ApiError ? error.retryAfterS : null
  // Callers that were refused together must not come back together.
  const spread = firstPauseMs * 2 ** (attempt - 1) * (0.5 + random())
  if (asked === null) return Math.min(pauseMaxMs, spread)
  const pause = asked * 1000 + random() * firstPauseMs
  return pause <= pauseMaxMs ? pause : null
}

/** Why a signal has aborted. React Native has neither reasons nor `DOMException`. */
export function reasonOf(signal: AbortSignal | undefined): unknown {
  if (signal?.reason !== undefined) return signal.reason
  if (typeof DOMException === 'function') return new DOMException('The call was aborted', 'AbortError')
  return Object.assign(new Error('The call was aborted'), { name: 'AbortError' })
}

/** Waits. @throws the reason of the signal if it aborts */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(reasonOf(signal))
    const stop = () => {
      clearTimeout(timer)
      reject(reasonOf(signal))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
