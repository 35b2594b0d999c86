/** Filters of lists: `f=a,b`, `f.exclude=a,b`, `f.min=x`, `f.max=x`, for the fields of a list. */
import { AppError } from '../../errors.ts'
import type { ListFilter, RangeOperator } from '../../records/list-query.ts'
import { isUuid } from '../../uuid.ts'
import { parseBoolean } from './flag.ts'
import { parseJsonCondition } from './json-filter.ts'
import { parseDecimal, parseTime } from './time-value.ts'

/** `search` finds a text within other texts; `json` is a set of conditions on fields of a JSON object. */
export type FieldKind = 'text' | 'uuid' | 'time' | 'number' | 'boolean' | 'choice' | 'search' | 'json'

type ListOperator = 'in' | 'not_in' | RangeOperator

export interface ListField {
  kind: FieldKind
  /** The field of the record. Default: the same name. */
  reads?: string
  /** The values of a choice, as in answers. */
  choices?: readonly string[]
  /** The internal values of choices. Default: the same word. */
  meaning?: Readonly<Record<string, string>>
  /** The value that answers show as `null`. Default: none, `null` finds what has no value. */
  shownAsNull?: boolean | string
  /** How values of texts are written in records. Default: as they are sent. */
  normalize?: (text: string) => string
  /** Whether `sorting` may name it. Default: false. */
  sortable?: boolean
  /** Default: all operators of the kind. A filter with another operator is refused like any unknown name. */
  operators?: readonly ListOperator[]
}

/** Fields by wire name, such as `time_created` or `analyse.resolution_status`. */
export type ListFields = Readonly<Record<string, ListField>>

/** Number of values over all filters of a request. */
const valuesMax = 1000
/** Number of searches and JSON conditions in a request. Each is a term of the SQL query, which may have 1000. */
const conditionsMax = 100
/** Number of searches in a request. Each search reads every row in scope. */
const searchesMax = 3
/** Characters of one value. */
const valueLengthMax = 1000

const suffixes: readonly [suffix: string, operator: ListOperator][] = [
  ['', 'in'],
  ['.exclude', 'not_in'],
  ['.min', 'min'],
  ['.max', 'max'],
]

const sets: readonly ListOperator[] = ['in', 'not_in']
const setsAndRanges: readonly ListOperator[] = ['in', 'not_in', 'min', 'max']
/** The operators of each kind; searches and JSON filters have no suffixes. */
const fitting: Readonly<Record<FieldKind, readonly ListOperator[]>> = {
  text: setsAndRanges,
  uuid: sets,
  time: setsAndRanges,
  number: setsAndRanges,
  boolean: sets,
  choice: sets,
  search: ['in'],
  json: ['in'],
}

/** @param expected what is allowed */
const badValue = (
  name: string,
  expected: string,
  message = `Invalid param value for ${name}: must be ${expected}`,
): AppError =>
  new AppError('value_invalid', message, {
    details: { key_path: name, expected },
    place: name,
  })

const badType = (name: string, expected: string): AppError =>
  new AppError('type_invalid', `Invalid data type for param ${name}: must be ${expected}`, {
    details: { key_path: name, expected },
    place: name,
  })

const timeForms = 'Unix seconds or milliseconds, an ISO 8601 time, now or today'

type ScalarKind = Exclude<FieldKind, 'search' | 'json'>

/** Parsers for one value of each kind. Errors name the parameter. */
const readers: Readonly<
  Record<
    ScalarKind,
    (text: string, name: string, field: ListField, nowMs: number) => string | number | boolean
  >
> = {
  text: (text, _name, { normalize }) => (normalize ? normalize(text) : text),
  uuid(text, name) {
    const id = text.trim().toLowerCase()
    if (!isUuid(id)) throw badValue(name, 'a UUID', 'Invalid value for uuid field')
    return id
  },
  time(text, name, _field, nowMs) {
    const time = parseTime(text, nowMs)
    if (time === null) throw badType(name, timeForms)
    return time
  },
  number(text, name) {
    const number = parseDecimal(text.trim())
    if (number === null) throw badType(name, 'a number')
    return number
  },
  boolean(text, name) {
    const flag = parseBoolean(text)
    if (flag === null) throw badValue(name, 'true or false')
    return flag
  },
  choice(text, name, { choices = [], meaning = {} }) {
    const wanted = text.trim().toUpperCase()
    const choice = choices.find((known) => known.toUpperCase() === wanted)
    if (choice === undefined) throw badValue(name, `one of ${choices.join(', ')}`)
    return meaning[choice] ?? choice
  },
}

const isSet = (operator: ListOperator): operator is 'in' | 'not_in' =>
  operator === 'in' || operator === 'not_in'

interface NamedFilter {
  /** The name of the parameter, suffix included. */
  name: string
  key: string
  field: ListField
  operator: ListOperator
  /** All values of the parameter, repetitions included. Values are split at commas, except for searches. */
  texts: string[]
}

function readFilter(
  { name, key: wireName, field, operator, texts }: NamedFilter,
  nowMs: number,
): ListFilter[] {
  const { kind } = field
  const key = field.reads ?? wireName
  if (kind === 'search')
    return texts.filter(Boolean).map((value) => ({ field: key, operator: 'search', value }))
  if (kind === 'json') {
    const conditions = texts.map((text) => parseJsonCondition(name, text))
    return [{ field: key, operator: 'json', conditions }]
  }
  const read = (text: string) => readers[kind](text, name, field, nowMs)
  if (isSet(operator)) {
    const values = texts.map((text) => (text === 'null' ? (field.shownAsNull ?? null) : read(text)))
    return [{ field: key, operator, values }]
  }
  const [text, ...more] = texts
  if (text === undefined || more.length > 0) throw badValue(name, 'one value')
  const value = read(text)
  if (text === 'null' || typeof value === 'boolean') throw badType(name, 'a value')
  return [{ field: key, operator, value }]
}

const listFilters = (fields: ListFields): Omit<NamedFilter, 'texts'>[] =>
  Object.entries(fields).flatMap(([key, field]) =>
    suffixes
      .filter(([, operator]) => (field.operators ?? fitting[field.kind]).includes(operator))
      .map(([suffix, operator]) => ({ name: key + suffix, key, field, operator })),
  )

function collectFilters(search: URLSearchParams, fields: ListFields): NamedFilter[] {
  return listFilters(fields)
    .filter(({ name }) => search.has(name))
    .map((filter) => {
      const sent = search.getAll(filter.name)
      const texts = filter.field.kind === 'search' ? sent : sent.flatMap((text) => text.split(','))
      return { ...filter, texts }
    })
}

function refuseExcess(named: readonly NamedFilter[]): void {
  let values = 0
  let conditions = 0
  let searches = 0
  for (const { name, field, texts } of named) {
    values += texts.length
    if (field.kind === 'search' || field.kind === 'json') conditions += texts.length
    if (field.kind === 'search') searches += texts.length
    if (texts.some(({ length }) => length > valueLengthMax))
      throw badValue(name, `at most ${valueLengthMax} characters`)
    if (values > valuesMax) throw badValue(name, `at most ${valuesMax} values in all filters`)
    if (conditions > conditionsMax) throw badValue(name, `at most ${conditionsMax} conditions in all filters`)
    if (searches > searchesMax) throw badValue(name, `at most ${searchesMax} searches in all filters`)
  }
}

/** The names of all filters of a list. */
export const filterNames = (fields: ListFields): string[] => listFilters(fields).map(({ name }) => name)

/**
 * Parses the filters for the fields of a list.
 *
 * @param nowMs the time that `now` and `today` refer to
 * @throws {AppError} `value_invalid` for an invalid choice, boolean or UUID, several values for `.min` or `.max`, or too
 *   many or too long values; `type_invalid` for an invalid number or time; `structure_invalid` for a malformed JSON filter
 */
export function parseFilters(search: URLSearchParams, fields: ListFields, nowMs: number): ListFilter[] {
  const named = collectFilters(search, fields)
  refuseExcess(named)
  return named.flatMap((filter) => readFilter(filter, nowMs))
}
