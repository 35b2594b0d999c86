/** Answers about collections, statistics, apps and the service itself, and errors. */
import * as v from 'valibot'
import { mediumInfo, sampleAnswer } from './folders.ts'
import {
  anyObject,
  count,
  id,
  idOrNull,
  noFields,
  score,
  text,
  textOrNull,
  time,
  timeOrNull,
} from './parts.ts'

export const collectionAnswer = v.strictObject({
  collection_id: id,
  company_id: idOrNull,
  alias: text,
  meta_data: anyObject,
  technical_meta_data: v.strictObject({
    search: v.optional(
      v.pipe(
        v.array(v.strictObject({ templates: count, decision_threshold: score, false_hits: score })),
        v.description(
          'How a search without a threshold decides: of this collection, then of other sizes; only where one collection is asked for',
        ),
      ),
    ),
  }),
  time_created: time,
  time_updated: time,
})

export const personImageAnswer = v.strictObject({
  person_image_id: id,
  media_id: id,
  image_id: id,
  person_id: id,
  collection_id: id,
  company_id: idOrNull,
  media_type: v.literal('IMAGE_PERSON'),
  tags: v.array(text),
  original_name: textOrNull,
  original_url: textOrNull,
  thumb_url: textOrNull,
  info: mediumInfo,
  meta_data: anyObject,
  technical_meta_data: sampleAnswer,
  time_created: time,
  time_updated: time,
  similar_persons: v.optional(
    v.pipe(
      v.array(
        v.strictObject({ person_id: id, person_image_id: id, confidence: score, meta_data: anyObject }),
      ),
      v.description('Others of the collection who are like the photo, told when it is enrolled'),
    ),
  ),
})

export const personAnswer = v.strictObject({
  person_id: id,
  collection_id: id,
  company_id: idOrNull,
  images: v.array(personImageAnswer),
  meta_data: anyObject,
  technical_meta_data: noFields,
  time_created: time,
  time_updated: time,
})

/** What is wrong and what is allowed, such as `key_path` and `expected`. */
const errorDetails = v.nullable(v.record(v.string(), v.union([v.string(), v.number()])))

export const errorAnswerSchema = v.strictObject({
  error_code: v.number(),
  error_message: text,
  error_details: errorDetails,
  details: errorDetails,
})

const refusedPerson = v.strictObject({
  ...errorAnswerSchema.entries,
  person_id: v.null(),
  images: v.array(text),
})

/** One person, or with `persons` in the payload the result for each of them. */
export const enrolmentAnswer = v.union([personAnswer, v.array(v.union([personAnswer, refusedPerson]))])

export const eventSessionAnswer = v.strictObject({
  event_session_id: id,
  session_id: id,
  company_id: idOrNull,
  user_id: idOrNull,
  device: anyObject,
  records_count: count,
  time_created: time,
  time_updated: time,
})

export const eventRecordAnswer = v.strictObject({
  session_id: id,
  event: text,
  timemark: timeOrNull,
  time_created: time,
  record: anyObject,
})

export const deviceSettingsAnswer = v.strictObject({
  model: text,
  settings: anyObject,
  time_created: time,
  time_updated: time,
})

export const modelSettingsAnswer = v.strictObject({
  model: text,
  settings: anyObject,
  patterns: v.array(text),
})

const secondsOrNull = v.nullable(v.number())

const counts = {
  count,
  system_resolutions: v.record(text, count),
  latency: v.strictObject({
    count,
    p50: secondsOrNull,
    p90: secondsOrNull,
    p95: secondsOrNull,
    p99: secondsOrNull,
  }),
  scores: v.nullable(v.strictObject({ count, bins: v.array(count), thresholds: v.array(score) })),
}

export const statisticsCountsAnswer = v.strictObject(counts)

/** A group has the keys that `group_by` names. */
export const statisticsGroupAnswer = v.strictObject({
  time_created: v.optional(timeOrNull),
  company_id: v.optional(idOrNull),
  type: v.optional(textOrNull),
  system_resolution: v.optional(textOrNull),
  ...counts,
})

export const statisticsAnswer = v.strictObject({
  offset: count,
  limit: v.number(),
  total_count: v.nullable(count),
  items: v.array(statisticsGroupAnswer),
  time_created: v.pipe(
    v.strictObject({ min: time, max: time }),
    v.description('Begin and end of the time that is counted; the end is not part of it'),
  ),
  total: v.nullable(statisticsCountsAnswer),
  billing: anyObject,
})

export const versionAnswer = v.strictObject({
  core: text,
  version: text,
  service: text,
  service_version: text,
})

const health = v.picklist(['ok', 'error'])

export const healthAnswer = v.strictObject({
  status: health,
  components: v.looseObject({
    assessor: v.looseObject({ status: health }),
    models: v.looseObject({
      status: health,
      profile: text,
      assurance: text,
      networks: v.array(v.strictObject({ id: text, version: text, task: text, licence: text, card: text })),
    }),
  }),
  sandbox: v.pipe(v.boolean(), v.description('Whether the whole server is a sandbox: it checks nothing')),
  runtime: text,
  licence: anyObject,
  billing: anyObject,
})

export const livenessProbeAnswer = v.strictObject({ status: v.literal('ok') })

export const readinessProbeAnswer = v.strictObject({
  status: v.picklist(['ok', 'error']),
  components: v.record(text, v.picklist(['ok', 'error'])),
})

export const configAnswer = v.strictObject({
  timezone: text,
  language: v.pipe(text, v.description('Language of messages')),
  container_analysis_enabled: v.boolean(),
  documents_analysis_enabled: v.boolean(),
  sandbox: v.pipe(v.boolean(), v.description('Whether the whole server is a sandbox: it checks nothing')),
  accepted_types: v.array(text),
  token_required: v.pipe(v.boolean(), v.description('Whether Instant calls need a token')),
  pages_open: v.pipe(
    v.boolean(),
    v.description('Whether the page that asks needs none, as those opened on the machine of the server'),
  ),
  organisation_sign_in: v.pipe(
    v.boolean(),
    v.description('Whether people may sign in by the identity provider of their organisation'),
  ),
})

export const settingAnswer = v.strictObject({
  name: v.pipe(text, v.description('Name of the variable')),
  description: text,
  value: v.pipe(textOrNull, v.description('null for secrets')),
  default_value: textOrNull,
  is_changed: v.boolean(),
})

export const liteVersionAnswer = v.strictObject({
  core: text,
  tfss: text,
  models: v.array(v.strictObject({ name: text, version: text })),
})

export const liteHealthAnswer = v.strictObject({
  status: v.pipe(v.number(), v.description('0 is ready, 3 is not')),
  message: v.pipe(text, v.description('The same in words')),
})

const comparison = { score, decision: v.picklist(['approved', 'operator_required', 'declined']) }
export const liteComparisonAnswer = v.strictObject(comparison)
export const liteComparisonsAnswer = v.strictObject({
  results: v.array(v.strictObject({ filename: text, ...comparison })),
})

export const liteLivenessAnswer = v.strictObject({
  passed: v.boolean(),
  score: v.pipe(score, v.description('Attack score, 0 to 1: the higher, the more like an attack')),
})

export const liteErrorAnswerSchema = v.looseObject({ code: text, message: textOrNull })
