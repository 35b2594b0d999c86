/** The API reference (OpenAPI 3.0, which all generators of clients read), made from the routes and from the schemas that validate requests. */
import type { Hono } from 'hono'
import type { GenericSchema } from 'valibot'
import * as accounts from '../contract/answers/accounts.ts'
import * as folders from '../contract/answers/folders.ts'
import * as others from '../contract/answers/others.ts'
import * as reports from '../contract/answers/reports.ts'
import { errorAnswer, wireErrors } from '../contract/error-table.ts'
import { ExampleMaker } from '../contract/json-example.ts'
import { toJsonForm } from '../contract/json-form.ts'
import { describeFilters } from '../contract/list/describe-filters.ts'
import { limitDefault, limitMax } from '../contract/list/paging.ts'
import { flagParameter, type QueryParameter } from '../contract/list/query-parameter.ts'
import type { ListFields } from '../contract/list-query.ts'
import { liteErrorAnswer, liteErrors } from '../contract/lite/error-table.ts'
import { describeProperties } from '../contract/property-texts.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { softwareVersion } from '../version.ts'
import type { AppEnv } from './app-env.ts'
import {
  type AnswerDescription,
  type FormDescription,
  findDescription,
  type RouteDescription,
  type Tag,
  tagTexts,
} from './describe-endpoint.ts'
import { ignoredHeader } from './list-query.ts'

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
  OperatorDecision: folders.decisionAnswer,
  QueueEntry: folders.queueEntryAnswer,
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

const file: Json = { type: 'string', format: 'binary' }

const jsonContent = (schema: Json, example: unknown): Json => ({ 'application/json': { schema, example } })

/** The schemas that several operations share, written out. */
const namedForms = (): Json =>
  Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, toJsonForm(schema, refs)]))

const firstChoice = (schema: GenericSchema): GenericSchema =>
  schema.type === 'union' ? (schema as unknown as { options: [GenericSchema] }).options[0] : schema

/** A JSON body, with an example; those of shared schemas stand once in the document. */
function answerContent(schema: GenericSchema, examples: ExampleMaker): Json {
  const form = toForm(schema)
  const name = typeof form.$ref === 'string' ? form.$ref.slice(prefix.length) : null
  if (name === null) return jsonContent(form, examples.make(toForm(firstChoice(schema))))
  return {
    'application/json': { schema: form, examples: { [name]: { $ref: `#/components/examples/${name}` } } },
  }
}

/** What lists ignore. */
const ignoredNames: Json = {
  [ignoredHeader]: {
    description: 'Names of the query that mean nothing here, separated by commas; absent if there are none',
    schema: { type: 'string' },
  },
}

function describeAnswer(answer: string | AnswerDescription, isList: boolean, examples: ExampleMaker): Json {
  if (typeof answer === 'string') return { description: answer }
  const { text, schema, type } = answer
  const headers = isList ? { headers: ignoredNames } : {}
  if (schema) return { description: text, ...headers, content: answerContent(schema, examples) }
  return { description: text, ...(type ? { content: { [type]: { schema: file } } } : {}) }
}

/** What the service answers to the first error of its table with a status. */
function exampleOfError(kind: 'Error' | 'LiteError', status: number): unknown {
  const table = kind === 'Error' ? wireErrors : liteErrors
  const codes = Object.keys(table) as ErrorCode[]
  const code = codes.find((known) => table[known].status === status) ?? 'internal'
  return (kind === 'Error' ? errorAnswer : liteErrorAnswer)(new AppError(code)).body
}

const errorContent = (kind: 'Error' | 'LiteError', status: number): Json =>
  jsonContent({ $ref: `${prefix}${kind}` }, exampleOfError(kind, status))

const isLite = (path: string): boolean => path.startsWith('/v1/face/')

function describeAnswers(
  path: string,
  { answers, access, body, form, query, list }: RouteDescription,
  examples: ExampleMaker,
): Json {
  const kind = isLite(path) ? 'LiteError' : 'Error'
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
    return [
      status,
      isError
        ? { description: text, content: errorContent(kind, Number(status)) }
        : describeAnswer(answer, list !== undefined, examples),
    ]
  })
  return Object.fromEntries([...errors, ...own])
}

/** Some parts may be repeated. */
const filePart = (name: string): Json =>
  name.endsWith('_n') ? { type: 'array', items: { ...file } } : { ...file }

/** Where any name will do: generators of clients know named parts alone. */
const someMedia = {
  selfie: 'A photo, clip or archive; parts may have other names, and there may be more',
  id_photo: 'Another one',
}

function describeForm({ payload, files, parts = someMedia }: FormDescription, example: unknown): Json {
  const fileParts = files
    ? files.map((name) => [name, filePart(name)])
    : Object.entries(parts).map(([name, description]) => [name, { ...file, description }])
  return {
    'multipart/form-data': {
      schema: {
        type: 'object',
        properties: {
          ...(payload ? { payload: toForm(payload) } : {}),
          ...Object.fromEntries(fileParts),
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

/** A parameter of a query: what it means, and the form of its value if it is not any text. */
const describeQuery = (query: Readonly<Record<string, QueryParameter>>): Json[] =>
  Object.entries(query).map(([name, given]) => {
    const { text, schema = { type: 'string' } } = typeof given === 'string' ? { text: given } : given
    return {
      name,
      in: 'query',
      description: text,
      schema,
      // Values stand behind each other, with commas between them.
      ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
    }
  })

const pageParameters: Readonly<Record<string, QueryParameter>> = {
  offset: {
    text: 'Items to leave out at the start',
    schema: { type: 'integer', minimum: 0, default: 0 },
  },
  limit: {
    text: 'Items at most; −1 for all',
    schema: { type: 'integer', minimum: -1, maximum: limitMax, default: limitDefault },
  },
  total_omit: flagParameter('true: do not count the items, which is faster', false),
}

function describeList(fields: ListFields): Json[] {
  const sortable = Object.keys(fields).filter((name) => fields[name]!.sortable)
  const names = sortable.join(', ')
  const sorting: Record<string, QueryParameter> =
    sortable.length > 0
      ? { sorting: `Fields to sort by, with {asc} or {desc} behind each, separated by commas: ${names}` }
      : {}
  return describeQuery({ ...pageParameters, ...sorting, ...describeFilters(fields) })
}

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

function describeOperation(
  method: string,
  path: string,
  route: RouteDescription,
  examples: ExampleMaker,
): Json {
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
    responses: describeAnswers(path, route, examples),
  }
}

/** The described routes of an app: method and path, with the names of its parts in braces. */
export function* describedRoutes(
  app: Hono<AppEnv>,
): Generator<{ method: string; path: string; route: RouteDescription }> {
  const seen = new Set<string>()
  for (const { method, path: pattern, handler } of app.routes) {
    const route = findDescription(handler)
    const path = pattern.replace(/\/$/, '').replaceAll(/:(\w+)/g, '{$1}')
    if (!route || seen.has(`${method} ${path}`)) continue
    seen.add(`${method} ${path}`)
    yield { method: method.toLowerCase(), path, route }
  }
}

/** The errors of any operation, in the forms of the full service and of Lite. */
const commonResponses = (): Json =>
  Object.fromEntries(
    (['Error', 'LiteError'] as const).flatMap((kind) =>
      Object.entries(commonErrors).map(([status, description]) => [
        `${kind}${status}`,
        { description, content: errorContent(kind, Number(status)) },
      ]),
    ),
  )

/** The shared parts that a part of the document names, and those that they name. */
function findUsed(part: unknown, components: Components, found = new Set<string>()): Set<string> {
  for (const [, name] of JSON.stringify(part).matchAll(/"\$ref":"#\/components\/([^"]+)"/g)) {
    if (found.has(name!)) continue
    found.add(name!)
    const [kind, key] = name!.split('/')
    findUsed(components[kind!]![key!], components, found)
  }
  return found
}

type Components = Record<string, Json>

/** Leaves out shared parts that no route of this server needs. */
function keepUsed({ paths, components }: { paths: ApiDocument['paths']; components: Components }): void {
  const used = findUsed(paths, components)
  for (const kind of ['responses', 'schemas', 'examples'])
    for (const name in components[kind]) if (!used.has(`${kind}/${name}`)) delete components[kind]![name]
}

/** @param server address of the service, `/` for the one that the document comes from */
export function makeApiDocument(app: Hono<AppEnv>, server: string): ApiDocument {
  const paths: ApiDocument['paths'] = {}
  const tags = new Set<Tag>()
  const schemas = namedForms()
  const examples = new ExampleMaker(schemas)
  for (const { method, path, route } of describedRoutes(app)) {
    paths[path] = { ...paths[path], [method]: describeOperation(method, path, route, examples) }
    tags.add(route.tag)
  }
  const document = {
    openapi: '3.0.3',
    info: {
      title: 'Vivace',
      version: softwareVersion,
      description: 'Face liveness and face matching. Every path works with and without a trailing slash.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: server }],
    tags: [...tags].map((name) => ({ name, description: tagTexts[name] })),
    paths,
    components: {
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'X-Forensic-Access-Token' },
      },
      responses: commonResponses(),
      schemas,
      examples: Object.fromEntries(
        Object.keys(named)
          .filter((name) => name !== 'Error' && name !== 'LiteError')
          .map((name) => [name, { value: examples.make({ $ref: `${prefix}${name}` }) }]),
      ),
    },
  }
  keepUsed(document)
  describeProperties(document)
  return document
}
