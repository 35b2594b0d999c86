import { and, eq, inArray, ne, type SQL, sql } from 'drizzle-orm'
import {
  beginOfSpan,
  type EndResolution,
  emptyLatencies,
  emptyScores,
  type Grouping,
  numberOfSpan,
  type Span,
  type StatisticsGroup,
  type StatisticsQuery,
  spans,
} from '../../records/statistics.ts'
import { splitRange } from '../../records/time-spans.ts'
import type { Database, Queries } from '../database.ts'
import { allCompanies, type StoredBins, statistics } from './statistics-schema.ts'

/** A group while its rows are added up. */
interface OpenGroup extends Omit<StatisticsGroup, 'resolutions' | 'latencies' | 'scores'> {
  resolutions: Map<EndResolution, number>
  latencies: number[]
  scores: number[]
  types: Set<string>
}

function addBins(counts: number[], bins: StoredBins): void {
  for (const bin in bins) counts[Number(bin)]! += bins[bin]!
}

/** Whether a company is one of those to count. */
function ofCompanies({ companyIds, groupings }: StatisticsQuery): SQL {
  if (companyIds) return inArray(statistics.companyId, [...companyIds])
  return groupings.has('company')
    ? ne(statistics.companyId, allCompanies)
    : eq(statistics.companyId, allCompanies)
}

/** The counts of one kind of span, with the columns that groups need. */
function selectCounts(queries: Queries, span: Span, starts: readonly number[], query: StatisticsQuery) {
  const { groupings, types, resolutions } = query
  const { start, companyId, type, resolution, count, latencies, scores } = statistics
  const company = groupings.has('company') ? companyId : sql<null>`null`
  return queries
    .select({ start, companyId: company, type, resolution, count, latencies, scores })
    .from(statistics)
    .where(
      and(
        eq(statistics.span, span),
        sql`${start} in (select value from json_each(${JSON.stringify(starts)}))`,
        ofCompanies(query),
        types ? inArray(type, [...types]) : undefined,
        resolutions ? inArray(resolution, [...resolutions]) : undefined,
      ),
    )
}

type CountRow = Awaited<ReturnType<typeof selectCounts>>[number]

/** Begin of the day or hour that a row belongs to; `null` if groups have no time. */
function timeOf(span: Span, start: number, groupings: ReadonlySet<Grouping>): number | null {
  if (groupings.has('hour')) return beginOfSpan(span, start)
  if (!groupings.has('day')) return null
  return beginOfSpan('day', numberOfSpan('day', beginOfSpan(span, start)))
}

/** Adds rows to their groups. */
function collect(
  groups: Map<string, OpenGroup>,
  span: Span,
  rows: readonly CountRow[],
  groupings: ReadonlySet<Grouping>,
): void {
  for (const { start, companyId, type, resolution, count, latencies, scores } of rows) {
    // Only verdicts are counted.
    const verdict = resolution as EndResolution
    const keys = {
      companyId,
      type: groupings.has('type') ? type : null,
      resolution: groupings.has('resolution') ? verdict : null,
      atMs: timeOf(span, start, groupings),
    }
    const name = Object.values(keys).join(' ')
    const group = groups.get(name) ?? {
      ...keys,
      resolutions: new Map(),
      latencies: emptyLatencies(),
      scores: emptyScores(),
      types: new Set(),
    }
    groups.set(name, group)
    group.types.add(type)
    group.resolutions.set(verdict, (group.resolutions.get(verdict) ?? 0) + count)
    addBins(group.latencies, latencies)
    addBins(group.scores, scores)
  }
}

/** The counts of analyses. */
export class StatisticsStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** The groups that have analyses, in no particular order. */
  async read(query: StatisticsQuery): Promise<StatisticsGroup[]> {
    const { groupings, range } = query
    const longest: Span = groupings.has('hour') ? 'hour' : groupings.has('day') ? 'day' : 'month'
    const parts = splitRange(range, longest)
    const groups = new Map<string, OpenGroup>()
    for (const span of spans) {
      if (parts[span].length === 0) continue
      const rows = await this.#database.read((queries) => selectCounts(queries, span, parts[span], query))
      collect(groups, span, rows, groupings)
    }
    return [...groups.values()].map(({ types, scores, ...group }) => ({
      ...group,
      scores: types.size === 1 ? scores : null,
    }))
  }
}
