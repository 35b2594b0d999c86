import { and, eq, inArray, ne, type SQL, sql } from 'drizzle-orm'
import { AppError } from '../../errors.ts'
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
import { uuidFromHex } from '../column-types.ts'
import type { Database, Queries } from '../database.ts'
import { analysisTypes, resolutions } from '../folders/analysis-summary.ts'
import { firstPace, readInBatches } from '../lists/batches.ts'
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

/** A row as it is read: the company's id in hexadecimal digits, the indexes of the words, and the counts. */
type CountRow = readonly [
  company: string | null,
  type: number,
  resolution: number,
  count: number,
  latencies: StoredBins,
  scores: StoredBins,
]

/**
 * The rows of each hour, day or month, as one text of JSON: the engine joins the texts of a thousand rows in the time in which the
 * driver hands over a hundred.
 */
function selectCounts(queries: Queries, span: Span, starts: readonly number[], query: StatisticsQuery) {
  const { groupings, types, resolutions } = query
  const { start, companyId, type, resolution, count, latencies, scores } = statistics
  const company = groupings.has('company') ? sql`'"' || lower(hex(${companyId})) || '"'` : sql`'null'`
  const members = [company, type, resolution, count, latencies, scores]
  const row = sql`'[' || ${sql.join(members, sql` || ',' || `)} || ']'`
  return queries
    .select({ start, rows: sql<string>`'[' || group_concat(${row}) || ']'` })
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
    .groupBy(start)
}

/** Begin of the day or hour that a row belongs to; `null` if groups have no time. */
function timeOf(span: Span, start: number, groupings: ReadonlySet<Grouping>): number | null {
  if (groupings.has('hour')) return beginOfSpan(span, start)
  if (!groupings.has('day')) return null
  return beginOfSpan('day', numberOfSpan('day', beginOfSpan(span, start)))
}

/** Adds the rows of an hour, day or month to their groups. */
function collect(
  groups: Map<string, OpenGroup>,
  atMs: number | null,
  rows: readonly CountRow[],
  groupings: ReadonlySet<Grouping>,
): void {
  for (const [company, typeIndex, resolutionIndex, count, latencies, scores] of rows) {
    const type = analysisTypes[typeIndex]!
    // Only verdicts are counted.
    const verdict = resolutions[resolutionIndex] as EndResolution
    const keys = {
      companyId: company === null ? null : uuidFromHex(company),
      type: groupings.has('type') ? type : null,
      resolution: groupings.has('resolution') ? verdict : null,
      atMs,
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

/** Maximum number of groups that one answer is made of. */
const groupsMax = 20_000

const tooManyGroups = () =>
  new AppError(
    'value_invalid',
    `Statistics have at most ${groupsMax} groups: name a company in company_id, ask for a shorter range, or group by less`,
    { details: { key_path: 'group_by' }, place: 'group_by' },
  )

/** The counts of analyses. */
export class StatisticsStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * The groups that have analyses, in no particular order.
   * @throws {AppError} `value_invalid` if there are too many of them
   */
  async read(query: StatisticsQuery): Promise<StatisticsGroup[]> {
    const { groupings, range } = query
    const longest: Span = groupings.has('hour') ? 'hour' : groupings.has('day') ? 'day' : 'month'
    const parts = splitRange(range, longest)
    const groups = new Map<string, OpenGroup>()
    for (const span of spans) {
      const batches = readInBatches(parts[span], firstPace(this.#database), async (starts) => {
        const found = await this.#database.read((queries) => selectCounts(queries, span, starts, query))
        return new Map(found.map((row) => [row.start, row]))
      })
      for await (const batch of batches) {
        for (const { start, rows } of batch)
          collect(groups, timeOf(span, start, groupings), JSON.parse(rows) as CountRow[], groupings)
        if (groups.size > groupsMax) throw tooManyGroups()
      }
    }
    return [...groups.values()].map(({ types, scores, ...group }) => ({
      ...group,
      scores: types.size === 1 ? scores : null,
    }))
  }
}
