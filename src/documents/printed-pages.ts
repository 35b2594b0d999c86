/** The printed fields of all pictures of a document. */
import { isNearest, isOnPage } from './page-place.ts'
import type { DocumentReading, MrzReading, TextLineReading } from './reading.ts'
import {
  type Agreement,
  type KnownValues,
  readVisualFields,
  type VisualField,
  type VisualFieldName,
  type VisualZone,
} from './visual/read-fields.ts'
import type { ZoneValues } from './zone-values.ts'

export interface FieldRules {
  /** `YYYY-MM-DD` */
  readonly today: string
  /** Whether both pages of a booklet are read, or only the one with the machine-readable zone. */
  readonly doublePageSpread: boolean
}

/** What is known of the zones in pictures. */
interface KnownZone {
  readonly values: ZoneValues
  /** Whether a zone is of the same document; `null` if it could not be read. */
  readonly isOwn: (zone: MrzReading) => boolean | null
  readonly compare: (field: VisualField) => Agreement | null
}

/** A page may have at most so many lines. */
const linesMax = 300

export interface PrintedPage extends VisualZone {
  /** With the zone, beside that page in the same picture, or in a picture without a zone. */
  readonly place: 'zone' | 'beside' | 'picture'
  readonly hasText: boolean
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

/**
 * The pages of a picture. Text beside the page with the zone belongs to it, as that of the page opposite or of the other side of a card,
 * unless it contradicts the zone: then it is a page of its own, which may be of another document.
 */
function splitPages(
  { lines, zones }: DocumentReading,
  { values, isOwn, compare }: KnownZone,
  { today, doublePageSpread }: FieldRules,
): PrintedPage[] {
  const known = knownValues(values)
  const read = (place: PrintedPage['place'], some: readonly TextLineReading[]): PrintedPage => ({
    ...readVisualFields(some.slice(0, linesMax), known, { today }),
    place,
    hasText: some.length > 0,
  })
  const foreign = zones.filter((zone) => isOwn(zone) === false)
  const own = zones.find(isOwn) ?? zones.find((zone) => isOwn(zone) === null)
  if (!own) return foreign.length > 0 ? [] : [read('picture', lines ?? [])]
  const kept = (lines ?? []).filter((line) => isNearest(line, own, foreign))
  const onPage = kept.filter((line) => isOnPage(own, line))
  if (!doublePageSpread || onPage.length === kept.length) return [read('zone', onPage)]
  const page = read('zone', onPage)
  const beside = read(
    'beside',
    kept.filter((line) => !onPage.includes(line)),
  )
  const differs = (field: VisualField | undefined) => field !== undefined && compare(field) === 'different'
  if (foreign.length > 0 || Object.values(beside.fields).some(differs)) return [page, beside]
  // Labels and values may be on both sides of the edge.
  const whole = read('zone', kept)
  const isMixed = Object.values(whole.fields).some(
    (field) => differs(field) && !differs(page.fields[field.name]),
  )
  return isMixed ? [page, beside] : [whole]
}

interface Printed {
  readonly pages: readonly PrintedPage[]
  readonly fields: Partial<Record<VisualFieldName, VisualField>>
  /** The same fields of the other pages. */
  readonly others: Partial<Record<VisualFieldName, readonly VisualField[]>>
  /** Fields that several pages show with different values, or one that may be of another document. */
  readonly disputed: ReadonlySet<VisualFieldName>
  readonly kind: VisualZone['kind']
  /** Whether a word tells it that means nothing else, unlike `Visa` and `Pass`. */
  readonly isNamed: boolean
  /** Whether all pages with text are letters, or other texts of sentences. */
  readonly isProse: boolean
}

/** The printed fields of all pictures. */
export function readPages(readings: readonly DocumentReading[], zone: KnownZone, rules: FieldRules): Printed {
  const fields: Partial<Record<VisualFieldName, VisualField>> = {}
  const others: Partial<Record<VisualFieldName, readonly VisualField[]>> = {}
  const disputed = new Set<VisualFieldName>()
  const pages = readings.flatMap((reading) => splitPages(reading, zone, rules))
  const hasForeign = readings.some(({ zones }) => zones.some((other) => zone.isOwn(other) === false))
  const withText = pages.filter((page) => page.hasText)
  const isProse = withText.length > 0 && withText.every((page) => page.isProse)
  // With a zone every page is compared with it.
  const isWhole = isProse || readings.some(({ zones }) => zones.length > 0)
  const counted = isWhole ? pages : pages.filter((page) => !page.isProse)
  for (const page of counted)
    for (const field of Object.values(page.fields)) {
      const earlier = fields[field.name]
      const isBetter = !earlier || (page.place !== 'beside' && field.confidence > earlier.confidence)
      if (page.place === 'beside' || hasForeign) disputed.add(field.name)
      if (earlier) {
        if (earlier.value !== field.value) disputed.add(field.name)
        others[field.name] = [...(others[field.name] ?? []), isBetter ? earlier : field]
      }
      if (isBetter) fields[field.name] = field
    }
  return {
    ...{ pages, fields, others, disputed, isProse },
    kind: counted.find((page) => page.kind !== null)?.kind ?? null,
    isNamed: counted.some((page) => page.isNamed),
  }
}
