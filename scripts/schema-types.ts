/** TypeScript types of valibot schemas. */
import type { GenericSchema } from 'valibot'

/** The parts of a schema that its type depends on; each kind has some of them. */
interface SchemaFacts {
  kind: string
  type: string
  pipe?: SchemaFacts[]
  wrapped?: SchemaFacts
  item?: SchemaFacts
  value?: SchemaFacts
  options?: readonly unknown[]
  literal?: unknown
  entries?: Record<string, SchemaFacts>
}

/** Types by schema, where the schema alone does not tell: it accepts any text and checks it. */
type NamedTypes = ReadonlyMap<unknown, string>

const optionalKinds = new Set(['optional', 'nullish', 'exact_optional'])

const isOptional = (schema: SchemaFacts): boolean => optionalKinds.has(schema.type)

const union = (members: readonly string[]): string => [...new Set(members)].join(' | ')

const quoteKey = (key: string): string => (/^[a-z_]\w*$/i.test(key) ? key : `'${key}'`)

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value)

/** A schema that checks before it parses starts with `unknown`: the schema that follows tells more. */
function unwrapPipe(schema: SchemaFacts): SchemaFacts {
  if (!schema.pipe) return schema
  const schemas = schema.pipe.filter(({ kind }) => kind === 'schema')
  const { pipe: _, ...own } = schema
  return [...schemas.slice(1), own].find(({ type }) => type !== 'unknown') ?? own
}

function objectType({ type, entries = {} }: SchemaFacts, named: NamedTypes, indent: string): string {
  const inner = `${indent}  `
  const members = Object.entries(entries).map(
    ([key, entry]) =>
      `${inner}${quoteKey(key)}${isOptional(entry) ? '?' : ''}: ${factsType(entry, named, inner)}\n`,
  )
  if (type === 'loose_object') members.push(`${inner}[other: string]: unknown\n`)
  if (members.length === 0) return 'Record<string, never>'
  return `{\n${members.join('')}${indent}}`
}

function factsType(facts: SchemaFacts, named: NamedTypes, indent: string): string {
  const name = named.get(facts)
  if (name !== undefined) return name
  // A choice after a change of case: callers may write the words as they are.
  const choice = facts.pipe?.find(({ type }) => type === 'picklist')
  const schema = choice ?? unwrapPipe(facts)
  const inside = (inner: SchemaFacts | undefined) => factsType(inner!, named, indent)
  switch (schema.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
    case 'unknown':
      return schema.type
    case 'custom':
      return 'JsonObject'
    case 'literal':
      return literal(schema.literal)
    case 'picklist':
      return union(schema.options!.map(literal))
    case 'union':
      return union(schema.options!.map((option) => inside(option as SchemaFacts)))
    case 'optional':
    case 'exact_optional':
      return inside(schema.wrapped)
    case 'nullable':
    case 'nullish':
      return union([inside(schema.wrapped), 'null'])
    case 'array': {
      const item = inside(schema.item)
      return item.includes(' | ') && !(item.startsWith('{') && item.endsWith('}'))
        ? `(${item})[]`
        : `${item}[]`
    }
    case 'record':
      return `{ [key: string]: ${inside(schema.value)} }`
    case 'object':
    case 'strict_object':
    case 'loose_object':
      return objectType(schema, named, indent)
    default:
      throw new TypeError(`schemas of type ${schema.type} have no TypeScript type here`)
  }
}

/**
 * The TypeScript type of a schema. Lengths, ranges and patterns are left out.
 * @throws {TypeError} for a kind of schema that it does not know
 */
export const schemaType = (schema: GenericSchema, named: NamedTypes = new Map()): string =>
  factsType(schema as unknown as SchemaFacts, named, '')

/** The same as a declaration. `named` must not hold the schema itself. */
export function declareType(name: string, schema: GenericSchema, named: NamedTypes): string {
  const text = schemaType(schema, named)
  return text.startsWith('{') ? `export interface ${name} ${text}\n` : `export type ${name} = ${text}\n`
}
