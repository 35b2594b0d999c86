/** Schemas of request bodies for collections and persons. */
import * as v from 'valibot'
import { jsonObject, objectOf, parseWith } from '../parse.ts'
import { tagsSchema } from './payload.ts'

export const newCollectionSchema = v.object({
  // Control characters and lone surrogates would not survive storage, so two aliases could become one.
  alias: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200), v.regex(/^[^\p{Cc}\p{Cs}]*$/u)),
  company_id: v.optional(v.nullable(v.pipe(v.string(), v.toLowerCase(), v.uuid()))),
  meta_data: v.nullish(jsonObject, {}),
})

/** Number of persons in one request, each with photos. */
const personsMax = 1000

/** Tags and metadata for photos and the person. With `persons`, several are enrolled at once, each from the parts it names. */
export const photosSchema = v.object({
  'media:meta_data': v.nullish(objectOf(v.nullish(jsonObject, {})), {}),
  'media:tags': v.nullish(objectOf(v.nullish(tagsSchema, [])), {}),
  'person:meta_data': v.nullish(jsonObject, {}),
  persons: v.nullish(
    v.pipe(
      v.array(
        v.object({
          images: v.pipe(v.array(v.string()), v.minLength(1)),
          meta_data: v.nullish(jsonObject, {}),
        }),
      ),
      v.minLength(1),
      v.maxLength(personsMax),
    ),
  ),
})

export type PhotosPayload = v.InferOutput<typeof photosSchema>

/** @throws {AppError} as `parseWith` */
export const parsePhotosPayload = (value: Record<string, unknown>): PhotosPayload =>
  parseWith(photosSchema, value)
