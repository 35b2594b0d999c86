/** The printed fields of all pictures of a document. */
import type { DocumentReading, MrzReading, Point, TextLineReading } from './reading.ts'
import {
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

/** A page may have at most so many lines. */
const linesMax = 300

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

export interface Printed {
  readonly fields: Partial<Record<VisualFieldName, VisualField>>
  /** The same fields of the other pictures. */
  readonly others: Partial<Record<VisualFieldName, readonly VisualField[]>>
  /** Fields that several pictures show with different values. */
  readonly disputed: ReadonlySet<VisualFieldName>
  readonly kind: VisualZone['kind']
  /** Whether a word tells it that means nothing else, unlike `Visa` and `Pass`. */
  readonly isNamed: boolean
  /** Whether all pages with text are letters, or other texts of sentences. */
  readonly isProse: boolean
}

/** The printed fields of all pictures. */
export function readPages(
  readings: readonly DocumentReading[],
  values: ZoneValues,
  { today, doublePageSpread }: FieldRules,
): Printed {
  const fields: Partial<Record<VisualFieldName, VisualField>> = {}
  const others: Partial<Record<VisualFieldName, readonly VisualField[]>> = {}
  const disputed = new Set<VisualFieldName>()
  const known = knownValues(values)
  const pages = readings.flatMap(({ lines, zones: [zone] }) => {
    const shown = (lines ?? [])
      .filter((line) => doublePageSpread || !zone || isOnPage(zone, line))
      .slice(0, linesMax)
    return shown.length > 0 ? [readVisualFields(shown, known, { today })] : []
  })
  const isProse = pages.length > 0 && pages.every((page) => page.isProse)
  // With a zone every page is compared with it.
  const isWhole = isProse || readings.some(({ zones }) => zones.length > 0)
  const counted = isWhole ? pages : pages.filter((page) => !page.isProse)
  for (const page of counted)
    for (const field of Object.values(page.fields)) {
      const earlier = fields[field.name]
      const isBetter = !earlier || field.confidence > earlier.confidence
      if (earlier) {
        if (earlier.value !== field.value) disputed.add(field.name)
        others[field.name] = [...(others[field.name] ?? []), isBetter ? earlier : field]
      }
      if (isBetter) fields[field.name] = field
    }
  return {
    ...{ fields, others, disputed, isProse },
    kind: counted.find((page) => page.kind !== null)?.kind ?? null,
    isNamed: counted.some((page) => page.isNamed),
  }
}
