/** The calls of the API reference, in the parts that collections of API tools are made of. */

import { makeApiDocument } from '../../src/http/api-document.ts'
import { describedApp } from '../operations.ts'

export interface Parameter {
  name: string
  description: string
}

/** A body to start from: a form with files, JSON, or bytes of a file. */
export type CallBody =
  | { kind: 'form'; payload: string | null; files: readonly string[] }
  | { kind: 'json'; text: string }
  | { kind: 'file'; type: string }

export interface Call {
  /** Unique: the method and the path. */
  name: string
  group: string
  summary: string
  method: string
  /** With the names of its parts in braces. */
  path: string
  pathParts: readonly string[]
  query: readonly Parameter[]
  /** Whether the token of the session is sent. */
  needsToken: boolean
  body: CallBody | null
}

interface Operation {
  tags: string[]
  summary: string
  security: object[]
  parameters?: { name: string; in: string; description?: string }[]
  requestBody?: { content: Record<string, Content> }
}

interface Content {
  schema: { properties?: Record<string, unknown>; required?: string[] }
  example?: { payload?: unknown }
}

const toText = (value: unknown): string => JSON.stringify(value, null, 2)

function toBody(content: Record<string, Content>): CallBody {
  const form = content['multipart/form-data']
  if (form) {
    const { payload } = form.schema.properties ?? {}
    return {
      kind: 'form',
      payload: payload === undefined ? null : toText(form.example?.payload ?? {}),
      // The names of other files are free.
      files: form.schema.required ?? ['media'],
    }
  }
  const json = content['application/json']
  if (json) return { kind: 'json', text: toText(json.example ?? {}) }
  return { kind: 'file', type: Object.keys(content)[0]! }
}

/** All calls of the whole service, in the order of its reference. */
export function listCalls(): Call[] {
  const { paths } = makeApiDocument(describedApp(), '/')
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as unknown as Record<string, Operation>).map(([method, operation]): Call => {
      const { tags, summary, security, parameters = [], requestBody } = operation
      return {
        ...{ summary, path },
        name: `${method.toUpperCase()} ${path}`,
        group: tags[0]!,
        method: method.toUpperCase(),
        pathParts: parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
        query: parameters
          .filter((parameter) => parameter.in === 'query')
          .map(({ name, description = '' }) => ({ name, description })),
        needsToken: security.length > 0,
        body: requestBody ? toBody(requestBody.content) : null,
      }
    }),
  )
}

/** The call that starts a session; collections keep its token for the others. */
export const signIn = 'POST /api/authorize/auth'
