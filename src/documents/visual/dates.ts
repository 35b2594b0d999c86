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

/** The parts of a date as printed, possible or not. */
interface DateParts {
  readonly year: string
  readonly month: number
  readonly day: number
  /** What tells them apart: the name of the month, a word that begins with one, or their order, which some read the other way round. */
  readonly by: 'name' | 'longer name' | 'order' | 'either order'
}

interface Form {
  readonly pattern: RegExp
  /** @returns `null` if a word is no name of a month */
  readonly read: (parts: readonly string[]) => DateParts | null
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

const of = String.raw`(?:[dD][eE][lL]?\s+)?`

function named(year: string, names: readonly (string | undefined)[], day: string): DateParts | null {
  const number = readMonths(names)
  if (number === null) return null
  const isKnown = names.every((name) => !name || monthsByName.has(stripMarks(name.replace('.', ''))))
  return { year, month: number, day: Number(day), by: isKnown ? 'name' : 'longer name' }
}

const forms: readonly Form[] = [
  {
    pattern: /(?<!\d)(\d{4})\s*[-./ ]\s*(\d{1,2})\s*[-./ ]\s*(\d{1,2})(?!\d)/gu,
    read: ([y, m, d]) => ({ year: y!, month: Number(m), day: Number(d), by: 'order' }),
  },
  {
    pattern: new RegExp(
      String.raw`(?<!\d)(\d{1,2})\.?\s*[- ]?\s*${of}${month}\s*[- ]?\s*${of}${year}(?!\d)`,
      'gu',
    ),
    read: ([d, first, second, y]) => named(y!, [first, second], d!),
  },
  {
    pattern: new RegExp(String.raw`(?<!\p{L})${month}\s*(\d{1,2})\s*[, ]\s*${year}(?!\d)`, 'gu'),
    read: ([first, second, d, y]) => named(y!, [first, second], d!),
  },
  {
    // With full stops or spaces the day comes first.
    pattern: new RegExp(String.raw`(?<!\d)(\d{1,2})\s?[. ]\s?(\d{1,2})\s?[. ]\s?${year}(?!\d)`, 'gu'),
    read: ([d, m, y]) => ({ year: y!, month: Number(m), day: Number(d), by: 'order' }),
  },
  {
    pattern: new RegExp(String.raw`(?<!\d)(\d{1,2})\s?([-/])\s?(\d{1,2})\s?\2\s?${year}(?!\d)`, 'gu'),
    read: ([d, , m, y]) => ({ year: y!, month: Number(m), day: Number(d), by: 'either order' }),
  },
]

const dayFirst = ({ year, month, day }: DateParts): string[] => combine(year, month, day)
const monthFirst = ({ year, month, day }: DateParts): string[] => combine(year, day, month)

function datesOf(parts: DateParts, order: DateOrder): string[] {
  if (parts.by !== 'either order') return dayFirst(parts)
  const swapped = monthFirst(parts)
  if (order === 'month-first' && swapped.length > 0) return swapped
  return [...new Set([...dayFirst(parts), ...swapped])]
}

/** Finds the dates of a text, from left to right. Impossible ones, such as 31.02., are none. */
export function findDates(text: string, order: DateOrder = 'unknown'): PrintedDate[] {
  const found: (PrintedDate & { at: number })[] = []
  for (const { pattern, read } of forms)
    for (const match of text.matchAll(pattern)) {
      const end = match.index + match[0].length
      const parts = read(match.slice(1))
      const values = parts ? datesOf(parts, order) : []
      const isFree = found.every((other) => other.at >= end || other.at + other.text.length <= match.index)
      if (values.length > 0 && isFree) found.push({ text: match[0], values, at: match.index })
    }
  return found.sort((a, b) => a.at - b.at).map(({ at: _at, ...date }) => date)
}

/** Whether a year is written in full, and of this calendar. */
const isOurs = (year: string): boolean => year.length === 4 && Number(year) >= 1900 && Number(year) <= 2199

/** A date that is in no calendar; or one of which zeros say that nobody knows it. */
export type DateFault = 'impossible' | 'unknown'

/** What is wrong with parts in any order. Numbers with a short year may be of another calendar, or no date. */
function faultOf(parts: DateParts): DateFault | null {
  const { year, month, day, by } = parts
  if (!isOurs(year) && !(by === 'name' && year.length === 2)) return null
  if (month === 0 || day === 0) return 'unknown'
  const isNamed = by === 'name' || by === 'longer name'
  return dayFirst(parts).length === 0 && (isNamed || monthFirst(parts).length === 0) ? 'impossible' : null
}

/**
 * What is wrong with the date of a text, such as 32/05/2014 or 31 FEB 74; `null` if it has a right one, or none. A place may stand beside it:
 * beside numbers only behind them, since a registration may begin with letters, and beside words that begin like a month not at
 * all, since streets do.
 */
export function findDateFault(text: string): DateFault | null {
  if (findDates(text).length > 0) return null
  for (const { pattern, read } of forms)
    for (const match of text.matchAll(pattern)) {
      const parts = read(match.slice(1))
      const fault = parts && faultOf(parts)
      if (!fault) continue
      const rest = text.slice(match.index + match[0].length)
      const isFirst = match.index === 0 && !/\d/.test(rest)
      if (parts.by === 'name' || (isFirst && (parts.by !== 'longer name' || rest === ''))) return fault
    }
  return null
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
