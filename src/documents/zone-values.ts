/** The fields of the machine-readable zones of a document. */
import type { FieldName } from './document-field.ts'
import { type MrzField, type ParsedZone, parseZone } from './mrz/parse-zone.ts'
import type { DocumentReading, MrzReading } from './reading.ts'
import { toLatin } from './visual/spell.ts'

/** Where the fields of zones are in those of documents. */
const mrzNames = {
  documentCode: 'document_code',
  issuingState: 'issuing_state',
  documentNumber: 'document_number',
  surname: 'surname',
  givenNames: 'given_names',
  nationality: 'nationality',
  birthDate: 'birth_date',
  sex: 'sex',
  issueDate: 'issue_date',
  issueMonth: 'issue_date',
  expiryDate: 'expiry_date',
  personalNumber: 'personal_number',
  optionalData: 'optional_data',
  optionalData2: 'optional_data',
} as const satisfies Record<keyof ParsedZone['fields'], FieldName>

/** The check digits of single fields. */
export const checkedFields = {
  document_number: 'documentNumber',
  birth_date: 'birthDate',
  expiry_date: 'expiryDate',
  personal_number: 'personalNumber',
} as const satisfies Partial<Record<FieldName, string>>

export type ZoneValues = Partial<Record<FieldName, MrzField>>

/** Fields that every document states whose zone has a place for them: without them something is wrong with it. */
const required: ReadonlySet<FieldName> = new Set([
  'issuing_state',
  'document_number',
  'surname',
  'nationality',
  'birth_date',
  'expiry_date',
])

/** The fields of a zone that are stated, or would have to be. */
export function readZoneValues(zone: ParsedZone): ZoneValues {
  const values: ZoneValues = {}
  for (const [key, name] of Object.entries(mrzNames)) {
    const field = zone.fields[key as keyof typeof mrzNames]
    if (!field?.isStated && !(field && required.has(name))) continue
    const first = values[name]
    values[name] = first ? joinFields(first, field) : field
  }
  return values
}

/** The values in Latin letters, in which names are compared. */
export function toLatinValues(values: ZoneValues): ZoneValues {
  const latin = { ...values }
  for (const name of ['surname', 'given_names'] as const) {
    const field = values[name]
    if (field?.value) latin[name] = { ...field, value: toLatin(field.value) }
  }
  return latin
}

/** Optional data of two places. */
const joinFields = (a: MrzField, b: MrzField): MrzField => ({
  value: a.value === null || b.value === null ? null : `${a.value} ${b.value}`,
  isStated: true,
  confidence: a.confidence * b.confidence,
})

/** The zones of all pictures that could be read, the best first, and the number of the others. */
export function readZones(readings: readonly DocumentReading[], today: string) {
  const zones: { parsed: ParsedZone; reading: MrzReading }[] = []
  let unreadable = 0
  for (const reading of readings.flatMap((document) => document.zones)) {
    const parsed = parseZone(reading, today)
    if (parsed) zones.push({ parsed, reading })
    else unreadable++
  }
  zones.sort(
    (a, b) =>
      Number(b.parsed.isProven) - Number(a.parsed.isProven) || b.parsed.confidence - a.parsed.confidence,
  )
  return { zones, unreadable }
}
