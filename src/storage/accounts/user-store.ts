import { and, asc, eq, isNull, or, sql } from 'drizzle-orm'
import { normalizeEmail } from '../../email-address.ts'
import { AppError } from '../../errors.ts'
import { writeExactJson } from '../../exact-json.ts'
import type { UserRecord } from '../../records/account.ts'
import type { Listing, ListQuery } from '../../records/list-query.ts'
import type { Metadata } from '../../records/medium.ts'
import { changeMetadata } from '../change-metadata.ts'
import { type Database, isDuplicate, type Queries } from '../database.ts'
import { firstPace, readInBatches } from '../lists/batches.ts'
import { amongIds, listConditions } from '../lists/list-conditions.ts'
import { readPageKeys } from '../lists/page-keys.ts'
import { sessions, users } from '../schema.ts'

type Row = typeof users.$inferSelect

/** A user with what only sign-in needs. */
export interface Credentials {
  user: UserRecord
  passwordHash: string
  /** The secret of the second factor, in force or not; `null` for none. */
  secondFactor: string | null
}

function toRecord(row: Row): UserRecord {
  const { id, companyId, type, email, firstName, lastName, middleName, isActive, metadata } = row
  return {
    id,
    companyId,
    type,
    email,
    firstName,
    lastName,
    middleName,
    isActive,
    hasSecondFactor: row.secondFactorStep !== null,
    isLinked: row.openId !== null,
    metadata,
    startFlags: {
      verification: row.mayBiometry,
      identification: row.mayCollection,
      documents: row.mayDocuments,
      liveness: row.mayQuality,
    },
    createdAtMs: row.createdAt,
    updatedAtMs: row.updatedAt,
  }
}

function toRow(user: UserRecord): Omit<Row, 'passwordHash' | 'secondFactor' | 'secondFactorStep' | 'openId'> {
  const { startFlags, hasSecondFactor: _, isLinked: _l, createdAtMs, updatedAtMs, ...row } = user
  return {
    ...row,
    email: normalizeEmail(user.email),
    mayBiometry: startFlags.verification,
    mayCollection: startFlags.identification,
    mayDocuments: startFlags.documents,
    mayQuality: startFlags.liveness,
    createdAt: createdAtMs,
    updatedAt: updatedAtMs,
  }
}

/** The e-mail and the names that there are, with a space between them. */
const words = sql`(${users.email} || coalesce(' ' || ${users.firstName}, '') || coalesce(' ' || ${users.middleName}, '') || coalesce(' ' || ${users.lastName}, ''))`

const columns = {
  id: { column: users.id },
  companyId: { column: users.companyId },
  type: { column: users.type },
  email: { column: users.email },
  isActive: { column: users.isActive },
  searchText: { column: words },
  createdAt: { column: users.createdAt },
  updatedAt: { column: users.updatedAt },
}

/** Where requests have the e-mail. */
const [ofNewUser, ofChange] = ['credentials.email', 'email']

/** @param place where the request has the e-mail */
const taken = (place: string): AppError =>
  new AppError('already_exists', undefined, { details: { key_path: place }, place })

const refuseDuplicate =
  (place: string) =>
  (error: unknown): never => {
    throw isDuplicate(error) ? taken(place) : error
  }

async function endOthers(queries: Queries, userId: string, keptSessionId: string | null): Promise<void> {
  const own = await queries.select({ id: sessions.id }).from(sessions).where(eq(sessions.userId, userId))
  for (const session of own) {
    if (session.id !== keptSessionId) await queries.delete(sessions).where(eq(sessions.id, session.id))
  }
}

/** Users, found by id or e-mail. */
export class UserStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * @param openId of a user whom the identity provider of the organisation has identified
   * @throws {AppError} `already_exists` if the e-mail is taken
   */
  async insert(user: UserRecord, passwordHash: string, openId: string | null = null): Promise<void> {
    const row = { ...toRow(user), passwordHash, openId }
    const write = this.#database.write((queries) => queries.insert(users).values(row))
    await write.catch(refuseDuplicate(ofNewUser))
  }

  async find(id: string): Promise<UserRecord | null> {
    return (await this.credentials({ id }))?.user ?? null
  }

  async credentials(by: { id: string } | { email: string }): Promise<Credentials | null> {
    const condition = 'id' in by ? eq(users.id, by.id) : eq(users.email, normalizeEmail(by.email))
    const [row] = await this.#database.read((queries) => queries.select().from(users).where(condition))
    if (!row) return null
    const { passwordHash, secondFactor } = row
    return { user: toRecord(row), passwordHash, secondFactor }
  }

  async findLinked(openId: string): Promise<UserRecord | null> {
    const [row] = await this.#database.read((queries) =>
      queries.select().from(users).where(eq(users.openId, openId)),
    )
    return row ? toRecord(row) : null
  }

  /**
   * Links a user to an identity of an issuer, in the place of the password. All sessions end: whoever knew the password may have begun them.
   * @param passwordHash of a password that nobody knows
   * @returns whether that is done: not if the user is linked to one of the same issuer
   * @throws {AppError} `already_exists` if another user is linked to the identity
   */
  async link(id: string, issuer: string, openId: string, passwordHash: string): Promise<boolean> {
    const prefix = `${issuer} `
    const ofOthers = sql`substr(${users.openId}, 1, length(${prefix})) <> ${prefix}`
    const isFree = and(eq(users.id, id), or(isNull(users.openId), ofOthers))
    const write = this.#database.write(async (queries) => {
      const values = { openId, passwordHash }
      const linked = await queries.update(users).set(values).where(isFree).returning({ id: users.id })
      if (linked.length > 0) await endOthers(queries, id, null)
      return linked.length > 0
    })
    return write.catch(refuseDuplicate(ofChange))
  }

  async isEmpty(): Promise<boolean> {
    const rows = await this.#database.read((queries) => queries.select({ id: users.id }).from(users).limit(1))
    return rows.length === 0
  }

  /** Administrators of the whole service, the oldest first. */
  async administrators(max: number): Promise<UserRecord[]> {
    const rows = await this.#database.read((queries) =>
      queries.select().from(users).where(eq(users.type, 'ADMIN')).orderBy(asc(users.createdAt)).limit(max),
    )
    return rows.map(toRecord)
  }

  /** Service accounts that are active. */
  async activeServiceAccounts(max: number): Promise<UserRecord[]> {
    const isActive = and(eq(users.type, 'CLIENT_SERVICE'), eq(users.isActive, true))
    const rows = await this.#database.read((queries) =>
      queries.select().from(users).where(isActive).limit(max),
    )
    return rows.map(toRecord)
  }

  /** The existing users among some ids, by id. */
  async findAll(ids: readonly string[]): Promise<Map<string, UserRecord>> {
    if (ids.length === 0) return new Map()
    const rows = await this.#database.read((queries) =>
      queries.select().from(users).where(amongIds(users.id, ids)),
    )
    return new Map(rows.map((row) => [row.id, toRecord(row)]))
  }

  /** @param within the company or user that the list is limited to; `{}` for all users */
  async list(
    query: ListQuery,
    within: { companyId?: string; userId?: string },
  ): Promise<Listing<UserRecord>> {
    const where = and(
      within.companyId === undefined ? undefined : eq(users.companyId, within.companyId),
      within.userId === undefined ? undefined : eq(users.id, within.userId),
      ...listConditions(query.filters, columns),
    )
    const { keys, total } = await this.#database.read((queries) =>
      readPageKeys(queries, users.id, columns, query, where),
    )
    return { batches: readInBatches(keys, firstPace(this.#database), (batch) => this.findAll(batch)), total }
  }

  /**
   * Stores what differs from the record that was read before. What somebody else changed in between stays. Sessions of an
   * inactive user are refused, and are removed here when the user is activated again, so that no old session comes back.
   * @throws {AppError} `already_exists` if another user has the e-mail
   */
  async update(user: UserRecord, before: UserRecord): Promise<void> {
    const old = new Map(Object.entries(toRow(before)))
    const changes: Partial<Row> = Object.fromEntries(
      Object.entries(toRow(user)).filter(
        ([name, value]) => writeExactJson(value) !== writeExactJson(old.get(name)),
      ),
    )
    if (Object.keys(changes).length === 0) return
    const write = this.#database.write(async (queries) => {
      const wasOff = and(eq(users.id, user.id), eq(users.isActive, false))
      const [off] = await queries.select({ id: users.id }).from(users).where(wasOff)
      if (off && changes.isActive) await queries.delete(sessions).where(eq(sessions.userId, user.id))
      await queries.update(users).set(changes).where(eq(users.id, user.id))
    })
    await write.catch(refuseDuplicate(ofChange))
  }

  /**
   * Sets a password, in the place of a link to an identity provider, and ends all sessions but one.
   * @param keptSessionId of users who set their own: while they are linked they cannot, since it would outlive their role at the provider
   * @returns whether it is set
   */
  setPassword(id: string, passwordHash: string, keptSessionId: string | null): Promise<boolean> {
    const isAllowed = keptSessionId === null ? undefined : isNull(users.openId)
    return this.#database.write(async (queries) => {
      const values = { passwordHash, openId: null }
      const wanted = and(eq(users.id, id), isAllowed)
      const set = await queries.update(users).set(values).where(wanted).returning({ id: users.id })
      if (set.length > 0) await endOthers(queries, id, keptSessionId)
      return set.length > 0
    })
  }

  /**
   * Stores a secret that the first code puts in force.
   * @returns whether it is stored: not while another one is in force
   */
  async offerSecondFactor(id: string, secret: string): Promise<boolean> {
    const isOff = and(eq(users.id, id), isNull(users.secondFactorStep))
    const stored = await this.#database.write((queries) =>
      queries.update(users).set({ secondFactor: secret }).where(isOff).returning({ id: users.id }),
    )
    return stored.length > 0
  }

  /**
   * Uses up the code of a step, and all before it. The first one ends all sessions but one: they were signed in without a code.
   * @returns whether the step was free, and the secret is still the user's
   */
  useSecondFactor(id: string, secret: string, step: number, keptSessionId: string | null): Promise<boolean> {
    const own = and(eq(users.id, id), eq(users.secondFactor, secret))
    return this.#database.write(async (queries) => {
      const [row] = await queries.select({ last: users.secondFactorStep }).from(users).where(own)
      if (!row || (row.last !== null && row.last >= step)) return false
      await queries.update(users).set({ secondFactorStep: step }).where(eq(users.id, id))
      if (row.last === null) await endOthers(queries, id, keptSessionId)
      return true
    })
  }

  async removeSecondFactor(id: string): Promise<void> {
    const none = { secondFactor: null, secondFactorStep: null }
    await this.#database.write((queries) => queries.update(users).set(none).where(eq(users.id, id)))
  }

  changeMetadata(
    id: string,
    change: (metadata: Metadata) => Metadata,
    nowMs: number,
  ): Promise<Metadata | null> {
    return changeMetadata(this.#database, users, id, change, nowMs)
  }

  async delete(id: string): Promise<void> {
    await this.#database.write((queries) => queries.delete(users).where(eq(users.id, id)))
  }
}
