/** What callers send about folders, media and analyses that are kept. */
import * as v from 'valibot'
import { jsonObject } from '../parse.ts'
import { endpointSchema, tagsSchema } from './payload.ts'

const comment = v.pipe(v.string(), v.maxLength(4000))
const decision = v.pipe(
  v.string(),
  v.transform((name) => name.trim().toUpperCase()),
  v.picklist(['SUCCESS', 'DECLINED']),
)

export const folderChangeSchema = v.object({
  operator_status: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(100)))),
  operator_comment: v.optional(v.nullable(comment)),
  resolution_endpoint: v.optional(endpointSchema),
})

export const mediumChangeSchema = v.object({ tags: tagsSchema })

/** The vendor's name of the call is not public; older and newer names of the field are taken. */
export const decisionSchema = v.object({
  resolution_operator: v.optional(decision),
  resolution_status: v.optional(decision),
  resolution_comment: v.optional(comment, ''),
})

export const metadataSchema = jsonObject
