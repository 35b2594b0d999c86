/** Results to announce, and the log of the attempts. */
import { and, asc, count, eq, gt, lte, or } from 'drizzle-orm'
import type { ListQuery } from '../../records/list-query.ts'
import type { Database, Queries } from '../database.ts'
import { listConditions, listOrder } from '../lists/list-conditions.ts'
import type { Page } from '../lists/page.ts'
import { deliveries, folders, outbox } from '../schema.ts'

/** An event whose time has come. */
export interface DueEvent {
  id: string
  folderId: string
  url: string
  /** 1 at first. */
  attempt: number
  createdAtMs: number
}

export interface DeliveryRecord {
  number: number
  eventId: string
  folderId: string
  attempt: number
  /** HTTP status of the answer, `null` when there was none. */
  status: number | null
  /** Why it failed, `null` when it did not. */
  reason: string | null
  atMs: number
}

/** No lease and no pause is longer: what lies further ahead was written before the clock was set back. */
const horizonMs = 3600_000

const columns = {
  eventId: { column: deliveries.eventId },
  folderId: { column: deliveries.folderId },
  companyId: { column: deliveries.companyId },
  createdAt: { column: deliveries.at },
}

export class OutboxStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Takes due events so that no other replica sends them before the lease is over. */
  take(nowMs: number, leaseMs: number, max: number): Promise<DueEvent[]> {
    return this.#database.write(async (queries) => {
      const rows = await queries
        .select()
        .from(outbox)
        .where(or(lte(outbox.dueAt, nowMs), gt(outbox.dueAt, nowMs + horizonMs)))
        .orderBy(asc(outbox.dueAt))
        .limit(max)
      for (const { id } of rows) {
        await queries
          .update(outbox)
          .set({ dueAt: nowMs + leaseMs })
          .where(eq(outbox.id, id))
      }
      return rows.map(({ id, folderId, url, attempt, createdAt }) => ({
        ...{ id, folderId, url, attempt },
        createdAtMs: createdAt,
      }))
    })
  }

  /**
   * Logs an attempt. Without a time to try again the event is done with.
   * @param failure `null` for success
   */
  async settle(
    id: string,
    attempt: number,
    answer: { status: number | null; reason: string | null },
    nowMs: number,
    retryAtMs: number | null,
  ): Promise<void> {
    await this.#database.write(async (queries) => {
      await log(queries, id, { attempt, ...answer, at: nowMs })
      const isThis = and(eq(outbox.id, id), eq(outbox.attempt, attempt))
      if (retryAtMs === null) await queries.delete(outbox).where(isThis)
      else
        await queries
          .update(outbox)
          .set({ attempt: attempt + 1, dueAt: retryAtMs })
          .where(isThis)
    })
  }

  /** @param companyId the company whose log it is, `null` for all */
  list(query: ListQuery, companyId: string | null): Promise<Page<DeliveryRecord>> {
    return this.#database.read(async (queries) => {
      const where = and(
        companyId === null ? undefined : eq(deliveries.companyId, companyId),
        ...listConditions(query.filters, columns),
      )
      const rows = await queries
        .select()
        .from(deliveries)
        .where(where)
        .orderBy(...listOrder(query.sorting, columns, deliveries.number))
        .limit(query.limit ?? Number.MAX_SAFE_INTEGER)
        .offset(query.offset)
      const [counted] = query.totalOmit
        ? []
        : await queries.select({ total: count() }).from(deliveries).where(where)
      const items = rows.map(({ at, companyId: _, ...row }) => ({ ...row, atMs: at }))
      return { items, total: counted?.total ?? null }
    })
  }
}

async function log(
  queries: Queries,
  eventId: string,
  attempt: { attempt: number; status: number | null; reason: string | null; at: number },
): Promise<void> {
  const [event] = await queries
    .select({ folderId: outbox.folderId, companyId: folders.companyId })
    .from(outbox)
    .innerJoin(folders, eq(folders.id, outbox.folderId))
    .where(eq(outbox.id, eventId))
  if (event) await queries.insert(deliveries).values({ eventId, ...event, ...attempt })
}
