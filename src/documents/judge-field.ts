/** Whether zone and page agree on a field, and what this means for it. */
import { type CheckResult, contradictMin, type FieldName, passMin } from './document-field.ts'
import { isNever } from './mrz/dates.ts'
import type { MrzField, ParsedZone } from './mrz/parse-zone.ts'
import {
  type Agreement,
  compareWholeName,
  compareWithMrz,
  isImpossible,
  type VisualField,
} from './visual/read-fields.ts'
import type { ZoneValues } from './zone-values.ts'

/**
 * Whether a printed field agrees with the zone; `null` if there is nothing to compare.
 * @param isCut whether the zone has no room for more of the names
 */
export function compareField(
  name: FieldName,
  visual: VisualField | undefined,
  values: ZoneValues,
  isCut: boolean,
): Agreement | null {
  if (!visual || name === 'document_code' || name === 'optional_data') return null
  if (isImpossible(visual)) return 'different'
  if (name === 'full_name') return compareFullName(visual, values, isCut)
  const mrz = values[name]?.value ?? null
  if (mrz === null) return null
  // A month of issue agrees with a day in it.
  if (name === 'issue_date') {
    const readings = visual.value === null ? visual.alternatives : [visual.value]
    return readings.some((date) => date.startsWith(mrz)) ? 'same' : 'different'
  }
  if (name === 'expiry_date' && isNever(mrz) && visual.value !== null && isNever(visual.value)) return 'same'
  return compareWithMrz(name, visual, mrz, isCut)
}

function compareFullName(
  { text, value }: VisualField,
  { surname, given_names: given }: ZoneValues,
  isCut: boolean,
): Agreement | null {
  const parts = [surname, given].filter((part) => part?.isStated)
  const known = parts.flatMap((part) => part?.value ?? [])
  if (value === null || known.length === 0 || known.length < parts.length) return null
  return compareWholeName(text, known, isCut)
}

interface Sources {
  readonly visual: VisualField | undefined
  readonly mrz: MrzField | undefined
  /** The state of the field's own check digit. */
  readonly check: ParsedZone['checks'][number]['state'] | null
  readonly agreement: Agreement | null
  /** Whether pictures or scripts leave open what is printed. */
  readonly isDisputed: boolean
  /** Whether another picture contradicts the zone. */
  readonly isContradicted: boolean
}

export function judgeField(sources: Sources): CheckResult {
  const { visual, mrz, check, agreement, isDisputed, isContradicted } = sources
  if (!mrz) {
    const isClear = visual !== undefined && visual.confidence >= contradictMin && !isDisputed
    if (agreement === 'different') return isClear ? 'failed' : 'unsure'
    const isRead = visual !== undefined && visual.value !== null && visual.confidence >= passMin
    return isRead && (!isDisputed || agreement === 'same') && !isContradicted ? 'passed' : 'unsure'
  }
  if (check === 'invalid') return 'failed'
  if (mrz.value === null || check === 'unsure' || isContradicted) return 'unsure'
  const isSure = mrz.confidence >= passMin
  if (agreement === 'same') return isSure || visual!.confidence >= passMin ? 'passed' : 'unsure'
  if (agreement === 'different') {
    const isClear = mrz.confidence >= contradictMin && visual!.confidence >= contradictMin
    return isClear && !isDisputed ? 'failed' : 'unsure'
  }
  return isSure ? 'passed' : 'unsure'
}
