/** Persons of collections and their photos. */

import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import type { PersistentServices } from '../../compose/services.ts'
import { enrolmentAnswer, personAnswer, personImageAnswer } from '../../contract/answers/others.ts'
import { asAppError, errorAnswer } from '../../contract/error-table.ts'
import {
  type PhotosPayload,
  parsePhotosPayload,
  photosSchema,
} from '../../contract/full/collection-bodies.ts'
import { enrolmentView, personImageView, personView } from '../../contract/full/collection-view.ts'
import { personFields } from '../../contract/full/list-fields.ts'
import { arrayPieces, slicePage } from '../../contract/full/list-view.ts'
import { refuseExcess } from '../../contract/metadata.ts'
import { AppError } from '../../errors.ts'
import type { Action } from '../../identity/permissions.ts'
import type { PersonEnrolment } from '../../records/collection.ts'
import type { SubmittedMedium } from '../../records/folder.ts'
import { answerOptions } from '../answer-options.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { callContext } from '../client-address.ts'
import { describeTag, json } from '../describe-endpoint.ts'
import { mediaType } from '../header-parameters.ts'
import { readListQuery } from '../list-query.ts'
import { logFailure } from '../log-failure.ts'
import { reply, replyPieces } from '../reply.ts'
import { pathId } from '../request-ids.ts'
import { noMedia } from '../submission/medium-part.ts'
import { readForm, readMedia } from '../submission/read-submission.ts'

const description = describeTag('Persons')

interface Photos {
  payload: PhotosPayload
  images: SubmittedMedium[]
}

async function readPhotos(c: Context<AppEnv>, { settings }: Deps): Promise<Photos> {
  if (mediaType(c.req.header('Content-Type')) !== 'multipart/form-data') throw noMedia()
  const { parts, json } = await readForm(c.var.incoming, settings)
  const payload = parsePhotosPayload(json)
  const images = await readMedia(parts, payload, settings)
  if (images.length === 0) throw noMedia()
  return { payload, images }
}

/** Logs the server errors of an answer that is none itself, one of each code. */
function logFailures(c: Context<AppEnv>, deps: Deps, enrolled: readonly PersonEnrolment[]): void {
  const errors = enrolled.flatMap((result) => (result.person === null ? [asAppError(result.error)] : []))
  for (const error of new Map(errors.map((error) => [error.code, error])).values())
    logFailure(c, deps, error, errorAnswer(error).status)
}

const photoParts = { photo: 'A photo of a person; parts may have other names, and there may be more' }

export const personRoutes = (deps: Deps, { collections, persons }: PersistentServices) => {
  const { platform } = deps
  const options = answerOptions(deps, 'full', false)
  const findPerson = <U extends Action>(c: Context<AppEnv>, use: U) =>
    persons.find(c.var.authority, use, pathId(c, 'collection'), pathId(c, 'person'))

  return new Hono<AppEnv>()
    .post(
      '/:collection/persons',
      description(
        'Enrol a person, or many',
        { 201: json('The person; with persons in the payload, a result for each', enrolmentAnswer) },
        {
          form: { payload: photosSchema, parts: photoParts },
          example: { 'person:meta_data': { name: 'Anna Lind' } },
        },
      ),
      async (c) => {
        const { authority } = c.var
        const collection = await collections.find(authority, 'create', 'person', pathId(c, 'collection'))
        const { payload, images } = await readPhotos(c, deps)
        if (payload.persons) {
          if (Object.keys(payload['person:meta_data']).length > 0)
            throw new AppError('value_invalid', 'With persons, set meta_data for each person', {
              details: { key_path: 'person:meta_data', expected: 'persons.0.meta_data' },
              place: 'person:meta_data',
            })
          const named = payload.persons.map((person) => ({
            metadata: refuseExcess(person.meta_data),
            imageKeys: person.images,
          }))
          const enrolled = await persons.enrolMany(collection, named, images, callContext(c, deps))
          logFailures(c, deps, enrolled)
          return reply(
            c,
            enrolled.map((result) => enrolmentView(result, options(c))),
            201,
          )
        }
        const submitted = { metadata: refuseExcess(payload['person:meta_data']), images }
        const { person, alike } = await persons.enrol(collection, submitted, callContext(c, deps))
        return reply(c, personView(person, options(c), alike), 201)
      },
    )
    .get(
      '/:collection/persons',
      description(
        'List persons',
        { 200: json('The persons', v.array(personAnswer)) },
        { list: personFields },
      ),
      async (c) => {
        const { authority } = c.var
        const collection = await collections.find(authority, 'read', 'person', pathId(c, 'collection'))
        const query = readListQuery(c, personFields, platform.nowMs())
        const listed = await persons.list(collection, query)
        const views = options(c)
        return replyPieces(
          c,
          arrayPieces(listed, (person) => personView(person, views)),
        )
      },
    )
    .get(
      '/:collection/persons/:person',
      description('One person', { 200: json('The person', personAnswer) }),
      async (c) => reply(c, personView(await findPerson(c, 'read'), options(c))),
    )
    .delete(
      '/:collection/persons/:person',
      description('Remove a person with all photos', { 204: 'The person is removed' }),
      async (c) => {
        await persons.remove(
          await persons.findToRemove(c.var.authority, pathId(c, 'collection'), pathId(c, 'person')),
        )
        return c.body(null, 204)
      },
    )
    .post(
      '/:collection/persons/:person/images',
      description(
        'Add photos of a person',
        { 201: json('The photos', v.array(personImageAnswer)) },
        {
          form: { payload: photosSchema, parts: photoParts },
          example: { 'media:meta_data': { photo: { taken_by: 'reception' } } },
        },
      ),
      async (c) => {
        const person = await findPerson(c, 'create')
        const { images } = await readPhotos(c, deps)
        const added = await persons.enrolImages(person, images, callContext(c, deps))
        return reply(
          c,
          added.images.map((image) => personImageView(person, image, options(c), added.alike.get(image.id))),
          201,
        )
      },
    )
    .get(
      '/:collection/persons/:person/images',
      description(
        'Photos of a person',
        { 200: json('The photos', v.array(personImageAnswer)) },
        { list: {} },
      ),
      async (c) => {
        const person = await findPerson(c, 'read')
        const query = readListQuery(c, {}, platform.nowMs())
        return reply(
          c,
          slicePage(person.images, query).map((image) => personImageView(person, image, options(c))),
        )
      },
    )
    .delete(
      '/:collection/persons/:person/images/:image',
      description('Remove a photo', { 204: 'The photo is removed' }),
      async (c) => {
        const placed = await persons.requireImageToRemove(c.var.authority, pathId(c, 'image'))
        const { id, collectionId } = placed.person
        if (collectionId !== pathId(c, 'collection') || id !== pathId(c, 'person'))
          throw new AppError('not_found')
        await persons.removeImage(placed)
        return c.body(null, 204)
      },
    )
}

/** Removes photos by their id alone, as before API 6. */
export const imageRoutes = (_: Deps, { persons }: PersistentServices) =>
  new Hono<AppEnv>().delete(
    '/:image',
    description('Remove a photo of a person (older name)', { 204: 'The photo is removed' }),
    async (c) => {
      await persons.removeImage(await persons.requireImageToRemove(c.var.authority, pathId(c, 'image')))
      return c.body(null, 204)
    },
  )
