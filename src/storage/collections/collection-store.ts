import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import { AppError } from '../../errors.ts'
import type { CollectionRecord } from '../../records/collection.ts'
import type { ListQuery } from '../../records/list-query.ts'
import type { Metadata } from '../../records/medium.ts'
import { changeMetadata } from '../change-metadata.ts'
import { type Database, isDuplicate } from '../database.ts'
import { dropDataKey } from '../encryption/data-keys.ts'
import { noCipher, type RowCipher } from '../encryption/row-cipher.ts'
import { firstPace, readInBatches } from '../lists/batches.ts'
import { amongIds, listConditions, listOrder } from '../lists/list-conditions.ts'
import { companies } from '../schema.ts'
import { collections } from './collection-schema.ts'

type Row = typeof collections.$inferSelect

const toRecord = ({ id, companyId, alias, metadata, createdAt, updatedAt }: Row): CollectionRecord => ({
  id,
  companyId,
  alias,
  metadata,
  createdAtMs: createdAt,
  updatedAtMs: updatedAt,
})

const columns = {
  id: { column: collections.id },
  companyId: { column: collections.companyId },
  alias: { column: collections.alias },
  searchText: { column: collections.alias },
  createdAt: { column: collections.createdAt },
  updatedAt: { column: collections.updatedAt },
}

const isThere = eq(collections.inDeletion, false)

export type RemovableCollection = Pick<CollectionRecord, 'id' | 'companyId'>

/** Collections by id. A collection marked for removal counts as missing. */
export class CollectionStore {
  readonly #database: Database
  readonly #cipher: Pick<RowCipher, 'forget'>

  constructor(database: Database, cipher: Pick<RowCipher, 'forget'> = noCipher) {
    this.#database = database
    this.#cipher = cipher
  }

  /** @throws {AppError} `already_exists` if the company has a collection of this alias, `value_invalid` if there is no such company */
  async insert({ createdAtMs, updatedAtMs, ...collection }: CollectionRecord): Promise<void> {
    const row = { ...collection, createdAt: createdAtMs, updatedAt: updatedAtMs }
    try {
      await this.#database.write(async (queries) => {
        const [company] = await queries
          .select({ inDeletion: companies.inDeletion })
          .from(companies)
          .where(eq(companies.id, row.companyId))
        if (!company || company.inDeletion)
          throw new AppError('value_invalid', 'company_id names a company that does not exist', {
            details: { key_path: 'company_id' },
            place: 'company_id',
          })
        await queries.insert(collections).values(row)
      })
    } catch (error) {
      if (isDuplicate(error)) {
        const details = { key_path: 'alias' }
        throw new AppError('already_exists', 'A collection with this alias exists', {
          details,
          place: 'alias',
        })
      }
      throw error
    }
  }

  async find(id: string): Promise<CollectionRecord | null> {
    const [row] = await this.#select(eq(collections.id, id), 1)
    return row ?? null
  }

  /** What decides whether a caller may remove a collection: a damaged one can be removed, too. */
  async findToRemove(id: string): Promise<RemovableCollection | null> {
    const [row] = await this.#database.read((queries) =>
      queries
        .select({ id: collections.id, companyId: collections.companyId })
        .from(collections)
        .where(and(eq(collections.id, id), isThere)),
    )
    return row ?? null
  }

  /** The company's collection if it has exactly one, else `null`. */
  async findOnly(companyId: string): Promise<CollectionRecord | null> {
    const found = await this.#select(eq(collections.companyId, companyId), 2)
    return found.length === 1 ? found[0]! : null
  }

  async #select(condition: SQL, max: number): Promise<CollectionRecord[]> {
    const rows = await this.#database.read((queries) =>
      queries.select().from(collections).where(and(condition, isThere)).limit(max),
    )
    return rows.map(toRecord)
  }

  /** @param companyId the company that the list is limited to, `null` for all */
  async list(
    query: ListQuery,
    companyId: string | null,
  ): Promise<AsyncIterable<readonly CollectionRecord[]>> {
    const scope = companyId === null ? undefined : eq(collections.companyId, companyId)
    const found = await this.#database.read((queries) =>
      queries
        .select({ id: collections.id })
        .from(collections)
        .where(and(scope, isThere, ...listConditions(query.filters, columns)))
        .orderBy(...listOrder(query.sorting, columns, collections.id))
        .limit(query.limit ?? Number.MAX_SAFE_INTEGER)
        .offset(query.offset),
    )
    const ids = found.map(({ id }) => id)
    return readInBatches(ids, firstPace(this.#database), async (batch) => {
      const rows = await this.#database.read((queries) =>
        queries.select().from(collections).where(amongIds(collections.id, batch)),
      )
      return new Map(rows.map((row) => [row.id, toRecord(row)]))
    })
  }

  changeMetadata(
    id: string,
    change: (metadata: Metadata) => Metadata,
    nowMs: number,
  ): Promise<Metadata | null> {
    return changeMetadata(this.#database, collections, id, change, nowMs)
  }

  /**
   * Marks one collection, or all of a company, for removal. Their aliases are free at once: the collections get aliases
   * with a leading space, which callers cannot use, since aliases are trimmed.
   */
  async beginDeletion(of: { id: string } | { companyId: string }, nowMs: number): Promise<void> {
    const which = 'id' in of ? eq(collections.id, of.id) : eq(collections.companyId, of.companyId)
    await this.#database.write((queries) =>
      queries
        .update(collections)
        .set({ inDeletion: true, alias: sql`' ' || hex(${collections.id})`, updatedAt: nowMs })
        .where(which),
    )
  }

  /** Collections marked for removal, of one company or, for `null`, of all. */
  async inDeletion(companyId: string | null): Promise<string[]> {
    const rows = await this.#database.read((queries) =>
      queries
        .select({ id: collections.id })
        .from(collections)
        .where(
          and(
            eq(collections.inDeletion, true),
            companyId === null ? undefined : eq(collections.companyId, companyId),
          ),
        )
        .orderBy(asc(collections.updatedAt)),
    )
    return rows.map(({ id }) => id)
  }

  /** Removes a collection. Its persons must be removed before. */
  async delete(id: string): Promise<void> {
    await this.#database.write(async (queries) => {
      await queries.delete(collections).where(eq(collections.id, id))
      await dropDataKey(queries, id)
    })
    this.#cipher.forget(id)
  }
}
