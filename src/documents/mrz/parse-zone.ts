/** The values of the fields of a machine-readable zone. */
import type { MrzReading } from '../reading.ts'
import { type ExpiryRules, listExpiryDates, resolveIssueMonth, resolvePastDate } from './dates.ts'
import { type DecodedZone, decodeZone } from './decode-zone.ts'
import {
  alphabets,
  type FieldPlace,
  type MrzFieldName,
  type MrzFormat,
  mrzFormats,
  type Range,
} from './formats.ts'
import { findLongNumber } from './long-number.ts'
import { toCyrillic } from './russian-names.ts'
import { isState } from './states.ts'

/** What was read with less probability than this cannot be told from other readings. */
const readMin = 0.5

/** A field of a zone. */
export interface MrzField {
  /**
   * Dates are `YYYY-MM-DD`, months `YYYY-MM`, sex is `M`, `F` or `X`, states are ICAO codes, names have spaces between their
   * parts, those of internal passports of Russia Cyrillic letters. `null` if the field is empty, cannot be read, has several meanings,
   * or what was read there cannot be its value.
   */
  readonly value: string | null
  /** What it may mean, if the zone alone does not tell. */
  readonly alternatives?: readonly string[]
  /** Whether there is something to be read. */
  readonly isStated: boolean
  /** Probability that it was read right, 0 to 1. */
  readonly confidence: number
}

export const documentKinds = [
  'passport',
  'id_card',
  'driver_licence',
  'residence_permit',
  'visa',
  'travel_document',
  'crew_certificate',
] as const
export type DocumentKind = (typeof documentKinds)[number]

export interface ParsedZone extends DecodedZone {
  readonly kind: DocumentKind
  readonly fields: Partial<Readonly<Record<Exclude<MrzFieldName, 'names'>, MrzField>>>
  /** Whether the names fill their field, so that more of them may be printed on the page. */
  readonly areNamesTruncated: boolean
}

const unfill = (text: string): string => text.replace(/<+/g, ' ').trim()

/** Values by field, from text without other characters than the field may have. */
const values: Partial<Record<MrzFieldName, (text: string, today: string) => string | null>> = {
  issuingState: (text) => (isState(unfill(text)) ? unfill(text) : null),
  nationality: (text) => (isState(unfill(text)) ? unfill(text) : null),
  birthDate: resolvePastDate,
  issueDate: resolvePastDate,
  issueMonth: resolveIssueMonth,
  sex: (text) => (text === '<' ? 'X' : text),
}

/** What cards of these states that do not expire have for `01 01 9999`: those of Spain and Italy for the old. */
const neverText = { text: '990101', states: new Set(['ESP', 'ITA']) }
const isNeverText = (expiry: MrzField, state: MrzField | undefined): boolean =>
  expiry.value === neverText.text && neverText.states.has(state?.value ?? '')

const ofFewYears: ReadonlySet<DocumentKind> = new Set(['passport', 'visa', 'crew_certificate'])

/** Whether documents of a kind may be valid for longer than a passport. */
export const isCard = (kind: DocumentKind): boolean => !ofFewYears.has(kind)

/** The expiry from its digits. If it has several meanings, the rest of the document may tell which one counts. */
function toExpiry(field: MrzField, rules: ExpiryRules): MrzField {
  const { value: text, ...rest } = field
  const dates = text === null ? [] : listExpiryDates(text, rules)
  if (dates.length > 1) return { ...rest, value: null, alternatives: dates }
  return { ...rest, value: dates[0] ?? null }
}

/** The sex on cards of Mexico. */
function toMexicanSex(field: MrzField): MrzField {
  if (field.value === 'H') return { ...field, value: 'M' }
  return field.value === 'M' ? { ...field, value: null, alternatives: ['F', 'M'] } : field
}

const formatOf = ({ format }: DecodedZone): MrzFormat => mrzFormats.find(({ name }) => name === format)!

const textAt = ({ lines }: DecodedZone, { line, start, end }: Range): string => lines[line]!.slice(start, end)

const certaintyAt = ({ certainty }: DecodedZone, ranges: readonly Range[]): number[] =>
  ranges.flatMap(({ line, start, end }) => certainty[line]!.slice(start, end))

/** Characters that a check digit proves are as sure as the least sure one, since they are proven together. */
function confidenceAt(zone: DecodedZone, ranges: readonly Range[], isCovered: boolean): number {
  const certainty = certaintyAt(zone, ranges)
  return isCovered ? Math.min(1, ...certainty) : certainty.reduce((product, value) => product * value, 1)
}

const isWithin = (text: string, alphabet: string): boolean =>
  [...text].every((symbol) => alphabet.includes(symbol))

/** Whether a valid check digit covers a field. */
function isProvenAt(
  { checks, isProven }: DecodedZone,
  format: MrzFormat,
  { line, start, end }: Range,
): boolean {
  const places = [...format.checks, ...(isProven && format.composite ? [format.composite] : [])]
  return places.some(
    ({ name, over }) =>
      checks.some((check) => check.name === name && check.state === 'valid') &&
      over.some((range) => range.line === line && range.start <= start && end <= range.end),
  )
}

function parseField(
  zone: DecodedZone,
  format: MrzFormat,
  name: MrzFieldName,
  ranges: readonly Range[],
  alphabet: string,
  today: string,
): MrzField {
  const text = ranges.map((range) => textAt(zone, range)).join('')
  const isStated = !/^<*$/.test(text) || name === 'sex'
  const confidence = confidenceAt(zone, ranges, isProvenAt(zone, format, ranges[0]!))
  if (!isStated) return { value: null, isStated, confidence }
  const read = values[name] ?? unfill
  const isRead = confidence >= readMin && isWithin(text, alphabet)
  return { value: isRead ? read(text, today) : null, isStated, confidence }
}

/** Surname and given names: two fillers separate them, one stands for a space, hyphen or apostrophe. */
function parseNames(
  zone: DecodedZone,
  range: FieldPlace,
): Pick<ParsedZone['fields'], 'surname' | 'givenNames'> {
  const text = textAt(zone, range)
  const [surname = '', ...given] = text.replace(/<+$/, '').split('<<')
  const confidence = confidenceAt(zone, [range], false)
  const toField = (name: string): MrzField => {
    const value = unfill(name)
    const isStated = value !== ''
    const isRead = confidence >= readMin && isWithin(text, alphabets[range.alphabet])
    const read = range.alphabet === 'russian' ? toCyrillic(value) : value
    return { value: isStated && isRead ? read : null, isStated, confidence }
  }
  return { surname: toField(surname), givenNames: toField(given.join('<')) }
}

/** The kind of a document by its format and code. */
function kindOf({ format, lines }: DecodedZone): DocumentKind {
  if (format === 'CHE-DL' || format === 'FRA-DL' || format === 'IDL') return 'driver_licence'
  if (format === 'FRA-ID') return 'id_card'
  const [first = '', second = ''] = lines[0]!
  if (first === 'V') return 'visa'
  if (first === 'P') return 'passport'
  if (first === 'A' && second === 'C') return 'crew_certificate'
  if ((first === 'I' || first === 'A') && second === 'R') return 'residence_permit'
  return first === 'I' || first === 'C' ? 'id_card' : 'travel_document'
}

/**
 * Reads the fields of a zone.
 * @param today `YYYY-MM-DD`, which resolves years of two digits
 * @returns `null` if it has the lines of no known format
 */
export function parseZone(reading: MrzReading, today: string): ParsedZone | null {
  const zone = decodeZone(reading)
  if (!zone) return null
  const format = formatOf(zone)
  const fields: Partial<Record<Exclude<MrzFieldName, 'names'>, MrzField>> = {}
  const tail = format.hasLongNumbers ? findLongNumber(format, zone.lines) : null
  let areNamesTruncated = false
  for (const place of format.fields) {
    const { name, alphabet } = place
    const text = textAt(zone, place)
    if (name === 'names') {
      Object.assign(fields, parseNames(zone, place))
      areNamesTruncated = !text.endsWith('<')
      continue
    }
    if (name === 'surname' || name === 'givenNames') areNamesTruncated ||= !text.endsWith('<')
    // The code has two parts with alphabets of their own.
    if (name === 'documentCode' && place.end - place.start === 1) {
      if (place.start > 0) continue
      const second = format.fields.find((part) => part.name === name && part.start > 0)!
      const symbols = alphabets.letters + alphabets[second.alphabet]
      fields.documentCode = parseField(zone, format, name, [{ ...place, end: 2 }], symbols, today)
      continue
    }
    const ranges: Range[] = [...(place.parts ?? [place])]
    if (tail && name === 'documentNumber') ranges.push({ ...tail, end: tail.end - 1 })
    if (tail && name === 'optionalData') ranges.splice(0, 1, { ...place, start: tail.end })
    fields[name] = parseField(zone, format, name, ranges, alphabets[alphabet], today)
  }
  const kind = kindOf(zone)
  if (fields.sex && format.name === 'MEX-ID') fields.sex = toMexicanSex(fields.sex)
  if (fields.expiryDate)
    fields.expiryDate = toExpiry(fields.expiryDate, {
      today,
      birth: fields.birthDate?.value ?? null,
      isCard: isCard(kind),
      isNever: isCard(kind) && isNeverText(fields.expiryDate, fields.issuingState),
    })
  return { ...zone, kind, fields, areNamesTruncated }
}
