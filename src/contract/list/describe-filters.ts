/** The filters of a list in words, for the API reference. */
import { type FieldKind, filterNames, type ListField, type ListFields } from './filters.ts'
import type { ParameterSchema, QueryParameter } from './query-parameter.ts'

const kindWords: Readonly<Record<FieldKind, string>> = {
  text: 'texts, separated by commas',
  uuid: 'UUIDs, separated by commas',
  time: 'a time: Unix seconds, ISO 8601, now or today',
  number: 'a number',
  boolean: 'true or false',
  choice: 'words, separated by commas',
  search: 'a text to look for',
  json: 'conditions on fields, such as transaction_id==t-1',
}

const describeField = ({ kind, choices }: ListField): string =>
  choices ? `${kindWords[kind]}: ${choices.join(', ')}` : kindWords[kind]

const suffixWords: Readonly<Record<string, string>> = {
  exclude: 'without these',
  min: 'from',
  max: 'up to',
}

function schemaOfValue({ kind, choices }: ListField): ParameterSchema {
  if (kind === 'number') return { type: 'number' }
  if (kind === 'boolean') return { type: 'boolean' }
  if (kind === 'uuid') return { type: 'string', format: 'uuid' }
  return choices ? { type: 'string', enum: choices } : { type: 'string' }
}

/** Sets have several values; bounds, switches and texts to look for have one. */
const schemaOf = (field: ListField, suffix: string): ParameterSchema =>
  suffix === 'min' || suffix === 'max' || field.kind === 'boolean' || field.kind === 'search'
    ? schemaOfValue(field)
    : { type: 'array', items: schemaOfValue(field) }

/** The parameters of a list's filters, with what they take. */
export const describeFilters = (fields: ListFields): Record<string, QueryParameter> =>
  Object.fromEntries(
    [...filterNames(fields)].map((name) => {
      const [, own = name, suffix = ''] = Object.hasOwn(fields, name)
        ? [name, name]
        : (/^(.*)\.(exclude|min|max)$/.exec(name) ?? [])
      const field = fields[own]!
      const words = describeField(field)
      const text = suffix ? `${suffixWords[suffix]}: ${words}` : words
      return [name, { text, schema: schemaOf(field, suffix) }]
    }),
  )
