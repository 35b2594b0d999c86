/** The document of sandboxes: of a state and a person that do not exist. */
import type { ReasonCode } from '../../decide/reasons.ts'
import type { DocumentField, DocumentFields, FieldName } from '../../documents/fields.ts'

const read = (name: FieldName, value: string): DocumentField => ({
  ...{ name, visual: value, visualConfidence: 0.99, mrz: value, mrzConfidence: 0.99 },
  result: 'passed',
})

const specimen: DocumentFields = {
  kind: 'passport',
  format: 'TD3',
  issuingState: 'UTO',
  zone: ['P<UTOSPECIMEN<<SANDY<BOX<<<<<<<<<<<<<<<<<<<<', 'SBX0000013UTO9001022F9912315<<<<<<<<<<<<<<00'],
  fields: [
    read('document_code', 'P'),
    read('issuing_state', 'UTO'),
    read('document_number', 'SBX000001'),
    read('surname', 'SPECIMEN'),
    read('given_names', 'SANDY BOX'),
    read('nationality', 'UTO'),
    read('birth_date', '1990-01-02'),
    read('sex', 'F'),
    read('expiry_date', '2099-12-31'),
  ],
  validity: {
    ...{ checkDigits: 'passed', expiry: 'passed', dates: 'passed', agreement: 'passed' },
    singleDocument: 'passed',
  },
  isProse: false,
  unreadableZones: 0,
  isMirrored: false,
  doublePageSpread: null,
  hints: { isScreen: false, isCopy: false },
}

interface Change {
  field?: Partial<DocumentField> & Pick<DocumentField, 'name'>
  validity?: Partial<DocumentFields['validity']>
  /** Without a machine-readable zone. */
  isPrintedOnly?: true
}

/** What differs for a reason; nothing for the reason of last resort. */
const changes: Partial<Record<ReasonCode, Change>> = {
  check_digits_wrong: { validity: { checkDigits: 'failed' } },
  document_expired: {
    field: { name: 'expiry_date', visual: '2020-01-01', mrz: '2020-01-01', result: 'failed' },
    validity: { expiry: 'failed' },
  },
  dates_contradict: { validity: { dates: 'failed' } },
  printed_dates_impossible: {
    field: { name: 'expiry_date', visual: '31.02.2099', result: 'failed' },
    validity: { agreement: 'failed' },
  },
  fields_contradict: {
    field: { name: 'surname', visual: 'OTHER', result: 'failed' },
    validity: { agreement: 'failed' },
  },
  several_documents: { validity: { singleDocument: 'unsure' } },
  document_unproven: { isPrintedOnly: true },
  expiry_unsure: { validity: { expiry: 'unsure' } },
  dates_unsure: { validity: { dates: 'unsure' } },
  field_unread: {
    field: {
      name: 'document_number',
      visual: null,
      visualConfidence: null,
      mrz: null,
      mrzConfidence: null,
      result: 'unsure',
    },
  },
  fields_unsure: { field: { name: 'given_names', visualConfidence: 0.6, result: 'unsure' } },
}

/** The specimen with what a reason says of it; `null` for one that passes. */
export function specimenWith(code: ReasonCode | null): DocumentFields {
  const { field, validity, isPrintedOnly } = (code && changes[code]) ?? {}
  const fields = specimen.fields.map((one) => (one.name === field?.name ? { ...one, ...field } : one))
  const changed = { ...specimen, fields, validity: { ...specimen.validity, ...validity } }
  if (!isPrintedOnly) return changed
  return {
    ...changed,
    ...{ zone: null, format: null },
    fields: fields.map((one) => ({ ...one, mrz: null, mrzConfidence: null })),
    validity: { ...changed.validity, checkDigits: null, agreement: null },
  }
}
