/** What is counted of analyses that have ended: verdicts, latencies and scores in histograms, and usage for billing. */
import { type AnalysisType, findAnalysisKind } from '../analyses/registry.ts'
import type { Decision } from '../decide/analysis.ts'
import type { AnalysisRecord } from './analysis.ts'

/** The verdict of the system on an analysis that has ended. */
export type EndResolution = Decision | 'FAILED'

/** An analysis that has ended, as it is counted. */
export interface EndedAnalysis {
  type: AnalysisType
  resolution: EndResolution
  createdAtMs: number
  /** From the request to the verdict. */
  latencyMs: number
  /** The score that its decision depends on, 0…1; `null` for none. */
  score: number | null
}

/** The shortest latency that has a bin of its own, and the longest. */
const latencyMinMs = 10
const latencyBinsMax = 38

/**
 * Lower bounds of the bins of latencies, in milliseconds: from 0, and from 10 ms to an hour in steps of √2. The database stores
 * latencies by these bins: other bounds need a migration.
 */
export const latencyBounds: readonly number[] = Array.from({ length: latencyBinsMax }, (_, bin) =>
  bin === 0 ? 0 : Math.round(latencyMinMs * 2 ** ((bin - 1) / 2)),
)

/** Number of bins of scores, all of the same width. The database stores scores by these bins. */
const scoreBins = 20

export function latencyBin(ms: number): number {
  const above = latencyBounds.findIndex((bound) => bound > ms)
  return above === -1 ? latencyBounds.length - 1 : Math.max(0, above - 1)
}

export const scoreBin = (score: number): number =>
  Math.min(scoreBins - 1, Math.max(0, Math.floor(score * scoreBins)))

/** Analyses of sandboxes are not counted. */
const isCounted = ({ sandbox }: Pick<AnalysisRecord, 'sandbox'>): boolean => sandbox === undefined

/** The types of requested analyses that are billed. */
export const billedTypes = (analyses: readonly AnalysisRecord[]): AnalysisType[] =>
  analyses.filter(isCounted).map(({ type }) => type)

/** @returns `null` for an analysis that has not ended, or is not counted */
export function toEndedAnalysis(analysis: AnalysisRecord): EndedAnalysis | null {
  const { type, outcome, evidence, createdAtMs, updatedAtMs } = analysis
  if (outcome.status === 'processing' || !isCounted(analysis)) return null
  return {
    type,
    resolution: outcome.status === 'finished' ? outcome.decision : 'FAILED',
    createdAtMs,
    latencyMs: updatedAtMs - createdAtMs,
    score: evidence && findAnalysisKind(analysis).decisiveScore(evidence),
  }
}

/** A histogram: the count of each bin. */
export type Bins = readonly number[]

export const emptyLatencies = (): number[] => latencyBounds.map(() => 0)
export const emptyScores = (): number[] => Array.from({ length: scoreBins }, () => 0)

/**
 * The latency below which a share of analyses stays, in milliseconds; within a bin they count as evenly spread. `null` if no
 * latency is known.
 * @param share 0…1
 * @example
 * ```ts
 * import { emptyLatencies, latencyBin, latencyQuantile } from './statistics.ts'
 *
 * const bins = emptyLatencies()
 * latencyQuantile(bins, 0.5) // → null
 * bins[latencyBin(100)] = 3
 * bins[latencyBin(900)] = 1
 * latencyQuantile(bins, 0.5) // → 102
 * ```
 */
export function latencyQuantile(bins: Bins, share: number): number | null {
  const all = bins.reduce((sum, count) => sum + count, 0)
  let below = 0
  for (const [bin, count] of bins.entries()) {
    const wanted = share * all - below
    const [from, to] = [latencyBounds[bin]!, latencyBounds[bin + 1] ?? latencyBounds[bin]!]
    if (count > 0 && wanted <= count) return Math.round(from + (to - from) * (wanted / count))
    below += count
  }
  return null
}

/** The lengths of time that counts are kept for, all in UTC. The database stores them by their index. */
export const spans = ['hour', 'day', 'month'] as const
export type Span = (typeof spans)[number]

const hourMs = 3600_000
const dayMs = 24 * hourMs

/** The number of the hour, day or month that a time is in, counted from 1970 (months: from the year 0). */
export function numberOfSpan(span: Span, ms: number): number {
  if (span !== 'month') return Math.floor(ms / (span === 'day' ? dayMs : hourMs))
  const date = new Date(ms)
  return 12 * date.getUTCFullYear() + date.getUTCMonth()
}

/** When an hour, day or month begins. */
export function beginOfSpan(span: Span, number: number): number {
  if (span === 'month') return Date.UTC(Math.floor(number / 12), number % 12)
  return number * (span === 'day' ? dayMs : hourMs)
}

/** What statistics can be grouped by. */
export type Grouping = 'company' | 'type' | 'resolution' | 'day' | 'hour'

/** A range of time; the end is not part of it. Both are on full hours. */
export interface TimeRange {
  fromMs: number
  toMs: number
}

/** Which analyses to count, and how to group them. */
export interface StatisticsQuery {
  range: TimeRange
  groupings: ReadonlySet<Grouping>
  /** `null` for all, which are counted together unless they are grouped. */
  companyIds: readonly string[] | null
  /** `null` for all. */
  types: readonly AnalysisType[] | null
  /** `null` for all. */
  resolutions: readonly EndResolution[] | null
}

/** The counts of one group. Keys that it is not grouped by are `null`. */
export interface StatisticsGroup {
  companyId: string | null
  type: AnalysisType | null
  resolution: EndResolution | null
  /** When its day or hour begins. */
  atMs: number | null
  resolutions: ReadonlyMap<EndResolution, number>
  latencies: Bins
  /** `null` if it has analyses of several types, whose scores cannot be compared. */
  scores: Bins | null
}

/** Number of analyses requested by a company, Instant calls included. */
export interface UsageCount {
  /** `null` for all companies together. */
  companyId: string | null
  type: AnalysisType
  count: number
}
