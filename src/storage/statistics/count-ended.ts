/** Counts analyses within the transaction that ends them. */
import { sql } from 'drizzle-orm'
import { type EndedAnalysis, latencyBin, numberOfSpan, scoreBin, spans } from '../../records/statistics.ts'
import type { Queries } from '../database.ts'
import { analyses } from '../schema.ts'
import { allCompanies, statistics } from './statistics-schema.ts'

const binsOf = ({ latencyMs, score }: EndedAnalysis) => [
  { measure: 'latency' as const, bin: latencyBin(latencyMs) },
  ...(score === null ? [] : [{ measure: 'score' as const, bin: scoreBin(score) }]),
]

/** @param companyId `null` for analyses of no company, which count for the sum of all only */
export async function countEnded(
  queries: Queries,
  companyId: string | null,
  ended: readonly EndedAnalysis[],
): Promise<void> {
  const companyIds = companyId === null ? [allCompanies] : [allCompanies, companyId]
  const rows = ended.flatMap((analysis) =>
    spans.flatMap((span) =>
      companyIds.flatMap((id) =>
        binsOf(analysis).map((bin) => ({
          span,
          start: numberOfSpan(span, analysis.createdAtMs),
          companyId: id,
          type: analysis.type,
          resolution: analysis.resolution,
          ...bin,
          count: 1,
        })),
      ),
    ),
  )
  if (rows.length === 0) return
  const { span, start, type, resolution, measure, bin } = statistics
  await queries
    .insert(statistics)
    .values(rows)
    .onConflictDoUpdate({
      target: [span, start, statistics.companyId, type, resolution, measure, bin],
      set: { count: sql`${statistics.count} + excluded.count` },
    })
}

/** The columns of an analysis that `countAbandoned` needs. */
export const countedColumns = {
  companyId: analyses.companyId,
  type: analyses.type,
  createdAt: analyses.createdAt,
}

type Abandoned = Pick<typeof analyses.$inferSelect, keyof typeof countedColumns>

/** Counts analyses that failed without having run. */
export async function countAbandoned(
  queries: Queries,
  failed: readonly Abandoned[],
  nowMs: number,
): Promise<void> {
  for (const { companyId, type, createdAt } of failed) {
    const waited = { createdAtMs: createdAt, latencyMs: nowMs - createdAt }
    const ended = { type, resolution: 'FAILED', ...waited, score: null } as const
    await countEnded(queries, companyId, [ended])
  }
}
