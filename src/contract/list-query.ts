/** The list grammar of the contract: paging, sorting and filters of every list, read from the query string. */
import type { ListQuery } from '../records/list-query.ts'
import { type ListFields, parseFilters } from './list/filters.ts'
import { parseFlag } from './list/flag.ts'
import { parsePaging, parseSorting } from './list/paging.ts'

export type { FieldKind, ListField, ListFields } from './list/filters.ts'
export { parseFlag } from './list/flag.ts'

/**
 * Reads what a list is asked for. Names that the list does not know are ignored, and no error repeats a value.
 *
 * @param nowMs what `now` and `today` are counted from
 * @throws {AppError} `value_invalid`, `type_invalid` or `structure_invalid`, with the parameter as `key_path`
 * @example
 * ```ts
 * import { parseListQuery } from './list-query.ts'
 *
 * const search = new URLSearchParams('status=NEW,OLD&total_omit=true')
 * const { filters, totalOmit } = parseListQuery(search, { status: { kind: 'text' } }, Date.now())
 * filters // → [{ field: 'status', operator: 'in', values: ['NEW', 'OLD'] }]
 * totalOmit // → true
 * ```
 */
export function parseListQuery(search: URLSearchParams, fields: ListFields, nowMs: number): ListQuery {
  return {
    ...parsePaging(search),
    totalOmit: parseFlag(search, 'total_omit', false),
    sorting: parseSorting(search, fields),
    filters: parseFilters(search, fields, nowMs),
  }
}
