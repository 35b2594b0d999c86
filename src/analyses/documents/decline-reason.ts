import type { DocumentField, DocumentFields, FieldName } from '../../documents/fields.ts'

const toWords = (name: FieldName): string => name.replaceAll('_', ' ')

/** Whether a field was declined because page and zone differ. */
const differs = ({ name, visual, mrz, result }: DocumentField): boolean =>
  result === 'failed' && visual !== null && visual !== mrz && !(name === 'expiry_date' && mrz === null)

/**
 * Why a document is declined. The text names fields, never their values: it outlives the removal of personal data.
 * @param wanted the fields that the decision depends on; `null` for all
 */
export function describeDecline(
  { fields, validity }: Pick<DocumentFields, 'fields' | 'validity'>,
  wanted: readonly FieldName[] | null,
): string {
  const isChecked = (name: FieldName) => !wanted || wanted.includes(name)
  const different = fields.filter((field) => isChecked(field.name) && differs(field))
  const reasons = [
    ...(validity.checkDigits === 'failed' ? ['check digits do not hold'] : []),
    ...(validity.expiry === 'failed' && isChecked('expiry_date') ? ['it has expired'] : []),
    ...(validity.dates === 'failed' && !wanted ? ['its dates contradict each other'] : []),
    ...(different.length > 0
      ? [`page and machine-readable zone differ (${different.map(({ name }) => toWords(name)).join(', ')})`]
      : []),
  ]
  return `The document is declined: ${reasons.join('; ')}`
}
