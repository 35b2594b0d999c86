/** Schemas of request bodies for stored folders, media and analyses. */
import * as v from 'valibot'
import { decisionReasons } from '../../records/decision.ts'
import { jsonObject } from '../parse.ts'
import { endpointSchema, tagsSchema } from './payload.ts'

const comment = v.pipe(v.string(), v.maxLength(4000))
const decision = v.pipe(
  v.string(),
  v.transform((name) => name.trim().toUpperCase()),
  v.picklist(['SUCCESS', 'DECLINED']),
)

/** Why, and the `resolution_state_hash` of the folder as the operator saw it: a decision on another state is refused. */
const decisionParts = {
  reason_code: v.nullish(v.picklist(decisionReasons)),
  resolution_state_hash: v.optional(v.nullable(v.string())),
}

/** Comment and metadata each have two names: the one in answers, and the one of the operator or of the payload. */
export const folderChangeSchema = v.object({
  operator_status: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(100)))),
  operator_comment: v.optional(v.nullable(comment)),
  resolution_comment: v.optional(v.nullable(comment)),
  ...decisionParts,
  resolution_endpoint: v.optional(endpointSchema),
  meta_data: v.nullish(jsonObject),
  'folder:meta_data': v.nullish(jsonObject),
})

export const mediumChangeSchema = v.object({ tags: v.nullish(tagsSchema), meta_data: v.nullish(jsonObject) })

/** The field has an older and a newer name; both are accepted. `null` means that a member is not set. */
export const decisionSchema = v.object({
  resolution_operator: v.nullish(decision),
  resolution_status: v.nullish(decision),
  resolution_comment: v.nullish(comment, ''),
  ...decisionParts,
})

type DecisionBody = Partial<v.InferOutput<v.ObjectSchema<typeof decisionParts, undefined>>>

/** The reason of a decision, and the state that it was made on, if the body names one. */
export const readDecisionParts = ({ reason_code, resolution_state_hash }: DecisionBody) => ({
  reason: reason_code ?? null,
  ...(resolution_state_hash === undefined ? {} : { seenHash: resolution_state_hash }),
})

export const metadataSchema = jsonObject
