import { and, eq, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { AppError } from '../../errors.ts'
import type { Listing, ListQuery } from '../../records/list-query.ts'
import {
  type EventSession,
  type SessionEvent,
  type StoredEvent,
  sessionEventsMax,
} from '../../records/telemetry.ts'
import type { Database } from '../database.ts'
import { firstPace, readInBatches } from '../lists/batches.ts'
import { amongIds, amongNumbers, listConditions } from '../lists/list-conditions.ts'
import { readPageKeys } from '../lists/page-keys.ts'
import { companies } from '../schema.ts'
import { eventSessions, sessionEvents } from './telemetry-schema.ts'

const toSession = ({ createdAt, updatedAt, ...row }: typeof eventSessions.$inferSelect): EventSession => ({
  ...row,
  createdAtMs: createdAt,
  updatedAtMs: updatedAt,
})

const toEvent = (row: typeof sessionEvents.$inferSelect): StoredEvent => ({
  sessionId: row.sessionId,
  name: row.name,
  happenedAtMs: row.happenedAt,
  sent: row.sent,
  createdAtMs: row.createdAt,
})

const sessionColumns = {
  id: { column: eventSessions.id },
  companyId: { column: eventSessions.companyId },
  userId: { column: eventSessions.userId },
  createdAt: { column: eventSessions.createdAt },
  updatedAt: { column: eventSessions.updatedAt },
}

const eventColumns = {
  name: { column: sessionEvents.name },
  happenedAt: { column: sessionEvents.happenedAt },
  createdAt: { column: sessionEvents.createdAt },
}

/** Event sessions with their events. */
export class EventSessionStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async find(id: string): Promise<EventSession | null> {
    const [row] = await this.#database.read((queries) =>
      queries.select().from(eventSessions).where(eq(eventSessions.id, id)),
    )
    return row ? toSession(row) : null
  }

  /**
   * Adds events to a session, which is created if it is new. An empty description of the device changes nothing.
   * @returns the session as it is now
   * @throws {AppError} `value_invalid` if there is no such company, `not_found` if the id is one of another company,
   *   `not_allowed` for too many events
   */
  add(session: Omit<EventSession, 'events'>, events: readonly SessionEvent[]): Promise<EventSession> {
    const { id, companyId, userId, device, createdAtMs, updatedAtMs } = session
    const isDescribed = Object.keys(device).length > 0
    const row = { id, companyId, userId, device, createdAt: createdAtMs, updatedAt: updatedAtMs }
    return this.#database.write(async (queries) => {
      const [company] = await queries
        .select({ inDeletion: companies.inDeletion })
        .from(companies)
        .where(eq(companies.id, companyId))
      if (!company || company.inDeletion)
        throw new AppError('value_invalid', 'company_id names a company that does not exist', {
          details: { key_path: 'company_id' },
          place: 'company_id',
        })
      const [stored] = await queries
        .insert(eventSessions)
        .values({ ...row, events: events.length })
        .onConflictDoUpdate({
          target: eventSessions.id,
          set: {
            events: sql`${eventSessions.events} + ${events.length}`,
            updatedAt: updatedAtMs,
            ...(isDescribed ? { device } : {}),
          },
        })
        .returning()
      if (!stored || stored.companyId !== companyId) throw new AppError('not_found')
      if (stored.events > sessionEventsMax)
        throw new AppError('not_allowed', `An event session has at most ${sessionEventsMax} events`)
      const added = events.map(({ name, happenedAtMs, sent }) => ({
        sessionId: id,
        name,
        happenedAt: happenedAtMs,
        sent,
        createdAt: updatedAtMs,
      }))
      if (added.length > 0) await queries.insert(sessionEvents).values(added)
      return toSession(stored)
    })
  }

  /** @param companyId the company that the list is limited to, `null` for all */
  async list(query: ListQuery, companyId: string | null): Promise<Listing<EventSession>> {
    const scope = companyId === null ? undefined : eq(eventSessions.companyId, companyId)
    const where = and(scope, ...listConditions(query.filters, sessionColumns))
    const { keys, total } = await this.#database.read((queries) =>
      readPageKeys(queries, eventSessions.id, sessionColumns, query, where),
    )
    const batches = readInBatches(keys, firstPace(this.#database), async (batch) => {
      const rows = await this.#database.read((queries) =>
        queries.select().from(eventSessions).where(amongIds(eventSessions.id, batch)),
      )
      return new Map(rows.map((row) => [row.id, toSession(row)]))
    })
    return { batches, total }
  }

  /** The events of a session. */
  async listEvents(sessionId: string, query: ListQuery): Promise<Listing<StoredEvent>> {
    const where = and(eq(sessionEvents.sessionId, sessionId), ...listConditions(query.filters, eventColumns))
    const { keys, total } = await this.#database.read((queries) =>
      readPageKeys(queries, sessionEvents.number, eventColumns, query, where),
    )
    const batches = readInBatches(keys, firstPace(this.#database), async (batch) => {
      const rows = await this.#database.read((queries) =>
        queries.select().from(sessionEvents).where(amongNumbers(sessionEvents.number, batch)),
      )
      return new Map(rows.map((row) => [row.number, toEvent(row)]))
    })
    return { batches, total }
  }

  /**
   * Removes up to `max` sessions with their events: those of a company, or those opened before a time.
   * @returns how many were removed
   */
  delete(of: { companyId: string } | { createdBeforeMs: number }, max: number): Promise<number> {
    const which: SQL =
      'companyId' in of
        ? eq(eventSessions.companyId, of.companyId)
        : lt(eventSessions.createdAt, of.createdBeforeMs)
    return this.#database.write(async (queries) => {
      const rows = await queries.select({ id: eventSessions.id }).from(eventSessions).where(which).limit(max)
      const ids = rows.map(({ id }) => id)
      if (ids.length > 0) await queries.delete(eventSessions).where(inArray(eventSessions.id, ids))
      return ids.length
    })
  }
}
