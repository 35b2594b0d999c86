import { and, count, eq } from 'drizzle-orm'
import type { DecisionRecord } from '../../records/decision.ts'
import type { ListQuery, Page } from '../../records/list-query.ts'
import type { Database } from '../database.ts'
import { listConditions, listOrder } from '../lists/list-conditions.ts'
import { decisions } from '../schema.ts'
import { selectFolderNumber } from './folder-rows.ts'
import { decisionRecord } from './store-decision.ts'

const columns = { createdAt: { column: decisions.createdAt } }

/** Reads the decisions of operators. */
export class DecisionStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async list(folderId: string, query: ListQuery): Promise<Page<DecisionRecord>> {
    const where = and(
      eq(decisions.folderNumber, selectFolderNumber(folderId)),
      ...listConditions(query.filters, columns),
    )
    return this.#database.read(async (queries) => {
      const rows = await queries
        .select()
        .from(decisions)
        .where(where)
        .orderBy(...listOrder(query.sorting, columns, decisions.number))
        .limit(query.limit ?? Number.MAX_SAFE_INTEGER)
        .offset(query.offset)
      const [counted] = query.totalOmit
        ? []
        : await queries.select({ total: count() }).from(decisions).where(where)
      return { items: rows.map(decisionRecord), total: counted?.total ?? null }
    })
  }

  /** All decisions on a folder, the oldest first. */
  async all(folderId: string): Promise<readonly DecisionRecord[]> {
    // Of two within a millisecond the number tells which is newer.
    const query = { offset: 0, limit: null, totalOmit: true, sorting: [], filters: [] }
    return [...(await this.list(folderId, query)).items].reverse()
  }
}
