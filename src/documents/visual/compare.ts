/** Compares a printed field with the same field of the machine-readable zone. */
import type { VisualField, VisualFieldName } from './field.ts'
import { foldConfusable, foldText, transliterate } from './fold.ts'

/**
 * `same`: also if the zone transliterates it. `likely`: only characters differ that text recognition confuses, or the zone has cut a
 * long name short. `unknown`: the printed text could not be interpreted.
 */
export type Agreement = 'same' | 'likely' | 'different' | 'unknown'

const nameFields = new Set<VisualFieldName>(['surname', 'given_names', 'full_name'])
/** Shorter beginnings of a name are no truncation: zones have room for more. */
const truncatedMin = 10

function compareNames(printed: string, zone: string): Agreement {
  const wanted = foldText(zone)
  const spellings = transliterate(printed)
  if (spellings.includes(wanted)) return 'same'
  // Only the folded text keeps digits, which stand for letters that look like them.
  if ([foldText(printed), ...spellings].some((text) => foldConfusable(text) === foldConfusable(wanted)))
    return 'likely'
  const isCut = wanted.length >= truncatedMin && spellings.some((spelling) => spelling.startsWith(wanted))
  return isCut ? 'likely' : 'different'
}

function compareTexts(printed: string, zone: string): Agreement {
  if (foldText(printed) === foldText(zone)) return 'same'
  return foldConfusable(printed) === foldConfusable(zone) ? 'likely' : 'different'
}

/** Germany has a code of its own in zones. */
const toUsualState = (code: string): string => (code === 'DEU' ? 'D' : foldText(code))

/**
 * @param mrz the value of the zone in the same normalised form: dates as `YYYY-MM-DD`, numbers without fillers, sex as `M`, `F` or `X`
 */
export function compareWithMrz(name: VisualFieldName, visual: VisualField, mrz: string): Agreement {
  const readings = visual.value === null ? visual.alternatives : [visual.value]
  if (readings.length === 0) return 'unknown'
  if (nameFields.has(name)) return compareNames(visual.text, mrz)
  if (name === 'nationality' || name === 'issuing_state')
    return readings.some((code) => toUsualState(code) === toUsualState(mrz)) ? 'same' : 'different'
  if (name === 'document_number' || name === 'personal_number') return compareTexts(readings[0]!, mrz)
  return readings.includes(mrz) ? 'same' : 'different'
}
