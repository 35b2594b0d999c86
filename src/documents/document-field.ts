/** The fields of documents, and what the checks of a document come to. */
import type { Agreement } from './visual/compare.ts'
import type { VisualFieldName } from './visual/field.ts'

/** In the order of answers. */
export const fieldNames = [
  'document_code',
  'issuing_state',
  'document_number',
  'surname',
  'given_names',
  'full_name',
  'nationality',
  'birth_date',
  'sex',
  'birth_place',
  'issue_date',
  'expiry_date',
  'personal_number',
  'authority',
  'address',
  'height',
  'vehicle_class',
  'optional_data',
] as const satisfies readonly (VisualFieldName | 'document_code' | 'optional_data')[]

export type FieldName = (typeof fieldNames)[number]

/** `unsure`: it was read, but not well enough to decide on it, or nobody read it. */
export type CheckResult = 'passed' | 'failed' | 'unsure'

export interface DocumentField {
  readonly name: FieldName
  /** As printed, normalised if it has one meaning. `null` if it was not read. */
  readonly visual: string | null
  readonly visualConfidence: number | null
  /** From the machine-readable zone. `null` if it was not read. */
  readonly mrz: string | null
  readonly mrzConfidence: number | null
  /** Whether page and zone agree, or another picture contradicts. `null` if nothing could be compared; stored fields may lack it. */
  readonly agreement?: Agreement | null
  readonly result: CheckResult
}

export const findings = [
  'agrees',
  'printed_only',
  'not_compared',
  'not_readable',
  'contradicts',
  'expired',
] as const

/** What is known of a field, whatever follows from it. */
export type Finding = (typeof findings)[number]

/** @param expiry whether the document has expired */
export function findingOf(field: DocumentField, expiry: CheckResult | null): Finding {
  const { name, visual, mrz, result } = field
  if (visual === null && mrz === null) return 'not_readable'
  const { agreement = visual === mrz ? 'same' : null } = field
  if (agreement === 'different') return 'contradicts'
  if (result === 'failed') return name === 'expiry_date' && expiry === 'failed' ? 'expired' : 'contradicts'
  if (result === 'unsure') return 'not_readable'
  if (agreement === 'same' || agreement === 'likely') return 'agrees'
  return mrz === null ? 'printed_only' : 'not_compared'
}

/** The gravest of some results; `null` for none. */
export function gravest(results: readonly (CheckResult | null)[]): CheckResult | null {
  if (results.includes('failed')) return 'failed'
  if (results.includes('unsure')) return 'unsure'
  return results.includes('passed') ? 'passed' : null
}

/** Minimum confidence of a field that passes, and of two readings that contradict each other. */
export const passMin = 0.8
export const contradictMin = 0.9
