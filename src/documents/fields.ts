/** The fields of a document: what its machine-readable zone says, what is printed on its page, and whether both agree. */
import { checkDates, checkExpiry, readKnownDate } from './check-dates.ts'
import {
  type CheckResult,
  contradictMin,
  type DocumentField,
  type FieldName,
  fieldNames,
  gravest,
} from './document-field.ts'
import { hasIdentity } from './is-document.ts'
import { compareField, judgeField } from './judge-field.ts'
import { resolveMeanings } from './meanings.ts'
import { type DocumentKind, isCard, type ParsedZone } from './mrz/parse-zone.ts'
import { type FieldRules, readPages } from './printed-pages.ts'
import type { DocumentReading, MrzReading, RecaptureHints } from './reading.ts'
import { areSame, checkSingle } from './single-document.ts'
import { dateFields, type VisualField, type VisualFieldName } from './visual/read-fields.ts'
import { printsOtherScripts } from './visual/scripts.ts'
import { checkedFields, readZones, readZoneValues, toLatinValues, type ZoneValues } from './zone-values.ts'

export {
  type CheckResult,
  type DocumentField,
  type FieldName,
  fieldNames,
  gravest,
} from './document-field.ts'
export type { FieldRules } from './printed-pages.ts'

/** A field has at most so many characters. */
const textMax = 200

/** Checks of the document as a whole; `null` if there is nothing to check. */
interface Validity {
  readonly checkDigits: CheckResult | null
  /** Failed: the document has expired. */
  readonly expiry: CheckResult | null
  /** Whether the dates can be those of one document. */
  readonly dates: CheckResult | null
  /** Whether zone and page say the same. */
  readonly agreement: CheckResult | null
  /** Whether all zones are of one document. */
  readonly singleDocument: CheckResult | null
}

export interface DocumentFields {
  readonly kind: DocumentKind | null
  /** The format of the zone; `null` without a readable zone. */
  readonly format: ParsedZone['format'] | null
  readonly issuingState: string | null
  /** The lines of the zone. */
  readonly zone: readonly string[] | null
  /** Fields that were read, in the order of `fieldNames`. */
  readonly fields: readonly DocumentField[]
  readonly validity: Validity
  /** Whether all pages with text are letters, or other texts of sentences. */
  readonly isProse: boolean
  /** Zones that were found and could not be read. */
  readonly unreadableZones: number
  /** Whether the picture shows the document in a mirror. */
  readonly isMirrored: boolean
  readonly doublePageSpread: boolean | null
  readonly hints: RecaptureHints
}

/** Characters without a shape of their own can neither be shown nor compared. */
const shown = (text: string): string => [...text.replace(/\p{C}/gu, '')].slice(0, textMax).join('')

const nameFields: ReadonlySet<FieldName> = new Set(['surname', 'given_names', 'full_name'])

const zoneResults = { valid: 'passed', invalid: 'failed', unsure: 'unsure' } as const

/**
 * Joins what the pictures of one document say.
 * @param readings of its pictures, such as front and back
 */
export function readFields(readings: readonly DocumentReading[], rules: FieldRules): DocumentFields {
  const { zones, unreadable } = readZones(readings, rules.today)
  const best = zones[0]
  const stated = best ? readZoneValues(best.parsed) : {}
  const isCut = best?.parsed.areNamesTruncated ?? false
  const hasOtherScript = printsOtherScripts(stated.issuing_state?.value)
  /** Names in other scripts are read as something else, and tell nothing. */
  const compareWith = (zone: ZoneValues) => (field: VisualField) =>
    hasOtherScript && nameFields.has(field.name) ? null : compareField(field.name, field, zone, isCut)
  const isOwn = (zone: MrzReading) => {
    const parsed = zones.find(({ reading }) => reading === zone)?.parsed
    return parsed ? areSame(best!.parsed, parsed) || parsed === best!.parsed : null
  }
  const latin = toLatinValues(stated)
  const printed = readPages(readings, { values: latin, isOwn, compare: compareWith(latin) }, rules)
  const values = resolveMeanings(stated, printed.fields, {
    today: rules.today,
    isCard: best !== undefined && isCard(best.parsed.kind),
  })
  const compared = toLatinValues(values)
  const agreements: CheckResult[] = []
  const fields = fieldNames.flatMap((name): DocumentField[] => {
    const visual = printed.fields[name as VisualFieldName]
    const mrz = values[name]
    if (!visual && !mrz) return []
    const checkName = name in checkedFields ? checkedFields[name as keyof typeof checkedFields] : null
    const check = best?.parsed.checks.find((digit) => digit.name === checkName)?.state ?? null
    const agreement = compareField(name, visual, compared, isCut)
    const isContradicted = (printed.others[name as VisualFieldName] ?? []).some(
      (other) =>
        other.confidence >= contradictMin && compareField(name, other, compared, isCut) === 'different',
    )
    const isDisputed =
      (hasOtherScript && nameFields.has(name)) || printed.disputed.has(name as VisualFieldName)
    const result = judgeField({ visual, mrz, check, agreement, isDisputed, isContradicted })
    if (isContradicted) agreements.push('unsure')
    else if (agreement === 'same' || agreement === 'likely') agreements.push('passed')
    // A date that cannot be contradicts itself, if the zone has none.
    else if (agreement === 'different' && (mrz || !dateFields.has(name as VisualFieldName)))
      agreements.push(result === 'failed' ? 'failed' : 'unsure')
    return [
      {
        name,
        visual: visual ? shown(visual.value ?? visual.text) : null,
        visualConfidence: visual?.confidence ?? null,
        mrz: mrz?.value ?? null,
        mrzConfidence: mrz?.confidence ?? null,
        agreement: isContradicted ? 'different' : agreement,
        result,
      },
    ]
  })
  const find = (name: FieldName) => fields.find((field) => field.name === name)
  const expiry = find('expiry_date')
  const expiryResult = checkExpiry(expiry, rules.today)
  const dates = checkDates(
    [find('birth_date'), find('issue_date'), expiry].map((field) => readKnownDate(field)),
    rules.today,
  )
  return {
    kind: best?.parsed.kind ?? (printed.isNamed || hasIdentity(fields) ? printed.kind : null),
    format: best?.parsed.format ?? null,
    issuingState: values.issuing_state?.value ?? printed.fields.issuing_state?.value ?? null,
    zone: best?.parsed.lines ?? null,
    // Dates that contradict each other do not pass, nor does that of a document that has expired, or may have.
    fields: fields.map((field) => ({
      ...field,
      result: gravest([
        field.result,
        field === expiry ? expiryResult : null,
        dates.contradicting.has(field.name) ? 'failed' : null,
      ])!,
    })),
    validity: {
      checkDigits: gravest(best?.parsed.checks.map(({ state }) => zoneResults[state]) ?? []),
      expiry: expiryResult,
      dates: dates.result,
      agreement: gravest(agreements),
      singleDocument: checkSingle(
        zones.map(({ parsed }) => parsed),
        printed.pages,
        compareWith(compared),
      ),
    },
    isProse: printed.isProse,
    unreadableZones: unreadable,
    isMirrored: best?.reading.isMirrored ?? false,
    doublePageSpread: gatherHint(readings.map(({ doublePageSpread }) => doublePageSpread)),
    hints: {
      isScreen: gatherHint(readings.map(({ hints }) => hints.isScreen)),
      isCopy: gatherHint(readings.map(({ hints }) => hints.isCopy)),
    },
  }
}

/** True if one of them is; `null` if all are unknown. */
function gatherHint(found: readonly (boolean | null)[]): boolean | null {
  if (found.includes(true)) return true
  return found.includes(false) ? false : null
}
