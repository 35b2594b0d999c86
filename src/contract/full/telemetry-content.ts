/** Refuses what telemetry must not hold: pictures, names and addresses of persons, and very long texts. */
import { AppError } from '../../errors.ts'
import { sanitizeName } from '../unknown-name.ts'

/** Characters of one text. */
const textLengthMax = 1000

/** Base64 or hexadecimal data; words, paths, versions and traces have other characters in between. */
const encodedBytes = /^data:|[A-Za-z0-9+/_-]{256}/

/** Keys under which persons are named, in lower case without separators. The name of a device often is that of its owner. */
const personalKeys: ReadonlySet<string> = new Set([
  'firstname',
  'lastname',
  'middlename',
  'fullname',
  'surname',
  'patronymic',
  'givenname',
  'familyname',
  'username',
  'devicename',
  'email',
  'phone',
  'phonenumber',
  'iin',
  'clientiin',
  'birthdate',
  'dateofbirth',
  'personinfo',
])

/** For the log: the members of the contract, `device` and `events.0`; what is below them was named by the caller. */
function placeOf(path: readonly string[]): string {
  const known = path.slice(0, path[0] === 'events' ? 2 : 1)
  return [...known, ...(path.length > known.length ? ['*'] : [])].join('.')
}

const refusal = (path: readonly string[], message: string): AppError =>
  new AppError('value_invalid', message, {
    details: { key_path: path.map(sanitizeName).join('.') },
    place: placeOf(path),
  })

function refuseText(text: string, path: readonly string[]): void {
  if (text.length > textLengthMax)
    throw refusal(path, `Telemetry has texts of at most ${textLengthMax} characters`)
  if (encodedBytes.test(text)) throw refusal(path, 'Telemetry holds no pictures and no encoded data')
}

/**
 * Checks a value and all that is in it.
 * @param path the key path of the value
 * @throws {AppError} `value_invalid` with the key path of the first member that is refused
 */
export function refusePersonalData(value: unknown, path: readonly string[]): void {
  if (typeof value === 'string') refuseText(value, path)
  if (value === null || typeof value !== 'object') return
  for (const [key, member] of Object.entries(value)) {
    const place = [...path, key]
    if (!Array.isArray(value) && personalKeys.has(key.toLowerCase().replace(/[^a-z]/g, '')))
      throw refusal(place, 'Telemetry holds no names, addresses or numbers of persons: leave this member out')
    refuseText(key, place)
    refusePersonalData(member, place)
  }
}
