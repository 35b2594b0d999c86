/** Usage of a server without a database: one line in the log per hour, with counts by company and type, and nothing else. */

import type { AnalysisType } from '../analyses/registry.ts'
import { BackgroundLoop } from '../background/background-loop.ts'
import { beginOfSpan, numberOfSpan } from '../records/statistics.ts'

/** Counts of one company. */
export interface HourlyUsage {
  companyId: string
  type: AnalysisType
  count: number
}

interface UsageLogDeps {
  /** Writes the counts of an hour. */
  write(fromMs: number, counts: readonly HourlyUsage[]): void
  nowMs(): number
  onError(error: unknown): void
}

const hourMs = 3600_000
/** Companies of one hour. More are written before the hour is over. */
const companiesMax = 10_000

export class UsageLog {
  readonly #deps: UsageLogDeps
  #hour: number
  #counts = new Map<string, Map<AnalysisType, number>>()
  readonly #loop: BackgroundLoop

  constructor(deps: UsageLogDeps) {
    this.#deps = deps
    this.#hour = numberOfSpan('hour', deps.nowMs())
    this.#loop = new BackgroundLoop({
      run: async () => {
        this.#turn()
        return this.#leftMs()
      },
      onError: deps.onError,
      pauseMs: hourMs,
    })
  }

  /** Writes each hour when it is over. Without it an hour is written by the first call of a later one. */
  start(): void {
    this.#loop.start(this.#leftMs())
  }

  /** Writes what was counted. */
  async stop(): Promise<void> {
    await this.#loop.stop()
    this.#flush()
  }

  count(companyId: string, types: readonly AnalysisType[]): void {
    this.#turn()
    if (!this.#counts.has(companyId) && this.#counts.size === companiesMax) this.#flush()
    const counts = this.#counts.get(companyId) ?? new Map<AnalysisType, number>()
    this.#counts.set(companyId, counts)
    for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1)
  }

  /** Until the hour is over. */
  #leftMs(): number {
    const now = this.#deps.nowMs()
    return beginOfSpan('hour', numberOfSpan('hour', now) + 1) - now
  }

  /** Writes the counts of an hour that is over. */
  #turn(): void {
    const hour = numberOfSpan('hour', this.#deps.nowMs())
    if (hour === this.#hour) return
    this.#flush()
    this.#hour = hour
  }

  #flush(): void {
    const counts = [...this.#counts].flatMap(([companyId, types]) =>
      [...types].map(([type, count]) => ({ companyId, type, count })),
    )
    this.#counts.clear()
    if (counts.length > 0) this.#deps.write(beginOfSpan('hour', this.#hour), counts)
  }
}
