/** Compares a printed field with the same field of the machine-readable zone. */
import { toUsualState } from '../mrz/states.ts'
import type { VisualField, VisualFieldName } from './field.ts'
import { foldConfusable, foldText } from './fold.ts'
import { follow, type Spelling, spell, spellLoosely } from './spell.ts'

/**
 * `same`: also if the zone transliterates it. `likely`: only characters differ that text recognition confuses, one of them lacks
 * some words of a name, or the zone has cut it short. `unknown`: the printed text could not be interpreted.
 */
export type Agreement = 'same' | 'likely' | 'different' | 'unknown'

export const dateFields: ReadonlySet<VisualFieldName> = new Set<VisualFieldName>([
  'birth_date',
  'issue_date',
  'expiry_date',
])

/** Whether a date is printed that cannot be: others have a meaning, or several. */
export const isImpossible = ({ name, value, alternatives }: VisualField): boolean =>
  dateFields.has(name) && value === null && alternatives.length === 0

const nameFields = new Set<VisualFieldName>(['surname', 'given_names', 'full_name'])

/** A degree that pages print before a name, and zones leave out. */
const degree = /^(?:DR|PROF)(?:\.\s*|\s+)/i

/** Places in the folded name where words begin, and its end. */
function wordPlaces(words: readonly string[]): Set<number> {
  let at = 0
  return new Set([0, ...words.map((word) => (at += word.length))])
}

/** How much of a zone's name is printed. */
function matchName(spelling: Spelling, words: readonly string[], isCut: boolean): 'all' | 'part' | null {
  const zone = words.join('')
  const places = wordPlaces(words)
  for (const start of places) {
    const found = follow(spelling, zone, start)
    if (start === 0 && found.ends.has(zone.length)) return 'all'
    // A long name is printed in several lines, of which one is compared.
    if ([...found.ends].some((end) => end > start && places.has(end))) return 'part'
    if (start === 0 && isCut && found.isCut) return 'part'
  }
  return null
}

/** @param isCut whether the zone has no room for more of the name */
export function compareNames(printed: string, zone: string, isCut = false): Agreement {
  const words = zone.split(' ').map(foldText)
  const text = printed.replace(degree, '')
  const match = matchName(spell(text), words, isCut)
  if (match === 'all') return text === printed ? 'same' : 'likely'
  if (match === 'part' || matchName(spellLoosely(text), words, isCut)) return 'likely'
  const others = text.replaceAll(/[\p{Script=Latin}\p{P}\p{Z}\p{M}]/gu, '')
  if (!/\p{L}/u.test(others)) return 'different'
  // Beside the letters of another script there may be the same name in Latin ones.
  const latin = text.replaceAll(/[^\p{Script=Latin}\p{M}' -]/gu, '').trim()
  return latin !== '' && matchName(spell(latin), words, isCut) === 'all' ? 'same' : 'unknown'
}

/**
 * Compares a name that is printed as a whole, which may begin with either part.
 * @param parts surname and given names of the zone, as far as it has them
 */
export function compareWholeName(printed: string, parts: readonly string[], isCut = false): Agreement {
  const orders = [parts, parts.toReversed()]
  const agreements = orders.map((order) => compareNames(printed, order.join(' '), isCut))
  return (['same', 'likely'] as const).find((agreement) => agreements.includes(agreement)) ?? agreements[0]!
}

function compareTexts(printed: string, zone: string): Agreement {
  if (foldText(printed) === foldText(zone)) return 'same'
  return foldConfusable(printed) === foldConfusable(zone) ? 'likely' : 'different'
}

/**
 * @param mrz the value of the zone in the same normalised form: dates as `YYYY-MM-DD`, numbers without fillers, sex as `M`, `F` or `X`
 * @param isCut whether the zone has no room for more of a name
 */
export function compareWithMrz(
  name: VisualFieldName,
  visual: VisualField,
  mrz: string,
  isCut = false,
): Agreement {
  const readings = visual.value === null ? visual.alternatives : [visual.value]
  if (readings.length === 0) return 'unknown'
  if (nameFields.has(name)) return compareNames(visual.text, mrz, isCut)
  if (name === 'nationality' || name === 'issuing_state')
    return readings.some((code) => toUsualState(code) === toUsualState(mrz)) ? 'same' : 'different'
  if (name === 'document_number' || name === 'personal_number') return compareTexts(readings[0]!, mrz)
  return readings.includes(mrz) ? 'same' : 'different'
}
