/** Times in query strings. */

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i

const isoDate = String.raw`(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)`
const isoClock = String.raw`(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.(?<fraction>\d+))?)?`
// A `+` that is not percent-encoded arrives as a space.
const isoZone = String.raw`Z|(?<sign>[-+ ])(?<zoneHours>\d\d)(?::?(?<zoneMinutes>\d\d))?`
const iso = new RegExp(`^${isoDate}(?:[T ]${isoClock}(?:${isoZone})?)?$`, 'i')

/** Numbers from these sizes on are milliseconds or microseconds; smaller ones are seconds. */
const millisecondsFrom = 1e10
const microsecondsFrom = 1e15
/** The latest time that a `Date` can hold. */
const timeMaxMs = 8.64e15
const dayMs = 86_400_000

/** Parses a finite decimal number; `null` for anything else, such as `0x1f` or an empty text. */
export function parseDecimal(text: string): number | null {
  const number = decimal.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(number) ? number : null
}

/** Milliseconds from Unix seconds, milliseconds or microseconds, which differ in size. */
export function toUnixMs(number: number): number {
  const size = Math.abs(number)
  if (size >= microsecondsFrom) return number / 1000
  return size >= millisecondsFrom ? number : number * 1000
}

function parseIsoTime(text: string): number | null {
  const parts = iso.exec(text)?.groups
  if (!parts) return null
  const part = (name: string) => Number(parts[name] ?? 0)
  const date = new Date(Date.UTC(part('year'), part('month') - 1, part('day')))
  // `Date.UTC` turns the 30th of February into a day of March.
  const exists = date.getUTCFullYear() === part('year') && date.getUTCMonth() === part('month') - 1
  if (!exists || part('hour') > 23 || part('zoneHours') > 23) return null
  if ([part('minute'), part('second'), part('zoneMinutes')].some((sixtieths) => sixtieths > 59)) return null
  const offsetMinutes = (part('zoneHours') * 60 + part('zoneMinutes')) * (parts.sign === '-' ? -1 : 1)
  const seconds = (part('hour') * 60 + part('minute') - offsetMinutes) * 60 + part('second')
  return date.getTime() + (seconds + Number(`0.${parts.fraction ?? 0}`)) * 1000
}

function parseExactTime(text: string, nowMs: number): number | null {
  const word = text.toLowerCase()
  if (word === 'now') return nowMs
  if (word === 'today') return Math.floor(nowMs / dayMs) * dayMs
  const number = parseDecimal(text)
  return number === null ? parseIsoTime(text) : toUnixMs(number)
}

/**
 * Parses a time into whole milliseconds since 1970. It is a number (seconds, milliseconds or microseconds), `now`, `today`
 * (midnight, UTC), or ISO 8601 (UTC unless it has a time zone). Returns `null` for anything else.
 */
export function parseTime(text: string, nowMs: number): number | null {
  const ms = parseExactTime(text.trim(), nowMs)
  return ms === null || Math.abs(ms) > timeMaxMs ? null : Math.round(ms)
}
