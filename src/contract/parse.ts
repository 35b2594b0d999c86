import * as v from 'valibot'
import { AppError } from '../errors.ts'

/** Message of a check that refuses a type which a schema lets through. */
const wrongType = 'wrong type'

/** An object of JSON with any keys and values. Its keys are not looked at: there may be thousands. */
export const jsonObject = v.custom<Record<string, unknown>>(
  (value) => value !== null && typeof value === 'object' && !Array.isArray(value),
  wrongType,
)

/** Stands before the keys of a record while it is validated. No key that a schema names begins with it. */
const mark = '.'

/** A record with other keys, all of them its own: `__proto__` is a key like any other. */
function renameKeys<Value>(record: Record<string, Value>, rename: (key: string) => string) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [rename(key), value]))
}

/**
 * An object with any keys and values of one kind. `v.record` alone takes arrays too, and leaves out `__proto__`, `constructor` and `prototype`,
 * so it gets marked keys to look at.
 */
export const objectOf = <Value extends v.GenericSchema>(value: Value) =>
  v.pipe(
    v.unknown(),
    v.check((record) => !Array.isArray(record), wrongType),
    v.transform((record) =>
      record !== null && typeof record === 'object'
        ? renameKeys(record as Record<string, unknown>, (key) => mark + key)
        : record,
    ),
    v.record(v.string(), value),
    v.transform(
      (record): Record<string, v.InferOutput<Value>> =>
        renameKeys(record as Record<string, v.InferOutput<Value>>, (key) => key.slice(mark.length)),
    ),
  )

const formatKeyPath = (issue: v.BaseIssue<unknown>): string =>
  (issue.path ?? [])
    .map(({ key }) =>
      typeof key === 'string' && key.startsWith(mark) ? key.slice(mark.length) : String(key),
    )
    .join('.')

function toAppError(issue: v.BaseIssue<unknown>): AppError {
  const path = formatKeyPath(issue)
  if (issue.kind === 'schema' && issue.received === 'undefined') {
    return new AppError(
      'structure_invalid',
      `Could not locate field for key_path ${path} from provided dict data`,
      {
        details: { key_path: path },
      },
    )
  }
  if ((issue.kind === 'schema' && issue.type !== 'picklist') || issue.message === wrongType) {
    return new AppError('type_invalid', `Invalid data type for param '${path}'`, {
      details: { key_path: path },
    })
  }
  return new AppError('value_invalid', `Invalid param value for '${path}'`, { details: { key_path: path } })
}

/**
 * Parses what a caller sent. The error names the place and never repeats the value.
 * @throws {AppError} `structure_invalid` for a missing key, `type_invalid` for a wrong type, `value_invalid` for a value
 *   outside its bounds
 */
export function parseWith<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, value, { abortEarly: true })
  if (result.success) return result.output
  throw toAppError(result.issues[0])
}
