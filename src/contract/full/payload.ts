/** The schema of `payload`, the JSON part of a submission. Wrong types and unknown parameters are refused, other unknown keys ignored. */

import * as v from 'valibot'
import { describeBy } from '../json-form.ts'
import { flagSchema, jsonObject, objectOf, parseWith, strictMembers } from '../parse.ts'
import { typesByWord } from './analysis-views/registry.ts'
import { readFieldName, wireFields } from './document-fields.ts'

const score = v.pipe(v.number(), v.minValue(0), v.maxValue(1))

export const analysisType = describeBy(
  v.pipe(
    v.string(),
    v.transform((name) => name.trim().toUpperCase()),
    v.check((name) => Object.hasOwn(typesByWord, name), `one of ${Object.keys(typesByWord).join(', ')}`),
    v.transform((name) => typesByWord[name]!),
  ),
  v.picklist(Object.keys(typesByWord).map((word) => word.toLowerCase())),
)

/** Both limits are far above what a folder can hold. They keep the work of a request proportional to its media. */
const analysesMax = 16
const sourceMediaMax = 100
/** Fields of documents in one request. */
const fieldsMax = 100
/** Number of candidates for one medium. */
const candidatesMax = 1000

const sourceMedia = v.pipe(
  v.array(v.string()),
  v.maxLength(sourceMediaMax),
  v.check((keys) => new Set(keys).size === keys.length, 'a list that names each medium once'),
)

const tagsMax = 100
const tagLengthMax = 200
const addressLengthMax = 2048

export const tagsSchema = v.pipe(v.array(v.pipe(v.string(), v.maxLength(tagLengthMax))), v.maxLength(tagsMax))
export const endpointSchema = v.nullable(
  v.pipe(
    v.string(),
    v.maxLength(addressLengthMax),
    v.description(
      'a public HTTPS address, which stored folders are posted to when analyses have ended; Instant and Lite check its form and send nothing',
    ),
  ),
)

/** Fields of documents. An empty list means the same as none: everything is checked. */
const fieldsToCheck = describeBy(
  v.pipe(
    v.array(v.string()),
    v.maxLength(fieldsMax),
    v.array(
      v.pipe(
        v.string(),
        v.check((name) => readFieldName(name) !== null, `one of ${wireFields.join(', ')}`),
        v.transform((name) => readFieldName(name)!),
      ),
    ),
    v.transform((names) => (names.length === 0 ? null : [...new Set(names)])),
  ),
  v.array(v.picklist(wireFields)),
)

/** `null` means that a parameter is not set. Every type accepts all of them, and reads its own. */
const parameters = strictMembers({
  threshold_spoofing: v.nullish(score),
  threshold_replay: v.nullish(score),
  threshold_liveness: v.nullish(score),
  threshold_min: v.nullish(score),
  threshold_max: v.nullish(score),
  extract_best_shot: v.nullish(flagSchema),
  extract_action_shot: v.nullish(flagSchema),
  source_media: v.nullish(sourceMedia),
  collection_id: v.nullish(v.pipe(v.string(), v.toLowerCase(), v.uuid())),
  decision_count: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(candidatesMax))),
  decision_threshold: v.nullish(score),
  fields_to_check: v.nullish(fieldsToCheck),
  double_page_spread: v.nullish(flagSchema),
  capabilities: v.nullish(v.number()),
})

export const analysisSchema = v.object({
  type: analysisType,
  source_media: v.nullish(sourceMedia),
  params: v.nullish(parameters, {}),
  meta_data: v.nullish(jsonObject, {}),
  extract_action_shot: v.nullish(flagSchema),
})

export const analysesSchema = v.pipe(v.array(analysisSchema), v.maxLength(analysesMax))

/** The payload of a submission. `null` means that a member is not set. */
export const payloadSchema = v.object({
  'folder:meta_data': v.nullish(
    v.pipe(jsonObject, v.description('Free; in a sandbox, `sandbox` names the outcome of the analyses')),
    {},
  ),
  'media:meta_data': v.nullish(objectOf(v.nullish(jsonObject, {})), {}),
  'media:tags': v.nullish(objectOf(v.nullish(tagsSchema, [])), {}),
  analyses: analysesSchema,
  resolution_endpoint: v.optional(endpointSchema),
  extract_action_shot: v.nullish(flagSchema),
  /** Whether answers show how the results came about. Not part of the contract. */
  detail: v.nullish(flagSchema),
})

/** The payload of a stored folder, whose analyses may follow later. */
export const payloadOfFolder = v.object({ ...payloadSchema.entries, analyses: v.nullish(analysesSchema) })

/** For the API reference. */
export const payloadExample = {
  'folder:meta_data': { transaction_id: 't-1' },
  'media:tags': { selfie: ['photo_selfie'], id_photo: ['photo_id_front'] },
  analyses: [{ type: 'quality', params: { extract_best_shot: false } }, { type: 'biometry' }],
  detail: true,
}

export type Payload = v.InferOutput<typeof payloadSchema>
export type PayloadAnalysis = Payload['analyses'][number]

/**
 * @param defaults for members that are missing or `null`
 * @throws {AppError} as `parseWith`
 */
export function parsePayload(value: Record<string, unknown>, defaults: Partial<Payload> = {}): Payload {
  const given = Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
  return parseWith(payloadSchema, { ...defaults, ...given })
}
