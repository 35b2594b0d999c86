import type { DocumentField, DocumentFields, FieldName } from '../../documents/fields.ts'
import { isImpossibleDate } from '../../documents/visual/dates.ts'

const toWords = (name: FieldName): string => name.replaceAll('_', ' ')

/** Whether a field was declined because its printed date cannot be. */
const isImpossible = ({ visual, result }: DocumentField): boolean =>
  result === 'failed' && visual !== null && isImpossibleDate(visual)

/** Whether a field was declined because page and zone differ. */
const differs = ({ name, visual, mrz, result }: DocumentField): boolean =>
  result === 'failed' && visual !== null && visual !== mrz && !(name === 'expiry_date' && mrz === null)

const listFields = (fields: readonly DocumentField[]): string =>
  fields.map(({ name }) => toWords(name)).join(', ')

/**
 * Why a document is declined. The text names fields, never their values: it outlives the removal of personal data.
 * @param wanted the fields that the decision depends on; `null` for all
 */
export function describeDecline(
  { fields, validity }: Pick<DocumentFields, 'fields' | 'validity'>,
  wanted: readonly FieldName[] | null,
): string {
  const isChecked = (name: FieldName) => !wanted || wanted.includes(name)
  const checked = fields.filter(({ name }) => isChecked(name))
  const impossible = checked.filter(isImpossible)
  const different = checked.filter((field) => differs(field) && !isImpossible(field))
  const reasons = [
    ...(validity.checkDigits === 'failed' ? ['check digits do not hold'] : []),
    ...(validity.expiry === 'failed' && isChecked('expiry_date') ? ['it has expired'] : []),
    ...(validity.dates === 'failed' && !wanted ? ['its dates contradict each other'] : []),
    ...(impossible.length > 0 ? [`printed dates that cannot be (${listFields(impossible)})`] : []),
    ...(different.length > 0 ? [`page and machine-readable zone differ (${listFields(different)})`] : []),
  ]
  return `The document is declined: ${reasons.join('; ')}`
}
