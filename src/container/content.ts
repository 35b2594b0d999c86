/** The schemas of a container's JSON. */
import * as v from 'valibot'
import { parseJsonObject } from '../contract/bounded-json.ts'
import { tagsSchema } from '../contract/full/payload.ts'
import { AppError } from '../errors.ts'
import { type CaptureEvidence, containerVersion } from './format.ts'

const nameLengthMax = 255
const fileNameLengthMax = 1024
const settingsMax = 60
const settingLengthMax = 200
/** Ten seconds of 240 frames, and some more. */
const framesMax = 3000
const stepsMax = 20
/** Several times as many as a challenge has. */
const shownMax = 32
/** Some more than `#rrggbb`. */
const colourLengthMax = 12
/** Longer than any clip. */
const timeMaxMs = 3_600_000

export const payloadBytesMax = 2 ** 20
export const evidenceBytesMax = 2 ** 18

const partSchema = v.object({
  type: v.string(),
  size: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 31)),
  name: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(nameLengthMax))),
  filename: v.optional(v.pipe(v.string(), v.maxLength(fileNameLengthMax))),
  tags: v.optional(tagsSchema, []),
})
export type ListedPart = v.InferOutput<typeof partSchema>

const headSchema = v.object({
  version: v.literal(containerVersion),
  session_token: v.optional(v.string(), ''),
  key: v.object({ kty: v.literal('oct'), k: v.pipe(v.string(), v.regex(/^[\w-]{43}$/)) }),
  parts: v.array(partSchema),
})
export type ListedHead = v.InferOutput<typeof headSchema>

const time = v.pipe(v.number(), v.minValue(0), v.maxValue(timeMaxMs))
const shortText = v.pipe(v.string(), v.maxLength(settingLengthMax))
const settingsSchema = v.pipe(
  v.record(shortText, v.union([shortText, v.number(), v.boolean()])),
  v.maxEntries(settingsMax),
)

/** Steps of other types may have other members, which are skipped. */
const stepSchema = v.pipe(
  v.object({
    type: shortText,
    gesture: v.optional(shortText),
    from: time,
    to: time,
    shown: v.optional(
      v.pipe(
        v.array(v.tuple([time, v.pipe(v.string(), v.maxLength(colourLengthMax))])),
        v.maxLength(shownMax),
      ),
    ),
    soft: v.optional(v.boolean()),
    skipped: v.optional(v.boolean()),
  }),
  v.check(({ type, gesture }) => type !== 'gesture' || gesture !== undefined, 'a gesture has a name'),
)

const evidenceSchema = v.object({
  steps: v.optional(v.pipe(v.array(stepSchema), v.maxLength(stepsMax))),
  frames: v.optional(
    v.pipe(v.array(v.tuple([time, v.pipe(v.string(), v.regex(/^[\w-]{22}$/))])), v.maxLength(framesMax)),
  ),
  track: v.optional(settingsSchema),
  device: v.optional(settingsSchema),
})

const decodeText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** @throws {AppError} `container_damaged` */
export function readHead(plaintext: Uint8Array): ListedHead {
  return parseAs(headSchema, plaintext, 'The head of the container is invalid')
}

/** @throws {AppError} `container_damaged` */
export const readEvidence = (bytes: Uint8Array): CaptureEvidence =>
  parseAs(evidenceSchema, bytes, 'The evidence of a medium is invalid') as CaptureEvidence

/** @throws {AppError} `container_payload` */
export function readPayload(bytes: Uint8Array): Record<string, unknown> {
  try {
    return parseJsonObject(decodeText(bytes))
  } catch (cause) {
    const message = cause instanceof AppError ? cause.message : 'The payload is no JSON object'
    throw new AppError('container_payload', message, { cause })
  }
}

function parseAs<Schema extends v.GenericSchema>(
  schema: Schema,
  bytes: Uint8Array,
  message: string,
): v.InferOutput<Schema> {
  try {
    return v.parse(schema, parseJsonObject(decodeText(bytes)), { abortEarly: true })
  } catch (cause) {
    throw new AppError('container_damaged', message, { cause })
  }
}
