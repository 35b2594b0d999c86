/** The fields of a document: what its machine-readable zone says, what is printed on its page, and whether both agree. */
import { type DocumentKind, type MrzField, type ParsedZone, parseZone } from './mrz/parse-zone.ts'
import type { DocumentReading, MrzReading, Point, RecaptureHints, TextLineReading } from './reading.ts'
import {
  type Agreement,
  compareWithMrz,
  type KnownValues,
  readVisualFields,
  type VisualField,
  type VisualFieldName,
  type VisualZone,
} from './visual/read-fields.ts'

/** In the order of answers. */
export const fieldNames = [
  'document_code',
  'issuing_state',
  'document_number',
  'surname',
  'given_names',
  'full_name',
  'nationality',
  'birth_date',
  'sex',
  'birth_place',
  'issue_date',
  'expiry_date',
  'personal_number',
  'authority',
  'address',
  'height',
  'vehicle_class',
  'optional_data',
] as const satisfies readonly (VisualFieldName | 'document_code' | 'optional_data')[]

export type FieldName = (typeof fieldNames)[number]

/** `unsure`: it was read, but not well enough to decide on it, or nobody read it. */
export type CheckResult = 'passed' | 'failed' | 'unsure'

export interface DocumentField {
  readonly name: FieldName
  /** As printed, normalised if it has one meaning. `null` if it was not read. */
  readonly visual: string | null
  readonly visualConfidence: number | null
  /** From the machine-readable zone. `null` if it was not read. */
  readonly mrz: string | null
  readonly mrzConfidence: number | null
  readonly result: CheckResult
}

/** Checks of the document as a whole; `null` if there is nothing to check. */
export interface Validity {
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
  /** Zones that were found and could not be read. */
  readonly unreadableZones: number
  /** Whether the picture shows the document in a mirror. */
  readonly isMirrored: boolean
  readonly doublePageSpread: boolean | null
  readonly hints: RecaptureHints
}

export interface FieldRules {
  /** `YYYY-MM-DD` */
  readonly today: string
  /** Whether both pages of a booklet are read, or only the one with the machine-readable zone. */
  readonly doublePageSpread: boolean
}

/** Minimum confidence of a field that passes, and of two readings that contradict each other. */
const passMin = 0.8
const contradictMin = 0.9

/** A page may have at most so many lines, and a field so many characters. */
const linesMax = 300
const textMax = 200

/** Where the fields of zones are in those of documents. */
const mrzNames = {
  documentCode: 'document_code',
  issuingState: 'issuing_state',
  documentNumber: 'document_number',
  surname: 'surname',
  givenNames: 'given_names',
  nationality: 'nationality',
  birthDate: 'birth_date',
  sex: 'sex',
  issueMonth: 'issue_date',
  expiryDate: 'expiry_date',
  personalNumber: 'personal_number',
  optionalData: 'optional_data',
  optionalData2: 'optional_data',
} as const satisfies Record<keyof ParsedZone['fields'], FieldName>

/** The check digits of single fields. */
const checkedFields = {
  document_number: 'documentNumber',
  birth_date: 'birthDate',
  expiry_date: 'expiryDate',
  personal_number: 'personalNumber',
} as const satisfies Partial<Record<FieldName, string>>

type ZoneValues = Partial<Record<FieldName, MrzField>>

/** The fields of a zone that are stated. */
function valuesOf(zone: ParsedZone): ZoneValues {
  const values: ZoneValues = {}
  for (const [key, name] of Object.entries(mrzNames)) {
    const field = zone.fields[key as keyof typeof mrzNames]
    if (!field?.isStated) continue
    const first = values[name]
    values[name] = first ? joinFields(first, field) : field
  }
  return values
}

/** Optional data of two places. */
const joinFields = (a: MrzField, b: MrzField): MrzField => ({
  value: a.value === null || b.value === null ? null : `${a.value} ${b.value}`,
  isStated: true,
  confidence: a.confidence * b.confidence,
})

/** The zones of all pictures that could be read, the best first, and the number of the others. */
function readZones(readings: readonly DocumentReading[], today: string) {
  const zones: { parsed: ParsedZone; reading: MrzReading }[] = []
  let unreadable = 0
  for (const reading of readings.flatMap((document) => document.zones)) {
    const parsed = parseZone(reading, today)
    if (parsed) zones.push({ parsed, reading })
    else unreadable++
  }
  zones.sort(
    (a, b) =>
      Number(b.parsed.isProven) - Number(a.parsed.isProven) || b.parsed.confidence - a.parsed.confidence,
  )
  return { zones, unreadable }
}

/** Whether the zones are of one document; two zones that were read well and differ are not. */
function checkSingle(zones: readonly ParsedZone[]): CheckResult | null {
  const [first, ...others] = zones
  if (!first) return null
  const isOther = (zone: ParsedZone): boolean =>
    (['documentNumber', 'birthDate'] as const).some((name) => {
      const [a, b] = [first.fields[name], zone.fields[name]]
      return a?.value != null && b?.value != null && a.value !== b.value
    })
  return others.some(isOther) ? 'unsure' : 'passed'
}

/** The page with a zone, in widths of the zone: pages are less high than wide, and the zone is at the bottom. */
const pageAround = { left: -0.15, right: 1.15, above: 0.85, below: 0.15 }

const subtract = (a: Point, b: Point): Point => ({ x: a.x - b.x, y: a.y - b.y })
const dot = (a: Point, b: Point): number => a.x * b.x + a.y * b.y

/** Whether a line is on the page with the zone. */
function isOnPage({ place: zone }: MrzReading, { place }: TextLineReading): boolean {
  const [, , bottomRight, bottomLeft] = zone
  const along = subtract(bottomRight, bottomLeft)
  const square = dot(along, along)
  if (square === 0) return true
  const middle = subtract({ x: (place[0].x + place[2].x) / 2, y: (place[0].y + place[2].y) / 2 }, bottomLeft)
  const across = dot(middle, along) / square
  const down = dot(middle, { x: -along.y, y: along.x }) / square
  const { left, right, above, below } = pageAround
  return across >= left && across <= right && down >= -above && down <= below
}

/** The values of a zone in the form that printed fields are compared with. */
function knownValues(values: ZoneValues): KnownValues {
  const known: Partial<Record<VisualFieldName, string>> = {}
  for (const [name, field] of Object.entries(values)) {
    if (name === 'document_code' || name === 'optional_data' || name === 'issue_date') continue
    if (field.value !== null) known[name as VisualFieldName] = field.value
  }
  return known
}

interface Printed {
  readonly fields: Partial<Record<VisualFieldName, VisualField>>
  /** Fields that several pictures show with different values. */
  readonly disputed: ReadonlySet<VisualFieldName>
  readonly kind: VisualZone['kind']
}

/** The printed fields of all pictures. */
function readPages(
  readings: readonly DocumentReading[],
  values: ZoneValues,
  { today, doublePageSpread }: FieldRules,
): Printed {
  const fields: Partial<Record<VisualFieldName, VisualField>> = {}
  const disputed = new Set<VisualFieldName>()
  let kind: VisualZone['kind'] = null
  const known = knownValues(values)
  for (const { lines, zones } of readings) {
    const [zone] = zones
    const shown = (lines ?? [])
      .filter((line) => doublePageSpread || !zone || isOnPage(zone, line))
      .slice(0, linesMax)
    const page = readVisualFields(shown, known, { today })
    kind ??= page.kind
    for (const field of Object.values(page.fields)) {
      const earlier = fields[field.name]
      if (earlier && earlier.value !== field.value) disputed.add(field.name)
      if (!earlier || field.confidence > earlier.confidence) fields[field.name] = field
    }
  }
  return { fields, disputed, kind }
}

/** Characters without a shape of their own can neither be shown nor compared. */
const shown = (text: string): string => text.replace(/\p{C}/gu, '').slice(0, textMax)

/** A month of issue agrees with a day in it. */
function compare(name: FieldName, visual: VisualField | undefined, mrz: string | null): Agreement | null {
  if (!visual || mrz === null || name === 'document_code' || name === 'optional_data') return null
  if (name === 'issue_date') {
    const readings = visual.value === null ? visual.alternatives : [visual.value]
    if (readings.length === 0) return 'unknown'
    return readings.some((date) => date.startsWith(mrz)) ? 'same' : 'different'
  }
  return compareWithMrz(name, visual, mrz)
}

/** A page that prints the whole name in one field may begin with either part. */
function compareFullName(visual: VisualField, { surname, given_names: given }: ZoneValues): Agreement | null {
  if (!surname?.value || !given?.value) return null
  const orders = [`${given.value} ${surname.value}`, `${surname.value} ${given.value}`]
  const agreements = orders.map((name) => compareWithMrz('full_name', visual, name))
  return (['same', 'likely'] as const).find((agreement) => agreements.includes(agreement)) ?? agreements[0]!
}

interface Sources {
  readonly visual: VisualField | undefined
  readonly mrz: MrzField | undefined
  /** The state of the field's own check digit. */
  readonly check: ParsedZone['checks'][number]['state'] | null
  readonly agreement: Agreement | null
  readonly isDisputed: boolean
}

function judge({ visual, mrz, check, agreement, isDisputed }: Sources): CheckResult {
  if (!mrz) {
    if (agreement === 'different') return visual!.confidence >= contradictMin ? 'failed' : 'unsure'
    const isRead = visual !== undefined && visual.value !== null && visual.confidence >= passMin
    return isRead && !isDisputed ? 'passed' : 'unsure'
  }
  if (check === 'invalid') return 'failed'
  if (mrz.value === null || check === 'unsure') return 'unsure'
  const isSure = mrz.confidence >= passMin
  if (agreement === 'same') return isSure || visual!.confidence >= passMin ? 'passed' : 'unsure'
  if (agreement === 'different') {
    const isClear = mrz.confidence >= contradictMin && visual!.confidence >= contradictMin
    return isClear && !isDisputed ? 'failed' : 'unsure'
  }
  return isSure ? 'passed' : 'unsure'
}

/** The gravest of some results; `null` for none. */
export function gravest(results: readonly (CheckResult | null)[]): CheckResult | null {
  if (results.includes('failed')) return 'failed'
  if (results.includes('unsure')) return 'unsure'
  return results.includes('passed') ? 'passed' : null
}

const zoneResults = { valid: 'passed', invalid: 'failed', unsure: 'unsure' } as const

const dateOf = (field: DocumentField | undefined): string | null => {
  const value = field?.mrz ?? field?.visual ?? null
  return value !== null && /^\d{4}-\d\d(-\d\d)?$/.test(value) ? value : null
}

/** Whether the holder was born before the document was issued, and it was issued before it expires. */
function checkDates(dates: readonly (string | null)[], today: string): CheckResult | null {
  const [birth = null, issue = null, expiry = null] = dates
  if ([birth, issue].some((date) => date !== null && date > today)) return 'failed'
  const known = [birth, issue, expiry].filter((date) => date !== null)
  if (known.length < 2) return null
  return known.every((date, index) => index === 0 || known[index - 1]! < date) ? 'passed' : 'failed'
}

/**
 * Joins what the pictures of one document say.
 * @param readings of its pictures, such as front and back
 */
export function readFields(readings: readonly DocumentReading[], rules: FieldRules): DocumentFields {
  const { zones, unreadable } = readZones(readings, rules.today)
  const best = zones[0]
  const values = best ? valuesOf(best.parsed) : {}
  const printed = readPages(readings, values, rules)
  const agreements: CheckResult[] = []
  const fields = fieldNames.flatMap((name): DocumentField[] => {
    const visual = printed.fields[name as VisualFieldName]
    const mrz = values[name]
    if (!visual && !mrz) return []
    const checkName = name in checkedFields ? checkedFields[name as keyof typeof checkedFields] : null
    const check = best?.parsed.checks.find((digit) => digit.name === checkName)?.state ?? null
    const agreement =
      name === 'full_name' && visual
        ? compareFullName(visual, values)
        : compare(name, visual, mrz?.value ?? null)
    const isDisputed = printed.disputed.has(name as VisualFieldName)
    const result = judge({ visual, mrz, check, agreement, isDisputed })
    if (agreement === 'same' || agreement === 'likely') agreements.push('passed')
    if (agreement === 'different') agreements.push(result === 'failed' ? 'failed' : 'unsure')
    return [
      {
        name,
        visual: visual ? shown(visual.value ?? visual.text) : null,
        visualConfidence: visual?.confidence ?? null,
        mrz: mrz?.value ?? null,
        mrzConfidence: mrz?.confidence ?? null,
        result,
      },
    ]
  })
  const find = (name: FieldName) => fields.find((field) => field.name === name)
  const expiry = find('expiry_date')
  const expires = dateOf(expiry)
  const expiryResult = expires === null ? 'unsure' : expires < rules.today ? 'failed' : 'passed'
  const dates = checkDates([dateOf(find('birth_date')), dateOf(find('issue_date')), expires], rules.today)
  return {
    kind: best?.parsed.kind ?? printed.kind,
    format: best?.parsed.format ?? null,
    issuingState: values.issuing_state?.value ?? printed.fields.issuing_state?.value ?? null,
    zone: best?.parsed.lines ?? null,
    // An expired document does not pass with its date.
    fields: fields.map((field) =>
      field === expiry && expiryResult === 'failed' ? { ...field, result: 'failed' } : field,
    ),
    validity: {
      checkDigits: gravest(best?.parsed.checks.map(({ state }) => zoneResults[state]) ?? []),
      expiry: expiry ? expiryResult : null,
      dates,
      agreement: gravest(agreements),
      singleDocument: checkSingle(zones.map(({ parsed }) => parsed)),
    },
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
