/** Turns a parsed list query into SQL conditions and an order. */
import { and, asc, Column, desc, is, isNotNull, isNull, not, or, type SQL, sql } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import { invariant } from '../../errors.ts'
import type { JsonCondition, ListFilter, ListValue, SortKey } from '../../records/list-query.ts'

export interface ListColumn {
  /** Times are integer milliseconds; other values are converted as the column defines. */
  column: AnySQLiteColumn | SQL
}

/** Conditions on fields of a JSON object, evaluated on a side table with one row per scalar leaf. */
export interface JsonLeaves {
  /** SQL that is true for the outer rows that meet the condition. */
  condition(condition: JsonCondition): SQL
}

/** For each field, how its filters become SQL: a column, JSON leaves, or a function if other tables are involved. */
export type ListColumns = Readonly<Record<string, ListColumn | JsonLeaves | ((filter: ListFilter) => SQL)>>

/** Columns of a side table with one row per leaf, unique by owner and path, and an index on (path, value). */
export interface LeafColumns {
  owner: AnySQLiteColumn
  path: AnySQLiteColumn
  value: AnySQLiteColumn
}

/** One scalar of a JSON object, as stored in a side table. */
export interface JsonLeaf {
  /** Keys and array indexes from the outside in, joined by dots. */
  path: string
  value: string
}

const leavesMax = 200
const leafDepthMax = 16
/** Code points of a value that are stored and compared. */
const leafValueLengthMax = 200
/** In UTF-16 units. Leaves with longer paths are not stored. */
const leafPathLengthMax = 500

const allOf = (conditions: readonly (SQL | undefined)[]): SQL => and(...conditions) ?? sql`1`

/** Drivers and column modes treat booleans differently; numbers are the same everywhere. */
const toStored = (value: ListValue): string | number | null =>
  typeof value === 'boolean' ? Number(value) : value

/** A value as it is stored in the column. */
const bind = (column: ListColumn['column'], value: ListValue): SQL =>
  sql`${is(column, Column) ? sql.param(toStored(value), column) : toStored(value)}`

/** `column in (values)`, with `null` as a value of its own. */
function oneOf(column: ListColumn['column'], values: readonly ListValue[]): SQL {
  // With a bound value the engine would not use the partial indexes.
  if (values.length === 1 && typeof values[0] === 'boolean')
    return sql`${column} = ${sql.raw(String(toStored(values[0])))}`
  const named = values.filter((value) => value !== null).map((value) => bind(column, value))
  const isAmong = named.length > 0 ? sql`${column} in ${named}` : undefined
  return or(isAmong, values.includes(null) ? isNull(column) : undefined) ?? sql`0`
}

/** `column not in (values)`. Rows without a value never pass, as in any SQL comparison; `null` alone means "has a value". */
function noneOf(column: ListColumn['column'], values: readonly ListValue[]): SQL {
  const named = values.filter((value) => value !== null).map((value) => bind(column, value))
  return allOf([isNotNull(column), named.length > 0 ? sql`${column} not in ${named}` : undefined])
}

/** Whether a column has one of these numbers, which may be more than a statement takes as parameters (32 766). */
export const amongNumbers = (column: AnySQLiteColumn, numbers: readonly number[]): SQL =>
  sql`${column} in (select value from json_each(${JSON.stringify(numbers)}))`

/** The same for a column of UUIDs. */
export const amongIds = (column: AnySQLiteColumn, ids: readonly string[]): SQL =>
  sql`${column} in (select unhex(value, '-') from json_each(${JSON.stringify(ids)}))`

/** True if a column contains a text. ASCII letters are compared without case. */
export function containsText(column: ListColumn['column'], text: string): SQL {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
  return sql`${column} like ${pattern} escape '\\'`
}

/** A UUID as text with dashes, in upper case; searches ignore case. */
const uuidText = (column: AnySQLiteColumn): SQL =>
  sql`(${sql.join(
    [
      [1, 8],
      [9, 4],
      [13, 4],
      [17, 4],
      [21, 12],
    ].map(([start, length]) => sql`substr(hex(${column}), ${sql.raw(`${start}, ${length}`)})`),
    sql` || '-' || `,
  )})`

/**
 * Rows whose id, a space and metadata, joined in this order, contain a text. Formatting the id is slow, so it is skipped
 * for texts that cannot occur in an id.
 */
export const containsInIdOrMetadata =
  ({ id, metadata }: { id: AnySQLiteColumn; metadata: AnySQLiteColumn }) =>
  (filter: ListFilter): SQL => {
    if (filter.operator !== 'search') throw new TypeError(`the field ${filter.field} can be searched only`)
    const { value } = filter
    const text = uuidText(id)
    if (value.includes(' ')) return containsText(sql`(${text} || ' ' || ${metadata})`, value)
    const inMetadata = containsText(metadata, value)
    if (!/^[\da-f-]+$/i.test(value)) return inMetadata
    const digits = containsText(sql`hex(${id})`, value.replaceAll('-', ''))
    return sql`(${inMetadata} or (${digits} and ${containsText(text, value)}))`
  }

function columnCondition({ column }: ListColumn, filter: ListFilter): SQL {
  switch (filter.operator) {
    case 'in':
      return oneOf(column, filter.values)
    case 'not_in':
      return noneOf(column, filter.values)
    case 'min':
      return sql`${column} >= ${bind(column, filter.value)}`
    case 'max':
      return sql`${column} <= ${bind(column, filter.value)}`
    case 'search':
      return containsText(column, filter.value)
    case 'json':
      throw new TypeError(`the field ${filter.field} has no leaves to look for`)
  }
}

/**
 * Returns one condition per filter; a row must meet all of them.
 * @throws {TypeError} if a filter names a field that has no column, or one of the wrong kind
 */
export function listConditions(filters: readonly ListFilter[], columns: ListColumns): SQL[] {
  return filters.map((filter) => {
    const source = columns[filter.field]
    invariant(source, `the list filters by ${filter.field} but stores no such field`)
    if (typeof source === 'function') return source(filter)
    if ('column' in source) return columnCondition(source, filter)
    invariant(filter.operator === 'json', `${filter.field} can be filtered by JSON conditions only`)
    return allOf(filter.conditions.map((condition) => source.condition(condition)))
  })
}

/**
 * The order of a list. Ties are broken by primary key, descending, so that the order is total.
 * @throws {TypeError} if the sorting names a field that has no column
 */
export function listOrder(
  sorting: readonly SortKey[],
  columns: ListColumns,
  primaryKey: ListColumn['column'],
): SQL[] {
  const keys = sorting.map(({ field, direction }) => {
    const source = columns[field]
    invariant(source && 'column' in source, `the list sorts by ${field} but stores no such field`)
    return direction === 'asc' ? asc(source.column) : desc(source.column)
  })
  return [...keys, desc(primaryKey)]
}

/** The first code points of a value. Surrogate pairs are never split. */
const truncateValue = (value: string): string =>
  value.length <= leafValueLengthMax
    ? value
    : Array.from(value.slice(0, 2 * leafValueLengthMax))
        .slice(0, leafValueLengthMax)
        .join('')

/** Only JSON numbers are compared as numbers: not dates, `0x1f` or `007`. */
const isNumeric = ({ value }: LeafColumns): SQL =>
  sql`case when json_valid(${value}) then json_type(${value}) in ('integer', 'real') else 0 end`

/** A leaf at a path, or anywhere below it. */
function atOrBelow({ path }: LeafColumns, wanted: string): SQL {
  // `/` is the character after `.`, so this is the range of all texts that start with the path and a dot.
  return sql`(${path} = ${wanted} or (${path} > ${`${wanted}.`} and ${path} < ${`${wanted}/`}))`
}

function leafCondition(leaves: LeafColumns, { comparison, value }: JsonCondition): SQL {
  if (comparison === '!=') return sql`${leaves.value} <> ${truncateValue(String(value))}`
  return sql`${isNumeric(leaves)} and cast(${leaves.value} as real) ${sql.raw(comparison)} ${value}`
}

/** Leaves with the path and the value of a condition. */
export const equalLeaf = ({ path, value }: Pick<LeafColumns, 'path' | 'value'>, wanted: JsonCondition): SQL =>
  sql`${path} = ${wanted.path.join('.')} and ${value} = ${truncateValue(String(wanted.value))}`

/**
 * Conditions on the leaves that `flattenJson` returns. Texts are compared by their first 200 characters. A row without a
 * leaf at the path passes `== null` only. An object or array exists if it has a leaf below it, and equals no value.
 *
 * @param outerKey the key of the outer row that `owner` refers to
 */
export function metadataLeaves(leaves: LeafColumns, outerKey: ListColumn['column']): JsonLeaves {
  const { owner, path } = leaves
  const has = (leaf: SQL): SQL =>
    sql`exists (select 1 from ${owner.table} where ${owner} = ${outerKey} and ${leaf})`
  return {
    condition(wanted) {
      const key = wanted.path.join('.')
      if (wanted.value === null) {
        const present = has(atOrBelow(leaves, key))
        return wanted.comparison === '==' ? not(present) : present
      }
      if (wanted.comparison === '==') return has(equalLeaf(leaves, wanted))
      return has(sql`${path} = ${key} and ${leafCondition(leaves, wanted)}`)
    },
  }
}

function toLeafText(value: unknown): string | null {
  if (typeof value === 'string') return truncateValue(value)
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
    ? String(value)
    : null
}

/** A lone surrogate has no UTF-8 form, so two keys with different ones would get the same path. */
const canBeNamed = (key: string): boolean => key !== '' && !/[.]|\p{Surrogate}/u.test(key)

/**
 * The scalars of a JSON value by path, the outermost first. Booleans become `true` and `false`, numbers are formatted as
 * in JavaScript. Left out are nulls, empty objects and arrays, keys that are empty, contain a dot or are not well-formed,
 * a scalar without a container, and whatever exceeds 200 leaves, 16 levels or a path of 500 characters. Longer values are
 * cut to 200 characters.
 */
export function flattenJson(value: unknown): JsonLeaf[] {
  const leaves: JsonLeaf[] = []
  let level: [path: string, value: unknown][] = [['', value]]
  for (let depth = 0; depth < leafDepthMax && level.length > 0; depth++) {
    const next: typeof level = []
    for (const [prefix, container] of level) {
      if (typeof container !== 'object' || container === null) continue
      for (const [key, member] of Object.entries(container)) {
        const path = prefix === '' ? key : `${prefix}.${key}`
        if (!canBeNamed(key) || path.length > leafPathLengthMax) continue
        const text = toLeafText(member)
        if (text === null) next.push([path, member])
        else if (leaves.push({ path, value: text }) === leavesMax) return leaves
      }
    }
    level = next
  }
  return leaves
}
