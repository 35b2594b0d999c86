/** What capturing apps report about themselves, and the settings that they fetch. Neither holds pictures or names. */

/** A JSON object as an app sent it. */
export type SentObject = Readonly<Record<string, unknown>>

export interface EventSession {
  id: string
  companyId: string
  /** The user who opened it. */
  userId: string
  device: SentObject
  /** Number of its events. */
  events: number
  createdAtMs: number
  updatedAtMs: number
}

export interface SessionEvent {
  name: string
  /** When it happened, by the clock of the device; `null` if the app does not say. */
  happenedAtMs: number | null
  /** The whole event as it was sent. */
  sent: SentObject
}

export interface StoredEvent extends SessionEvent {
  sessionId: string
  createdAtMs: number
}

/** Events of a session. The next ones are refused. */
export const sessionEventsMax = 5000

/** Settings for the device models that a pattern names. */
export interface DeviceSettings {
  /** A model, a beginning of models followed by `*`, or `*` for all. */
  pattern: string
  settings: SentObject
  createdAtMs: number
  updatedAtMs: number
}

/**
 * The patterns that can name a model, from the most general one to the model itself, in lower case.
 * @example
 * ```ts
 * import { patternsFor } from './telemetry.ts'
 *
 * patternsFor('A5') // → ['*', 'a*', 'a5*', 'a5']
 * ```
 */
export function patternsFor(model: string): string[] {
  const letters = Array.from(model.toLowerCase())
  const beginnings = letters.map((_, at) => `${letters.slice(0, at + 1).join('')}*`)
  return ['*', ...beginnings, letters.join('')]
}
