/**
 * Layouts of machine-readable zones: ICAO Doc 9303-4 (TD3), -5 (TD1), -6 (TD2), -7 (MRV-A and MRV-B), the French identity card
 * of 1995 to 2021, the internal passport of Russia, the card of voters in Mexico, and driving licences: the Swiss one, the French one,
 * and others with a zone of one row (ISO/IEC 18013-3), whose issuers keep their data to themselves.
 */
import { russianSymbols } from './russian-names.ts'
import { isState } from './states.ts'

export type MrzFormatName =
  | 'TD1'
  | 'TD2'
  | 'TD3'
  | 'MRV-A'
  | 'MRV-B'
  | 'FRA-ID'
  | 'CHE-DL'
  | 'FRA-DL'
  | 'IDL'
  | 'RUS-PN'
  | 'MEX-ID'

/** Characters that a field may have. Dates may have fillers for parts that are unknown. */
type Alphabet = 'letters' | 'digits' | 'any' | 'sex' | 'mexican-sex' | 'first' | 'russian'

export const alphabets: Readonly<Record<Alphabet, string>> = {
  letters: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ<',
  digits: '0123456789<',
  any: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<',
  sex: 'MFX<',
  'mexican-sex': 'HMFX<',
  first: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  russian: `${russianSymbols}<`,
}

export type MrzFieldName =
  | 'documentCode'
  | 'issuingState'
  | 'names'
  | 'surname'
  | 'givenNames'
  | 'documentNumber'
  | 'nationality'
  | 'birthDate'
  | 'sex'
  | 'expiryDate'
  | 'issueDate'
  | 'issueMonth'
  | 'personalNumber'
  | 'optionalData'
  | 'optionalData2'

/** Characters of one line, from `start` up to but not including `end`. */
export interface Range {
  readonly line: number
  readonly start: number
  readonly end: number
}

export interface FieldPlace extends Range {
  readonly name: MrzFieldName
  readonly alphabet: Alphabet
  /** Where its characters are, in this order, if they are not all in the range. */
  readonly parts?: readonly Range[]
}

export type CheckName = 'documentNumber' | 'birthDate' | 'expiryDate' | 'personalNumber' | 'composite'

/** A check digit, and what it covers in this order. */
export interface CheckPlace {
  readonly name: CheckName
  readonly over: readonly Range[]
  readonly at: { readonly line: number; readonly column: number }
}

export interface MrzFormat {
  readonly name: MrzFormatName
  /** Characters of each line. */
  readonly lengths: readonly number[]
  readonly fields: readonly FieldPlace[]
  readonly checks: readonly CheckPlace[]
  /** The check digit over most of the zone; `null` for formats without one. */
  readonly composite: CheckPlace | null
  /** Whether a document number of more than nine characters continues in the optional data. */
  readonly hasLongNumbers: boolean
}

const field = (
  name: MrzFieldName,
  line: number,
  start: number,
  end: number,
  alphabet: Alphabet,
): FieldPlace => ({ name, line, start, end, alphabet })

const check = (name: CheckName, line: number, column: number, over: readonly Range[]): CheckPlace => ({
  name,
  over,
  at: { line, column },
})

const range = (line: number, start: number, end: number): Range => ({ line, start, end })

const ofOneRange = (name: CheckName, line: number, start: number, end: number): CheckPlace =>
  check(name, line, end, [range(line, start, end)])

const code = [field('documentCode', 0, 0, 1, 'first'), field('documentCode', 0, 1, 2, 'letters')]

const td1: MrzFormat = {
  name: 'TD1',
  lengths: [30, 30, 30],
  fields: [
    ...code,
    field('issuingState', 0, 2, 5, 'letters'),
    field('documentNumber', 0, 5, 14, 'any'),
    field('optionalData', 0, 15, 30, 'any'),
    field('birthDate', 1, 0, 6, 'digits'),
    field('sex', 1, 7, 8, 'sex'),
    field('expiryDate', 1, 8, 14, 'digits'),
    field('nationality', 1, 15, 18, 'letters'),
    field('optionalData2', 1, 18, 29, 'any'),
    field('names', 2, 0, 30, 'letters'),
  ],
  checks: [
    ofOneRange('documentNumber', 0, 5, 14),
    ofOneRange('birthDate', 1, 0, 6),
    ofOneRange('expiryDate', 1, 8, 14),
  ],
  composite: check('composite', 1, 29, [range(0, 5, 30), range(1, 0, 7), range(1, 8, 15), range(1, 18, 29)]),
  hasLongNumbers: true,
}

/** The card of voters in Mexico has the sex as H (hombre) or M, which elsewhere is male, and on its front M (mujer) is female. */
const mexicanCard: MrzFormat = {
  ...td1,
  name: 'MEX-ID',
  fields: td1.fields.map((place) => (place.name === 'sex' ? { ...place, alphabet: 'mexican-sex' } : place)),
}

/** The second line of TD2, TD3 and visas begins with the same fields. */
const secondLine = [
  field('documentNumber', 1, 0, 9, 'any'),
  field('nationality', 1, 10, 13, 'letters'),
  field('birthDate', 1, 13, 19, 'digits'),
  field('sex', 1, 20, 21, 'sex'),
  field('expiryDate', 1, 21, 27, 'digits'),
]
const secondLineChecks = [
  ofOneRange('documentNumber', 1, 0, 9),
  ofOneRange('birthDate', 1, 13, 19),
  ofOneRange('expiryDate', 1, 21, 27),
]
const firstLine = (length: number) => [
  ...code,
  field('issuingState', 0, 2, 5, 'letters'),
  field('names', 0, 5, length, 'letters'),
]

const td2: MrzFormat = {
  name: 'TD2',
  lengths: [36, 36],
  fields: [...firstLine(36), ...secondLine, field('optionalData', 1, 28, 35, 'any')],
  checks: secondLineChecks,
  composite: check('composite', 1, 35, [range(1, 0, 10), range(1, 13, 20), range(1, 21, 35)]),
  hasLongNumbers: true,
}

const td3: MrzFormat = {
  name: 'TD3',
  lengths: [44, 44],
  fields: [...firstLine(44), ...secondLine, field('personalNumber', 1, 28, 42, 'any')],
  checks: [...secondLineChecks, ofOneRange('personalNumber', 1, 28, 42)],
  composite: check('composite', 1, 43, [range(1, 0, 10), range(1, 13, 20), range(1, 21, 43)]),
  hasLongNumbers: false,
}

const visa = (name: 'MRV-A' | 'MRV-B', length: number): MrzFormat => ({
  name,
  lengths: [length, length],
  fields: [...firstLine(length), ...secondLine, field('optionalData', 1, 28, length, 'any')],
  checks: secondLineChecks,
  composite: null,
  hasLongNumbers: false,
})

const frenchCard: MrzFormat = {
  name: 'FRA-ID',
  lengths: [36, 36],
  fields: [
    ...code,
    field('issuingState', 0, 2, 5, 'letters'),
    field('surname', 0, 5, 30, 'letters'),
    field('optionalData', 0, 30, 36, 'any'),
    field('issueMonth', 1, 0, 4, 'digits'),
    field('documentNumber', 1, 0, 12, 'any'),
    field('givenNames', 1, 13, 27, 'letters'),
    field('birthDate', 1, 27, 33, 'digits'),
    field('sex', 1, 34, 35, 'sex'),
  ],
  checks: [ofOneRange('documentNumber', 1, 0, 12), ofOneRange('birthDate', 1, 27, 33)],
  composite: check('composite', 1, 35, [range(0, 0, 36), range(1, 0, 35)]),
  hasLongNumbers: false,
}

const swissLicence: MrzFormat = {
  name: 'CHE-DL',
  lengths: [9, 30, 30],
  fields: [
    field('documentNumber', 0, 0, 9, 'any'),
    field('documentCode', 1, 0, 2, 'letters'),
    field('issuingState', 1, 2, 5, 'letters'),
    field('personalNumber', 1, 5, 14, 'digits'),
    field('optionalData', 1, 14, 17, 'digits'),
    field('birthDate', 1, 19, 25, 'digits'),
    field('names', 2, 0, 30, 'letters'),
  ],
  checks: [],
  composite: null,
  hasLongNumbers: false,
}

/** Zones of one row begin with the code of the card's configuration, and end with a check digit over all of them. */
const oneRowCode = [field('documentCode', 0, 0, 1, 'first'), field('documentCode', 0, 1, 2, 'digits')]
const oneRowComposite = check('composite', 0, 29, [range(0, 0, 29)])

const frenchLicence: MrzFormat = {
  name: 'FRA-DL',
  lengths: [30],
  fields: [
    ...oneRowCode,
    field('issuingState', 0, 2, 5, 'letters'),
    field('documentNumber', 0, 5, 14, 'any'),
    field('expiryDate', 0, 15, 21, 'digits'),
    field('surname', 0, 21, 29, 'letters'),
  ],
  checks: [check('documentNumber', 0, 14, [range(0, 0, 14)])],
  composite: oneRowComposite,
  hasLongNumbers: false,
}

const licence: MrzFormat = {
  name: 'IDL',
  lengths: [30],
  fields: [...oneRowCode, field('issuingState', 0, 2, 5, 'letters'), field('optionalData', 0, 5, 29, 'any')],
  checks: [],
  composite: oneRowComposite,
  hasLongNumbers: false,
}

/** The series of the number has four digits, of which the last one begins the personal data. */
const russianPassport: MrzFormat = {
  name: 'RUS-PN',
  lengths: [44, 44],
  fields: [
    ...code,
    field('issuingState', 0, 2, 5, 'letters'),
    field('names', 0, 5, 44, 'russian'),
    ...secondLine.map((place) =>
      place.name === 'documentNumber'
        ? { ...place, parts: [range(1, 0, 3), range(1, 28, 29), range(1, 3, 9)] }
        : place,
    ),
    field('issueDate', 1, 29, 35, 'digits'),
    field('optionalData', 1, 35, 41, 'digits'),
  ],
  checks: td3.checks,
  composite: td3.composite,
  hasLongNumbers: false,
}

/** Formats by the number of their lines, the special ones before the general ones. */
export const mrzFormats: readonly MrzFormat[] = [
  frenchCard,
  visa('MRV-A', 44),
  visa('MRV-B', 36),
  mexicanCard,
  td1,
  td2,
  russianPassport,
  td3,
  swissLicence,
  frenchLicence,
  licence,
]

/** Zones of one row have numbers; lines of names have none, and a reader may take the beginning of DIANA for this code. */
const oneRowDigitsMin = 6

/** Whether a line is a zone of one row. */
export const isOneRow = (line: string): boolean =>
  /^D[0-9I]/.test(line) &&
  isState(line.slice(2, 5).replace(/<+$/, '')) &&
  line.replaceAll(/\D/g, '').length >= oneRowDigitsMin

/** Whether the first line of a zone begins as those of the format do. `first` and `second` are the most probable lines. */
export function beginsAs({ name }: MrzFormat, first: string, second: string): boolean {
  if (name === 'FRA-ID') return first.startsWith('IDFRA')
  if (name === 'CHE-DL') return /^F[A-Z]CHE/.test(second)
  if (name === 'MEX-ID') return first.startsWith('IDMEX')
  if (name === 'RUS-PN') return first.startsWith('PNRUS')
  if (name === 'FRA-DL') return isOneRow(first) && first.startsWith('FRA', 2)
  if (name === 'IDL') return isOneRow(first)
  return first.startsWith('V') === name.startsWith('MRV')
}
