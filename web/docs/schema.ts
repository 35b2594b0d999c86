/** Shows a schema as a tree that opens step by step. */
import { type Child, h, prose } from '../dom.ts'
import { type ApiDocument, follow, type Schema } from './document.ts'

const nameOf = ({ $ref }: Schema): string | null => $ref?.split('/').at(-1) ?? null

/** A type in words: `string (uuid)`, `Folder or null`, `list of Medium`. */
function typeWords(schema: Schema): string {
  const { nullable, ...form } = schema
  if (nullable) return `${typeWords(form)} or null`
  const name = nameOf(schema)
  if (name) return name
  if (schema.allOf) return typeWords(schema.allOf[0]!)
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeWords))].join(' or ')
  if (schema.enum) {
    const values = schema.enum.filter((value) => value !== null)
    return values.map((value) => JSON.stringify(value)).join(', ')
  }
  if (schema.format === 'binary') return 'file'
  const type = [schema.type ?? 'any'].flat().join(' or ')
  if (type === 'array') return `list of ${typeWords(schema.items ?? {})}`
  const { minimum, maximum, maxLength, format } = schema
  const range = minimum !== undefined || maximum !== undefined ? `${minimum ?? ''} to ${maximum ?? ''}` : null
  const notes = [format, range?.trim(), maxLength && `at most ${maxLength} characters`].filter(Boolean)
  return notes.length > 0 ? `${type} (${notes.join(', ')})` : type
}

/** The part of a schema with members to show: itself, the items of a list, or what else it may be than `null`. */
function withMembers(document: ApiDocument, given: Schema): Schema | null {
  const schema = follow(document, given)
  if (Object.keys(schema.properties ?? {}).length > 0) return schema
  if (schema.items) return withMembers(document, schema.items)
  if (typeof schema.additionalProperties === 'object')
    return withMembers(document, schema.additionalProperties)
  const options = [...(schema.allOf ?? []), ...(schema.anyOf ?? [])]
  return options.map((option) => withMembers(document, option)).find((found) => found !== null) ?? null
}

function memberRow(document: ApiDocument, name: string, schema: Schema, isRequired: boolean): HTMLElement {
  const head: Child[] = [
    h('code', {}, name),
    h('span', { class: 'type' }, typeWords(schema)),
    isRequired ? null : h('span', { class: 'optional' }, 'optional'),
    schema.description ? h('span', { class: 'hint' }, ...prose(schema.description)) : null,
  ]
  const inner = withMembers(document, schema)
  if (!inner) return h('li', {}, ...head)
  const details = h('details', {}, h('summary', {}, ...head))
  details.addEventListener('toggle', () => details.append(showMembers(document, inner)), { once: true })
  return h('li', {}, details)
}

function showMembers(document: ApiDocument, { properties = {}, required = [] }: Schema): HTMLElement {
  return h(
    'ul',
    { class: 'members' },
    ...Object.entries(properties).map(([name, member]) =>
      memberRow(document, name, member, required.includes(name)),
    ),
  )
}

export function showSchema(document: ApiDocument, schema: Schema): HTMLElement {
  const inner = withMembers(document, schema)
  return h(
    'div',
    { class: 'schema' },
    h('p', { class: 'type' }, typeWords(schema)),
    inner ? showMembers(document, inner) : null,
  )
}
