/** The API reference as the server describes itself. */

export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  nullable?: boolean
  enum?: unknown[]
  default?: unknown
  allOf?: Schema[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
}

export interface Content {
  schema: Schema
  example?: unknown
  /** Shared examples, by reference. */
  examples?: Record<string, Example>
}

interface Example {
  $ref?: string
  value?: unknown
}

export interface Parameter {
  name: string
  in: 'path' | 'query'
  required?: boolean
  description?: string
  schema: Schema
}

interface Answer {
  $ref?: string
  description: string
  content?: Record<string, Content>
}

interface Operation {
  operationId: string
  tags: string[]
  summary: string
  security: object[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Content> }
  responses: Record<string, Answer>
}

export interface ApiDocument {
  info: { title: string; version: string; description: string }
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

export interface PlacedOperation extends Operation {
  method: string
  path: string
}

export const listOperations = ({ paths }: ApiDocument): PlacedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )

/** What a reference leads to. */
export function follow<Part extends { $ref?: string }>(document: ApiDocument, part: Part): Part {
  if (!part.$ref) return part
  return part.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((place, name) => (place as Record<string, unknown>)[name], document) as Part
}

/** The example of a body, if there is one. */
export function exampleOf(document: ApiDocument, { example, examples = {} }: Content): unknown {
  const [shared] = Object.values(examples)
  return example ?? (shared && follow(document, shared).value)
}
