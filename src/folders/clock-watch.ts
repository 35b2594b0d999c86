/** Notices when the clock of this process differs so much from the database server's that leases are misjudged. */
import { clockLeadMaxMs, measureClockLead } from '../storage/server-clock.ts'

const pauseMs = 3600_000

export interface ClockWatchDeps {
  /** Time of the database server in Unix milliseconds. */
  readServerMs(): Promise<number>
  nowMs(): number
  /** Called at most once an hour. @param leadMs how far this clock is ahead; negative if it is behind */
  onDifference(leadMs: number): void
}

/**
 * Replicas read from their own clocks whether the lease of another one has ended: one that is far ahead takes over work that is
 * being done, and ends sessions early.
 */
export class ClockWatch {
  readonly #deps: ClockWatchDeps
  #toldAtMs = Number.NEGATIVE_INFINITY

  constructor(deps: ClockWatchDeps) {
    this.#deps = deps
  }

  /** @throws {AppError} `database_failed` */
  async check(): Promise<void> {
    const { readServerMs, nowMs, onDifference } = this.#deps
    const leadMs = await measureClockLead(readServerMs, nowMs)
    if (Math.abs(leadMs) <= clockLeadMaxMs || Math.abs(nowMs() - this.#toldAtMs) < pauseMs) return
    this.#toldAtMs = nowMs()
    onDifference(leadMs)
  }
}
