/** Schemas of requests and answers as JSON Schema (2020-12), for the API reference. */
import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'

/** Schemas that no JSON Schema can be derived from, with those that describe them. */
const forms = new WeakMap<object, GenericSchema>()

/** Describes a schema by another one: custom checks and transformed input say nothing about the form of the input. */
export function describeBy<Schema extends GenericSchema>(schema: Schema, form: GenericSchema): Schema {
  forms.set(schema, form)
  // Of a pipe the conversion sees the parts alone.
  for (const part of 'pipe' in schema ? (schema.pipe as readonly GenericSchema[]) : [])
    if (part.kind === 'schema') forms.set(part, form)
  return schema
}

/** @param refs what to refer to schemas by, instead of repeating them; `schema` itself is always written out */
export function toJsonForm(schema: GenericSchema, refs: ReadonlyMap<object, string>): JsonSchema {
  const { $schema: _, ...form } = toJsonSchema(schema as Parameters<typeof toJsonSchema>[0], {
    target: 'draft-2020-12',
    typeMode: 'input',
    errorMode: 'ignore',
    overrideSchema({ valibotSchema }) {
      const $ref = valibotSchema === (schema as unknown) ? undefined : refs.get(valibotSchema)
      if ($ref) return { $ref }
      const described = forms.get(valibotSchema)
      return described ? toJsonForm(described, refs) : undefined
    },
  })
  return form
}
