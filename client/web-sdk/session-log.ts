/** Reports the steps of a session to the server, as capturing apps do: the id that pages are told leads to them. */
import { type Client, call, createClient } from '../call.ts'
import { randomId } from '../capture/random-id.ts'
import { ApiError } from '../errors.ts'
import type { JsonObject } from '../operations.ts'

type LoggedEvent = {
  event: string
  /** Unix seconds. */
  timestamp: number
  context: JsonObject
}

/** A report outlives the page, which may go elsewhere with the result. */
const fetchBeyondPage = (url: string, init: RequestInit) => fetch(url, { ...init, keepalive: true })

const device = (): JsonObject => ({ sdk: 'vivace-web-sdk', user_agent: navigator.userAgent })

export class SessionLog {
  readonly id = randomId()
  /** `null` once the server has refused a report. */
  #client: Client | null
  #events: LoggedEvent[] = []

  /** @param isKept whether captures are kept: of the others the server keeps nothing, so nothing is reported */
  constructor(server: string, token: string | null, isKept: boolean) {
    this.#client = isKept
      ? createClient({ url: server, token, fetch: fetchBeyondPage, retry: { attempts: 0 } })
      : null
  }

  add(event: string, context: JsonObject = {}): void {
    this.#events.push({ event, timestamp: Date.now() / 1000, context })
  }

  /** Sends what has been added, at once, as the page may go any time. No capture waits for it or fails with it. */
  send(): void {
    void this.#report()
  }

  async #report(): Promise<void> {
    const events = this.#events
    if (!this.#client || events.length === 0) return
    this.#events = []
    try {
      const body = { session_id: this.id, device: device(), events }
      await call(this.#client, 'POST /api/event_sessions', { body })
    } catch (error) {
      // Not every caller may report. What was lost on the way goes with the next report.
      if (error instanceof ApiError) this.#client = null
      else this.#events = [...events, ...this.#events]
    }
  }
}
