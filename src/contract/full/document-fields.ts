/** Names of the fields of documents on the wire: those inside, in words that begin with capitals. */
import { type FieldName, fieldNames } from '../../documents/fields.ts'

/** `birth_date` → `Birth Date` */
export const wireField = (name: FieldName): string =>
  name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')

export const wireFields: readonly string[] = fieldNames.map(wireField)

/** The field that a request names, in any case, with spaces, underscores, hyphens or nothing between its words. `null` for none. */
export function readFieldName(text: string): FieldName | null {
  const fold = (name: string) => name.toLowerCase().replace(/[\s_-]/g, '')
  return fieldNames.find((name) => fold(name) === fold(text)) ?? null
}
