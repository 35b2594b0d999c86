/** Schemas of requests and answers as OpenAPI 3.0 writes them, for the API reference. */
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

const isObject = ({ $ref, type }: JsonSchema): boolean => $ref !== undefined || type === 'object'

/** The same form without what generators of clients stumble over. */
function simplify({ $ref, ...form }: JsonSchema): JsonSchema {
  // Their classes for a choice between types read no answer, or do not compile.
  if (form.anyOf?.some((option) => !isObject(option as JsonSchema))) return {}
  if (form.enum) form.type ??= typeof form.enum[0] as 'string'
  if (form.type === 'boolean') delete form.enum
  if (form.nullable) {
    if (form.enum && !form.enum.includes(null)) form.enum = [...form.enum, null]
    if (typeof form.default === 'object' && !Array.isArray(form.default)) delete form.default
    if ($ref) return { allOf: [{ $ref }], ...form }
    // Any value.
    if (!form.type && !form.allOf) return {}
  }
  return $ref ? { $ref } : form
}

/** @param refs what to refer to schemas by, instead of repeating them; `schema` itself is always written out */
export function toJsonForm(schema: GenericSchema, refs: ReadonlyMap<object, string>): JsonSchema {
  const { $schema: _, ...form } = toJsonSchema(schema as Parameters<typeof toJsonSchema>[0], {
    target: 'openapi-3.0',
    typeMode: 'input',
    errorMode: 'ignore',
    overrideSchema({ valibotSchema, jsonSchema }) {
      const $ref = valibotSchema === (schema as unknown) ? undefined : refs.get(valibotSchema)
      if ($ref) return { $ref }
      const described = forms.get(valibotSchema)
      return described ? toJsonForm(described, refs) : simplify(jsonSchema)
    },
    // Each language has its own expressions.
    overrideAction: ({ jsonSchema: { pattern: _, ...others } }) => others,
  })
  return form
}
