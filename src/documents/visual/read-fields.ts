/** Fields of the printed page from its lines: labels say what the text beside or below them is. */
import type { TextLineReading } from '../reading.ts'
import { compareWithMrz } from './compare.ts'
import type { DocumentKind, VisualField, VisualFieldName, VisualZone } from './field.ts'
import { findKind, nameLabels } from './labels.ts'
import { distanceFrom, isZoneLine, layOut, type Piece, type PlacedLabel } from './layout.ts'
import { normaliseText, type ReadingRules } from './normalise.ts'
import { readNumbered } from './numbered-lines.ts'
import { findState, namesAmericanState } from './states.ts'

export type { Agreement } from './compare.ts'
export { compareWithMrz } from './compare.ts'
export type { DocumentKind, VisualField, VisualFieldName, VisualZone } from './field.ts'

/** Values of the machine-readable zone in the normalised form of `VisualField.value`. */
export type KnownValues = Readonly<Partial<Record<VisualFieldName, string>>>

export interface VisualRules {
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

type Fields = Partial<Record<VisualFieldName, VisualField>>

/** A possible value of a label. */
interface Pairing {
  readonly label: PlacedLabel
  readonly piece: Piece
  readonly distance: number
}

class FieldReading {
  readonly fields: Fields = {}
  readonly #lines: readonly TextLineReading[]
  readonly #rules: ReadingRules
  readonly #known: KnownValues
  readonly #used = new Set<Piece>()

  constructor(lines: readonly TextLineReading[], rules: ReadingRules, known: KnownValues) {
    this.#lines = lines
    this.#rules = rules
    this.#known = known
  }

  /** @returns `null` if the text cannot be a value of the field */
  #toField(name: VisualFieldName, { text, line }: Pick<Piece, 'text' | 'line'>): VisualField | null {
    const normalised = normaliseText(name, text, this.#rules)
    if (!normalised) return null
    const { values } = normalised
    const known = this.#known[name]
    const value = values.length === 1 ? values[0]! : (values.find((item) => item === known) ?? null)
    const { confidence, place } = this.#lines[line]!
    return {
      name,
      text: normalised.text,
      value,
      alternatives: values.length > 1 ? values : [],
      confidence,
      place,
    }
  }

  /** Takes a piece as a field, unless the field is known already or the text does not fit. */
  take(name: VisualFieldName, piece: Piece): boolean {
    if (this.fields[name] || this.#used.has(piece)) return false
    const field = this.#toField(name, piece)
    if (!field) return false
    this.fields[name] = field
    this.#used.add(piece)
    return true
  }

  /** Takes the numbered lines of a driving licence. */
  takeNumbered(values: readonly Piece[], isAmerican: boolean): void {
    for (const piece of values)
      for (const { name, text } of readNumbered(piece.text, isAmerican))
        if (this.take(name, { ...piece, text })) this.#used.add(piece)
  }

  /** Pairs labels with values, the nearest first. Each value belongs to one label. */
  pair(labels: readonly PlacedLabel[], values: readonly Piece[]): void {
    const pairings = labels.flatMap((label): Pairing[] => {
      const inline = label.inline ? [{ label, piece: label.inline, distance: 0 }] : []
      const others = values.flatMap((piece) => {
        const distance = distanceFrom(label, piece)
        return distance === null ? [] : [{ label, piece, distance }]
      })
      return [...inline, ...others]
    })
    const done = new Set<PlacedLabel>()
    for (const { label, piece } of pairings.sort((a, b) => a.distance - b.distance)) {
      if (done.has(label)) continue
      if (label.name === 'other') {
        if (this.#used.has(piece)) continue
        this.#used.add(piece)
        done.add(label)
      } else if (this.take(label.name, piece)) done.add(label)
    }
  }

  /** Finds fields whose labels were not read: by the values of the machine-readable zone. */
  findKnown(values: readonly Piece[]): void {
    for (const name of knownFields) {
      const known = this.#known[name]
      if (!known || this.fields[name] || known.length < knownLengthMin) continue
      const agreeing = values.filter((piece) => {
        const field = this.#used.has(piece) ? null : this.#toField(name, piece)
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

/** Resolves labels that mean something else on some pages. */
function limitLabels(labels: readonly PlacedLabel[], kind: DocumentKind | null): PlacedLabel[] {
  const hasGivenNames = labels.some(({ name }) => name === 'given_names')
  return labels.map((label) => {
    if (!hasGivenNames && nameLabels.has(label.folded)) return { ...label, name: 'full_name' }
    return label.name === 'vehicle_class' && kind !== 'driver_licence' ? { ...label, name: 'other' } : label
  })
}

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
  const texts = lines.map(({ text }) => text).filter((text) => !isZoneLine(text))
  const kind = findKind(texts)
  const isAmerican = isAmericanPage(lines, kind)
  const reading = new FieldReading(lines, { order: isAmerican ? 'month-first' : 'unknown', today }, knownMrz)
  const { labels, values } = layOut(lines)
  reading.pair(limitLabels(labels, kind), values)
  if (kind === 'driver_licence')
    for (const piece of values)
      for (const { name, text } of readNumbered(piece.text, isAmerican))
        reading.take(name, { ...piece, text })
  reading.findKnown(values)
  return { fields: reading.fields, kind }
}
