/** The request body of a new link. */
import * as v from 'valibot'
import { captureModes, pageLanguages } from '../../records/capture-link.ts'
import type { Metadata } from '../../records/medium.ts'
import { jsonObject, parseWith, strictMembers } from '../parse.ts'
import { analysesSchema, endpointSchema } from './payload.ts'

const consentLengthMax = 2000
const addressLengthMax = 2048
const usesMax = 1000
const lifetimeMinS = 60
const lifetimeMaxS = 30 * 24 * 3600
const lifetimeStandardS = 24 * 3600

/** Whether a browser may be led to an address: it opens a page, and hides no other host behind a user's name. */
function isReturnAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, username, password } = new URL(address)
  return /^https?:$/.test(protocol) && username + password === ''
}

export const newLinkSchema = strictMembers({
  mode: v.pipe(
    v.nullish(v.picklist(captureModes), 'clip'),
    v.description('what is captured: a clip or a photo of a face, or a photo of a document'),
  ),
  analyses: v.pipe(
    v.nullish(v.pipe(analysesSchema, v.minLength(1))),
    v.description('quality, of a document documents, unless others are named'),
  ),
  meta_data: v.nullish(jsonObject, {}),
  language: v.pipe(v.nullish(v.picklist(pageLanguages), null), v.description('null: that of the browser')),
  consent: v.pipe(
    v.nullish(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(consentLengthMax)), null),
    v.description('plain text that the person agrees to before the camera opens'),
  ),
  return_url: v.pipe(
    v.nullish(
      v.pipe(
        v.string(),
        v.maxLength(addressLengthMax),
        v.check(isReturnAddress, 'an http: or https: address without user and password'),
      ),
      null,
    ),
    v.description('where the page leads when the capture was sent'),
  ),
  resolution_endpoint: v.optional(endpointSchema, null),
  state_endpoint: v.pipe(
    v.nullish(v.pipe(v.string(), v.maxLength(addressLengthMax)), null),
    v.description('a public HTTPS address, which each change of the state is posted to'),
  ),
  uses: v.pipe(
    v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(usesMax)), 1),
    v.description('how many captures the link takes'),
  ),
  lifetime: v.pipe(
    v.nullish(
      v.pipe(v.number(), v.integer(), v.minValue(lifetimeMinS), v.maxValue(lifetimeMaxS)),
      lifetimeStandardS,
    ),
    v.description('seconds until the link expires'),
  ),
})

/** @throws {AppError} as `parseWith` */
export function parseNewLink(body: Record<string, unknown>) {
  const { meta_data, return_url, resolution_endpoint, state_endpoint, lifetime, analyses, ...rest } =
    parseWith(newLinkSchema, body)
  const standard = [{ type: rest.mode === 'document' ? 'documents' : 'quality' }]
  return {
    ...rest,
    // As they were sent: they are read again with each capture.
    analyses: analyses ? (body.analyses as Metadata[]) : standard,
    metadata: meta_data,
    returnUrl: return_url,
    resolutionEndpoint: resolution_endpoint,
    stateEndpoint: state_endpoint,
    lifetimeMs: lifetime * 1000,
  }
}
