/** Whether pages without a machine-readable zone are an identity document at all. */
import type { DocumentField, FieldName } from './document-field.ts'
import type { DocumentKind } from './mrz/parse-zone.ts'

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

type Fields = readonly Pick<DocumentField, 'name'>[]

const selectIdentity = (fields: Fields): Fields => fields.filter(({ name }) => identity.has(name))

/** Whether the fields are enough to tell who somebody is. */
export const hasIdentity = (fields: Fields): boolean => selectIdentity(fields).length >= fieldsMin

interface Page {
  /** `null` without a readable zone. */
  readonly zone: readonly string[] | null
  /** `null` if nothing tells it. */
  readonly kind: DocumentKind | null
  readonly isProse: boolean
  readonly fields: Fields
}

/**
 * Whether the fields are those of a document: it names itself, or has enough of the fields that documents have.
 * @param hasFace whether a picture shows a face
 */
export function isDocument({ zone, kind, isProse, fields }: Page, hasFace: boolean): boolean {
  if (zone) return true
  const found = selectIdentity(fields)
  if (isProse || found.length === 0) return false
  if (kind) return true
  return hasIdentity(fields) && (hasFace || found.some(({ name }) => ofDocuments.has(name)))
}
