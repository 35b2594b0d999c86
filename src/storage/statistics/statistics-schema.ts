/** The table of statistics: counts that each verdict increments, so that nothing is scanned. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { spans } from '../../records/statistics.ts'
import { uuid, word } from '../column-types.ts'
import { analysisTypes, resolutions } from '../folders/analysis-summary.ts'

/** A histogram as JSON: counts by bin, without empty bins. */
export type StoredBins = Readonly<Record<string, number>>

const bins = () => text({ mode: 'json' }).$type<StoredBins>().notNull()

/**
 * The analyses of one hour, day or month, company, type and verdict. The migration creates the table as `WITHOUT ROWID`, which
 * the query builder cannot express.
 */
export const statistics = sqliteTable(
  'statistics',
  {
    span: word(spans)().notNull(),
    /** Number of the hour, day or month (`numberOfSpan`) in which the analyses were created. */
    start: integer().notNull(),
    /** `allCompanies` for the sum of all. */
    companyId: uuid('company_id').notNull(),
    type: word(analysisTypes)().notNull(),
    resolution: word(resolutions)().notNull(),
    count: integer().notNull(),
    latencies: bins(),
    scores: bins(),
  },
  (t) => [primaryKey({ columns: [t.span, t.start, t.companyId, t.type, t.resolution] })],
)

/** No company has this id (RFC 9562, 5.9). */
export const allCompanies = '00000000-0000-0000-0000-000000000000'
