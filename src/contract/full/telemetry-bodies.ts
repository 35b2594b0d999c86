/** Request bodies of event sessions and device settings. */
import * as v from 'valibot'
import { AppError } from '../../errors.ts'
import { writeExactJson } from '../../exact-json.ts'
import type { SentObject, SessionEvent } from '../../records/telemetry.ts'
import { toUnixMs } from '../list/time-value.ts'
import { jsonObject, parseWith } from '../parse.ts'
import { refusePersonalData } from './telemetry-content.ts'

/** Events of one request. */
const eventsMax = 500
/** Characters of one event as JSON. */
const eventLengthMax = 4096
/** Characters of the description of a device as JSON. */
const deviceLengthMax = 8192
/** Characters of the settings of one pattern as JSON. */
const settingsLengthMax = 16_384
/** The latest time that a `Date` can hold. */
const timeMaxMs = 8.64e15

const id = v.pipe(v.string(), v.toLowerCase(), v.uuid())

export const reportSchema = v.object({
  session_id: v.nullish(id, null),
  company_id: v.nullish(id, null),
  device: v.nullish(jsonObject, {}),
  events: v.nullish(
    v.pipe(
      v.array(
        v.object({
          event: v.pipe(v.string(), v.minLength(1), v.maxLength(100)),
          timestamp: v.nullish(v.number(), null),
        }),
      ),
      v.maxLength(eventsMax),
    ),
    [],
  ),
})

interface TelemetryReport {
  sessionId: string | null
  companyId: string | null
  device: SentObject
  events: readonly SessionEvent[]
}

function refuseLength(value: object, lengthMax: number, path: string): void {
  if (writeExactJson(value).length > lengthMax)
    throw new AppError('value_invalid', `${path} is longer than ${lengthMax} characters of JSON`, {
      details: { key_path: path, expected: `at most ${lengthMax} characters of JSON` },
      place: path,
    })
}

function readTime(timestamp: number | null, path: string): number | null {
  if (timestamp === null) return null
  const ms = Math.round(toUnixMs(timestamp))
  if (Math.abs(ms) > timeMaxMs)
    throw new AppError('value_invalid', `Invalid param value for '${path}': send Unix seconds`, {
      details: { key_path: path, expected: 'Unix seconds' },
      place: path,
    })
  return ms
}

/** @throws {AppError} as `parseWith`; `value_invalid` for events that are too long, or hold pictures or names */
export function parseReport(body: Record<string, unknown>): TelemetryReport {
  const { session_id, company_id, device, events } = parseWith(reportSchema, body)
  refuseLength(device, deviceLengthMax, 'device')
  refusePersonalData(device, ['device'])
  // Events are kept as they were sent, members that this service does not know included.
  const sent = (body.events ?? []) as readonly SentObject[]
  return {
    sessionId: session_id,
    companyId: company_id,
    device,
    events: events.map(({ event, timestamp }, place) => {
      refuseLength(sent[place]!, eventLengthMax, `events.${place}`)
      refusePersonalData(sent[place], ['events', String(place)])
      return {
        name: event,
        happenedAtMs: readTime(timestamp, `events.${place}.timestamp`),
        sent: sent[place]!,
      }
    }),
  }
}

/** Characters of the name of a model, or of a pattern. */
const modelLengthMax = 100
const printable = /^[^\p{Cc}\p{Cs}]+$/u

/** The name of a device model. */
export const modelSchema = v.object({
  model: v.pipe(v.string(), v.trim(), v.maxLength(modelLengthMax), v.regex(printable)),
})

const patternEntries = {
  // A star stands for the rest of the name, so it is the last character.
  model: v.pipe(modelSchema.entries.model, v.regex(/^[^*]*\*?$/)),
}

export const patternSchema = v.object(patternEntries)

export const settingsSchema = v.object({ ...patternEntries, settings: jsonObject })

/** @throws {AppError} as `parseWith`; `value_invalid` for settings that are too long */
export function parseDeviceSettings(body: Record<string, unknown>): v.InferOutput<typeof settingsSchema> {
  const parsed = parseWith(settingsSchema, body)
  refuseLength(parsed.settings, settingsLengthMax, 'settings')
  return parsed
}
