/** The query grammar of all lists in the contract: paging, sorting and filters. */
import type { ListQuery } from '../records/list-query.ts'
import { filterNames, type ListFields, parseFilters } from './list/filters.ts'
import { parseFlag } from './list/flag.ts'
import { parsePaging, parseSorting } from './list/paging.ts'
import { readUnknownNames } from './unknown-name.ts'

export type { FieldKind, ListField, ListFields } from './list/filters.ts'
export { parseFlag } from './list/flag.ts'

/** Parameters of every list. Browsers' clients add `_` to get past caches. */
const commonNames = ['offset', 'limit', 'sorting', 'total_omit', '_']

export interface ReadListQuery extends ListQuery {
  /** Names that mean nothing here, as an answer may repeat them. */
  ignored: readonly string[]
}

/**
 * Parses the query string of a list. Errors never repeat a value.
 *
 * @param nowMs the time that `now` and `today` refer to
 * @param flags further parameters of the list, which the caller reads
 * @throws {AppError} `value_invalid`, `type_invalid` or `structure_invalid`, with the parameter as `key_path`; `value_invalid`
 *   also for an unknown parameter that is spelled like a known one, so that a misspelled filter does not return the whole list
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
export function parseListQuery(
  search: URLSearchParams,
  fields: ListFields,
  nowMs: number,
  flags: readonly string[] = [],
): ReadListQuery {
  const known = new Set([...commonNames, ...filterNames(fields), ...flags])
  return {
    ...parsePaging(search),
    totalOmit: parseFlag(search, 'total_omit', false),
    sorting: parseSorting(search, fields),
    filters: parseFilters(search, fields, nowMs),
    ignored: readUnknownNames(search.keys(), known),
  }
}
