/** Whether the dates of a document fit together, and whether it has expired. */
import {
  type CheckResult,
  contradictMin,
  type DocumentField,
  type FieldName,
  gravest,
} from './document-field.ts'

interface KnownDate {
  readonly name: FieldName
  /** `YYYY-MM-DD`, or `YYYY-MM`. */
  readonly value: string
  /** Whether it was read well enough to decline a document by it. */
  readonly isClear: boolean
}

export function readKnownDate(field: DocumentField | undefined): KnownDate | null {
  const value = field?.mrz ?? field?.visual ?? null
  if (!field || value === null || !/^\d{4}-\d\d(-\d\d)?$/.test(value)) return null
  const confidence = field.mrz === null ? field.visualConfidence : field.mrzConfidence
  const isAgreed = field.result === 'passed' && field.mrz === field.visual
  return { name: field.name, value, isClear: isAgreed || confidence! >= contradictMin }
}

export function checkExpiry(field: DocumentField | undefined, today: string): CheckResult | null {
  if (!field) return null
  const date = readKnownDate(field)
  if (!date) return 'unsure'
  if (date.value < today) return date.isClear ? 'failed' : 'unsure'
  return field.result === 'passed' ? 'passed' : 'unsure'
}

interface DateCheck {
  result: CheckResult | null
  /** The dates that cannot be together, or at all. */
  contradicting: ReadonlySet<FieldName>
}

/**
 * Whether the holder was born before the document was issued, and it was issued before it expires.
 * @param dates birth, issue, expiry
 */
export function checkDates(dates: readonly (KnownDate | null)[], today: string): DateCheck {
  const [birth = null, issue = null] = dates
  const contradicting = new Set<FieldName>()
  const contradict = (...of: readonly KnownDate[]): CheckResult => {
    if (!of.every(({ isClear }) => isClear)) return 'unsure'
    for (const { name } of of) contradicting.add(name)
    return 'failed'
  }
  const known = dates.filter((date) => date !== null)
  const results = known.slice(1).map((date, index): CheckResult => {
    const before = known[index]!
    if (before.value < date.value) return 'passed'
    // One date beside two labels is rather one that was read twice.
    return before.value === date.value ? 'unsure' : contradict(before, date)
  })
  const isFuture = (date: KnownDate | null): date is KnownDate => date !== null && date.value > today
  const result = gravest([
    ...results,
    isFuture(birth) ? contradict(birth) : null,
    // It may be the first day of validity, or today in another time zone.
    isFuture(issue) ? 'unsure' : null,
  ])
  return { result, contradicting }
}
