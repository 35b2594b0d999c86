/** Filters of the folder list on analyses. All filters named `analyse.…` hold of one and the same analysis. */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { JsonCondition, ListFilter } from '../../records/list-query.ts'
import { type ListColumns, listConditions } from '../lists/list-conditions.ts'
import { analyses, folders } from '../schema.ts'
import { type Analysed, summaryMask } from './analysis-summary.ts'
import { documentValue } from './document-values.ts'

type WordFilter = Extract<ListFilter, { operator: 'in' | 'not_in' }>
/** Times are numbers; the grammar has no word for another value but `null`, which no analysis has. */
type TimeFilter = Extract<ListFilter, { operator: 'min' | 'max' | 'in' | 'not_in' }>

/** Fields with words of closed lists, which the summary of a folder's analyses has too. */
const wordFields: Readonly<Record<string, keyof Analysed>> = {
  analysisType: 'type',
  analysisState: 'state',
  analysisResolution: 'resolutionStatus',
}
const timeField = 'analysisCreatedAt'

const isWordFilter = (filter: ListFilter): filter is WordFilter =>
  filter.field in wordFields && (filter.operator === 'in' || filter.operator === 'not_in')

const isTimeFilter = (filter: ListFilter): filter is TimeFilter =>
  filter.field === timeField && filter.operator !== 'json' && filter.operator !== 'search'

/** Results of an analysis of a type, or of one of its media, with their scores by the names of the contract. */
interface Results {
  type: 'verification' | 'liveness' | 'documents'
  from: SQL
  scores: Readonly<Record<string, SQL>>
  /** The value of a path that is not among the scores. */
  valueAt?(path: readonly string[]): SQL | null
}

const pairScore = (best: 'max' | 'min'): SQL =>
  sql`(select ${sql.raw(best)}(json_extract(value, '$.score')) from json_each(${analyses.evidence}, '$.pairs'))`

const documentResults: Results = {
  type: 'documents',
  from: sql`${analyses}`,
  scores: {},
  valueAt: documentValue,
}
const verificationResults: Results = {
  type: 'verification',
  from: sql`${analyses}`,
  scores: { max_confidence: pairScore('max'), min_confidence: pairScore('min') },
}
/** One row for each medium; one without scores if the analysis has no results. */
const livenessResults: Results = {
  type: 'liveness',
  from: sql`${analyses} left join json_each(${analyses.evidence}, '$.results') as medium`,
  scores: {
    confidence_spoofing: sql`json_extract(medium.value, '$.attack')`,
    confidence_replay: sql`json_extract(medium.value, '$.replay')`,
    confidence_liveness: sql`json_extract(medium.value, '$.liveness')`,
  },
}

function scoreCondition(
  { scores, valueAt }: Pick<Results, 'scores' | 'valueAt'>,
  { path, comparison, value }: JsonCondition,
): SQL {
  const name = path.join('.')
  // Callers choose the path, so inherited members such as `constructor` must not be found.
  const score = (Object.hasOwn(scores, name) && scores[name]) || valueAt?.(path) || sql`null`
  if (comparison !== '==' && comparison !== '!=') return sql`${score} ${sql.raw(comparison)} ${value}`
  if (value === null) return comparison === '==' ? sql`${score} is null` : sql`${score} is not null`
  const operator = sql.raw(comparison === '==' ? '=' : '<>')
  return sql`cast(${score} as text) ${operator} ${String(value)}`
}

/** True for results that meet all conditions of the filter. */
function scoresMeet(results: Results, filter: ListFilter): SQL {
  if (filter.operator !== 'json') throw new TypeError(`the field ${filter.field} holds JSON`)
  return and(...filter.conditions.map((condition) => scoreCondition(results, condition))) ?? sql`1`
}

/** Folders with results of a type that meet the filter. There is no index: every such analysis in scope is read. */
const hasResults =
  (results: Results) =>
  (filter: ListFilter): SQL => {
    const isOfFolder = and(eq(analyses.folderNumber, folders.number), eq(analyses.type, results.type))
    return sql`exists (select 1 from ${results.from} where ${isOfFolder} and ${scoresMeet(results, filter)})`
  }

/** Filters on the results of one analysis or medium, which the other filters do not restrict. */
export const resultFilters = {
  verificationResults: hasResults(verificationResults),
  livenessResults: hasResults(livenessResults),
} satisfies ListColumns

const columns = {
  analysisType: { column: analyses.type },
  analysisState: { column: analyses.state },
  analysisResolution: { column: analyses.resolutionStatus },
  analysisCreatedAt: { column: analyses.createdAt },
  documentResults: (filter) =>
    sql`(${eq(analyses.type, 'documents')} and ${scoresMeet(documentResults, filter)})`,
} satisfies ListColumns

/** Whether a filter restricts the analysis that all such filters must hold of. */
export const isAnalysisFilter = ({ field }: ListFilter): boolean => field in columns

/** Folders with an analysis that passes all filters, each on its own row. */
const someAnalysis = (filters: readonly ListFilter[]): SQL =>
  sql`exists (select 1 from ${analyses} where ${eq(analyses.folderNumber, folders.number)}
    and ${and(...listConditions(filters, columns))})`

/** Whether the folder's oldest or newest analysis, at a time that the folder row holds, passes the filters. */
const passes = (column: SQL, filters: readonly TimeFilter[]): SQL =>
  and(...listConditions(filters, { [timeField]: { column } })) ?? sql`1`

/** What must hold of the oldest and the newest analysis of a folder, if one of its analyses is to pass a filter. */
function mayPass(filter: TimeFilter, first: SQL, last: SQL): SQL {
  if ('value' in filter)
    return filter.operator === 'min' ? sql`${last} >= ${filter.value}` : sql`${first} <= ${filter.value}`
  if (filter.operator === 'not_in') return sql`1`
  const times = filter.values.filter((value) => typeof value === 'number')
  if (times.length === 0) return sql`0`
  return sql`(${last} >= ${Math.min(...times)} and ${first} <= ${Math.max(...times)})`
}

/**
 * Folders with an analysis of selected times that is one of the selected kinds. The row of the folder decides unless its
 * analyses were requested at several times of which some are not selected.
 */
function someAtTimes(filters: readonly ListFilter[], times: readonly TimeFilter[], isAnyKind: boolean): SQL {
  const first = sql`${folders.firstAnalysisAt}`
  const last = sql`${folders.lastAnalysisAt}`
  const [firstPasses, lastPasses] = [passes(first, times), passes(last, times)]
  // Between two times of a range all others are too. Of single times the row knows only the first and the last.
  const isRange = times.every(({ operator }) => operator === 'min' || operator === 'max')
  const allPass = isRange
    ? sql`(${firstPasses} and ${lastPasses})`
    : sql`(${firstPasses} and ${first} = ${last})`
  const isSure = isAnyKind ? sql`(${firstPasses} or ${lastPasses})` : allPass
  const possible = times.map((filter) => mayPass(filter, first, last))
  return sql`(${and(...possible)} and (${isSure} or ${someAnalysis(filters)}))`
}

/** Conditions on folders that together mean: one of its analyses passes all filters. `[]` without filters. */
export function analysisConditions(filters: readonly ListFilter[]): SQL[] {
  if (filters.length === 0) return []
  const words = filters.filter(isWordFilter)
  const times = filters.filter(isTimeFilter)
  const isSelected = (kind: Analysed): boolean =>
    words.every(
      ({ field, operator, values }) => values.includes(kind[wordFields[field]!]) === (operator === 'in'),
    )
  const hasKind = sql`(${folders.analysed} & ${summaryMask(isSelected)}) <> 0`
  const known = words.length + times.length
  if (known < filters.length) return [hasKind, someAnalysis(filters)]
  if (times.length === 0) return [hasKind]
  return [hasKind, someAtTimes(filters, times, words.length === 0)]
}
