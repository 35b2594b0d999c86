/** Counts analyses within the transaction that ends them. */
import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { type EndedAnalysis, latencyBin, numberOfSpan, scoreBin, spans } from '../../records/statistics.ts'
import type { Queries } from '../database.ts'
import { analyses } from '../schema.ts'
import { allCompanies, type StoredBins, statistics } from './statistics-schema.ts'

const oneIn = (bin: number): StoredBins => ({ [bin]: 1 })

/** A stored histogram with one more in the bin of the row to be inserted, which has one bin at most. */
const incremented = (bins: SQLiteColumn): SQL => {
  const added = sql`excluded.${sql.identifier(bins.name)}`
  const path = sql`(select fullkey from json_each(${added}))`
  return sql`case when ${added} = '{}' then ${bins}
    else json_set(${bins}, ${path}, coalesce(json_extract(${bins}, ${path}), 0) + 1) end`
}

/** @param companyId `null` for analyses of no company, which count for the sum of all only */
export async function countEnded(
  queries: Queries,
  companyId: string | null,
  ended: readonly EndedAnalysis[],
): Promise<void> {
  const companyIds = companyId === null ? [allCompanies] : [allCompanies, companyId]
  const rows = ended.flatMap(({ type, resolution, createdAtMs, latencyMs, score }) =>
    spans.flatMap((span) =>
      companyIds.map((id) => ({
        span,
        start: numberOfSpan(span, createdAtMs),
        companyId: id,
        type,
        resolution,
        count: 1,
        latencies: oneIn(latencyBin(latencyMs)),
        scores: score === null ? {} : oneIn(scoreBin(score)),
      })),
    ),
  )
  if (rows.length === 0) return
  const { span, start, type, resolution, count, latencies, scores } = statistics
  await queries
    .insert(statistics)
    .values(rows)
    .onConflictDoUpdate({
      target: [span, start, statistics.companyId, type, resolution],
      set: {
        count: sql`${count} + 1`,
        latencies: incremented(latencies),
        scores: incremented(scores),
      },
    })
}

/** The columns of an analysis that `countAbandoned` needs. */
export const countedColumns = {
  companyId: analyses.companyId,
  type: analyses.type,
  createdAt: analyses.createdAt,
  sandbox: analyses.sandbox,
}

type Abandoned = Pick<typeof analyses.$inferSelect, keyof typeof countedColumns>

/** An analysis that failed without having run. */
export const abandonedAnalysis = (
  { type, createdAt }: Pick<Abandoned, 'type' | 'createdAt'>,
  nowMs: number,
): EndedAnalysis => ({
  type,
  resolution: 'FAILED',
  createdAtMs: createdAt,
  latencyMs: nowMs - createdAt,
  score: null,
})

/** Counts analyses that failed without having run, except those of sandboxes. */
export async function countAbandoned(
  queries: Queries,
  failed: readonly Abandoned[],
  nowMs: number,
): Promise<void> {
  for (const row of failed.filter(({ sandbox }) => sandbox === null))
    await countEnded(queries, row.companyId, [abandonedAnalysis(row, nowMs)])
}
