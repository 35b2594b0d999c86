/** A parsed list query: filters, sorting and paging; and what answers it. */

export type JsonComparison = '==' | '!=' | '<=' | '>=' | '<' | '>'

/** A condition on a field inside a JSON object. */
export interface JsonCondition {
  /** Keys from the outside in; integers index arrays. */
  path: readonly string[]
  comparison: JsonComparison
  /** Text for `==` and `!=`, where `null` means JSON null or missing; a number for the others. */
  value: string | number | null
}

export type RangeOperator = 'min' | 'max'

/** Times are whole milliseconds of Unix time. */
export type ListValue = string | number | boolean | null

/** `field` names a field of the record. */
export type ListFilter =
  | { field: string; operator: 'in' | 'not_in'; values: ListValue[] }
  | { field: string; operator: RangeOperator; value: number | string }
  | { field: string; operator: 'search'; value: string }
  | { field: string; operator: 'json'; conditions: JsonCondition[] }

export interface SortKey {
  field: string
  direction: 'asc' | 'desc'
}

export interface Paging {
  offset: number
  /** `null` for all items. */
  limit: number | null
}

export interface ListQuery extends Paging {
  /** Whether the total count is left out. */
  totalOmit: boolean
  /** Most significant first. Ties are broken by primary key, descending. */
  sorting: SortKey[]
  /** An item must pass all of them. */
  filters: ListFilter[]
}

/** One page of a list. */
export interface Page<T> {
  items: readonly T[]
  /** Items over all pages; `null` if it was not requested. */
  total: number | null
}

/** One page of a list, read in batches while the response is written. */
export interface Listing<T> {
  batches: AsyncIterable<readonly T[]>
  total: number | null
}
