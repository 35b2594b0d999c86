/** What a list is asked for: which items, in which order, and which of them. */

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
  /** `null`: all there are. */
  limit: number | null
}

export interface ListQuery extends Paging {
  /** The number of all that match is not asked for. */
  totalOmit: boolean
  /** Most significant first. What is still equal is ordered by primary key, descending. */
  sorting: SortKey[]
  /** All must hold. */
  filters: ListFilter[]
}
