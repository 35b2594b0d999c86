/** Usage of a server without a database: one line in the log per hour, with counts by company and type, and nothing else. */
import type { AnalysisType } from '../analyses/registry.ts'
import { beginOfSpan, numberOfSpan } from '../records/statistics.ts'

/** Counts of one company. */
export interface HourlyUsage {
  companyId: string
  type: AnalysisType
  count: number
}

export interface UsageLogDeps {
  /** Writes the counts of an hour. */
  write(fromMs: number, counts: readonly HourlyUsage[]): void
  nowMs(): number
}

/** Companies of one hour. More are written before the hour is over. */
const companiesMax = 10_000

export class UsageLog {
  readonly #deps: UsageLogDeps
  #hour: number
  #counts = new Map<string, Map<AnalysisType, number>>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(deps: UsageLogDeps) {
    this.#deps = deps
    this.#hour = numberOfSpan('hour', deps.nowMs())
  }

  /** Writes each hour when it is over. Without it an hour is written by the first call of a later one. */
  start(): void {
    const { nowMs } = this.#deps
    const now = nowMs()
    const next = beginOfSpan('hour', numberOfSpan('hour', now) + 1)
    this.#timer = setTimeout(() => {
      this.#turn()
      this.start()
    }, next - now)
  }

  /** Writes what was counted. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#flush()
  }

  count(companyId: string, types: readonly AnalysisType[]): void {
    this.#turn()
    if (!this.#counts.has(companyId) && this.#counts.size === companiesMax) this.#flush()
    const counts = this.#counts.get(companyId) ?? new Map<AnalysisType, number>()
    this.#counts.set(companyId, counts)
    for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1)
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
