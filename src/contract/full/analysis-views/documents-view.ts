import type { DocumentsAnalysis } from '../../../analyses/documents/documents.ts'
import { findingOf } from '../../../documents/document-field.ts'
import type { CheckResult, DocumentField, DocumentFields } from '../../../documents/fields.ts'
import type { Json } from '../../spaced-json.ts'
import { wireField } from '../document-fields.ts'
import { round } from '../media-view.ts'
import type { SubjectView } from './subject-view.ts'

const statuses = { passed: 'SUCCESS', failed: 'DECLINED', unsure: 'OPERATOR_REQUIRED' } as const

const statusView = (result: CheckResult | null): string | null => result && statuses[result]

const confidenceView = (confidence: number | null): number | null =>
  confidence === null ? null : round(confidence, 3)

const fieldView = (field: DocumentField, { expiry }: DocumentFields['validity']): Json => ({
  field_name: wireField(field.name),
  visual: field.visual,
  mrz: field.mrz,
  status: statusView(field.result),
  finding: findingOf(field, expiry),
  visual_confidence: confidenceView(field.visualConfidence),
  mrz_confidence: confidenceView(field.mrzConfidence),
})

/** A value as reports show it: both sources if they differ. */
function describeField(field: DocumentField, { expiry }: DocumentFields['validity']): string {
  const { visual, mrz } = field
  const same = visual === null || mrz === null || visual === mrz
  const values = same ? (mrz ?? visual ?? 'not read') : `page ${visual}, machine-readable zone ${mrz}`
  return `${values} (${findingOf(field, expiry).replace('_', ' ')})`
}

export const documentsView: SubjectView<DocumentsAnalysis> = {
  word: 'DOCUMENTS',
  results({ evidence }) {
    if (!evidence) return null
    const { document } = evidence
    const { validity, hints } = document
    return {
      text_fields: document.fields.map((field) => fieldView(field, validity)),
      document_kind: document.kind,
      document_format: document.format,
      issuing_state: document.issuingState,
      mrz_lines: document.zone as Json,
      validity: {
        check_digits: statusView(validity.checkDigits),
        expiry: statusView(validity.expiry),
        dates: statusView(validity.dates),
        agreement: statusView(validity.agreement),
        single_document: statusView(validity.singleDocument),
      },
      double_page_spread: document.doublePageSpread,
      hints: { screen: hints.isScreen, copy: hints.isCopy, mirrored: document.isMirrored },
    }
  },
  mediumResults({ evidence }, mediumId) {
    if (!evidence) return null
    const { document, media } = evidence
    const fields =
      media.length === 0 ? document.fields : media.find((one) => one.mediumId === mediumId)?.fields
    return fields ? { text_fields: fields.map((field) => fieldView(field, document.validity)) } : null
  },
  persons: () => [],
  scores: () => [],
  confs: ({ parameters: { fieldsToCheck, doublePageSpread } }) => ({
    fields_to_check: fieldsToCheck?.map(wireField) ?? null,
    double_page_spread: doublePageSpread,
  }),
  technical: () => ({}),
  facts({ evidence }) {
    if (!evidence) return {}
    const { kind, format, issuingState, fields, validity } = evidence.document
    return {
      document_kind: kind,
      document_format: format,
      issuing_state: issuingState,
      ...Object.fromEntries(fields.map((field) => [wireField(field.name), describeField(field, validity)])),
      check_digits: statusView(validity.checkDigits),
      expiry: statusView(validity.expiry),
      agreement: statusView(validity.agreement),
    }
  },
}
