/** Conditions on fields of a JSON object: `path op value`, separated by commas. */
import { AppError } from '../../errors.ts'
import type { JsonComparison, JsonCondition } from '../../records/list-query.ts'
import { parseDecimal } from './time-value.ts'

const descriptor = /^([^=!<>]*)(==|!=|<=|>=|<|>)(.*)$/s

function readComparedValue(name: string, comparison: JsonComparison, text: string): JsonCondition['value'] {
  if (comparison === '==' || comparison === '!=') return text === 'null' ? null : text
  const number = parseDecimal(text)
  if (number === null)
    throw new AppError(
      'type_invalid',
      `Invalid data type for param ${name}: must be a number after ${comparison}`,
      { details: { key_path: name, expected: `a number after ${comparison}` }, place: name },
    )
  return number
}

/**
 * Parses one condition. White space around path and value is ignored. A value cannot contain a comma, since commas always
 * separate conditions, and a path cannot have a key with `.`, `=`, `!`, `<` or `>`.
 *
 * @param name name of the parameter, for the error
 * @throws {AppError} `structure_invalid` without operator, path or value; `type_invalid` if `<`, `<=`, `>` or `>=` is used
 *   with something other than a number
 */
export function parseJsonCondition(name: string, text: string): JsonCondition {
  const [, left = '', operator = '', right = ''] = descriptor.exec(text) ?? []
  const path = left.split('.').map((key) => key.trim())
  const value = right.trim()
  if (value === '' || path.includes(''))
    throw new AppError('structure_invalid', `Could not parse a JSON filter in param ${name}`, {
      details: { key_path: name, expected: 'path, one of == != <= >= < >, value' },
      place: name,
    })
  const comparison = operator as JsonComparison
  return { path, comparison, value: readComparedValue(name, comparison, value) }
}
