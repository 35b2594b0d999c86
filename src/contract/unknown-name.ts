/** Names that a caller may have misspelled: they are refused, with the name that was probably meant. */
import leven from 'leven'
import { AppError } from '../errors.ts'

/** Characters of a name that an error repeats, and of the names that are compared. */
const nameLengthMax = 64
/** Share of its characters that a name may differ in, to count as the same name misspelled. */
const differenceMax = 0.4

/** The part of a name that an error may repeat: only characters of names. */
export const sanitizeName = (text: string): string => text.replace(/[^\w.:{}-]/g, '').slice(0, nameLengthMax)

/** The known name that an unknown one is most like, `null` if none is: the part before its operator, or one that is spelled alike. */
export function suggestName(name: string, known: Iterable<string>): string | null {
  const sent = name.slice(0, nameLengthMax).toLowerCase()
  const base = sent.split('.').slice(0, -1).join('.')
  let nearest: string | null = null
  let least = Math.floor(sent.length * differenceMax) + 1
  for (const candidate of known) {
    if (candidate === base) return candidate
    const difference = leven(sent, candidate.toLowerCase())
    if (difference < least) [nearest, least] = [candidate, difference]
  }
  return nearest
}

/** What an error says of an unknown name. */
export function describeUnknownName(name: string, known: Iterable<string>): string {
  const suggestion = suggestName(name, known)
  const meant = suggestion === null ? '' : `; did you mean '${suggestion}'?`
  return `Unknown param '${sanitizeName(name)}'${meant}`
}

/** @throws {AppError} `value_invalid` for the first of the names that is not known */
export function refuseUnknownNames(names: Iterable<string>, known: ReadonlySet<string>): void {
  for (const name of names) {
    if (known.has(name)) continue
    throw new AppError('value_invalid', describeUnknownName(name, known), {
      details: { key_path: sanitizeName(name) },
      place: '*',
    })
  }
}
