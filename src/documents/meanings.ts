/** Values of zones that may mean several things, such as dates without a century: the page tells which one counts. */
import { passMin } from './document-field.ts'
import { isNever, never } from './mrz/dates.ts'
import type { MrzField } from './mrz/parse-zone.ts'
import type { VisualField, VisualFieldName } from './visual/read-fields.ts'
import type { ZoneValues } from './zone-values.ts'

type Printed = Readonly<Partial<Record<VisualFieldName, VisualField>>>

interface MeaningRules {
  /** `YYYY-MM-DD` */
  readonly today: string
  /** Whether the document may be valid for longer than a passport. */
  readonly isCard: boolean
}

/** No validity ends further ahead, in years. */
const aheadMax = 99

/** A date that was read well on the page, with all digits of its year, or as a word for a validity without end. */
function findFullDate(field: VisualField | undefined): string | null {
  if (!field?.value || field.confidence < passMin) return null
  return field.value === never || /\d{4}/.test(field.text) ? field.value : null
}

/** Of a birth a century before the one that the zone was taken for, the page has the year in full. */
function resolveBirth(birth: MrzField, printed: VisualField | undefined): MrzField {
  const date = findFullDate(printed)
  if (!birth.value || !date) return birth
  const [year, rest] = [Number(birth.value.slice(0, 4)), birth.value.slice(4)]
  return date === `${year - 100}${rest}` ? { ...birth, value: date } : birth
}

const toDigits = (date: string): string => date.slice(2)

/** The meaning of an expiry that the page, or the date of issue, tells. Where several remain, it has none. */
function resolveExpiry(
  expiry: MrzField,
  { expiry_date: printed, issue_date: issue }: Printed,
  { today, isCard }: MeaningRules,
): MrzField {
  const meanings = expiry.alternatives ?? (expiry.value ? [expiry.value] : [])
  const date = findFullDate(printed)
  const settled = meanings.find((meaning) => meaning === date || (date === never && isNever(meaning)))
  if (settled !== undefined) return { ...expiry, value: settled, alternatives: [settled] }
  const latest = `${Number(today.slice(0, 4)) + aheadMax}${today.slice(4)}`
  // The same digits in another century: nothing tells which of both is meant.
  const isOther = (other: string) => meanings.some((meaning) => toDigits(meaning) === toDigits(other))
  if (isCard && date !== null && isOther(date) && (date <= latest || isNever(date)))
    return { ...expiry, value: null, alternatives: [...meanings, date] }
  const issued = findFullDate(issue)
  const later = meanings.filter((meaning) => issued === null || meaning > issued)
  return later.length === 1 ? { ...expiry, value: later[0]!, alternatives: later } : expiry
}

/** The meaning of a letter that stands for both sexes. */
function resolveSex(sex: MrzField, printed: VisualField | undefined): MrzField {
  const value = sex.alternatives?.find((meaning) => meaning === printed?.value)
  return value === undefined ? sex : { ...sex, value, alternatives: [value] }
}

/**
 * The values of a zone with the meanings that the page tells. A field for the expiry that is empty is none where the page says that
 * the document does not expire.
 */
export function resolveMeanings(values: ZoneValues, printed: Printed, rules: MeaningRules): ZoneValues {
  const { birth_date: birth, sex, expiry_date: expiry, ...rest } = values
  const isEndless = expiry?.isStated === false && isNever(findFullDate(printed.expiry_date) ?? '')
  return {
    ...rest,
    ...(birth && { birth_date: resolveBirth(birth, printed.birth_date) }),
    ...(sex && { sex: resolveSex(sex, printed.sex) }),
    ...(expiry && !isEndless && { expiry_date: resolveExpiry(expiry, printed, rules) }),
  }
}
