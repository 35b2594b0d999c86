/** Statistics of analyses that have ended, and usage for billing, from counts that verdicts increment. */
import type { AnalysisType } from '../analyses/registry.ts'
import type { Authorized, ListScope } from '../identity/authority.ts'
import {
  beginOfSpan,
  numberOfSpan,
  type StatisticsGroup,
  type StatisticsQuery,
  type TimeRange,
  type UsageCount,
} from '../records/statistics.ts'
import type { CompanyStore } from '../storage/accounts/company-store.ts'
import type { UsageStore } from '../storage/accounts/usage-store.ts'
import type { StatisticsStore } from '../storage/statistics/statistics-store.ts'

interface StatisticsServiceDeps {
  statistics: StatisticsStore
  usage: UsageStore
  companies: CompanyStore
  nowMs(): number
  onError(error: unknown): void
}

interface StatisticsAnswer {
  groups: readonly StatisticsGroup[]
  /** All groups together; `null` if there are none. */
  total: StatisticsGroup | null
  /** Requested analyses of the days of the range. */
  usage: readonly UsageCount[]
}

/** The companies that a caller may see among those asked for. */
function inScope(companyIds: readonly string[] | null, { companyId }: ListScope): readonly string[] | null {
  if (companyId === undefined) return companyIds
  return companyIds === null || companyIds.includes(companyId) ? [companyId] : []
}

export class StatisticsService {
  readonly #deps: StatisticsServiceDeps

  constructor(deps: StatisticsServiceDeps) {
    this.#deps = deps
  }

  async read(
    asked: StatisticsQuery,
    scope: Authorized<ListScope, 'read statistics'>,
  ): Promise<StatisticsAnswer> {
    const { statistics, usage } = this.#deps
    const { range, types, groupings } = asked
    const query = { ...asked, companyIds: inScope(asked.companyIds, scope) }
    const groups = await statistics.read({ ...query, range: this.#readable(query) })
    const whole = { ...query, groupings: new Set<never>() }
    const [total = null] =
      groupings.size === 0 ? groups : await statistics.read({ ...whole, range: this.#readable(whole) })
    const used = await usage.read(range.fromMs, range.toMs - 1, query.companyIds, groupings.has('company'))
    return { groups, total, usage: types ? used.filter(({ type }) => types.includes(type)) : used }
  }

  /** A range that reaches the present ends with the month: nothing is counted later, and whole months are fewer rows. */
  #readable({ range, groupings }: StatisticsQuery): TimeRange {
    const now = this.#deps.nowMs()
    if (range.toMs <= now || groupings.has('day') || groupings.has('hour')) return range
    return { ...range, toMs: beginOfSpan('month', numberOfSpan('month', now) + 1) }
  }

  /** The usage of the current month (UTC). */
  async readMonth(
    scope: Authorized<ListScope, 'read statistics'>,
  ): Promise<{ fromMs: number; usage: readonly UsageCount[] }> {
    const { usage, nowMs } = this.#deps
    const fromMs = beginOfSpan('month', numberOfSpan('month', nowMs()))
    return { fromMs, usage: await usage.read(fromMs, nowMs(), inScope(null, scope), false) }
  }

  /** Counts analyses that are not stored. If that fails, the error is logged only: the analyses are already done. */
  async countUsage(companyId: string, types: readonly AnalysisType[]): Promise<void> {
    const { companies, usage, nowMs, onError } = this.#deps
    try {
      // An administrator may name any company id; unknown companies are not billed.
      if (await companies.find(companyId)) await usage.add(companyId, types, nowMs())
    } catch (error) {
      onError(error)
    }
  }
}
