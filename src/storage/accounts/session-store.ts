import { and, eq, inArray, isNull, lt, notExists, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { AppError } from '../../errors.ts'
import type { SessionRecord } from '../../records/account.ts'
import type { Listing, ListQuery } from '../../records/list-query.ts'
import type { Database, Queries } from '../database.ts'
import { firstPace, readInBatches } from '../lists/batches.ts'
import { listConditions } from '../lists/list-conditions.ts'
import { readPageKeys } from '../lists/page-keys.ts'
import { sessions, users } from '../schema.ts'
import type { Credentials } from './user-store.ts'

type Row = typeof sessions.$inferSelect

/** A session with the state of its tokens. */
export interface StoredSession extends SessionRecord {
  /**
   * The session that this one was refreshed from, until this one is used. It may no longer exist, if another session
   * refreshed from it was used first.
   */
  replaces: string | null
  /** The end that no use moves; `null` for none. */
  endsByMs: number | null
}

/** A session to store, with the hashes of its tokens. */
export interface NewSession {
  id: string
  userId: string
  name: string | null
  accessHash: string
  expireHash: string
  ttlMs: number
  expiresAtMs: number
  endsByMs: number | null
  replaces: string | null
  createdAtMs: number
}

const toRecord = ({ accessHash: _a, expireHash: _e, expiresAt, createdAt, ...row }: Row): StoredSession => ({
  ...row,
  expiresAtMs: expiresAt,
  createdAtMs: createdAt,
})

const others = alias(sessions, 'others')

const columns = {
  createdAt: { column: sessions.createdAt },
  expiresAt: { column: sessions.expiresAt },
}

/** A password takes long to check: meanwhile the user may have got another one, or a second factor, which ended all sessions. */
async function requireUnchanged(queries: Queries, { user, passwordHash }: Credentials): Promise<void> {
  const [now] = await queries
    .select({ passwordHash: users.passwordHash, step: users.secondFactorStep })
    .from(users)
    .where(eq(users.id, user.id))
  const isSame = now?.passwordHash === passwordHash && (now.step !== null) === user.hasSecondFactor
  if (!isSame) throw new AppError('credentials_wrong')
}

/** Sessions by the hashes of their tokens. */
export class SessionStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * @param checked what a sign-in was checked against; `null` for sessions without one
   * @returns the number of the new session
   * @throws {AppError} `token_unknown` if the session that it replaces has ended, `credentials_wrong` if what was checked has changed
   */
  async insert(
    { expiresAtMs, createdAtMs, replaces, ...session }: NewSession,
    checked: Credentials | null = null,
  ): Promise<number> {
    return this.#database.write(async (queries) => {
      if (checked) await requireUnchanged(queries, checked)
      if (replaces !== null) {
        const [replaced] = await queries
          .select({ id: sessions.id })
          .from(sessions)
          .where(eq(sessions.id, replaces))
        if (!replaced) throw new AppError('token_unknown')
      }
      const [row] = await queries
        .insert(sessions)
        .values({ ...session, replaces, expiresAt: expiresAtMs, createdAt: createdAtMs })
        .returning({ number: sessions.number })
      return row!.number
    })
  }

  async find(
    by: { accessHash: string } | { expireHash: string } | { id: string },
  ): Promise<StoredSession | null> {
    const condition =
      'id' in by
        ? eq(sessions.id, by.id)
        : 'accessHash' in by
          ? eq(sessions.accessHash, by.accessHash)
          : eq(sessions.expireHash, by.expireHash)
    const [row] = await this.#database.read((queries) =>
      queries.select().from(sessions).where(condition).limit(1),
    )
    return row ? toRecord(row) : null
  }

  /** The sessions of a user, without pairs of tokens that were refreshed and not used yet, as long as they end with the session they replace. */
  async list(userId: string, query: ListQuery): Promise<Listing<SessionRecord>> {
    const { keys, total } = await this.#database.read((queries) => {
      const replaced = queries.select({ one: sql`1` }).from(others).where(eq(others.id, sessions.replaces))
      const ofUser = eq(sessions.userId, userId)
      const standsAlone = or(isNull(sessions.replaces), notExists(replaced))
      const where = and(ofUser, standsAlone, ...listConditions(query.filters, columns))
      return readPageKeys(queries, sessions.number, columns, query, where)
    })
    return { batches: readInBatches(keys, firstPace(this.#database), (batch) => this.#findAll(batch)), total }
  }

  async #findAll(numbers: readonly number[]): Promise<Map<number, SessionRecord>> {
    const rows = await this.#database.read((queries) =>
      queries
        .select()
        .from(sessions)
        .where(inArray(sessions.number, [...numbers])),
    )
    return new Map(rows.map((row) => [row.number, toRecord(row)]))
  }

  /** Extends a session. Its first use also ends the session it was refreshed from, and no other one. */
  async use(
    { id, replaces }: StoredSession,
    { ttlMs, expiresAtMs }: Pick<SessionRecord, 'ttlMs' | 'expiresAtMs'>,
  ): Promise<void> {
    await this.#database.write(async (queries) => {
      await queries
        .update(sessions)
        .set({ ttlMs, expiresAt: expiresAtMs, replaces: null })
        .where(eq(sessions.id, id))
      if (replaces !== null) await queries.delete(sessions).where(eq(sessions.id, replaces))
    })
  }

  /** Ends a session, the one it replaces, and all unused sessions refreshed from either. */
  async end({ id, replaces }: StoredSession): Promise<void> {
    const kin = replaces === null ? [id] : [id, replaces]
    await this.#database.write((queries) =>
      queries.delete(sessions).where(or(inArray(sessions.id, kin), inArray(sessions.replaces, kin))),
    )
  }

  async deleteEndedBefore(ms: number): Promise<void> {
    await this.#database.write((queries) => queries.delete(sessions).where(lt(sessions.expiresAt, ms)))
  }
}
