/** Answers about users, companies, sessions and webhooks. */
import * as v from 'valibot'
import { userTypes } from '../../identity/roles.ts'
import { linkStates } from '../../records/capture-link.ts'
import { anyObject, count, id, idOrNull, noFields, text, textOrNull, time, timeOrNull } from './parts.ts'

export const companyAnswer = v.strictObject({
  company_id: id,
  name: text,
  in_deletion: v.boolean(),
  sandbox: v.pipe(
    v.boolean(),
    v.description('Whether its analyses end as their folders ask, without inference; set when it is created'),
  ),
  reference_field: v.pipe(
    textOrNull,
    v.description('The field in the metadata of folders that tells what the company calls a case'),
  ),
  meta_data: anyObject,
  technical_meta_data: noFields,
})

export const userAnswer = v.strictObject({
  user_id: id,
  user_type: v.picklist(userTypes),
  email: text,
  first_name: textOrNull,
  last_name: textOrNull,
  middle_name: textOrNull,
  company_id: id,
  is_active: v.boolean(),
  has_second_factor: v.pipe(
    v.boolean(),
    v.description('Whether signing in takes a code of an authenticator app too'),
  ),
  organisation_sign_in: v.pipe(
    v.boolean(),
    v.description('Whether the identity provider of the organisation signs the user in, and no password'),
  ),
  is_admin: v.boolean(),
  is_service: v.boolean(),
  can_start_analysis_biometry: v.boolean(),
  can_start_analysis_collection: v.boolean(),
  can_start_analysis_documents: v.boolean(),
  can_start_analysis_quality: v.boolean(),
  can_start_analyse_biometry: v.boolean(),
  can_start_analyse_collection: v.boolean(),
  can_start_analyse_documents: v.boolean(),
  can_start_analyse_quality: v.boolean(),
  meta_data: anyObject,
  technical_meta_data: noFields,
})

/** It is in force after the first code. */
export const secondFactorAnswer = v.strictObject({
  secret: v.pipe(text, v.description('What to type into the app, in base 32')),
  url: v.pipe(text, v.description('The address by which an app takes it over')),
  qr: v.pipe(text, v.description('its QR code as SVG')),
})

export const sessionAnswer = v.strictObject({
  access_token: text,
  expire_token: text,
  expire_date: time,
  session_id: v.number(),
  token_id: id,
  user: userAnswer,
})

export const providerAnswer = v.strictObject({
  url: v.pipe(text, v.description('Where the provider asks the user')),
  flow: v.pipe(text, v.description('What is sent with its answer, within ten minutes')),
})

export const serviceTokenAnswer = v.strictObject({
  token_id: id,
  user_id: id,
  access_token: text,
  expire_date: time,
  session_id: v.number(),
})

export const listedSessionAnswer = v.strictObject({
  token_id: id,
  session_id: v.number(),
  user_id: id,
  name: v.pipe(textOrNull, v.description('Of a service token, or the program that signed in')),
  time_created: time,
  time_used: v.pipe(
    timeOrNull,
    v.description(
      'Last use that was noted: once in a 60th of its lifetime, or in an hour; null before the first',
    ),
  ),
  expire_date: time,
  is_current: v.pipe(v.boolean(), v.description('Whether the caller uses it')),
})

export const sessionTokenAnswer = v.strictObject({ session_token: text })

export const webhookSecretAnswer = v.strictObject({
  company_id: id,
  secret: text,
  previous_signs_until: timeOrNull,
  time_created: time,
})

export const deliveryAnswer = v.strictObject({
  event_id: id,
  folder_id: idOrNull,
  capture_link_id: idOrNull,
  link_state: v.nullable(v.picklist(linkStates)),
  attempt: count,
  status: v.nullable(count),
  error: textOrNull,
  is_last: v.boolean(),
  url: textOrNull,
  time_created: time,
  time_retry: timeOrNull,
})

/** An attempt that is queued. */
export const queuedDeliveryAnswer = v.strictObject({
  event_id: id,
  folder_id: idOrNull,
  capture_link_id: idOrNull,
  attempt: count,
})
