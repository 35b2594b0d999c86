import { and, between, inArray, sql } from 'drizzle-orm'
import type { AnalysisType } from '../../analyses/registry.ts'
import type { UsageCount } from '../../records/statistics.ts'
import type { Database, Queries } from '../database.ts'
import { usage } from '../schema.ts'

/** The words that usage of the first types is stored under, so that bills stay comparable. Later types have their own names. */
const billedAs: Partial<Record<AnalysisType, string>> = {
  liveness: 'QUALITY',
  verification: 'BIOMETRY',
  identification: 'COLLECTION',
  documents: 'DOCUMENTS',
}

const typesByWord = new Map(Object.entries(billedAs).map(([type, word]) => [word, type as AnalysisType]))

const toDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/**
 * Counts requested analyses for billing, within the transaction that stores them.
 * @param types one entry per analysis
 */
export async function addUsage(
  queries: Queries,
  companyId: string | null,
  types: readonly AnalysisType[],
  nowMs: number,
): Promise<void> {
  if (companyId === null || types.length === 0) return
  const day = toDay(nowMs)
  const rows = types.map((type) => ({ companyId, day, type: billedAs[type] ?? type, count: 1 }))
  await queries
    .insert(usage)
    .values(rows)
    .onConflictDoUpdate({
      target: [usage.companyId, usage.day, usage.type],
      set: { count: sql`${usage.count} + excluded.count` },
    })
}

/** Number of analyses by company and day, for billing. */
export class UsageStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Counts analyses that are not stored. */
  async add(companyId: string, types: readonly AnalysisType[], nowMs: number): Promise<void> {
    await this.#database.write((queries) => addUsage(queries, companyId, types, nowMs))
  }

  /**
   * The counts of the days from one time to another, both included.
   * @param companyIds `null` for all
   * @param isByCompany whether companies are counted separately
   */
  async read(
    fromMs: number,
    toMs: number,
    companyIds: readonly string[] | null,
    isByCompany: boolean,
  ): Promise<UsageCount[]> {
    const rows = await this.#database.read((queries) =>
      queries
        .select({
          companyId: isByCompany ? usage.companyId : sql<null>`null`,
          type: usage.type,
          count: sql<number>`sum(${usage.count})`,
        })
        .from(usage)
        .where(
          and(
            between(usage.day, toDay(fromMs), toDay(toMs)),
            companyIds ? inArray(usage.companyId, [...companyIds]) : undefined,
          ),
        )
        .groupBy(...(isByCompany ? [usage.companyId] : []), usage.type),
    )
    return rows.map(({ type, ...row }) => ({
      ...row,
      type: typesByWord.get(type) ?? (type as AnalysisType),
    }))
  }
}
