/** What a caller may send instead of a value that was refused, in words. */
import type * as v from 'valibot'

/** Words for the types of schemas. */
const typeWords: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  strict_object: 'an object',
  record: 'an object',
  custom: 'an object',
}

/** Validations whose name is their meaning. */
const validationWords: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  uuid: 'a UUID',
}

/** `("A" | "B")` and `(boolean | (0 | 1))`, as schemas name their options, as a list of them. */
const listOptions = (expected: string): string =>
  expected
    .split('|')
    .map((option) => option.replace(/[()"\s]/g, '').replace(/^boolean$/, 'true, false'))
    .join(', ')

const unitOf = (input: unknown): string => (typeof input === 'string' ? 'characters' : 'items')

/** Schemas give their checks a message that says what is allowed; those of the library begin in this way. */
const isOwnMessage = (message: string): boolean => !message.startsWith('Invalid ')

/** What a schema expects at the place of an issue, such as `a number` or `at most 100 items`; `null` if it cannot be said. */
export function describeExpected(issue: v.BaseIssue<unknown>): string | null {
  const { kind, type, expected, input, message } = issue
  // A key that is missing is an issue of its object, not of the value.
  if (type.endsWith('object') && issue.received === 'undefined') return null
  const limit = 'requirement' in issue ? Number(issue.requirement) : Number.NaN
  if (type === 'picklist' || type === 'union') return expected && `one of ${listOptions(expected)}`
  if (kind === 'schema') return typeWords[type] ?? null
  if (type === 'max_value') return `at most ${limit}`
  if (type === 'min_value') return `at least ${limit}`
  if (type === 'max_length') return `at most ${limit} ${unitOf(input)}`
  if (type === 'min_length') return `at least ${limit} ${unitOf(input)}`
  return validationWords[type] ?? (isOwnMessage(message) ? message : null)
}
