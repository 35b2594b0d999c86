/** The API reference (OpenAPI 3.1), made from the routes and from the schemas that validate requests. */
import type { Hono } from 'hono'
import type { GenericSchema } from 'valibot'
import * as accounts from '../contract/answers/accounts.ts'
import * as folders from '../contract/answers/folders.ts'
import * as others from '../contract/answers/others.ts'
import * as reports from '../contract/answers/reports.ts'
import { toJsonForm } from '../contract/json-form.ts'
import { describeFilters } from '../contract/list/describe-filters.ts'
import type { ListFields } from '../contract/list-query.ts'
import { softwareVersion } from '../version.ts'
import type { AppEnv } from './app-env.ts'
import {
  type AnswerDescription,
  descriptionOf,
  type FormDescription,
  type RouteDescription,
} from './describe-endpoint.ts'

type Json = Record<string, unknown>

export interface ApiDocument extends Json {
  openapi: string
  paths: Record<string, Record<string, Json>>
}

/** Schemas that several operations share. */
const named: Record<string, GenericSchema> = {
  Folder: folders.folderAnswer,
  Medium: folders.mediumAnswer,
  Analysis: folders.analysisAnswer,
  Snapshot: folders.snapshotAnswer,
  Company: accounts.companyAnswer,
  User: accounts.userAnswer,
  Session: accounts.sessionAnswer,
  Collection: others.collectionAnswer,
  Person: others.personAnswer,
  PersonImage: others.personImageAnswer,
  Report: reports.reportAnswer,
  ReportTemplate: reports.reportTemplateAnswer,
  EventSession: others.eventSessionAnswer,
  DeviceSettings: others.deviceSettingsAnswer,
  Error: others.errorAnswerSchema,
  LiteError: others.liteErrorAnswerSchema,
}

const prefix = '#/components/schemas/'
const refs = new Map<object, string>(
  Object.entries(named).map(([name, schema]) => [schema, `${prefix}${name}`]),
)

/** A reference for schemas with a name. */
function toForm(schema: GenericSchema): Json {
  const $ref = refs.get(schema)
  return $ref ? { $ref } : (toJsonForm(schema, refs) as Json)
}

const tagTexts: Readonly<Record<string, string>> = {
  System: 'Version, health and configuration.',
  Instant: 'The complete result in one call; nothing is stored.',
  Authorization: 'Sign-in and tokens.',
  Folders: 'Stored folders: media, analyses and their result.',
  Lite: 'Methods without state: templates, comparisons, liveness.',
}

/** Status codes of errors that any operation may have. */
const commonErrors = {
  400: 'The request is invalid; the message says what and what is allowed',
  401: 'No token, or one that is not valid',
  403: 'The role does not allow it',
  404: 'There is no such object within reach',
  408: 'The body came too slowly',
  429: 'Too many requests; try again after the time in Retry-After',
  500: 'An error of the server',
  501: 'Switched off on this server, or its networks are missing',
  502: 'A part of the service cannot be reached',
  503: 'The server is busy; try again after the time in Retry-After',
} as const

const jsonContent = (schema: Json, example?: unknown): Json => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
})

function describeAnswer(answer: string | AnswerDescription): Json {
  if (typeof answer === 'string') return { description: answer }
  const { text, schema, type } = answer
  if (schema) return { description: text, content: jsonContent(toForm(schema)) }
  return { description: text, ...(type ? { content: { [type]: { schema: {} } } } : {}) }
}

const isLite = (path: string): boolean => path.startsWith('/v1/face/')

function describeAnswers(path: string, { answers, access, body, form, query }: RouteDescription): Json {
  const kind = isLite(path) ? 'LiteError' : 'Error'
  const schema = { $ref: `${prefix}${kind}` }
  const applies: Record<keyof typeof commonErrors, boolean> = {
    400: true,
    401: access !== 'open',
    403: access !== 'open' && access !== 'lite',
    // Bodies and queries name objects too.
    404: path.includes('{') || Boolean(body ?? form ?? query),
    408: body !== undefined || form !== undefined,
    429: true,
    500: true,
    501: path.includes('/folders') || path.includes('/analyses'),
    502: true,
    503: true,
  }
  const errors = Object.entries(commonErrors)
    .filter(([status]) => applies[Number(status) as keyof typeof commonErrors])
    .map(([status]) => [status, { $ref: `#/components/responses/${kind}${status}` }])
  const own = Object.entries(answers).map(([status, answer]) => {
    const text = typeof answer === 'string' ? answer : answer.text
    const isError = Number(status) >= 400 && (typeof answer === 'string' || !answer.schema)
    return [status, isError ? { description: text, content: jsonContent(schema) } : describeAnswer(answer)]
  })
  return Object.fromEntries([...errors, ...own])
}

function describeForm({ payload, files }: FormDescription, example: unknown): Json {
  const file = { type: 'string', contentMediaType: 'application/octet-stream' }
  return {
    'multipart/form-data': {
      schema: {
        type: 'object',
        properties: {
          ...(payload ? { payload: toForm(payload) } : {}),
          ...Object.fromEntries((files ?? []).map((name) => [name, file])),
        },
        ...(files ? { required: files } : { additionalProperties: file }),
      },
      ...(payload ? { encoding: { payload: { contentType: 'application/json' } } } : {}),
      ...(example === undefined ? {} : { example: { payload: example } }),
    },
  }
}

function describeBody({ body, form, example }: RouteDescription): Json | null {
  if (!body && !form) return null
  const kinds = Object.entries(body ?? {}).map(([type, schema]) => [
    type,
    { schema: toForm(schema), ...(example === undefined || type !== 'application/json' ? {} : { example }) },
  ])
  return {
    required: true,
    content: { ...(form ? describeForm(form, example) : {}), ...Object.fromEntries(kinds) },
  }
}

const pageParameters: Readonly<Record<string, string>> = {
  offset: 'Items to leave out at the start',
  limit: 'Items at most; −1 for all',
  total_omit: 'true: do not count the items, which is faster',
}

function describeList(fields: ListFields): Json[] {
  const sortable = Object.keys(fields).filter((name) => fields[name]!.sortable)
  const sorting =
    sortable.length > 0
      ? { sorting: `Field to sort by, with - in front for descending: ${sortable.join(', ')}` }
      : {}
  return [...describeQuery({ ...pageParameters, ...sorting }), ...describeQuery(describeFilters(fields))]
}

const describeQuery = (query: Readonly<Record<string, string>>): Json[] =>
  Object.entries(query).map(([name, description]) => ({
    name,
    in: 'query',
    description,
    schema: { type: 'string' },
  }))

const describePath = (path: string): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', ...(name === 'file' ? {} : { format: 'uuid' }) },
  }))

/** `get` and `/api/folders/{folder}` → `get_folders_folder`; Lite's have `lite` in front. */
function operationId(method: string, path: string, { tag }: RouteDescription): string {
  const own = path.replace(/^\/(api|v1\/face)\//, '')
  const name = tag === 'Lite' ? `lite_${own}` : own
  return [method, ...(name.match(/\w+/g) ?? [])].join('_')
}

const securityOf = ({ access = 'token' }: RouteDescription): Json[] => {
  if (access === 'open') return []
  return access === 'token' ? [{ token: [] }] : [{ token: [] }, {}]
}

function describeOperation(method: string, path: string, route: RouteDescription): Json {
  const parameters = [
    ...describePath(path),
    ...(route.list ? describeList(route.list) : []),
    ...describeQuery(route.query ?? {}),
  ]
  const body = describeBody(route)
  return {
    operationId: operationId(method, path, route),
    tags: [route.tag],
    summary: route.summary,
    security: securityOf(route),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: describeAnswers(path, route),
  }
}

/** The described routes of an app: method and path, with the names of its parts in braces. */
export function* describedRoutes(
  app: Hono<AppEnv>,
): Generator<{ method: string; path: string; route: RouteDescription }> {
  const seen = new Set<string>()
  for (const { method, path: pattern, handler } of app.routes) {
    const route = descriptionOf(handler)
    const path = pattern.replace(/\/$/, '').replaceAll(/:(\w+)/g, '{$1}')
    if (!route || seen.has(`${method} ${path}`)) continue
    seen.add(`${method} ${path}`)
    yield { method: method.toLowerCase(), path, route }
  }
}

/** The errors of any operation, in the forms of the full service and of Lite. */
const commonResponses = (): Json =>
  Object.fromEntries(
    ['Error', 'LiteError'].flatMap((kind) =>
      Object.entries(commonErrors).map(([status, description]) => [
        `${kind}${status}`,
        { description, content: jsonContent({ $ref: `${prefix}${kind}` }) },
      ]),
    ),
  )

/** @param server address of the service, `/` for the one that the document comes from */
export function makeApiDocument(app: Hono<AppEnv>, server: string): ApiDocument {
  const paths: ApiDocument['paths'] = {}
  const tags = new Set<string>()
  for (const { method, path, route } of describedRoutes(app)) {
    paths[path] = { ...paths[path], [method]: describeOperation(method, path, route) }
    tags.add(route.tag)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Vivace',
      version: softwareVersion,
      description: 'Face liveness and face matching. Every path works with and without a trailing slash.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: server }],
    tags: [...tags].map((name) => ({ name, ...(tagTexts[name] ? { description: tagTexts[name] } : {}) })),
    paths,
    components: {
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'X-Forensic-Access-Token' },
      },
      responses: commonResponses(),
      schemas: Object.fromEntries(
        Object.entries(named).map(([name, schema]) => [name, toJsonForm(schema, refs)]),
      ),
    },
  }
}
