import { eq, inArray, lt, or } from 'drizzle-orm'
import type { SessionRecord } from '../../records/account.ts'
import type { Database } from '../database.ts'
import { sessions } from '../schema.ts'

type Row = typeof sessions.$inferSelect

/** A session with what belongs to its tokens. */
export interface StoredSession extends SessionRecord {
  /** The session this one was made from, until this one is used. It may be gone: another one made from it was used first. */
  replaces: string | null
}

/** A session to keep; tokens are kept as hashes alone. */
export interface NewSession {
  id: string
  userId: string
  accessHash: string
  expireHash: string
  ttlMs: number
  expiresAtMs: number
  replaces: string | null
  createdAtMs: number
}

const toRecord = ({ id, number, userId, ttlMs, expiresAt, createdAt, replaces }: Row): StoredSession => ({
  ...{ id, number, userId, ttlMs, replaces },
  expiresAtMs: expiresAt,
  createdAtMs: createdAt,
})

/** Sessions by the hashes of their tokens. */
export class SessionStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** @returns its number */
  async insert({ expiresAtMs, createdAtMs, ...session }: NewSession): Promise<number> {
    const rows = await this.#database.write((queries) =>
      queries
        .insert(sessions)
        .values({ ...session, expiresAt: expiresAtMs, createdAt: createdAtMs })
        .returning({ number: sessions.number }),
    )
    return rows[0]!.number
  }

  async find(by: { accessHash: string } | { expireHash: string }): Promise<StoredSession | null> {
    const condition =
      'accessHash' in by ? eq(sessions.accessHash, by.accessHash) : eq(sessions.expireHash, by.expireHash)
    const [row] = await this.#database.read((queries) =>
      queries.select().from(sessions).where(condition).limit(1),
    )
    return row ? toRecord(row) : null
  }

  /** Moves the end of a session; its first use also ends the one it was made from, and that one alone. */
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

  /** Ends a session with all that it was made from or that was made from it and not used yet. */
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
