/** Kinds, fields and checks of documents. */
import type { SharedText } from './texts/shared-de.ts'

const sameWords = [
  'Passport',
  'Id card',
  'Driver licence',
  'Residence permit',
  'Visa',
  'Travel document',
  'Crew certificate',
  'Document code',
  'Issuing state',
  'Document number',
  'Surname',
  'Given names',
  'Full name',
  'Nationality',
  'Birth date',
  'Sex',
  'Birth place',
  'Issue date',
  'Expiry date',
  'Personal number',
  'Authority',
  'Address',
  'Height',
  'Vehicle class',
  'Optional data',
  'Check digits',
  'Expiry',
  'Dates',
  'Agreement',
  'Single document',
  'Screen',
  'Copy of a page',
  'Mirrored',
] as const satisfies readonly SharedText[]

export const documentWords: Readonly<Record<string, SharedText>> = {
  ...Object.fromEntries(sameWords.map((text) => [text, text])),
  Copy: 'Copy of a page',
}

/** How `documentWords` names what answers call `check_digits` or `Birth Date`. */
export function documentWordOf(name: string): string {
  const words = name.replaceAll('_', ' ').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
