import { sql } from 'drizzle-orm'
import type { AnalysisType } from '../../analyses/registry.ts'
import type { Database } from '../database.ts'
import { usage } from '../schema.ts'

/** The words that usage of the first types is stored under, so that bills stay comparable. Later types have their own names. */
const billedAs: Partial<Record<AnalysisType, string>> = {
  liveness: 'QUALITY',
  verification: 'BIOMETRY',
  identification: 'COLLECTION',
  documents: 'DOCUMENTS',
}

/** Number of analyses by company and day, for billing. */
export class UsageStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** @param types one entry per analysis */
  async add(companyId: string, types: readonly AnalysisType[], nowMs: number): Promise<void> {
    const day = new Date(nowMs).toISOString().slice(0, 10)
    await this.#database.write(async (queries) => {
      for (const type of types) {
        await queries
          .insert(usage)
          .values({ companyId, day, type: billedAs[type] ?? type, count: 1 })
          .onConflictDoUpdate({
            target: [usage.companyId, usage.day, usage.type],
            set: { count: sql`${usage.count} + 1` },
          })
      }
    })
  }
}
