/** Fields of the printed page from its lines: labels say what the text beside or below them is. */
import type { TextLineReading } from '../reading.ts'
import { compareNames, compareWithMrz, dateFields } from './compare.ts'
import { mayBeCyrillic, mayBeCyrillicText } from './cyrillic-looks.ts'
import type { DocumentKind, VisualField, VisualFieldName, VisualZone } from './field.ts'
import { findKind } from './find-kind.ts'
import { foldText } from './fold.ts'
import { distanceFrom, isZoneLine, layOut, type Piece, type PlacedLabel } from './layout.ts'
import {
  isLaterPart,
  isNameLabel,
  judgeInline,
  type LaterPart,
  laterParts,
  type NamePart,
  resolveNameLabels,
} from './name-labels.ts'
import { findFaultyDate, type NormalisedText, normaliseText, type ReadingRules } from './normalise.ts'
import { areNumberedAsLicence, readNumbered } from './numbered-lines.ts'
import { printsCyrillic, printsOtherScripts } from './scripts.ts'
import { findState, namesAmericanState } from './states.ts'
import { followName, hasMoreThanName, splitName } from './whole-name.ts'

export type { Agreement } from './compare.ts'
export { compareWholeName, compareWithMrz, dateFields, isImpossible } from './compare.ts'
export type { DocumentKind, VisualField, VisualFieldName, VisualZone } from './field.ts'

/** Values of the machine-readable zone in the normalised form of `VisualField.value`. */
export type KnownValues = Readonly<Partial<Record<VisualFieldName, string>>>

interface VisualRules {
  /** `YYYY-MM-DD`; without it, births with years of two digits keep both centuries. */
  readonly today?: string
}

/** Fields that are recognised without a label if they equal those of the machine-readable zone. Shorter texts may be anything. */
const knownFields = [
  'document_number',
  'personal_number',
  'birth_date',
  'expiry_date',
  'surname',
  'given_names',
  'nationality',
] as const satisfies readonly VisualFieldName[]
const knownLengthMin = 4

/** Confidence of a name below which there is more text that may belong to it: too little for a contradiction. */
const doubtMax = 0.85

/** Confidence of a name that may be more of its label, and of a date that nobody knows: too little to pass, and for a contradiction. */
const guessMax = 0.75

/** A text so near to a label, in heights of the label, is directly below it. */
const closeMax = 1.5

const names = new Set<VisualFieldName>(['surname', 'given_names'])
const freeText = new Set<VisualFieldName>(['birth_place', 'authority', 'address'])

/** Letters have at least so many lines of sentences, and such a share of them. */
const proseMin = 2
const proseShareMin = 0.2

type Fields = Partial<Record<VisualFieldName, VisualField>>

/** A text with the number of its line, and those of more lines if it has several. */
type Text = Pick<Piece, 'text' | 'line'> & { readonly rest?: readonly number[] }

/** A possible value of a label. */
interface Pairing {
  readonly label: PlacedLabel
  readonly piece: Piece
  readonly distance: number
  /** Less than 1 if it is not sure that this is the value. */
  readonly confidenceMax: number
}

const limit = (field: VisualField, confidence: number): VisualField => ({
  ...field,
  confidence: Math.min(field.confidence, confidence),
})

class FieldReading {
  readonly fields: Fields = {}
  readonly #lines: readonly TextLineReading[]
  readonly #rules: ReadingRules
  readonly #known: KnownValues
  readonly #used = new Set<Piece>()
  /** What is printed of names apart from their first parts. */
  readonly #later = new Map<NamePart, VisualField>()
  /** Texts beside labels of dates that are none, the nearest first. */
  readonly #refused: { name: VisualFieldName; piece: Piece }[] = []

  constructor(lines: readonly TextLineReading[], rules: ReadingRules, known: KnownValues) {
    this.#lines = lines
    this.#rules = rules
    this.#known = known
  }

  /** @returns `null` if the text cannot be a value of the field */
  #toField(name: VisualFieldName, { text, line, rest = [] }: Text): VisualField | null {
    const known = this.#known[name]
    const normalised = normaliseText(name, this.#pickScript(name, text, known), this.#rules)
    if (!normalised || this.#isOtherScript(name, normalised.text, known)) return null
    return this.#build(name, normalised, { line, rest })
  }

  #build(
    name: VisualFieldName,
    { text, values }: NormalisedText,
    { line, rest = [] }: Omit<Text, 'text'>,
  ): VisualField {
    const known = this.#known[name]
    const value = values.length === 1 ? values[0]! : (values.find((item) => item === known) ?? null)
    const { place } = this.#lines[line]!
    const confidence = Math.min(...[line, ...rest].map((at) => this.#lines[at]!.confidence))
    const alternatives = values.length > 1 ? values : []
    return { name, text, value, alternatives, confidence, place }
  }

  /** Whether a text is Cyrillic, read as letters that look like it: what it says is not known. */
  #isOtherScript(name: VisualFieldName, text: string, known: string | undefined): boolean {
    if (!printsCyrillic(this.#known.issuing_state)) return false
    if (freeText.has(name)) return mayBeCyrillicText(text)
    if (!names.has(name) || known === undefined) return false
    return compareNames(text, known) !== 'same' && mayBeCyrillic(text, known)
  }

  /** Of a name in two scripts, the part in Latin letters. */
  #pickScript(name: VisualFieldName, text: string, known: string | undefined): string {
    if (!names.has(name) || known === undefined || !text.includes('/')) return text
    const parts = text.split('/')
    const isOther = (part: string) =>
      /[^\p{Script=Latin}\p{Z}\p{P}]/u.test(part) || this.#isOtherScript(name, part, known)
    const latin = parts.filter((part) => !isOther(part))
    return latin.length === 1 ? latin[0]! : text
  }

  /** Takes a piece as a field, unless the field is known already or the text does not fit. */
  take(name: VisualFieldName, piece: Piece, confidenceMax = 1): boolean {
    if (this.fields[name] || this.#used.has(piece)) return false
    const field = this.#toField(name, piece)
    if (!field) return false
    this.fields[name] = limit(field, confidenceMax)
    this.#used.add(piece)
    return true
  }

  /** Takes the numbered lines of a driving licence. */
  takeNumbered(values: readonly Piece[], isAmerican: boolean): void {
    for (const piece of values)
      for (const { name, text } of readNumbered(piece.text, isAmerican))
        if (this.take(name, { ...piece, text })) this.#used.add(piece)
        else this.#refuse(name, { ...piece, text })
  }

  /** Pairs labels with values, the nearest first. Each value belongs to one label. */
  pair(labels: readonly PlacedLabel[], values: readonly Piece[]): void {
    const pairings = labels.flatMap((label) => this.#listPairings(label, values))
    const done = new Set<PlacedLabel>()
    let wholeName: Pairing | null = null
    for (const pairing of pairings.sort((a, b) => a.distance - b.distance)) {
      const { label, piece, confidenceMax } = pairing
      const { name } = label
      if (done.has(label)) continue
      if (name === 'other' || isLaterPart(name)) {
        if (this.#reserve(name, piece, confidenceMax)) done.add(label)
      } else if (this.take(name, piece, confidenceMax)) {
        done.add(label)
        if (name === 'full_name') wholeName = pairing
      } else this.#refuse(name, piece)
    }
    this.#joinLaterParts()
    if (wholeName) this.#completeName(wholeName, values, labels)
  }

  /** The possible values of a label: the text in its line is the nearest, unless it is more of the label. */
  #listPairings(label: PlacedLabel, values: readonly Piece[]): Pairing[] {
    const others = values.flatMap((piece): Pairing[] => {
      const distance = distanceFrom(label, piece)
      return distance === null ? [] : [{ label, piece, distance, confidenceMax: 1 }]
    })
    if (!label.inline) return others
    const pairings = [{ label, piece: label.inline, distance: 0, confidenceMax: 1 }, ...others]
    if (!isNameLabel(label) || this.#isKnownName(label)) return pairings
    const [below] = others
      .filter(({ piece, distance }) => distance < closeMax && this.#toField('full_name', piece))
      .sort((a, b) => a.distance - b.distance)
    const { isValue, isSure } = judgeInline(label, label.inline.text, below?.piece.text)
    return (isValue ? pairings : others).map((pairing) =>
      isSure ? pairing : { ...pairing, confidenceMax: guessMax },
    )
  }

  /** Whether the text in the line of a label is the name that the zone has. */
  #isKnownName({ name, inline }: PlacedLabel): boolean {
    const known = name === 'surname' || name === 'given_names' ? this.#known[name] : undefined
    return (
      known !== undefined &&
      inline !== null &&
      compareNames(inline.text.replace(/^\s*\p{P}*\s*/u, ''), known) === 'same'
    )
  }

  /** Takes a piece that is no field of its own, unless the text does not fit. */
  #reserve(name: LaterPart | 'other', piece: Piece, confidenceMax: number): boolean {
    if (this.#used.has(piece)) return false
    if (name !== 'other') {
      if (this.#later.has(laterParts[name])) return false
      const part = this.#toField(laterParts[name], piece)
      if (!part) return false
      this.#later.set(laterParts[name], limit(part, confidenceMax))
    }
    this.#used.add(piece)
    return true
  }

  /** Joins the parts of names that are printed apart. Zones may have the first ones alone. */
  #joinLaterParts(): void {
    for (const [name, later] of this.#later) {
      const first = this.fields[name]
      const known = this.#known[name]
      if (!first || (known !== undefined && compareNames(first.text, known) === 'same')) continue
      const [text, value] = [`${first.text} ${later.text}`, `${first.value} ${later.value}`]
      this.fields[name] = limit({ ...first, text, value }, later.confidence)
    }
  }

  #refuse(name: VisualFieldName, piece: Piece): void {
    if (dateFields.has(name)) this.#refused.push({ name, piece })
  }

  /**
   * Takes dates that cannot be, where no other text fits their labels: what nobody knows is no contradiction. Issuers with other
   * scripts have other calendars, too.
   */
  takeFaultyDates(): void {
    if (printsOtherScripts(this.#known.issuing_state)) return
    for (const { name, piece } of this.#refused) {
      const found = findFaultyDate(piece.text)
      if (!found || this.fields[name] || this.#used.has(piece)) continue
      this.fields[name] = limit(this.#build(name, found, piece), found.fault === 'unknown' ? guessMax : 1)
      this.#used.add(piece)
    }
  }

  /** Takes all lines of a whole name, and its parts if they are those of the zone. */
  #completeName(
    { piece: first, confidenceMax }: Pairing,
    values: readonly Piece[],
    labels: readonly PlacedLabel[],
  ): void {
    const free = values.filter((piece) => !this.#used.has(piece))
    const [, ...following] = followName(first, free, labels)
    const end = following.findIndex((piece) => !this.#toField('full_name', piece))
    const rest = end < 0 ? following : following.slice(0, end)
    const texts = [first, ...rest].map(({ text }) => text)
    const whole = { ...first, text: texts.join(' '), rest: rest.map(({ line }) => line) }
    const field = this.#toField('full_name', whole)
    if (!field) return
    for (const piece of rest) this.#used.add(piece)
    const isDoubtful = hasMoreThanName(texts, this.#known)
    this.fields.full_name = limit(field, isDoubtful ? Math.min(doubtMax, confidenceMax) : confidenceMax)
    const parts = splitName(field, this.#known)
    if (!parts || this.fields.surname || this.fields.given_names) return
    for (const name of ['surname', 'given_names'] as const) {
      const part = this.#toField(name, { ...whole, text: parts[name] })
      if (part) this.fields[name] = part
    }
  }

  /** Finds fields whose labels were not read: by the values of the machine-readable zone. */
  findKnown(values: readonly Piece[]): void {
    for (const name of knownFields) {
      const known = this.#known[name]
      if (!known || this.fields[name] || known.length < knownLengthMin) continue
      const agreeing = values.filter((piece) => {
        if (this.#used.has(piece) || (names.has(name) && compareNames(piece.text, known) !== 'same'))
          return false
        const field = this.#toField(name, piece)
        return field !== null && field.value !== null && compareWithMrz(name, field, known) === 'same'
      })
      if (agreeing[0]) this.take(name, agreeing[0])
    }
  }
}

/** Whether the page is one of the USA, where the month comes first in dates. */
const isAmericanPage = (lines: readonly TextLineReading[], kind: DocumentKind | null): boolean =>
  (kind === 'driver_licence' && lines.some(({ text }) => namesAmericanState(text))) ||
  lines.some(
    ({ text }) =>
      !isZoneLine(text) &&
      (/\bU\.?S\.?A\b/.test(text) ||
        findState(text) === 'USA' ||
        /UNITED\s*STATES\s*OF\s*AMERICA/i.test(text)),
  )

/** Whether the page is a card of voters in Mexico. */
const isMexicanCard = (texts: readonly string[]): boolean =>
  texts.some((text) => /INSTITUTO(NACIONAL|FEDERAL)ELECTORAL|CLAVEDEELECTOR/.test(foldText(text)))

/** Resolves labels that mean something else on some pages. */
const limitLabels = (
  labels: readonly PlacedLabel[],
  values: readonly Piece[],
  kind: DocumentKind | null,
): PlacedLabel[] =>
  resolveNameLabels(labels, values).map((label) =>
    label.name === 'vehicle_class' && kind !== 'driver_licence' ? { ...label, name: 'other' } : label,
  )

/**
 * Reads the fields of a printed page.
 * @param lines of the visual zone; lines of a machine-readable zone among them are left out
 * @param knownMrz settles dates with several meanings, and finds fields whose labels were not read. A value that stands beside its
 *   label is never replaced by it.
 * @returns only fields that were read
 */
export function readVisualFields(
  lines: readonly TextLineReading[],
  knownMrz: KnownValues = {},
  { today }: VisualRules = {},
): VisualZone {
  const { labels, values, prose } = layOut(lines)
  const texts = lines.map(({ text }) => text).filter((text, i) => !isZoneLine(text) && !prose.has(i))
  const { kind: titled, isNamed } = findKind(texts)
  const isNumbered = !isNamed && areNumberedAsLicence(texts, { order: 'unknown', today })
  const kind = isNumbered ? 'driver_licence' : titled
  const isAmerican = isAmericanPage(lines, kind)
  const order = isAmerican ? 'month-first' : 'unknown'
  const reading = new FieldReading(lines, { order, today, hasMujer: isMexicanCard(texts) }, knownMrz)
  reading.pair(limitLabels(labels, values, kind), values)
  if (kind === 'driver_licence') reading.takeNumbered(values, isAmerican)
  reading.takeFaultyDates()
  reading.findKnown(values)
  const isProse = prose.size >= proseMin && prose.size >= proseShareMin * lines.length
  return { fields: reading.fields, kind, isNamed, isProse }
}
