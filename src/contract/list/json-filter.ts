/** Conditions on fields inside a JSON object: `path op value`, several separated by commas. */
import { AppError } from '../../errors.ts'
import type { JsonComparison, JsonCondition } from '../../records/list-query.ts'
import { parseDecimal } from './time-value.ts'

const descriptor = /^([^=!<>]*)(==|!=|<=|>=|<|>)(.*)$/s

function readComparedValue(name: string, comparison: JsonComparison, text: string): JsonCondition['value'] {
  if (comparison === '==' || comparison === '!=') return text === 'null' ? null : text
  const number = parseDecimal(text)
  if (number === null)
    throw new AppError('type_invalid', `Invalid data type for param ${name}`, { details: { key_path: name } })
  return number
}

/**
 * Reads one descriptor. White space around path and value does not count. A value cannot hold a comma, for commas
 * separate descriptors wherever they stand, and a path cannot hold a key with `.`, `=`, `!`, `<` or `>`.
 *
 * @param name the parameter it stands in, for the error
 * @throws {AppError} `structure_invalid` without operator, path or value; `type_invalid` when an order is asked for
 *   against something that is no number
 */
export function parseJsonCondition(name: string, text: string): JsonCondition {
  const [, left = '', operator = '', right = ''] = descriptor.exec(text) ?? []
  const path = left.split('.').map((key) => key.trim())
  const value = right.trim()
  if (value === '' || path.includes(''))
    throw new AppError('structure_invalid', `Could not parse a JSON filter in param ${name}`, {
      details: { key_path: name },
    })
  const comparison = operator as JsonComparison
  return { path, comparison, value: readComparedValue(name, comparison, value) }
}
