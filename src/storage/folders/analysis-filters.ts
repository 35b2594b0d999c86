/** Filters of the folder list on analyses. All filters named `analyse.…` hold of one and the same analysis. */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { JsonCondition, ListFilter } from '../../records/list-query.ts'
import { type ListColumns, listConditions } from '../lists/list-conditions.ts'
import { analyses, folders } from '../schema.ts'
import { type Analysed, summaryMask } from './analysis-summary.ts'

type WordFilter = Extract<ListFilter, { operator: 'in' | 'not_in' }>
type TimeFilter = Extract<ListFilter, { operator: 'min' | 'max' }>

/** Fields with words of closed lists, which the summary of a folder's analyses has too. */
const wordFields: Readonly<Record<string, keyof Analysed>> = {
  analysisType: 'type',
  analysisState: 'state',
  analysisResolution: 'resolutionStatus',
}
const timeField = 'analysisCreatedAt'

const isWordFilter = (filter: ListFilter): filter is WordFilter =>
  filter.field in wordFields && (filter.operator === 'in' || filter.operator === 'not_in')

const isRange = (filter: ListFilter): filter is TimeFilter =>
  filter.field === timeField && (filter.operator === 'min' || filter.operator === 'max')

/** Results of an analysis of a type, or of one of its media, with their scores by the names of the contract. */
interface Results {
  type: 'verification' | 'liveness' | 'documents'
  from: SQL
  scores: Readonly<Record<string, SQL>>
}

const pairScore = (best: 'max' | 'min'): SQL =>
  sql`(select ${sql.raw(best)}(json_extract(value, '$.score')) from json_each(${analyses.evidence}, '$.pairs'))`

const documentResults: Results = { type: 'documents', from: sql`${analyses}`, scores: {} }
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

function scoreCondition(scores: Results['scores'], { path, comparison, value }: JsonCondition): SQL {
  const name = path.join('.')
  // Callers choose the path, so inherited members such as `constructor` must not be found.
  const score = (Object.hasOwn(scores, name) && scores[name]) || sql`null`
  if (comparison !== '==' && comparison !== '!=') return sql`${score} ${sql.raw(comparison)} ${value}`
  if (value === null) return comparison === '==' ? sql`${score} is null` : sql`${score} is not null`
  const operator = sql.raw(comparison === '==' ? '=' : '<>')
  return sql`cast(${score} as text) ${operator} ${String(value)}`
}

/** True for results that meet all conditions of the filter. */
function scoresMeet({ scores }: Results, filter: ListFilter): SQL {
  if (filter.operator !== 'json') throw new TypeError(`the field ${filter.field} holds JSON`)
  return and(...filter.conditions.map((condition) => scoreCondition(scores, condition))) ?? sql`1`
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

/** Whether the folder's oldest or newest analysis, at a time that the folder row holds, passes the ranges. */
const isWithin = (column: SQL, ranges: readonly TimeFilter[]): SQL =>
  and(
    ...ranges.map(({ operator, value }) =>
      operator === 'min' ? sql`${column} >= ${value}` : sql`${column} <= ${value}`,
    ),
  ) ?? sql`1`

/**
 * Folders with an analysis between two times that is one of the selected kinds. The row of the folder decides unless its
 * analyses were requested at several times of which some are out of range.
 */
function someInRange(filters: readonly ListFilter[], ranges: readonly TimeFilter[], isAnyKind: boolean): SQL {
  const first = sql`${folders.firstAnalysisAt}`
  const last = sql`${folders.lastAnalysisAt}`
  const [firstFits, lastFits] = [isWithin(first, ranges), isWithin(last, ranges)]
  const overlap = ranges.map(({ operator, value }) =>
    operator === 'min' ? sql`${last} >= ${value}` : sql`${first} <= ${value}`,
  )
  const isSure = isAnyKind ? sql`(${firstFits} or ${lastFits})` : sql`(${firstFits} and ${lastFits})`
  return sql`(${and(...overlap)} and (${isSure} or ${someAnalysis(filters)}))`
}

/** Conditions on folders that together mean: one of its analyses passes all filters. `[]` without filters. */
export function analysisConditions(filters: readonly ListFilter[]): SQL[] {
  if (filters.length === 0) return []
  const words = filters.filter(isWordFilter)
  const ranges = filters.filter(isRange)
  const isSelected = (kind: Analysed): boolean =>
    words.every(
      ({ field, operator, values }) => values.includes(kind[wordFields[field]!]) === (operator === 'in'),
    )
  const hasKind = sql`(${folders.analysed} & ${summaryMask(isSelected)}) <> 0`
  const known = words.length + ranges.length
  if (known < filters.length) return [hasKind, someAnalysis(filters)]
  if (ranges.length === 0) return [hasKind]
  return [hasKind, someInRange(filters, ranges, words.length === 0)]
}
