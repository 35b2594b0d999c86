import { and, asc, eq, gt, inArray, lt, ne, notExists } from 'drizzle-orm'
import { AppError, invariant } from '../../errors.ts'
import { collections } from '../collections/collection-schema.ts'
import type { Database, Queries } from '../database.ts'
import { dataKeys, folders } from '../schema.ts'
import {
  type DataKey,
  decryptRow,
  encryptRow,
  type KeyEncryptionKey,
  makeDataKey,
  rewrapDataKey,
  unwrapDataKey,
} from './envelope.ts'
import type { RowCipher } from './row-cipher.ts'

/** Keys in memory: of the folders and collections that were used last. */
const knownMax = 1000
const keysAtOnce = 500
/** An upload that has not become a folder within this time was abandoned. */
const uploadMaxMs = 24 * 3600_000

/** Destroys the key of a folder or collection, within the transaction that removes what it encrypts. */
export async function dropDataKey(queries: Queries, ownerId: string): Promise<void> {
  await queries.delete(dataKeys).where(eq(dataKeys.ownerId, ownerId))
}

/** The same for all that a company still has. */
export async function dropDataKeysOf(queries: Queries, companyId: string): Promise<void> {
  for (const table of [folders, collections]) {
    const owned = queries.select({ id: table.id }).from(table).where(eq(table.companyId, companyId))
    await queries.delete(dataKeys).where(inArray(dataKeys.ownerId, owned))
  }
}

/**
 * The data-encryption keys of folders and collections.
 *
 * Each owner has one, so that its removal destroys the key of all that is left of it elsewhere: in versions of a bucket, in
 * blocks of a disk.
 */
export class DataKeys implements RowCipher {
  readonly #database: Database
  readonly #keks: ReadonlyMap<string, KeyEncryptionKey>
  readonly #current: KeyEncryptionKey
  readonly #nowMs: () => number
  readonly #known = new Map<string, DataKey>()

  /** @param keks the first one wraps new keys */
  constructor(
    database: Database,
    keks: readonly [KeyEncryptionKey, ...KeyEncryptionKey[]],
    nowMs: () => number,
  ) {
    this.#database = database
    this.#keks = new Map(keks.map((kek) => [kek.id, kek]))
    this.#current = keks[0]
    this.#nowMs = nowMs
  }

  /**
   * The key of an owner; `null` if there is none, or it was destroyed.
   * @throws {AppError} `database_failed` if it cannot be unwrapped
   */
  async find(ownerId: string): Promise<DataKey | null> {
    const known = this.#known.get(ownerId)
    if (known) return known
    const [row] = await this.#database.read((queries) =>
      queries.select().from(dataKeys).where(eq(dataKeys.ownerId, ownerId)),
    )
    return row ? this.#unwrap(row) : null
  }

  /** The key of an owner, made if there is none. Of several who make it at the same time, all get the first one. */
  async obtain(ownerId: string): Promise<DataKey> {
    const known = this.#known.get(ownerId)
    if (known) return known
    const { id: kek } = this.#current
    const wrapped = await makeDataKey(this.#current, ownerId)
    const row = { ownerId, kek, wrapped, createdAt: this.#nowMs() }
    const [, [stored]] = await this.#database.together('write', (queries) => [
      queries.insert(dataKeys).values(row).onConflictDoNothing(),
      queries.select().from(dataKeys).where(eq(dataKeys.ownerId, ownerId)),
    ])
    invariant(stored, 'the key of an owner was stored')
    return this.#unwrap(stored)
  }

  async #unwrap({ ownerId, kek: id, wrapped }: typeof dataKeys.$inferSelect): Promise<DataKey> {
    const kek = this.#keks.get(id)
    const key = kek && (await unwrapDataKey(kek, ownerId, wrapped))
    if (!key) {
      const why = kek ? 'does not open' : 'is of a key that STORAGE_KEYS lacks'
      throw new AppError('database_failed', 'a query failed', {
        cause: new Error(`a wrapped key ${why}`),
      })
    }
    if (this.#known.size >= knownMax) this.#known.delete(this.#known.keys().next().value!)
    this.#known.set(ownerId, key)
    return key
  }

  async encrypt(ownerId: string, place: string, plain: Uint8Array): Promise<Uint8Array> {
    return encryptRow(await this.obtain(ownerId), place, plain)
  }

  async decrypt(ownerId: string, place: string, bytes: Uint8Array): Promise<Uint8Array | null> {
    const key = await this.find(ownerId)
    return key && decryptRow(key, place, bytes)
  }

  /**
   * Wraps all keys again that the first key-encryption key has not wrapped, and forgets those of abandoned uploads.
   * @returns how many were wrapped again
   * @throws {AppError} `database_failed` if one does not open
   */
  async rewrap(): Promise<number> {
    await this.#forgetAbandoned()
    let count = 0
    for (;;) {
      const rows = await this.#database.read((queries) =>
        queries.select().from(dataKeys).where(ne(dataKeys.kek, this.#current.id)).limit(keysAtOnce),
      )
      if (rows.length === 0) return count
      const made = await Promise.all(rows.map(async (row) => ({ row, wrapped: await this.#rewrap(row) })))
      await this.#database.write(async (queries) => {
        for (const { row, wrapped } of made)
          await queries
            .update(dataKeys)
            .set({ kek: this.#current.id, wrapped })
            .where(and(eq(dataKeys.ownerId, row.ownerId), eq(dataKeys.kek, row.kek)))
      })
      count += rows.length
    }
  }

  async #rewrap({ ownerId, kek: id, wrapped }: typeof dataKeys.$inferSelect): Promise<Uint8Array> {
    const kek = this.#keks.get(id)
    const made = kek && (await rewrapDataKey(kek, this.#current, ownerId, wrapped))
    if (made) return made
    throw new AppError('database_failed', 'a query failed', {
      cause: new Error('a wrapped key does not open'),
    })
  }

  async #forgetAbandoned(): Promise<void> {
    await this.#database.write((queries) => {
      const { id: folderId } = folders
      const { id: collectionId } = collections
      const ofFolder = queries
        .select({ id: folderId })
        .from(folders)
        .where(and(eq(folderId, dataKeys.ownerId), eq(folders.isCleared, false)))
      const ofCollection = queries
        .select({ id: collectionId })
        .from(collections)
        .where(eq(collectionId, dataKeys.ownerId))
      return queries
        .delete(dataKeys)
        .where(
          and(
            lt(dataKeys.createdAt, this.#nowMs() - uploadMaxMs),
            notExists(ofFolder),
            notExists(ofCollection),
          ),
        )
    })
  }
}

type WrappedKey = typeof dataKeys.$inferSelect

/** One stored key for each key-encryption key that wrapped some. Runs a query for each, however many keys there are. */
async function samples(database: Database): Promise<WrappedKey[]> {
  const found: WrappedKey[] = []
  for (let last = ''; ; ) {
    const [next] = await database.read((queries) =>
      queries.select().from(dataKeys).where(gt(dataKeys.kek, last)).orderBy(asc(dataKeys.kek)).limit(1),
    )
    if (!next) return found
    last = next.kek
    found.push(next)
  }
}

/**
 * Checks that the stored keys can be unwrapped: a server without them would answer with what it cannot read.
 * @throws {AppError} `value_invalid`
 */
export async function requireKeks(database: Database, keks: readonly KeyEncryptionKey[]): Promise<void> {
  for (const { ownerId, kek: id, wrapped } of await samples(database)) {
    const kek = keks.find((one) => one.id === id)
    if (!kek)
      throw new AppError(
        'value_invalid',
        `Settings: STORAGE_KEYS must have the key ${id}, with which stored data are encrypted`,
      )
    if (!(await unwrapDataKey(kek, ownerId, wrapped)))
      throw new AppError(
        'value_invalid',
        `Settings: the key ${id} of STORAGE_KEYS is another one than that with which stored data are encrypted`,
      )
  }
}
