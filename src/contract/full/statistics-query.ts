/** The query of statistics: filters, groups and a range of time. */
import type { AnalysisType } from '../../analyses/registry.ts'
import { AppError } from '../../errors.ts'
import type { ListFilter } from '../../records/list-query.ts'
import type { EndResolution, Grouping, StatisticsQuery, TimeRange } from '../../records/statistics.ts'
import { parseListQuery, type ReadListQuery } from '../list-query.ts'
import { describeUnknownName } from '../unknown-name.ts'
import { statisticsFields } from './list-fields.ts'

const hourMs = 3600_000
const dayMs = 24 * hourMs
/** Nothing was counted before. */
const earliestMs = Date.UTC(2000, 0)

const groupingsByName: Readonly<Record<string, Grouping>> = {
  company_id: 'company',
  type: 'type',
  system_resolution: 'resolution',
  day: 'day',
  hour: 'hour',
}

/** What `group_by` may name. */
export const groupingNames: readonly string[] = Object.keys(groupingsByName)

/** The ranges of groups with a time: the one without `time_created.min`, and the longest one. */
const timed = {
  hour: { usualMs: dayMs, longestMs: 31 * dayMs, allowed: '31 days' },
  day: { usualMs: 30 * dayMs, longestMs: 1096 * dayMs, allowed: '1096 days' },
} as const

const refused = (name: string, message: string): AppError =>
  new AppError('value_invalid', message, { details: { key_path: name }, place: name })

function parseGroupings(search: URLSearchParams): Set<Grouping> {
  const names = search.has('group_by')
    ? search.getAll('group_by').flatMap((text) => text.split(','))
    : ['type']
  const groupings = new Set<Grouping>()
  for (const name of names.map((text) => text.trim()).filter((text) => text !== '')) {
    if (!Object.hasOwn(groupingsByName, name)) {
      const known = groupingNames
      throw refused('group_by', `${describeUnknownName(name, known)}; group_by may name ${known.join(', ')}`)
    }
    groupings.add(groupingsByName[name]!)
  }
  if (groupings.has('day') && groupings.has('hour'))
    throw refused('group_by', 'group_by names day or hour, not both')
  return groupings
}

/** The values of an `in` filter; `null` without one. No analysis that is counted has an unknown company, type or verdict. */
function valuesOf(filters: readonly ListFilter[], field: string): string[] | null {
  const found = filters.find((filter) => filter.field === field)
  return found?.operator === 'in' ? found.values.filter((value) => value !== null).map(String) : null
}

function limitOf(filters: readonly ListFilter[], operator: 'min' | 'max'): number | null {
  const found = filters.find((filter) => filter.field === 'createdAt' && filter.operator === operator)
  return found && 'value' in found ? Number(found.value) : null
}

/** The range on full hours, rounded outwards. */
function readRange(
  filters: readonly ListFilter[],
  groupings: ReadonlySet<Grouping>,
  nowMs: number,
): TimeRange {
  const latestMs = Math.ceil((nowMs + 1) / hourMs) * hourMs
  const max = limitOf(filters, 'max')
  const toMs =
    max === null ? latestMs : Math.max(earliestMs, Math.min(latestMs, Math.ceil((max + 1) / hourMs) * hourMs))
  const min = limitOf(filters, 'min')
  const unit = groupings.has('hour') ? 'hour' : groupings.has('day') ? 'day' : null
  const usual = unit === null ? earliestMs : toMs - timed[unit].usualMs
  const begin = unit === 'day' ? Math.floor(usual / dayMs) * dayMs : usual
  const fromMs = Math.max(earliestMs, min === null ? begin : Math.floor(min / hourMs) * hourMs)
  if (unit !== null && toMs - fromMs > timed[unit].longestMs)
    throw refused('time_created.min', `Statistics by ${unit} cover at most ${timed[unit].allowed}`)
  return { fromMs, toMs }
}

/**
 * @throws {AppError} as `parseListQuery`; `value_invalid` for an unknown group, or a range that is too long for its groups
 */
export function parseStatisticsQuery(
  search: URLSearchParams,
  nowMs: number,
): { page: ReadListQuery; query: StatisticsQuery } {
  const page = parseListQuery(search, statisticsFields, nowMs, ['group_by'])
  const groupings = parseGroupings(search)
  const { filters } = page
  return {
    page,
    query: {
      range: readRange(filters, groupings, nowMs),
      groupings,
      companyIds: valuesOf(filters, 'companyId'),
      types: valuesOf(filters, 'type') as AnalysisType[] | null,
      resolutions: valuesOf(filters, 'resolution') as EndResolution[] | null,
    },
  }
}
