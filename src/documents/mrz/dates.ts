/** Dates of machine-readable zones, whose years have two digits. */

/** Whether a year, month and day are in the calendar. */
function isDate(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && month >= 1 && day >= 1
}

const toIso = (year: number, month: number, day: number): string =>
  [String(year), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')

/** The parts of `YYMMDD`; `null` if it has other characters than digits, such as fillers for unknown parts. */
function partsOf(text: string): [year: number, month: number, day: number] | null {
  const parts = /^(\d\d)(\d\d)(\d\d)$/.exec(text)
  return parts && [Number(parts[1]), Number(parts[2]), Number(parts[3])]
}

/** The years with these two digits that a date may be in, the most probable first. */
function resolve(
  text: string,
  years: (year: number) => readonly number[],
  isPossible: (iso: string) => boolean,
) {
  const parts = partsOf(text)
  if (!parts) return null
  const [short, month, day] = parts
  for (const year of years(short)) {
    const iso = toIso(year, month, day)
    if (isDate(year, month, day) && isPossible(iso)) return iso
  }
  return null
}

/**
 * Resolves a date of birth: the latest one that is not after today. A person of a hundred years is taken for a child.
 * @param today `YYYY-MM-DD`
 * @returns `null` if it is in no calendar, or partly unknown
 */
export const resolveBirthDate = (text: string, today: string): string | null =>
  resolve(
    text,
    (year) => [2000 + year, 1900 + year],
    (iso) => iso <= today,
  )

/** How far an expiry may lie in the future, in years. Documents are valid for 15 years at most, some cards of the old for longer. */
const aheadMax = 49

/**
 * Resolves a date of expiry: between 50 years ago and 49 years ahead.
 * @param today `YYYY-MM-DD`
 * @returns `null` if it is in no calendar, or not stated
 */
export function resolveExpiryDate(text: string, today: string): string | null {
  const latest = Number(today.slice(0, 4)) + aheadMax
  return resolve(
    text,
    (year) =>
      [2000, 1900, 2100]
        .map((century) => century + year)
        .filter((full) => full <= latest && full > latest - 100),
    () => true,
  )
}

/** Resolves the month of issue of a French card, `YYMM`: the latest that is not after today. `null` if there is no such month. */
export function resolveIssueMonth(text: string, today: string): string | null {
  const first = resolveBirthDate(`${text}01`, today)
  return first?.slice(0, 7) ?? null
}
