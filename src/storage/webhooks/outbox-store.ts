/** Queued webhook events, and the log of delivery attempts. */
import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNull,
  lte,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { LinkState } from '../../records/capture-link.ts'
import type { ListQuery, Page } from '../../records/list-query.ts'
import type { Database, Queries } from '../database.ts'
import { captureLinks } from '../folders/capture-link-schema.ts'
import { listConditions, listOrder } from '../lists/list-conditions.ts'
import { folders } from '../schema.ts'
import { deliveries, outbox } from './webhook-schema.ts'

/** What an event tells. */
interface Told {
  /** The folder that is told, or that came by the link. */
  folderId: string | null
  /** The link that is told, with its new state; `null` in events of folders. */
  linkId: string | null
  state: LinkState | null
}

/** An event that is due for delivery. */
export interface DueEvent extends Told {
  id: string
  companyId: string | null
  url: string
  /** 1 at first. */
  attempt: number
  createdAtMs: number
}

export interface DeliveryRecord extends Told {
  number: number
  eventId: string
  attempt: number
  /** HTTP status of the response, `null` if there was none. */
  status: number | null
  /** Why the attempt failed, `null` for success. */
  reason: string | null
  atMs: number
  /** Whether it is the last attempt so far. */
  isLast: boolean
  /** When the next attempt is due, or one that runs would be made again; `null` if there is none after this one. */
  retryAtMs: number | null
  /** Where the event goes now; `null` for nowhere. */
  url: string | null
}

/** An event that was attempted at least once. */
export interface AttemptedEvent extends Told {
  id: string
  companyId: string | null
  /** The last attempt in the log. */
  attempt: number
  /** Where the event goes now; `null` for nowhere. */
  url: string | null
}

/** Which due events to take. */
export interface WantedEvents {
  max: number
  /** Events per company; events without a company count as one company. */
  perCompanyMax: number
  /** Companies to skip; `null` stands for events without a company. */
  except: readonly (string | null)[]
}

/** No lease or pause is longer; a later due time was written before the clock was set back. */
const horizonMs = 3600_000

const columns = {
  eventId: { column: deliveries.eventId },
  folderId: { column: deliveries.folderId },
  linkId: { column: deliveries.linkId },
  companyId: { column: deliveries.companyId },
  createdAt: { column: deliveries.at },
}

/**
 * Where an attempted event goes now: the present address of its folder or link, or where that has forgotten it, that of the attempt
 * that waits.
 */
const url = sql<
  string | null
>`coalesce(iif(${deliveries.linkId} is null, ${folders.resolutionEndpoint}, ${captureLinks.stateEndpoint}), ${outbox.url})`

/** The attempt that waits or runs after the one of the log. */
const isNext = and(eq(outbox.id, deliveries.eventId), eq(outbox.attempt, sql`${deliveries.attempt} + 1`))

/**
 * Ids of the first due events of each company. A skip scan of the index finds the companies, so that the backlog of one
 * slow company costs the others nothing. Events without a company come last.
 */
function dueByCompany(nowMs: number, { perCompanyMax, except }: WantedEvents): SQL {
  const left = except.map((company) => sql`tenant.id is not ${sql.param(company, outbox.companyId)}`)
  return sql`
    with recursive tenant(id) as (
      select min(company_id) from outbox
      union all
      select (select min(company_id) from outbox where company_id > tenant.id) from tenant where tenant.id is not null
    )
    select event.id from tenant cross join outbox event on event.id in (
      select id from outbox
      where company_id is tenant.id and due_at <= ${nowMs}
      order by due_at limit ${perCompanyMax}
    )
    where ${and(sql`true`, ...left)}`
}

export class OutboxStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Number of events that are not delivered yet. */
  async countQueued(): Promise<number> {
    const [row] = await this.#database.read((queries) => queries.select({ queued: count() }).from(outbox))
    return row?.queued ?? 0
  }

  /** Whether an event may be due. */
  async #hasDue(nowMs: number): Promise<boolean> {
    const isDue = or(lte(outbox.dueAt, nowMs), gt(outbox.dueAt, nowMs + horizonMs))
    const rows = await this.#database.read((queries) =>
      queries.select({ id: outbox.id }).from(outbox).where(isDue).limit(1),
    )
    return rows.length > 0
  }

  /** Takes due events, the longest due first. No other replica sends them until the lease ends. */
  async take(nowMs: number, leaseMs: number, wanted: WantedEvents): Promise<DueEvent[]> {
    // Usually there are none: replicas that only look must not wait for each other's writes.
    if (!(await this.#hasDue(nowMs))) return []
    return this.#database.write(async (queries) => {
      await queries
        .update(outbox)
        .set({ dueAt: nowMs })
        .where(gt(outbox.dueAt, nowMs + horizonMs))
      const rows = await queries
        .select()
        .from(outbox)
        .where(sql`${outbox.id} in (${dueByCompany(nowMs, wanted)})`)
        .orderBy(asc(outbox.dueAt))
        .limit(wanted.max)
      const ids = rows.map(({ id }) => id)
      await queries
        .update(outbox)
        .set({ dueAt: nowMs + leaseMs, leasedUntil: nowMs + leaseMs })
        .where(inArray(outbox.id, ids))
      return rows.map(({ dueAt: _, leasedUntil: __, createdAt, ...event }) => ({
        ...event,
        createdAtMs: createdAt,
      }))
    })
  }

  /**
   * Logs an attempt and removes the event, or schedules the next attempt.
   * @param retryAtMs `null` if there is no further attempt
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
          .set({ attempt: attempt + 1, dueAt: retryAtMs, leasedUntil: null })
          .where(isThis)
    })
  }

  /** An event of a folder or link in the log; `null` if it has none of this id. */
  async findAttempted(
    of: { folderId: string } | { linkId: string },
    eventId: string,
  ): Promise<AttemptedEvent | null> {
    const isOfIt = 'folderId' in of ? eq(deliveries.folderId, of.folderId) : eq(deliveries.linkId, of.linkId)
    const { folderId, linkId, state, companyId, attempt } = deliveries
    const [row] = await this.#database.read((queries) =>
      queries
        .select({ id: deliveries.eventId, folderId, linkId, state, companyId, attempt, url })
        .from(deliveries)
        .leftJoin(outbox, isNext)
        .leftJoin(folders, eq(folders.id, folderId))
        .leftJoin(captureLinks, eq(captureLinks.id, linkId))
        .where(and(eq(deliveries.eventId, eventId), isOfIt))
        .orderBy(desc(attempt))
        .limit(1),
    )
    return row ?? null
  }

  /** Queues one more attempt, which is due now; one that waits goes now, to the present address, and one that runs stays as it is. */
  async repeat(event: AttemptedEvent, url: string, nowMs: number): Promise<void> {
    const row = { ...event, url, attempt: event.attempt + 1, dueAt: nowMs, createdAt: nowMs }
    const waits = or(isNull(outbox.leasedUntil), lte(outbox.leasedUntil, nowMs))!
    const change = { target: outbox.id, set: { url, dueAt: nowMs }, setWhere: waits }
    await this.#database.write((queries) => queries.insert(outbox).values(row).onConflictDoUpdate(change))
  }

  /** @param companyId the company that the log is limited to, `null` for all */
  list(query: ListQuery, companyId: string | null): Promise<Page<DeliveryRecord>> {
    return this.#database.read(async (queries) => {
      const where = and(
        companyId === null ? undefined : eq(deliveries.companyId, companyId),
        ...listConditions(query.filters, columns),
      )
      const { companyId: _, at, ...told } = getTableColumns(deliveries)
      const isLast = sql`not exists (select 1 from ${deliveries} later
        where later.event_id = ${deliveries.eventId} and later.attempt > ${deliveries.attempt})`
      const order = listOrder(query.sorting, columns, deliveries.number)
      // First the page: else all of a long log would be joined.
      const page = queries
        .select({ number: deliveries.number })
        .from(deliveries)
        .where(where)
        .orderBy(...order)
        .limit(query.limit ?? Number.MAX_SAFE_INTEGER)
        .offset(query.offset)
      const rows = await queries
        .select({ ...told, atMs: at, isLast: isLast.mapWith(Boolean), retryAtMs: outbox.dueAt, url })
        .from(deliveries)
        .leftJoin(outbox, isNext)
        .leftJoin(folders, eq(folders.id, deliveries.folderId))
        .leftJoin(captureLinks, eq(captureLinks.id, deliveries.linkId))
        .where(inArray(deliveries.number, page))
        .orderBy(...order)
      const [counted] = query.totalOmit
        ? []
        : await queries.select({ total: count() }).from(deliveries).where(where)
      return { items: rows, total: counted?.total ?? null }
    })
  }
}

async function log(
  queries: Queries,
  eventId: string,
  {
    attempt,
    status,
    reason,
    at,
  }: { attempt: number; status: number | null; reason: string | null; at: number },
): Promise<void> {
  await queries.run(sql`
    insert into ${deliveries} (event_id, folder_id, link_id, state, company_id, attempt, status, reason, at)
    select id, folder_id, link_id, state, company_id, ${attempt}, ${status}, ${reason}, ${at}
    from ${outbox} where ${eq(outbox.id, eventId)}`)
}
