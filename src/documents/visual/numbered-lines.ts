/** The numbered lines of driving licences: Directive 2006/126/EC, annex I, and the AAMVA card design standard. */
import type { VisualFieldName } from './field.ts'
import { normaliseText, type ReadingRules } from './normalise.ts'

const europeanItems: Readonly<Record<string, VisualFieldName>> = {
  '1': 'surname',
  '2': 'given_names',
  '3': 'birth_date',
  '4A': 'issue_date',
  '4B': 'expiry_date',
  '4C': 'authority',
  '4D': 'personal_number',
  '5': 'document_number',
  '8': 'address',
  '9': 'vehicle_class',
}

const americanItems: Readonly<Record<string, VisualFieldName>> = {
  '1': 'surname',
  '2': 'given_names',
  '3': 'birth_date',
  '4A': 'issue_date',
  '4B': 'expiry_date',
  '4D': 'document_number',
  '8': 'address',
  '9': 'vehicle_class',
}

/**
 * Splits a line of a driving licence at its numbers.
 * @returns the text behind each number that stands for a field
 */
export function readNumbered(text: string, isAmerican: boolean): { name: VisualFieldName; text: string }[] {
  const items = isAmerican ? americanItems : europeanItems
  const start =
    /^\s*(4[a-d]|[1-9])(?:[.,]\s*|\s+|(?=\p{L}))/iu.exec(text) ?? /^\s*(8)(?=\d+\s*\p{L})/u.exec(text)
  if (!start) return []
  // A second number in the line has a full stop.
  const parts = text.split(/(?:^|\s|(?<=\d)(?=4[a-d]))(4[a-d]|[1-9])\.\s*/iu)
  const pairs =
    parts.length >= 3 && parts[0]!.trim() === ''
      ? Array.from(
          { length: (parts.length - 1) / 2 },
          (_, i) => [parts[i * 2 + 1]!, parts[i * 2 + 2]!] as const,
        )
      : [[start[1]!, text.slice(start[0].length)] as const]
  return pairs.flatMap(([number, rest]) => {
    const name = items[number.toUpperCase()]
    return name && rest.trim() !== '' ? [{ name, text: rest }] : []
  })
}

/** Lines 1 to 5 of all licences. Other lists have numbers, too, but no dates at these. */
const licenceItems = [
  'surname',
  'given_names',
  'birth_date',
  'issue_date',
  'expiry_date',
  'document_number',
] as const
/** One of them may be misread. */
const licenceItemsMin = 5

/** Whether lines are numbered as those of a driving licence, whatever its title is. */
export function areNumberedAsLicence(texts: readonly string[], rules: ReadingRules): boolean {
  const items = texts.flatMap((text) => readNumbered(text, false))
  const found = licenceItems.filter((name) =>
    items.some((item) => item.name === name && normaliseText(name, item.text, rules) !== null),
  )
  return found.length >= licenceItemsMin
}
