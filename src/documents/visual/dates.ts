/** Dates in the forms in which documents print them. */

/** A printed date. More than one value if the order of its parts, or its century, is not known. */
interface PrintedDate {
  /** As printed. */
  readonly text: string
  /** `YYYY-MM-DD`. */
  readonly values: readonly string[]
}

/** The order of day and month in dates that could be read in both: that of the USA, or unknown. */
export type DateOrder = 'month-first' | 'unknown'

/** Beginnings of the names of months in languages of travel documents, without accents. */
const monthNames: readonly (readonly string[])[] = [
  [
    'JANUAR',
    'JAN',
    'JANV',
    'JANVIER',
    'ENE',
    'ENERO',
    'GEN',
    'GENNAIO',
    'STY',
    'TAMMI',
    'ЯНВ',
    'ЯНВАРЯ',
    'OCA',
    'SIJ',
  ],
  [
    'FEB',
    'FEBRUAR',
    'FEV',
    'FEVR',
    'FEVRIER',
    'FEBRERO',
    'FEBBRAIO',
    'FEVEREIRO',
    'LUT',
    'HELMI',
    'ФЕВ',
    'SUB',
    'VELJ',
  ],
  [
    'MAR',
    'MARCH',
    'MARS',
    'MARZ',
    'MRZ',
    'MARZO',
    'MARCO',
    'MAART',
    'MRT',
    'MAERZ',
    'MAALIS',
    'МАР',
    'МАРТА',
    'OZU',
  ],
  ['APR', 'APRIL', 'AVR', 'AVRIL', 'ABR', 'ABRIL', 'APRILE', 'KWI', 'HUHTI', 'АПР', 'NIS', 'TRA'],
  ['MAY', 'MAI', 'MAYO', 'MAG', 'MAGGIO', 'MAIO', 'MEI', 'MAJ', 'TOUKO', 'МАЙ', 'МАЯ', 'SVI'],
  ['JUN', 'JUNE', 'JUIN', 'JUNI', 'JUNIO', 'GIU', 'GIUGNO', 'JUNHO', 'CZE', 'KESA', 'ИЮН', 'HAZ'],
  ['JUL', 'JULY', 'JUIL', 'JUILLET', 'JULI', 'JULIO', 'LUG', 'LUGLIO', 'JULHO', 'HEINA', 'ИЮЛ', 'TEM'],
  ['AUG', 'AUGUST', 'AOU', 'AOUT', 'AGO', 'AGOSTO', 'AUGUSTUS', 'SIE', 'ELO', 'АВГ', 'AGU', 'KOL'],
  [
    'SEP',
    'SEPT',
    'SEPTEMBER',
    'SEPTEMBRE',
    'SET',
    'SETTEMBRE',
    'SEPTIEMBRE',
    'SETEMBRO',
    'WRZ',
    'SYYS',
    'СЕН',
    'EYL',
    'RUJ',
  ],
  [
    'OCT',
    'OCTOBER',
    'OCTOBRE',
    'OKT',
    'OKTOBER',
    'OCTUBRE',
    'OTT',
    'OTTOBRE',
    'OUT',
    'OUTUBRO',
    'PAZ',
    'LOKA',
    'ОКТ',
    'EKI',
  ],
  ['NOV', 'NOVEMBER', 'NOVEMBRE', 'NOVIEMBRE', 'MARRAS', 'НОЯ', 'KAS', 'STU'],
  [
    'DEC',
    'DECEMBER',
    'DECEMBRE',
    'DEZ',
    'DEZEMBER',
    'DIC',
    'DICIEMBRE',
    'DICEMBRE',
    'DEZEMBRO',
    'GRU',
    'JOULU',
    'ДЕК',
    'ARA',
    'PRO',
  ],
]

const stripMarks = (text: string) =>
  text.toUpperCase().normalize('NFD').replaceAll(/\p{M}/gu, '').normalize('NFC')

const monthsByName = new Map(
  monthNames.flatMap((names, i) => names.map((name) => [stripMarks(name), i + 1] as const)),
)

/** @returns 1 to 12, or `null` if the word names no month, or different ones in different languages */
function readMonth(word: string): number | null {
  const folded = stripMarks(word)
  const known = monthsByName.get(folded)
  if (known) return known
  // A longer name begins with a known form of at least three letters.
  const months = new Set(
    [...monthsByName]
      .filter(([name]) => name.length >= 3 && folded.startsWith(name))
      .map(([, month]) => month),
  )
  return folded.length > 3 && months.size === 1 ? [...months][0]! : null
}

const daysOf = (year: number, month: number) => new Date(Date.UTC(year, month, 0)).getUTCDate()

/** The year of cards of Spain that do not expire. */
const never = 9999

function toDate(year: number, month: number, day: number): string[] {
  if (
    year < 1900 ||
    (year > 2199 && year !== never) ||
    month < 1 ||
    month > 12 ||
    day < 1 ||
    day > daysOf(year, month)
  )
    return []
  return [`${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`]
}

/** The years that a printed year may mean. */
const toYears = (digits: string): number[] =>
  digits.length === 4 ? [Number(digits)] : [2000 + Number(digits), 1900 + Number(digits)]

/** Dates of parts in a known order. */
const combine = (year: string, month: number, day: number): string[] =>
  toYears(year).flatMap((value) => toDate(value, month, day))

interface Form {
  readonly pattern: RegExp
  readonly read: (parts: readonly string[], order: DateOrder) => readonly string[]
}

const letters = String.raw`\p{L}{3,12}\.?`
const year = String.raw`(\d{4}|\d{2})`
/** A month in one or two languages. */
const month = String.raw`(${letters})(?:\s*[/|]\s*(${letters}))?`

/** The month of one or two names; with two that contradict each other, none. */
function readMonths(names: readonly (string | undefined)[]): number | null {
  const known = names
    .filter((name) => name !== undefined && name !== '')
    .map((name) => readMonth(name!.replace('.', '')))
    .filter((number) => number !== null)
  return known.length > 0 && new Set(known).size === 1 ? known[0]! : null
}

const forms: readonly Form[] = [
  {
    pattern: /(?<!\d)(\d{4})\s*[-./ ]\s*(\d{1,2})\s*[-./ ]\s*(\d{1,2})(?!\d)/gu,
    read: ([y, m, d]) => combine(y!, Number(m), Number(d)),
  },
  {
    pattern: new RegExp(String.raw`(?<!\d)(\d{1,2})\.?\s*[- ]?\s*${month}\s*[- ]?\s*${year}(?!\d)`, 'gu'),
    read([d, first, second, y]) {
      const number = readMonths([first, second])
      return number === null ? [] : combine(y!, number, Number(d))
    },
  },
  {
    pattern: new RegExp(String.raw`(?<!\p{L})${month}\s*(\d{1,2})\s*[, ]\s*${year}(?!\d)`, 'gu'),
    read([first, second, d, y]) {
      const number = readMonths([first, second])
      return number === null ? [] : combine(y!, number, Number(d))
    },
  },
  {
    // With full stops or spaces the day comes first.
    pattern: new RegExp(String.raw`(?<!\d)(\d{1,2})\s?[. ]\s?(\d{1,2})\s?[. ]\s?${year}(?!\d)`, 'gu'),
    read: ([d, m, y]) => combine(y!, Number(m), Number(d)),
  },
  {
    pattern: new RegExp(String.raw`(?<!\d)(\d{1,2})\s?([-/])\s?(\d{1,2})\s?\2\s?${year}(?!\d)`, 'gu'),
    read([a, , b, y], order) {
      const monthFirst = combine(y!, Number(a), Number(b))
      if (order === 'month-first' && monthFirst.length > 0) return monthFirst
      return [...new Set([...combine(y!, Number(b), Number(a)), ...monthFirst])]
    },
  },
]

/** Finds the dates of a text, from left to right. Impossible ones, such as 31.02., are none. */
export function findDates(text: string, order: DateOrder = 'unknown'): PrintedDate[] {
  const found: (PrintedDate & { at: number })[] = []
  for (const { pattern, read } of forms)
    for (const match of text.matchAll(pattern)) {
      const end = match.index + match[0].length
      const values = read(match.slice(1), order)
      const isFree = found.every((other) => other.at >= end || other.at + other.text.length <= match.index)
      if (values.length > 0 && isFree) found.push({ text: match[0], values, at: match.index })
    }
  return found.sort((a, b) => a.at - b.at).map(({ at: _at, ...date }) => date)
}

/** Forms of dates with the year in full, whose parts may be in another order. */
const wholeForms: readonly Form[] = [
  {
    pattern: /^(\d{1,2})\s?([-./ ])\s?(\d{1,2})\s?\2\s?(\d{4})$/,
    read: ([a, , b, y]) => [...combine(y!, Number(a), Number(b)), ...combine(y!, Number(b), Number(a))],
  },
  {
    pattern: /^(\d{4})\s?([-./ ])\s?(\d{1,2})\s?\2\s?(\d{1,2})$/,
    read: ([y, , a, b]) => [...combine(y!, Number(a), Number(b)), ...combine(y!, Number(b), Number(a))],
  },
  {
    pattern: new RegExp(String.raw`^(\d{1,2})\.?\s*[- ]?\s*${month}\s*[- ]?\s*(\d{4})$`, 'u'),
    read([d, first, second, y]) {
      const number = readMonths([first, second])
      // A word that is no month is no date.
      return number === null ? [''] : combine(y!, number, Number(d))
    },
  },
]

/** Whether a text is a date that cannot be, such as 32/05/2014. Years of other calendars are none of this one. */
export function isImpossibleDate(text: string): boolean {
  const form = wholeForms.find(({ pattern }) => pattern.test(text))
  const [full] = /\d{4}/.exec(text) ?? []
  if (!form || full === undefined || Number(full) < 1900 || Number(full) > 2199) return false
  return form.read(form.pattern.exec(text)!.slice(1), 'unknown').length === 0
}

export type DateKind = 'birth' | 'issue' | 'expiry'

/** No document that is presented was issued, or has expired, earlier. */
const earliest = '1950'

/**
 * Drops the years that a date of a document cannot mean: births lie in the last hundred years, issues in the past.
 * @param today `YYYY-MM-DD`; without it the century of a birth stays open
 */
export function limitYears(values: readonly string[], kind: DateKind, today?: string): string[] {
  // A date that is possible in no year is a contradiction, not nothing.
  const keep = (limited: readonly string[]) => (limited.length > 0 ? [...limited] : [...values])
  if (kind === 'expiry') return keep(values.filter((value) => value >= earliest))
  if (!today) return kind === 'birth' ? [...values] : keep(values.filter((value) => value >= earliest))
  const year = Number(today.slice(0, 4))
  // It may be the first day of validity, or today in another time zone.
  if (kind === 'issue') return keep(values.filter((value) => value >= earliest && value < `${year + 2}`))
  const past = values.filter((value) => value <= today)
  const recent = past.filter((value) => value > `${year - 100}${today.slice(4)}`)
  return recent.length > 0 ? recent : keep(past)
}
