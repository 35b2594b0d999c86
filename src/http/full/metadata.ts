/** Metadata of companies, users, folders, media, analyses, collections and persons: the same four methods for each. */

import { type Context, Hono } from 'hono'
import type { PersistentServices } from '../../compose/services.ts'
import { anyObject } from '../../contract/answers/parts.ts'
import { metadataSchema } from '../../contract/full/folder-bodies.ts'
import { mergeFields, patchFields, refuseExcess } from '../../contract/metadata.ts'
import type { Json } from '../../contract/spaced-json.ts'
import { AppError } from '../../errors.ts'
import type { Metadata } from '../../records/medium.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeTag, json, jsonBody } from '../describe-endpoint.ts'
import { readJsonAs } from '../json-body.ts'
import { reply } from '../reply.ts'
import { pathId } from '../request-ids.ts'
import { mediumFinder } from './named-media.ts'

const description = describeTag('Metadata')

type Change = (metadata: Metadata) => Metadata

/** Access to the metadata of one kind of object, with the rights of the caller. */
interface Holders<T> {
  path: string
  read(c: Context<AppEnv>): Promise<Metadata>
  find(c: Context<AppEnv>): Promise<T>
  change(object: T, change: Change): Promise<Metadata | null>
}

function metadataMethods<T>({ path, read, find, change }: Holders<T>) {
  const write = async (
    c: Context<AppEnv>,
    combine: (metadata: Metadata, fields: Metadata) => Metadata,
  ): Promise<Response> => {
    const object = await find(c)
    const fields = await readJsonAs(c, metadataSchema)
    const metadata = await change(object, (now) => refuseExcess(combine(now, fields)))
    if (!metadata) throw new AppError('not_found')
    return reply(c, metadata as Json)
  }
  return new Hono<AppEnv>()
    .get(path, description('Read metadata', { 200: json('The metadata', anyObject) }), async (c) =>
      reply(c, (await read(c)) as Json),
    )
    .post(
      path,
      description(
        'Add or replace fields',
        { 200: json('The metadata', anyObject) },
        { body: jsonBody(metadataSchema), example: { step: 2 } },
      ),
      (c) => write(c, mergeFields),
    )
    .patch(
      path,
      description(
        'Change fields; null removes one',
        { 200: json('The metadata', anyObject) },
        { body: jsonBody(metadataSchema), example: { step: null } },
      ),
      (c) => write(c, patchFields),
    )
    .delete(path, description('Remove all fields', { 204: 'The fields are removed' }), async (c) => {
      await change(await find(c), () => ({}))
      return c.body(null, 204)
    })
}

export const metadataRoutes = (_: Deps, services: PersistentServices) => {
  const { companies, folders, media, analyses, users, collections, persons } = services
  const folder = <U extends 'read' | 'metadata'>(c: Context<AppEnv>, use: U) =>
    folders.find(c.var.authority, use, 'folder', pathId(c, 'folder'))
  const company = <U extends 'read' | 'metadata'>(c: Context<AppEnv>, use: U) =>
    companies.find(c.var.authority, use, 'company', pathId(c, 'company'))
  const medium = mediumFinder(services)
  const analysis = <U extends 'read' | 'metadata'>(c: Context<AppEnv>, use: U) =>
    analyses.find(c.var.authority, use, 'analysis', pathId(c, 'analysis'))
  const collection = <U extends 'read' | 'metadata'>(c: Context<AppEnv>, use: U) =>
    collections.find(c.var.authority, use, 'collection', pathId(c, 'collection'))
  const person = <U extends 'read' | 'metadata'>(c: Context<AppEnv>, use: U) =>
    persons.find(c.var.authority, use, pathId(c, 'collection'), pathId(c, 'person'))
  const user = <U extends 'read' | 'metadata'>(c: Context<AppEnv>, use: U) =>
    users.find(c.var.authority, use, pathId(c, 'user'))
  return new Hono<AppEnv>()
    .route(
      '/',
      metadataMethods({
        path: '/companies/:company/meta_data',
        read: async (c) => (await company(c, 'read')).metadata,
        find: (c) => company(c, 'metadata'),
        change: (found, change) => companies.changeMetadata(found, change),
      }),
    )
    .route(
      '/',
      metadataMethods({
        path: '/folders/:folder/meta_data',
        read: async (c) => (await folder(c, 'read')).metadata,
        find: async (c) => folders.refuseCleared(await folder(c, 'metadata')),
        change: (found, change) => folders.changeMetadata(found, change),
      }),
    )
    .route(
      '/',
      metadataMethods({
        path: '/media/:medium/meta_data',
        async read(c) {
          const { photo, placed } = await medium(c, 'read')
          return photo ? photo.image.metadata : placed.medium.metadata
        },
        find: (c) => medium(c, 'metadata'),
        change: ({ photo, placed }, change) =>
          photo ? persons.changeImageMetadata(photo, change) : media.changeMetadata(placed, change),
      }),
    )
    .route(
      '/',
      metadataMethods({
        path: '/analyses/:analysis/meta_data',
        read: async (c) => (await analysis(c, 'read')).analysis.metadata,
        find: (c) => analysis(c, 'metadata'),
        change: (found, change) => analyses.changeMetadata(found, change),
      }),
    )
    .route(
      '/',
      metadataMethods({
        path: '/collections/:collection/meta_data',
        read: async (c) => (await collection(c, 'read')).metadata,
        find: (c) => collection(c, 'metadata'),
        change: (found, change) => collections.changeMetadata(found, change),
      }),
    )
    .route(
      '/',
      metadataMethods({
        path: '/collections/:collection/persons/:person/meta_data',
        read: async (c) => (await person(c, 'read')).metadata,
        find: (c) => person(c, 'metadata'),
        change: (found, change) => persons.changeMetadata(found, change),
      }),
    )
    .route(
      '/',
      metadataMethods({
        path: '/users/:user/meta_data',
        read: async (c) => (await user(c, 'read')).metadata,
        find: (c) => user(c, 'metadata'),
        change: (found, change) => users.changeMetadata(found, change),
      }),
    )
}
