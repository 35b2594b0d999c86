/** What the text beside a label may be, and its normalised form. */
import { never } from '../mrz/dates.ts'
import {
  type DateFault,
  type DateKind,
  type DateOrder,
  findDateFault,
  findDates,
  limitYears,
} from './dates.ts'
import { saysEndless } from './endless.ts'
import type { VisualFieldName } from './field.ts'
import { foldText } from './fold.ts'
import { findState } from './states.ts'

export interface ReadingRules {
  readonly order: DateOrder
  /** `YYYY-MM-DD`, for years of two digits. */
  readonly today: string | undefined
  /** Whether M is a woman (mujer), as on cards of voters in Mexico. */
  readonly hasMujer?: boolean
}

/** A text that fits its field, with its meanings. */
export interface NormalisedText {
  readonly text: string
  readonly values: readonly string[]
}

type Normalise = (text: string, rules: ReadingRules) => NormalisedText | null

const tidy = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replace(/^[\s:;,.#*/|-]+/, '')
    .replace(/[\s:;,*/|-]+$/, '')

const single = (text: string, value: string): NormalisedText => ({ text, values: [value] })

function normaliseName(raw: string): NormalisedText | null {
  const text = tidy(raw)
  const isName = /^\p{L}[\p{L}\p{M}'’`.\- ,]*$/u.test(text) && foldText(text).length >= 2
  return isName ? single(text, text.toUpperCase()) : null
}

function normaliseNumber(raw: string): NormalisedText | null {
  const text = tidy(raw)
  const value = foldText(text)
  const digits = value.replaceAll(/\D/g, '').length
  const isNumber =
    /^[A-Z0-9][A-Z0-9 ./-]*$/i.test(text) && value.length >= 5 && value.length <= 24 && digits >= 3
  return isNumber && findDates(text).every((date) => date.text !== text) ? single(text, value) : null
}

const dateOf =
  (kind: DateKind, which: 'first' | 'last'): Normalise =>
  (text, { order, today }) => {
    const dates = findDates(text, order)
    const date = which === 'first' ? dates[0] : dates.at(-1)
    return date ? { text: date.text, values: limitYears(date.values, kind, today) } : null
  }

const readExpiryDate = dateOf('expiry', 'last')

const normaliseExpiry: Normalise = (text, rules) =>
  readExpiryDate(text, rules) ?? (saysEndless(text) ? single(tidy(text), never) : null)

const sexes: Readonly<Record<string, string>> = {
  ...{ H: 'M', HOMBRE: 'M', M: 'M', MALE: 'M', MAN: 'M', MANNLICH: 'M', MASCHIO: 'M', MASCULIN: 'M' },
  ...{ MASCULINO: 'M', VARON: 'M', М: 'M', МУЖ: 'M', МУЖСКОИ: 'M' },
  ...{ F: 'F', FEMALE: 'F', FEMENINO: 'F', FEMININ: 'F', FEMININO: 'F', FEMMINA: 'F', K: 'F', MUJER: 'F' },
  ...{ W: 'F', WEIBLICH: 'F', Ж: 'F', ЖЕН: 'F', ЖЕНСКИИ: 'F' },
  ...{ NB: 'X', X: 'X' },
}

function normaliseSex(raw: string, { hasMujer }: ReadingRules): NormalisedText | null {
  const text = tidy(raw)
  const parts = text.split(/[/|, -]+/u).map(foldText)
  const found = new Set(parts.map((part) => sexes[part]).filter((sex) => sex !== undefined))
  const [value] = found
  // Letters of other languages stand beside the usual one.
  const isRest = parts.every((part) => part.length <= 1 || sexes[part] !== undefined)
  if (found.size !== 1 || !value || !isRest) return null
  return single(text, hasMujer && foldText(text) === 'M' ? 'F' : value)
}

function normaliseState(raw: string): NormalisedText | null {
  const text = tidy(raw)
  const code = findState(text)
  return code ? single(text, code) : null
}

function normaliseNationality(raw: string): NormalisedText | null {
  const name = normaliseName(raw.replaceAll(/[/|()]/g, ' '))
  return normaliseState(raw) ?? (name && { text: tidy(raw), values: [] })
}

function normaliseWords(raw: string): NormalisedText | null {
  const text = tidy(raw)
  return foldText(text).replaceAll(/\d/g, '').length >= 2 ? single(text, text.toUpperCase()) : null
}

function normaliseHeight(raw: string): NormalisedText | null {
  const text = tidy(raw)
  return /^\d[\d ,.'"-]*\s*(cm|m|in|ft)?$/iu.test(text) ? single(text, text.toUpperCase()) : null
}

function normaliseClass(raw: string): NormalisedText | null {
  const text = tidy(raw)
  return /^[A-Z0-9][A-Z0-9/, -]{0,15}$/.test(text) ? single(text, text) : null
}

const normalisers: Readonly<Record<VisualFieldName, Normalise>> = {
  surname: normaliseName,
  given_names: normaliseName,
  full_name: normaliseName,
  document_number: normaliseNumber,
  personal_number: normaliseNumber,
  nationality: normaliseNationality,
  sex: normaliseSex,
  birth_date: dateOf('birth', 'first'),
  issue_date: dateOf('issue', 'first'),
  expiry_date: normaliseExpiry,
  authority: normaliseWords,
  birth_place: normaliseWords,
  address: normaliseWords,
  issuing_state: normaliseState,
  height: normaliseHeight,
  vehicle_class: normaliseClass,
}

/** @returns `null` if the text cannot be a value of the field */
export const normaliseText = (
  name: VisualFieldName,
  text: string,
  rules: ReadingRules,
): NormalisedText | null => normalisers[name](text, rules)

/** A text in place of a date that is none: it has no meaning. */
export function findFaultyDate(raw: string): (NormalisedText & { fault: DateFault }) | null {
  const text = tidy(raw)
  const fault = findDateFault(text)
  return fault && { text, values: [], fault }
}
