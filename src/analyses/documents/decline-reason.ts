import type { Reason, ReasonCode } from '../../decide/reasons.ts'
import type { DocumentField, DocumentFields, FieldName } from '../../documents/fields.ts'
import { dateFields } from '../../documents/visual/compare.ts'
import { findDateFault } from '../../documents/visual/dates.ts'

const toWords = (name: FieldName): string => name.replaceAll('_', ' ')

const isDate = (name: FieldName): boolean => (dateFields as ReadonlySet<FieldName>).has(name)

/** Whether a field was declined because its printed date cannot be. */
const isImpossible = ({ visual, result }: DocumentField): boolean =>
  result === 'failed' && visual !== null && findDateFault(visual) === 'impossible'

/** Whether a field was declined because page and zone differ. */
const differs = ({ name, visual, mrz, result }: DocumentField): boolean =>
  result === 'failed' && visual !== null && visual !== mrz && !(isDate(name) && mrz === null)

const listFields = (fields: readonly DocumentField[]): string =>
  fields.map(({ name }) => toWords(name)).join(', ')

/** The fields of a document that its decision depends on, and what is told of the whole. */
type Checked = Pick<DocumentFields, 'fields' | 'validity'>

interface Contradiction {
  code: ReasonCode
  text: string
}

function findContradictions(
  { fields, validity }: Checked,
  wanted: readonly FieldName[] | null,
): Contradiction[] {
  const isChecked = (name: FieldName) => !wanted || wanted.includes(name)
  const checked = fields.filter(({ name }) => isChecked(name))
  const impossible = checked.filter(isImpossible)
  const different = checked.filter((field) => differs(field) && !isImpossible(field))
  const rules: readonly [applies: boolean, code: ReasonCode, text: string][] = [
    [validity.checkDigits === 'failed', 'check_digits_wrong', 'check digits do not hold'],
    [validity.expiry === 'failed' && isChecked('expiry_date'), 'document_expired', 'it has expired'],
    [
      validity.dates === 'failed' &&
        (!wanted || checked.some(({ name, result }) => isDate(name) && result === 'failed')),
      'dates_contradict',
      'its dates contradict each other',
    ],
    [
      impossible.length > 0,
      'printed_dates_impossible',
      `printed dates that cannot be (${listFields(impossible)})`,
    ],
    [
      different.length > 0,
      'fields_contradict',
      `page and machine-readable zone differ (${listFields(different)})`,
    ],
  ]
  return rules.filter(([applies]) => applies).map(([, code, text]) => ({ code, text }))
}

/** What is not certain of a document. */
function findDoubts(
  { fields, validity }: Checked,
  wanted: readonly FieldName[] | null,
  isProved: boolean,
): ReasonCode[] {
  const doubtful = fields.filter(
    ({ name, result }) => result === 'unsure' && (!wanted || wanted.includes(name)),
  )
  const isUnread = ({ visual, mrz }: DocumentField) => visual === null && mrz === null
  const rules: readonly [applies: boolean, code: ReasonCode][] = [
    [validity.singleDocument === 'unsure', 'several_documents'],
    [!isProved, 'document_unproven'],
    [validity.expiry === 'unsure' && !wanted, 'expiry_unsure'],
    [validity.dates === 'unsure' && !wanted, 'dates_unsure'],
    [doubtful.some(isUnread), 'field_unread'],
    [validity.checkDigits === 'unsure' || doubtful.some((field) => !isUnread(field)), 'fields_unsure'],
  ]
  return rules.filter(([applies]) => applies).map(([, code]) => code)
}

/**
 * Why a document is declined. The text names fields, never their values: it outlives the removal of personal data.
 * @param wanted the fields that the decision depends on; `null` for all
 */
export function describeDecline(document: Checked, wanted: readonly FieldName[] | null): string {
  return `The document is declined: ${findContradictions(document, wanted)
    .map(({ text }) => text)
    .join('; ')}`
}

/**
 * Why a document does not pass.
 * @param document what was read; `null` if it was removed
 * @param isProved whether a machine-readable zone proves what was read
 */
export function explainDocument(
  document: Checked | null,
  wanted: readonly FieldName[] | null,
  isProved: boolean,
  decision: 'DECLINED' | 'OPERATOR_REQUIRED',
): Reason[] {
  const codes = document
    ? [
        ...findContradictions(document, wanted).map(({ code }) => code),
        ...findDoubts(document, wanted, isProved),
      ]
    : []
  const usual = decision === 'DECLINED' ? 'document_contradicts' : 'fields_unsure'
  return (codes.length > 0 ? codes : [usual as ReasonCode]).map((code) => ({ code, mediumIds: [] }))
}
