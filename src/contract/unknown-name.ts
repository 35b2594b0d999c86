/** Names that are not known: one that is spelled like a known one is refused, with the name that was probably meant. */
import leven from 'leven'
import { AppError } from '../errors.ts'

/** Characters of a name that an error repeats, and of the names that are compared. */
const nameLengthMax = 64
/** Unknown names of a query: each is compared with all known ones. */
const unknownMax = 20
/** Share of its characters that a name may differ in, to count as the same name misspelled. */
const differenceMax = 0.4

/** The part of a name that an error may repeat: only characters of names. */
export const sanitizeName = (text: string): string =>
  text
    .slice(0, 4 * nameLengthMax)
    .replace(/[^\w.:{}-]/g, '')
    .slice(0, nameLengthMax)

/** Whether some words of one name, in their order, are all words of another: `resolution` is part of `resolution_status`. */
const isPartOf = (part: string, name: string): boolean => {
  const separated = (text: string) => `_${text.replaceAll('.', '_')}_`
  return separated(name).includes(separated(part))
}

/**
 * The known name that an unknown one is most like, `null` if none is: the part before its operator, one that is spelled alike, or one
 * that it is a part of.
 */
export function suggestName(name: string, known: Iterable<string>): string | null {
  const sent = name.slice(0, nameLengthMax).toLowerCase()
  const base = sent.split('.').slice(0, -1).join('.')
  let nearest: string | null = null
  let whole: string | null = null
  let least = Math.floor(sent.length * differenceMax) + 1
  for (const candidate of known) {
    if (candidate === base) return candidate
    const difference = leven(sent, candidate.toLowerCase())
    if (difference < least) [nearest, least] = [candidate, difference]
    if (isPartOf(sent, candidate.toLowerCase())) whole ??= candidate
  }
  return nearest ?? whole
}

/** What an error says of an unknown name. */
export function describeUnknownName(name: string, known: Iterable<string>): string {
  const suggestion = suggestName(name, known)
  const meant = suggestion === null ? '' : `; did you mean '${suggestion}'?`
  return `Unknown param '${sanitizeName(name)}'${meant}`
}

/**
 * The names that are not known, as an answer may repeat them.
 * @throws {AppError} `value_invalid` for one that is probably a known one misspelled, or for too many
 */
export function readUnknownNames(names: Iterable<string>, known: ReadonlySet<string>): string[] {
  const unknown = new Set([...names].filter((name) => !known.has(name)))
  if (unknown.size > unknownMax)
    throw new AppError(
      'value_invalid',
      `At most ${unknownMax} params may be unknown: ${unknown.size} were sent`,
      {
        details: { count: unknown.size, count_max: unknownMax },
      },
    )
  for (const name of unknown) {
    if (suggestName(name, known) === null) continue
    throw new AppError('value_invalid', describeUnknownName(name, known), {
      details: { key_path: sanitizeName(name) },
      place: '*',
    })
  }
  return [...new Set([...unknown].map(sanitizeName))].filter((name) => name !== '')
}
