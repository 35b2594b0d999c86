/** The list grammar of the contract: paging, sorting and filters of every list, read from the query string. */
import { type ListFields, type ListFilter, parseFilters } from './list/filters.ts'
import { parseFlag } from './list/flag.ts'
import { type Paging, parsePaging, parseSorting, type SortKey } from './list/paging.ts'

export type { FieldKind, ListField, ListFields, ListFilter, ListValue } from './list/filters.ts'
export { parseFlag } from './list/flag.ts'
export type { JsonComparison, JsonCondition } from './list/json-filter.ts'
export type { SortKey } from './list/paging.ts'

export interface ListQuery extends Paging {
  /** The number of all that match is not asked for. */
  totalOmit: boolean
  /** Most significant first. What is still equal is ordered by primary key, descending. */
  sorting: SortKey[]
  /** All must hold. */
  filters: ListFilter[]
}

/**
 * Reads what a list is asked for. Names that the list does not know are ignored, and no error repeats a value.
 *
 * @param nowMs what `now` and `today` are counted from
 * @throws {AppError} `value_invalid`, `type_invalid` or `structure_invalid`, with the parameter as `key_path`
 * @example parseListQuery(new URL(request.url).searchParams, { time_created: { kind: 'time', sortable: true } }, nowMs)
 */
export function parseListQuery(search: URLSearchParams, fields: ListFields, nowMs: number): ListQuery {
  return {
    ...parsePaging(search),
    totalOmit: parseFlag(search, 'total_omit', false),
    sorting: parseSorting(search, fields),
    filters: parseFilters(search, fields, nowMs),
  }
}
