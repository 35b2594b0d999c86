/** Names of the fields of documents on the wire: those inside, in words that begin with capitals. */
import { type FieldName, fieldNames } from '../../documents/fields.ts'

/** `birth_date` → `Birth Date` */
export const wireField = (name: FieldName): string =>
  name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')

export const wireFields: readonly string[] = fieldNames.map(wireField)

const fold = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '')
const byFoldedName: ReadonlyMap<string, FieldName> = new Map(fieldNames.map((name) => [fold(name), name]))

/** Characters of a name as a request may write it. */
const nameLengthMax = 64

/** The field that a request names, in any case, with spaces, underscores, hyphens or nothing between its words. `null` for none. */
export const readFieldName = (text: string): FieldName | null =>
  text.length <= nameLengthMax ? (byFoldedName.get(fold(text)) ?? null) : null
