/** Whether pages without a machine-readable zone are an identity document at all. */
import type { FieldName } from './document-field.ts'
import type { DocumentFields } from './fields.ts'

/** Fields that tell who somebody is. Invoices, tickets and badges have others, or one or two of these. */
const identity: ReadonlySet<FieldName> = new Set([
  'surname',
  'given_names',
  'full_name',
  'nationality',
  'birth_date',
  'sex',
  'document_number',
  'personal_number',
  'expiry_date',
])
const fieldsMin = 3

/** Fields that forms about a person lack. */
const ofDocuments: ReadonlySet<FieldName> = new Set(['document_number', 'personal_number', 'expiry_date'])

/**
 * Whether the fields are those of a document: it names itself, or has enough of the fields that documents have.
 * @param hasFace whether a picture shows a face
 */
export function isDocument(
  { zone, kind, isProse, fields }: Pick<DocumentFields, 'zone' | 'kind' | 'isProse' | 'fields'>,
  hasFace: boolean,
): boolean {
  if (zone) return true
  const found = fields.filter(({ name }) => identity.has(name))
  if (isProse || found.length === 0) return false
  if (kind) return true
  return found.length >= fieldsMin && (hasFace || found.some(({ name }) => ofDocuments.has(name)))
}
