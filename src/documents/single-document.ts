/** Whether all that was read is of one document. */
import { type CheckResult, contradictMin } from './document-field.ts'
import type { ParsedZone } from './mrz/parse-zone.ts'
import type { PrintedPage } from './printed-pages.ts'
import { foldConfusable } from './visual/fold.ts'
import type { Agreement, VisualField, VisualFieldName } from './visual/read-fields.ts'

/** Whether two zones are of one document: they share its number or the birth, and nothing differs. */
export function areSame(one: ParsedZone, other: ParsedZone): boolean {
  const agree = (name: keyof ParsedZone['fields'], confidenceMin: number): boolean | null => {
    const [a, b] = [one.fields[name], other.fields[name]]
    if (a?.value == null || b?.value == null) return null
    return Math.min(a.confidence, b.confidence) < confidenceMin ? null : a.value === b.value
  }
  const numbers = [agree('documentNumber', 0), agree('birthDate', 0)]
  // Names have no check digits: what differs must have been read well.
  const others = (['expiryDate', 'surname', 'givenNames'] as const).map((name) => agree(name, contradictMin))
  return numbers.includes(true) && ![...numbers, ...others].includes(false)
}

/** Fields that tell documents, and the people whom they are of. */
const identity: readonly VisualFieldName[] = [
  'surname',
  'given_names',
  'full_name',
  'birth_date',
  'document_number',
  'personal_number',
]

type Compare = (field: VisualField) => Agreement | null

/** Whether a page names another document than the zone, or the same; `null` if it tells neither. */
function agrees({ fields }: PrintedPage, compare: Compare): boolean | null {
  const agreementOn = (name: VisualFieldName) => (fields[name] ? compare(fields[name]) : null)
  const agreements = identity.map(agreementOn)
  // Half of all people have the same sex.
  if ([...agreements, agreementOn('sex')].includes('different')) return false
  return agreements.some((agreement) => agreement === 'same' || agreement === 'likely') ? true : null
}

/** Whether births differ of pages without a zone. Names are read with too many mistakes to be compared with each other. */
const bornTwice = (pages: readonly PrintedPage[]): boolean =>
  new Set(pages.flatMap(({ fields: { birth_date: birth } }) => birth?.value ?? [])).size > 1

/** Whether pages have two personal numbers, both read well. Some pages leave out the century, or what follows the number. */
function haveTwoNumbers(pages: readonly PrintedPage[]): boolean {
  const numbers = pages.flatMap(({ fields: { personal_number: number } }) =>
    number?.value && number.confidence >= contradictMin ? foldConfusable(number.value) : [],
  )
  return numbers.some((one) => numbers.some((other) => !one.includes(other) && !other.includes(one)))
}

/**
 * Whether zones and pages are of one document.
 * @param zones the best first
 * @returns `null` where nothing tells
 */
export function checkSingle(
  zones: readonly ParsedZone[],
  pages: readonly PrintedPage[],
  compare: Compare,
): CheckResult | null {
  const [first, ...others] = zones
  if (haveTwoNumbers(pages)) return 'unsure'
  if (!first) return bornTwice(pages) ? 'unsure' : null
  if (!others.every((other) => areSame(first, other))) return 'unsure'
  const found = pages.map((page) => ({ isZone: page.place === 'zone', agrees: agrees(page, compare) }))
  if (found.some((page) => !page.isZone && page.agrees === false)) return 'unsure'
  return found.every((page) => (page.isZone ? page.agrees !== false : page.agrees)) ? 'passed' : null
}
