/** The watch over the clock of a replica. */
import { ClockWatch } from '../folders/clock-watch.ts'
import type { Platform } from '../platform/platform.ts'
import type { Database } from '../storage/database.ts'
import { readServerMs } from '../storage/server-clock.ts'

/** A duty of housekeeping, where other processes may use the database. */
export function composeClockWatch({ nowMs, log }: Platform, database: Database): (() => Promise<void>)[] {
  if (database.isLocal) return []
  const watch = new ClockWatch({
    readServerMs: () => readServerMs(database),
    nowMs,
    onDifference: (leadMs) =>
      log('warn', 'clock differs from the database', { ahead_s: Math.round(leadMs / 100) / 10 }),
  })
  return [() => watch.check()]
}
