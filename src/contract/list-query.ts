/** The query grammar of all lists in the contract: paging, sorting and filters. */
import type { ListQuery } from '../records/list-query.ts'
import { type ListFields, parseFilters } from './list/filters.ts'
import { parseFlag } from './list/flag.ts'
import { parsePaging, parseSorting } from './list/paging.ts'

export type { FieldKind, ListField, ListFields } from './list/filters.ts'
export { parseFlag } from './list/flag.ts'

/**
 * Parses the query string of a list. Unknown names are ignored. Errors never repeat a value.
 *
 * @param nowMs the time that `now` and `today` refer to
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
