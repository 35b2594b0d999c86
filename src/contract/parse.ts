import * as v from 'valibot'
import { AppError, missingMember } from '../errors.ts'
import { describeExpected } from './expectation.ts'
import { describeBy } from './json-form.ts'
import { describeUnknownName, sanitizeName } from './unknown-name.ts'

/** The whole numbers that are numbers; longer ones are of type `bigint`. */
const exactRange = 'from -2^53 to 2^53'

/** Message of a check that refuses a type which the schema accepts. */
const wrongType = 'wrong type'

/** A JSON object with any keys and values. Its keys are not validated, as there may be thousands. */
export const jsonObject = describeBy(
  v.custom<Record<string, unknown>>(
    (value) => value !== null && typeof value === 'object' && !Array.isArray(value),
    wrongType,
  ),
  v.record(v.string(), v.unknown()),
)

const flagWords: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/** A boolean. Some clients send `1` and `0`, and those that build forms send text. */
export const flagSchema = describeBy(
  v.pipe(
    v.unknown(),
    v.transform((value) => {
      const isWord = typeof value === 'string' || typeof value === 'number'
      return isWord ? (flagWords.get(String(value).toLowerCase()) ?? value) : value
    }),
    v.boolean(),
  ),
  v.boolean(),
)

/** Prefix for the keys of a record while it is validated. No key in a schema starts with it. */
const mark = '.'

/** Renames the keys of a record. All keys are own properties: `__proto__` is a key like any other. */
function renameKeys<Value>(record: Record<string, Value>, rename: (key: string) => string) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [rename(key), value]))
}

/**
 * An object with any keys and values of one schema. `v.record` alone also accepts arrays and drops `__proto__`,
 * `constructor` and `prototype`, so the keys get a prefix during validation.
 */
export const objectOf = <Value extends v.GenericSchema>(value: Value) =>
  describeBy(
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
    ),
    v.record(v.string(), value),
  )

const isUnknownMember = ({ type, expected }: v.BaseIssue<unknown>): boolean =>
  type === 'strict_object' && expected === 'never'

/** An object without other members than these: one that is misspelled must not be ignored. */
export const strictMembers = <Entries extends v.ObjectEntries>(entries: Entries) =>
  describeBy(
    v.pipe(
      v.unknown(),
      v.check((members) => !Array.isArray(members), wrongType),
      v.strictObject(entries, (issue) =>
        isUnknownMember(issue)
          ? describeUnknownName(String(issue.path?.at(-1)?.key), Object.keys(entries))
          : 'invalid object',
      ),
    ),
    v.strictObject(entries),
  )

/** Characters of a key that an error repeats; names of files have fewer. */
const keyLengthMax = 255

const formatKeyPath = (issue: v.BaseIssue<unknown>): string =>
  (issue.path ?? [])
    .map(({ key }) => {
      const from = typeof key === 'string' && key.startsWith(mark) ? mark.length : 0
      return String(key).slice(from, from + keyLengthMax)
    })
    .join('.')

/** The same for the log: keys that the caller chose are left out. */
const formatPlace = (issue: v.BaseIssue<unknown>): string =>
  (issue.path ?? [])
    .map(({ key }, index, { length }) => {
      const isOfCaller = typeof key === 'string' && key.startsWith(mark)
      return isOfCaller || (isUnknownMember(issue) && index === length - 1) ? '*' : String(key)
    })
    .join('.')

function toAppError(issue: v.BaseIssue<unknown>): AppError {
  const place = formatPlace(issue)
  if (isUnknownMember(issue)) {
    const details = { key_path: sanitizeName(formatKeyPath(issue)) }
    return new AppError('value_invalid', issue.message, { details, place })
  }
  const path = formatKeyPath(issue)
  const expected = describeExpected(issue)
  if (issue.kind === 'schema' && issue.received === 'undefined') return missingMember(path, place, expected)
  const details = { key_path: path, ...(expected === null ? {} : { expected }) }
  const help = expected === null ? '' : `: must be ${expected}`
  // A long number is not of another type.
  if (issue.type === 'number' && typeof issue.input === 'bigint')
    return new AppError('value_invalid', `Invalid param value for '${path}'${help} ${exactRange}`, {
      details: { key_path: path, expected: `${expected} ${exactRange}` },
      place,
    })
  if ((issue.kind === 'schema' && issue.type !== 'picklist') || issue.message === wrongType)
    return new AppError('type_invalid', `Invalid data type for param '${path}'${help}`, { details, place })
  return new AppError('value_invalid', `Invalid param value for '${path}'${help}`, { details, place })
}

/**
 * Parses input from a caller. The error names the key path and never repeats the value.
 * @throws {AppError} `structure_invalid` for a missing key, `type_invalid` for a wrong type, `value_invalid` for a value
 *   outside its limits
 */
export function parseWith<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, value, { abortEarly: true })
  if (result.success) return result.output
  throw toAppError(result.issues[0])
}
