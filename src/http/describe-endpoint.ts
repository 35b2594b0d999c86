/** Describes routes for the API reference. */
import type { MiddlewareHandler } from 'hono'
import * as v from 'valibot'
import type { QueryParameter } from '../contract/list/query-parameter.ts'
import type { ListFields } from '../contract/list-query.ts'
import { isPictureType } from '../records/file-types.ts'

/** What a status means, and the form of its body. */
export interface AnswerDescription {
  text: string
  /** Form of a JSON body. */
  schema?: v.GenericSchema
  /** Media type of a body that is not JSON. */
  type?: string
}

/** Files and JSON of a form; the names of the files are free unless they are listed. */
export interface FormDescription {
  payload?: v.GenericSchema
  /** Names of parts that hold files. */
  files?: readonly string[]
  /** Where names are free: such as callers may choose, and what the parts hold; any media if absent. */
  parts?: Readonly<Record<string, string>>
}

/** The chapters of the reference. */
export const tagTexts = {
  System: 'Version, health and configuration.',
  Instant: 'The complete result in one call; nothing is stored.',
  Authorization: 'Sign-in and tokens.',
  Companies: 'Customers of the service, each with its own users and data.',
  Webhooks: 'Calls of the service to the company: their secret, and those that failed.',
  Users: 'People and programs that sign in, and what each may do.',
  Folders: 'Stored folders: media, analyses and their result.',
  Media: 'Photos, clips and documents of folders.',
  Analyses: 'Verdicts on the media of a folder, by the service and by operators.',
  Queue: 'Folders that wait for a person to decide.',
  Links: 'Short addresses at which people record themselves.',
  Collections: 'Lists of persons that are searched.',
  Persons: 'Persons of a list, with their photos.',
  Reports: 'Documents about a folder, and their templates.',
  Statistics: 'Counts of verdicts, scores and times, and usage for billing.',
  Telemetry: 'What capture components report, and the settings that they ask for.',
  Metadata: 'Data of the caller on any object.',
  Files: 'The bytes of stored media.',
  Lite: 'Methods without state: templates, comparisons, liveness.',
} as const

export type Tag = keyof typeof tagTexts

export interface RouteDescription {
  tag: Tag
  summary: string
  /** Schema of the body, by content type. */
  body?: Record<string, v.GenericSchema>
  /** A body of type `multipart/form-data`. */
  form?: FormDescription
  /** Parameters of the query, with their meaning. */
  query?: Readonly<Record<string, QueryParameter>>
  /** Fields that the list can be filtered and sorted by; paging is added. */
  list?: ListFields
  /** An example of the JSON body, or of the payload of a form. */
  example?: unknown
  /** `token` unless said otherwise: who may call it. `instant` and `lite` depend on settings. */
  access?: 'token' | 'open' | 'instant' | 'lite'
  /** Meaning of each status code. Errors that any operation may have are added. */
  answers: Readonly<Record<number, string | AnswerDescription>>
}

const descriptions = new WeakMap<object, RouteDescription>()

/** The description of a route, if this is the handler that carries it. */
export const findDescription = (handler: object): RouteDescription | null => descriptions.get(handler) ?? null

/** Puts a description into a route. Its schemas are the ones that parse the request. */
export function describeEndpoint(description: RouteDescription): MiddlewareHandler {
  const handler: MiddlewareHandler = (_, next) => next()
  descriptions.set(handler, description)
  return handler
}

/** Describes the routes of one chapter of the reference. */
export const describeTag =
  (tag: Tag, access: NonNullable<RouteDescription['access']> = 'token') =>
  (summary: string, answers: RouteDescription['answers'], more: Partial<RouteDescription> = {}) =>
    describeEndpoint({ tag, access, summary, answers, ...more })

/** A body of JSON. */
export const jsonBody = (schema: v.GenericSchema) => ({ 'application/json': schema })

const binary = v.pipe(v.string(), v.description('the bytes of a picture'))

/** A sealed container with media and payload. */
export const containerBody = {
  'application/octet-stream': v.pipe(v.string(), v.description('a secure container')),
}

/** A body that is one picture. @param accepted the types of files that are read */
export const sampleBody = (accepted: readonly string[]) =>
  Object.fromEntries(accepted.filter(isPictureType).map((type) => [type, binary]))

/** An answer with a JSON body. */
export const json = (text: string, schema: v.GenericSchema): AnswerDescription => ({ text, schema })
