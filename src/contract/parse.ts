import * as v from 'valibot'
import { AppError } from '../errors.ts'

const keyPath = (issue: v.BaseIssue<unknown>): string =>
  (issue.path ?? []).map((item) => String(item.key)).join('.')

function refusal(issue: v.BaseIssue<unknown>): AppError {
  const path = keyPath(issue)
  if (issue.kind === 'schema' && issue.received === 'undefined') {
    return new AppError(
      'structure_invalid',
      `Could not locate field for key_path ${path} from provided dict data`,
      {
        details: { key_path: path },
      },
    )
  }
  // Objects of an object schema that are missing a key are reported as a whole, with the key in `expected`.
  if (issue.kind === 'schema' && issue.type !== 'picklist') {
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
  throw refusal(result.issues[0])
}
