/** Persons of collections and their photos. */
import { type Context, Hono } from 'hono'
import { asAppError, errorAnswer } from '../../contract/error-table.ts'
import { type PhotosPayload, parsePhotosPayload } from '../../contract/full/collection-bodies.ts'
import { personImageView, personView } from '../../contract/full/collection-view.ts'
import { personFields } from '../../contract/full/list-fields.ts'
import { arrayPieces, pageOf } from '../../contract/full/list-view.ts'
import { parseListQuery } from '../../contract/list-query.ts'
import { refuseExcess } from '../../contract/metadata.ts'
import type { Json } from '../../contract/spaced-json.ts'
import { type EnrolmentParts, enrolImages, enrolPerson, type SubmittedPerson } from '../../enrolment/enrol.ts'
import { removeImage, removePerson } from '../../enrolment/withdraw.ts'
import { AppError } from '../../errors.ts'
import type { CollectionRecord } from '../../records/collection.ts'
import type { SubmittedMedium } from '../../records/folder.ts'
import { type Stateful, viewOptions } from '../../services.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { described } from '../described.ts'
import { mediaType } from '../multipart.ts'
import { reply, replyPieces } from '../reply.ts'
import { pathId } from './access.ts'
import { collectionFor, personFor, personImageFor } from './collection-access.ts'
import { processingParts } from './processing.ts'
import { readForm, readMedia } from './read-submission.ts'

const description = (summary: string) =>
  described({
    tag: 'Persons',
    summary,
    answers: {
      200: 'The persons or photos',
      400: 'A photo is not what it must be',
      403: 'The role does not allow it',
      404: 'There is no such person',
    },
  })

interface Photos {
  payload: PhotosPayload
  images: SubmittedMedium[]
}

async function readPhotos(c: Context<AppEnv>, { settings }: Deps): Promise<Photos> {
  if (mediaType(c.req.header('Content-Type')) !== 'multipart/form-data')
    throw new AppError('value_invalid', 'No media were sent')
  const { parts, json } = await readForm(c.var.incoming, settings)
  const payload = parsePhotosPayload(json)
  const images = readMedia(parts, payload, settings)
  if (images.length === 0) throw new AppError('value_invalid', 'No media were sent')
  return { payload, images }
}

/** @throws {AppError} `value_invalid` for names of parts that are not there, or are named twice */
function namedPersons(persons: NonNullable<PhotosPayload['persons']>, images: Photos['images']) {
  const left = new Map(images.map((image) => [image.key, image]))
  const named = persons.map((person): SubmittedPerson => {
    const own = person.images.map((key) => {
      const image = left.get(key)
      if (!image)
        throw new AppError('value_invalid', 'persons name a part that is not there, or name one twice')
      left.delete(key)
      return image
    })
    return { metadata: refuseExcess(person.meta_data), images: own }
  })
  if (left.size > 0) throw new AppError('value_invalid', 'persons name not all of the parts that were sent')
  return named
}

export const personRoutes = (deps: Deps, stateful: Stateful) => {
  const { settings, platform } = deps
  const { persons } = stateful
  const { nowMs } = platform
  const options = viewOptions(settings, 'full', false)
  const enrolmentParts = (c: Context<AppEnv>): EnrolmentParts => ({
    ...processingParts(c, deps),
    ...stateful,
  })

  /**
   * Each person by itself: a refused one does not keep out the others. A fault of the server fails the call while nobody is
   * kept yet; from then on the caller must hear who is.
   */
  const enrolMany = async (c: Context<AppEnv>, collection: CollectionRecord, wanted: SubmittedPerson[]) => {
    const answers: Json[] = []
    let isAnyKept = false
    for (const person of wanted) {
      try {
        answers.push(personView(await enrolPerson(enrolmentParts(c), collection, person), options))
        isAnyKept = true
      } catch (error) {
        const { status, body } = errorAnswer(asAppError(error))
        if (status !== 400 && !isAnyKept) throw error
        answers.push({ ...(body as object), person_id: null, images: person.images.map(({ key }) => key) })
      }
    }
    return answers
  }

  return new Hono<AppEnv>()
    .post('/:collection/persons', description('Enrol a person, or many'), async (c) => {
      const collection = await collectionFor(c, stateful, 'create', 'person')
      const { payload, images } = await readPhotos(c, deps)
      if (payload.persons) {
        if (Object.keys(payload['person:meta_data']).length > 0)
          throw new AppError('value_invalid', 'With persons each has meta_data of its own')
        const wanted = namedPersons(payload.persons, images)
        return reply(c, await enrolMany(c, collection, wanted), 201)
      }
      const submitted = { metadata: refuseExcess(payload['person:meta_data']), images }
      const person = await enrolPerson(enrolmentParts(c), collection, submitted)
      return reply(c, personView(person, options), 201)
    })
    .get('/:collection/persons', description('List persons'), async (c) => {
      const { id } = await collectionFor(c, stateful, 'read', 'person')
      const query = parseListQuery(new URL(c.req.url).searchParams, personFields, nowMs())
      const listed = await persons.list(query, id)
      return replyPieces(
        c,
        arrayPieces(listed, (person) => personView(person, options)),
      )
    })
    .get('/:collection/persons/:person', description('One person'), async (c) =>
      reply(c, personView(await personFor(c, stateful, 'read'), options)),
    )
    .delete('/:collection/persons/:person', description('Remove a person with all photos'), async (c) => {
      const { id, collectionId } = await personFor(c, stateful, 'delete')
      await removePerson({ ...stateful, nowMs }, collectionId, id)
      return c.body(null, 204)
    })
    .post('/:collection/persons/:person/images', description('Add photos of a person'), async (c) => {
      const person = await personFor(c, stateful, 'create')
      const { images } = await readPhotos(c, deps)
      const added = await enrolImages(enrolmentParts(c), person, images)
      return reply(
        c,
        added.map((image) => personImageView(person, image, options)),
        201,
      )
    })
    .get('/:collection/persons/:person/images', description('Photos of a person'), async (c) => {
      const person = await personFor(c, stateful, 'read')
      const query = parseListQuery(new URL(c.req.url).searchParams, {}, nowMs())
      return reply(
        c,
        pageOf(person.images, query).map((image) => personImageView(person, image, options)),
      )
    })
    .delete('/:collection/persons/:person/images/:image', description('Remove a photo'), async (c) => {
      const placed = await personImageFor(c, stateful, 'delete')
      const { id, collectionId } = placed.person
      if (collectionId !== pathId(c, 'collection') || id !== pathId(c, 'person'))
        throw new AppError('not_found', '')
      await removeImage({ ...stateful, nowMs }, placed)
      return c.body(null, 204)
    })
}

/** Before API 6 photos of persons were removed by their id alone. */
export const imageRoutes = ({ platform }: Deps, stateful: Stateful) =>
  new Hono<AppEnv>().delete('/:image', description('Remove a photo of a person (older name)'), async (c) => {
    await removeImage({ ...stateful, nowMs: platform.nowMs }, await personImageFor(c, stateful, 'delete'))
    return c.body(null, 204)
  })
