/** Dates of machine-readable zones, whose years have two digits. */

/** Whether a year, month and day are in the calendar. */
function isDate(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && month >= 1 && day >= 1
}

const toIso = (year: number, month: number, day: number): string =>
  [String(year), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')

/** The dates that `YYMMDD` means in some years; none if it has other characters than digits, such as fillers for unknown parts. */
function listDates(text: string, years: (short: number) => readonly number[]): string[] {
  const parts = /^(\d\d)(\d\d)(\d\d)$/.exec(text)
  if (!parts) return []
  const [short, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  return years(short).flatMap((year) => (isDate(year, month, day) ? [toIso(year, month, day)] : []))
}

/**
 * Resolves a date of birth or issue: the latest one that is not after today. A person of a hundred years is taken for a child.
 * @param today `YYYY-MM-DD`
 * @returns `null` if it is in no calendar, or partly unknown
 */
export const resolvePastDate = (text: string, today: string): string | null =>
  listDates(text, (year) => [2000 + year, 1900 + year]).find((date) => date <= today) ?? null

/** Resolves the month of issue of a French card, `YYMM`: the latest that is not after today. `null` if there is no such month. */
export function resolveIssueMonth(text: string, today: string): string | null {
  const first = resolvePastDate(`${text}01`, today)
  return first?.slice(0, 7) ?? null
}

/** The year of documents that do not expire, as some cards print it: a zone has its last two digits. */
const neverYear = 9999

/** Whether a date stands for a validity without end. */
export const isNever = (date: string): boolean => date.startsWith(String(neverYear))

/** A validity without end that is printed as a word. */
export const never = `${neverYear}-12-31`

/** Doc 9303 is of 1980: no document with a zone expired earlier. */
const firstYear = 1981
/** How long ago a document may have expired, in years. */
const agoMax = 50

/**
 * How far ahead an expiry may lie that nothing but the zone tells, in years. Passports and visas are valid for 15 years at most.
 * Cards of the old are valid for up to 60, as in Hungary, or without end.
 */
const aheadMax = { passport: 20, card: 75 }

export interface ExpiryRules {
  /** `YYYY-MM-DD` */
  readonly today: string
  /** `null` if unknown. */
  readonly birth: string | null
  /** Cards may be valid for longer than a passport. */
  readonly isCard: boolean
  /** Whether this is how the issuer writes that the document does not expire. */
  readonly isNever: boolean
}

/**
 * The dates of expiry that a zone may mean, the earliest first.
 * @returns several if the zone alone does not tell the century; none if it is in no calendar, or not stated
 */
export function listExpiryDates(text: string, rules: ExpiryRules): string[] {
  const { today, birth, isCard } = rules
  const thisYear = Number(today.slice(0, 4))
  const earliest = Math.max(firstYear, thisYear - agoMax)
  const latest = thisYear + aheadMax[isCard ? 'card' : 'passport']
  const dates = listDates(text, (short) => [
    ...[1900, 2000, 2100]
      .map((century) => century + short)
      .filter((year) => year >= earliest && year <= latest),
    ...(isCard && short === neverYear % 100 ? [neverYear] : []),
  ])
  if (rules.isNever) return dates.filter(isNever)
  const later = dates.filter((date) => birth === null || date > birth)
  // An expiry before the birth is a contradiction, not nothing.
  return later.length > 0 ? later : dates
}
