/** Fields of the printed page of a document. */
import type { Quad } from '../reading.ts'

export type VisualFieldName =
  | 'surname'
  | 'given_names'
  | 'full_name'
  | 'document_number'
  | 'personal_number'
  | 'nationality'
  | 'sex'
  | 'birth_date'
  | 'issue_date'
  | 'expiry_date'
  | 'authority'
  | 'birth_place'
  | 'address'
  | 'issuing_state'
  | 'height'
  | 'vehicle_class'

export interface VisualField {
  readonly name: VisualFieldName
  /** As printed. */
  readonly text: string
  /**
   * Dates as `YYYY-MM-DD`, sex as `M`, `F` or `X`, numbers without spaces, states as ICAO codes, names in upper case. `null` if the text
   * has several meanings.
   */
  readonly value: string | null
  /** All meanings, if there are several, such as both orders of day and month. */
  readonly alternatives: readonly string[]
  /** Confidence of the text recognition, 0 to 1. */
  readonly confidence: number
  readonly place: Quad
}

export type DocumentKind = 'passport' | 'id_card' | 'driver_licence' | 'residence_permit' | 'visa'

export interface VisualZone {
  readonly fields: Readonly<Partial<Record<VisualFieldName, VisualField>>>
  /** According to the words of the page; `null` if they do not tell. */
  readonly kind: DocumentKind | null
  /** Whether a word tells it that means nothing else, unlike `Visa` and `Pass`. */
  readonly isNamed: boolean
  /** Whether much of the page is sentences, as in letters. */
  readonly isProse: boolean
}
