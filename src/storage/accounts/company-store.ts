import { and, count, eq, notInArray, type SQL } from 'drizzle-orm'
import type { CompanyChange, CompanyRecord } from '../../records/account.ts'
import type { ListQuery, Page } from '../../records/list-query.ts'
import type { Metadata } from '../../records/medium.ts'
import { changeMetadata } from '../change-metadata.ts'
import type { Database } from '../database.ts'
import { dropDataKeysOf } from '../encryption/data-keys.ts'
import { amongIds, listConditions, listOrder } from '../lists/list-conditions.ts'
import { companies, folders, users } from '../schema.ts'

type Row = typeof companies.$inferSelect

const toRecord = ({ createdAt, updatedAt, ...row }: Row): CompanyRecord => ({
  ...row,
  createdAtMs: createdAt,
  updatedAtMs: updatedAt,
})

const columns = {
  id: { column: companies.id },
  name: { column: companies.name },
  searchText: { column: companies.name },
  createdAt: { column: companies.createdAt },
  updatedAt: { column: companies.updatedAt },
}

/** Number of companies of which is known whether they are sandboxes. */
const knownMax = 10_000

/** Companies by id. */
export class CompanyStore {
  readonly #database: Database
  /** Whether they are sandboxes, by id. It never changes. */
  readonly #sandboxes = new Map<string, boolean>()

  constructor(database: Database) {
    this.#database = database
  }

  async insert({ createdAtMs, updatedAtMs, ...company }: CompanyRecord): Promise<void> {
    const row = { ...company, createdAt: createdAtMs, updatedAt: updatedAtMs }
    await this.#database.write((queries) => queries.insert(companies).values(row))
    this.#remember(company)
  }

  #remember({ id, isSandbox }: Pick<CompanyRecord, 'id' | 'isSandbox'>): void {
    if (this.#sandboxes.size >= knownMax) this.#sandboxes.clear()
    this.#sandboxes.set(id, isSandbox)
  }

  /** Whether a company is a sandbox; each submission asks, and the database once. */
  async isSandbox(id: string): Promise<boolean> {
    const known = this.#sandboxes.get(id)
    if (known !== undefined) return known
    const company = await this.find(id)
    if (company) this.#remember(company)
    return company?.isSandbox ?? false
  }

  find(id: string): Promise<CompanyRecord | null> {
    return this.#first(eq(companies.id, id))
  }

  system(): Promise<CompanyRecord | null> {
    return this.#first(eq(companies.isSystem, true))
  }

  async #first(condition: SQL): Promise<CompanyRecord | null> {
    const [row] = await this.#database.read((queries) =>
      queries.select().from(companies).where(condition).limit(1),
    )
    return row ? toRecord(row) : null
  }

  /** The existing companies among some ids, by id. */
  async findAll(ids: readonly string[]): Promise<Map<string, CompanyRecord>> {
    if (ids.length === 0) return new Map()
    const rows = await this.#database.read((queries) =>
      queries.select().from(companies).where(amongIds(companies.id, ids)),
    )
    return new Map(rows.map((row) => [row.id, toRecord(row)]))
  }

  /** @param onlyId the one company that the caller may see, `null` for all */
  list(query: ListQuery, onlyId: string | null): Promise<Page<CompanyRecord>> {
    return this.#database.read(async (queries) => {
      const scope = onlyId === null ? [] : [eq(companies.id, onlyId)]
      const where = and(...scope, ...listConditions(query.filters, columns))
      const rows = await queries
        .select()
        .from(companies)
        .where(where)
        .orderBy(...listOrder(query.sorting, columns, companies.id))
        .limit(query.limit ?? Number.MAX_SAFE_INTEGER)
        .offset(query.offset)
      const [counted] = query.totalOmit
        ? []
        : await queries.select({ total: count() }).from(companies).where(where)
      return { items: rows.map(toRecord), total: counted?.total ?? null }
    })
  }

  async update(id: string, change: CompanyChange, nowMs: number): Promise<void> {
    await this.#database.write((queries) =>
      queries
        .update(companies)
        .set({ ...change, updatedAt: nowMs })
        .where(eq(companies.id, id)),
    )
  }

  changeMetadata(
    id: string,
    change: (metadata: Metadata) => Metadata,
    nowMs: number,
  ): Promise<Metadata | null> {
    return changeMetadata(this.#database, companies, id, change, nowMs)
  }

  /** Marks a company for removal: from now on its users cannot sign in. */
  async beginDeletion(id: string, nowMs: number): Promise<void> {
    await this.#database.write(async (queries) => {
      await queries.update(companies).set({ inDeletion: true, updatedAt: nowMs }).where(eq(companies.id, id))
      await queries.update(users).set({ isActive: false }).where(eq(users.companyId, id))
    })
  }

  /** Up to `max` folders of a company, for its removal. @param except those that cannot be removed */
  async folderIds(id: string, max: number, except: readonly string[]): Promise<string[]> {
    const isLeft = and(eq(folders.companyId, id), notInArray(folders.id, [...except]))
    const rows = await this.#database.read((queries) =>
      queries.select({ id: folders.id }).from(folders).where(isLeft).limit(max),
    )
    return rows.map((row) => row.id)
  }

  /** Companies marked for removal. */
  async inDeletion(): Promise<string[]> {
    const rows = await this.#database.read((queries) =>
      queries.select({ id: companies.id }).from(companies).where(eq(companies.inDeletion, true)),
    )
    return rows.map((row) => row.id)
  }

  /** Removes a company and its users. Its folders must be removed before. */
  async delete(id: string): Promise<void> {
    await this.#database.write(async (queries) => {
      await dropDataKeysOf(queries, id)
      await queries.delete(companies).where(eq(companies.id, id))
    })
  }
}
