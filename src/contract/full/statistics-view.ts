import type { AnalysisType } from '../../analyses/registry.ts'
import {
  type Bins,
  latencyQuantile,
  type StatisticsGroup,
  type StatisticsQuery,
  type UsageCount,
} from '../../records/statistics.ts'
import type { Json } from '../spaced-json.ts'
import { wireType } from './analysis-views/registry.ts'
import { seconds, secondsOrNull } from './media-view.ts'

const sumOf = (counts: Iterable<number>): number => {
  let sum = 0
  for (const count of counts) sum += count
  return sum
}

/** Quantiles in seconds; `count` is the number of analyses whose latency is known. */
const latencyView = (bins: Bins): Json => ({
  count: sumOf(bins),
  p50: secondsOrNull(latencyQuantile(bins, 0.5)),
  p90: secondsOrNull(latencyQuantile(bins, 0.9)),
  p95: secondsOrNull(latencyQuantile(bins, 0.95)),
  p99: secondsOrNull(latencyQuantile(bins, 0.99)),
})

/** What the service compares the scores of a type with, unless a request sets others. */
export type ThresholdsOf = (type: AnalysisType) => readonly number[]

/** A histogram of bins of one width from 0 to 1. */
const scoresView = (bins: Bins, thresholds: readonly number[]): Json => ({
  count: sumOf(bins),
  bins,
  thresholds,
})

/** The counts of a group, or of all. */
export const countsView = (
  { type, resolutions, latencies, scores }: StatisticsGroup,
  thresholdsOf: ThresholdsOf,
): { [key: string]: Json } => ({
  count: sumOf(resolutions.values()),
  system_resolutions: Object.fromEntries([...resolutions].sort(([a], [b]) => (a < b ? -1 : 1))),
  latency: latencyView(latencies),
  scores: scores && scoresView(scores, type ? thresholdsOf(type) : []),
})

/** A group with the keys that it is grouped by. */
export const groupView =
  ({ groupings }: Pick<StatisticsQuery, 'groupings'>, thresholdsOf: ThresholdsOf) =>
  (group: StatisticsGroup): Json => ({
    ...(groupings.has('day') || groupings.has('hour') ? { time_created: secondsOrNull(group.atMs) } : {}),
    ...(groupings.has('company') ? { company_id: group.companyId } : {}),
    ...(groupings.has('type') ? { type: group.type && wireType(group.type) } : {}),
    ...(groupings.has('resolution') ? { system_resolution: group.resolution } : {}),
    ...countsView(group, thresholdsOf),
  })

/** The order of groups: by time as asked for, then by company, type and verdict. */
export const compareGroups =
  (direction: 'asc' | 'desc') =>
  (a: StatisticsGroup, b: StatisticsGroup): number => {
    const byTime = (a.atMs ?? 0) - (b.atMs ?? 0)
    if (byTime !== 0) return direction === 'asc' ? byTime : -byTime
    const name = ({ companyId, type, resolution }: StatisticsGroup) => [companyId, type, resolution].join(' ')
    return name(a) < name(b) ? -1 : 1
  }

const countsByType = (usage: readonly UsageCount[]): Json => ({
  count: sumOf(usage.map(({ count }) => count)),
  types: Object.fromEntries(usage.map(({ type, count }) => [wireType(type), count])),
})

/** Requested analyses for billing; by company if they were counted so. */
export function usageView(usage: readonly UsageCount[], fromMs: number): { [key: string]: Json } {
  const companyIds = [...new Set(usage.flatMap(({ companyId }) => companyId ?? []))]
  const day = new Date(fromMs).toISOString().slice(0, 10)
  if (companyIds.length === 0) return { from: day, ...(countsByType(usage) as object) }
  const of = (id: string) => usage.filter(({ companyId }) => companyId === id)
  const companies = companyIds.map((id) => ({ company_id: id, ...(countsByType(of(id)) as object) }))
  return { from: day, count: sumOf(usage.map(({ count }) => count)), companies }
}

/** The range that was counted; its end is not part of it. */
export const rangeView = ({ range }: Pick<StatisticsQuery, 'range'>): Json => ({
  min: seconds(range.fromMs),
  max: seconds(range.toMs),
})
