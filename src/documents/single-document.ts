/** Whether all that was read is of one document. */
import { type CheckResult, contradictMin } from './document-field.ts'
import type { ParsedZone } from './mrz/parse-zone.ts'
import type { PrintedPage } from './printed-pages.ts'
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
const identity = [
  'surname',
  'given_names',
  'full_name',
  'birth_date',
  'document_number',
] as const satisfies readonly VisualFieldName[]

type Compare = (field: VisualField) => Agreement | null

/** Whether a page names another document than the zone, or the same; `null` if it tells neither. */
function agrees({ fields }: PrintedPage, compare: Compare): boolean | null {
  const agreements = identity.flatMap((name) => (fields[name] ? compare(fields[name]) : null))
  if (agreements.includes('different')) return false
  return agreements.some((agreement) => agreement === 'same' || agreement === 'likely') ? true : null
}

/** Whether pages without a zone name two people. Names are read with too many mistakes to be compared with each other. */
const areOfTwo = (pages: readonly PrintedPage[]): boolean =>
  new Set(pages.flatMap(({ fields: { birth_date: birth } }) => birth?.value ?? [])).size > 1

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
  if (!first) return areOfTwo(pages) ? 'unsure' : null
  if (!others.every((other) => areSame(first, other))) return 'unsure'
  const found = pages.map((page) => ({ isZone: page.place === 'zone', agrees: agrees(page, compare) }))
  if (found.some((page) => !page.isZone && page.agrees === false)) return 'unsure'
  return found.every((page) => (page.isZone ? page.agrees !== false : page.agrees)) ? 'passed' : null
}
