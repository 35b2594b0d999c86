import { and, asc, eq, gt, inArray, lt, ne, notExists } from 'drizzle-orm'
import { bytesFromBase64, encodeBase64 } from '../../base64.ts'
import { AppError, invariant } from '../../errors.ts'
import { collections } from '../collections/collection-schema.ts'
import type { Database, Queries } from '../database.ts'
import { dataKeys, folders, secrets } from '../schema.ts'
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

type WrappedKey = typeof dataKeys.$inferSelect

/** Keys in memory: of the folders and collections that were used last. */
const knownMax = 1000
/** Other processes forget a destroyed key within this time. */
const knownMs = 10_000
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

/** The record of an owner that may have data, of which there is one at most. */
const recordsOf = (queries: Queries, ownerId: string | typeof dataKeys.ownerId) =>
  [
    queries
      .select({ id: folders.id })
      .from(folders)
      .where(and(eq(folders.id, ownerId), eq(folders.isCleared, false))),
    queries.select({ id: collections.id }).from(collections).where(eq(collections.id, ownerId)),
  ] as const

async function hasRecord(queries: Queries, ownerId: string): Promise<boolean> {
  const [ofFolder, ofCollection] = recordsOf(queries, ownerId)
  return (await ofFolder).length > 0 || (await ofCollection).length > 0
}

export interface DataKeyOptions {
  /** Whether keys are made only for what is stored already. An upload needs one before. */
  isForRecords?: boolean
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
  readonly #isForRecords: boolean
  readonly #known = new Map<string, { key: DataKey; untilMs: number }>()

  /** @param keks the first one wraps new keys */
  constructor(
    database: Database,
    keks: readonly [KeyEncryptionKey, ...KeyEncryptionKey[]],
    nowMs: () => number,
    { isForRecords = false }: DataKeyOptions = {},
  ) {
    this.#database = database
    this.#keks = new Map(keks.map((kek) => [kek.id, kek]))
    this.#current = keks[0]
    this.#nowMs = nowMs
    this.#isForRecords = isForRecords
  }

  /**
   * The key of an owner; `null` if there is none, or it was destroyed.
   * @throws {AppError} `database_failed` if it cannot be unwrapped
   */
  async find(ownerId: string): Promise<DataKey | null> {
    const known = this.#known.get(ownerId)
    if (known && this.#nowMs() < known.untilMs) return known.key
    // One looks, and the others use it meanwhile.
    if (known) known.untilMs = this.#nowMs() + knownMs
    try {
      const [row] = await this.#database.read((queries) =>
        queries.select().from(dataKeys).where(eq(dataKeys.ownerId, ownerId)),
      )
      if (row) return await this.#unwrap(row)
    } catch (error) {
      this.forget(ownerId)
      throw error
    }
    this.forget(ownerId)
    return null
  }

  forget(ownerId: string): void {
    this.#known.delete(ownerId)
  }

  /**
   * The key of an owner, made if there is none. Of several who make it at the same time, all get the first one. If its record was
   * removed meanwhile, and a key needs one: a key that nobody keeps.
   */
  async obtain(ownerId: string): Promise<DataKey> {
    const known = this.#known.has(ownerId) ? await this.find(ownerId) : null
    if (known) return known
    const { id: kek } = this.#current
    const wrapped = await makeDataKey(this.#current, ownerId)
    const row = { ownerId, kek, wrapped, createdAt: this.#nowMs() }
    const stored = await this.#store(row)
    if (stored) return this.#unwrap(stored)
    return (await unwrapDataKey(this.#current, ownerId, wrapped))!
  }

  async #store(row: WrappedKey): Promise<WrappedKey | undefined> {
    const insert = (queries: Queries) => queries.insert(dataKeys).values(row).onConflictDoNothing()
    const find = (queries: Queries) =>
      queries.select().from(dataKeys).where(eq(dataKeys.ownerId, row.ownerId))
    if (!this.#isForRecords) {
      const [, [stored]] = await this.#database.together('write', (queries) => [
        insert(queries),
        find(queries),
      ])
      invariant(stored, 'the key of an owner was stored')
      return stored
    }
    const [stored] = await this.#database.write(async (queries) => {
      if (await hasRecord(queries, row.ownerId)) await insert(queries)
      return find(queries)
    })
    return stored
  }

  async #unwrap({ ownerId, kek: id, wrapped }: WrappedKey): Promise<DataKey> {
    const kek = this.#keks.get(id)
    const key = kek && (await unwrapDataKey(kek, ownerId, wrapped))
    if (!key) {
      const why = kek ? 'does not open' : 'is of a key that STORAGE_KEYS lacks'
      throw new AppError('database_failed', 'a query failed', {
        cause: new Error(`a wrapped key ${why}`),
      })
    }
    if (this.#known.size >= knownMax) this.#known.delete(this.#known.keys().next().value!)
    this.#known.set(ownerId, { key, untilMs: this.#nowMs() + knownMs })
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
   * @returns how many were wrapped again, and how many do not open: they stay as they are
   */
  async rewrap(): Promise<{ rewrapped: number; unopened: number }> {
    await this.forgetAbandoned()
    let [rewrapped, unopened] = [0, 0]
    for (let after = ''; ; ) {
      const rows = await this.#readFormer(after)
      if (rows.length === 0) return { rewrapped, unopened }
      after = rows.at(-1)!.ownerId
      const opened: WrappedKey[] = []
      for (const row of rows) {
        const wrapped = await this.#rewrap(row)
        if (wrapped) opened.push({ ...row, wrapped })
      }
      await this.#database.write(async (queries) => {
        for (const { ownerId, kek, wrapped } of opened)
          await queries
            .update(dataKeys)
            .set({ kek: this.#current.id, wrapped })
            .where(and(eq(dataKeys.ownerId, ownerId), eq(dataKeys.kek, kek)))
      })
      rewrapped += opened.length
      unopened += rows.length - opened.length
    }
  }

  /** Keys that another than the first key-encryption key has wrapped, after an owner. */
  #readFormer(after: string): Promise<WrappedKey[]> {
    const { kek, ownerId } = dataKeys
    return this.#database.read((queries) =>
      queries
        .select()
        .from(dataKeys)
        .where(and(ne(kek, this.#current.id), after === '' ? undefined : gt(ownerId, after)))
        .orderBy(asc(ownerId))
        .limit(keysAtOnce),
    )
  }

  async #rewrap({ ownerId, kek: id, wrapped }: WrappedKey): Promise<Uint8Array | null> {
    const kek = this.#keks.get(id)
    return kek ? rewrapDataKey(kek, this.#current, ownerId, wrapped) : null
  }

  /** Deletes the keys of abandoned uploads, and those that an upload made again for a removed owner. Looks at all old keys. */
  async forgetAbandoned(): Promise<void> {
    await this.#database.write((queries) => {
      const [ofFolder, ofCollection] = recordsOf(queries, dataKeys.ownerId)
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

/** By which a key-encryption key is known again: it wraps a random key that nothing uses. */
const proofName = ({ id }: KeyEncryptionKey): string => `storage_key ${id}`

const otherKey = (id: string, than: string) =>
  new AppError('value_invalid', `Settings: the key ${id} of STORAGE_KEYS is another one than ${than}`)

/** Those among some that were never used before. @throws {AppError} `value_invalid` for another one than the first of its id */
async function findNew(database: Database, keks: readonly KeyEncryptionKey[]): Promise<KeyEncryptionKey[]> {
  const proofs = await database.read((queries) =>
    queries
      .select()
      .from(secrets)
      .where(inArray(secrets.name, keks.map(proofName))),
  )
  const found: KeyEncryptionKey[] = []
  for (const kek of keks) {
    const name = proofName(kek)
    const proof = proofs.find((one) => one.name === name)
    if (!proof) found.push(kek)
    else if (!(await unwrapDataKey(kek, name, bytesFromBase64(proof.value))))
      throw otherKey(kek.id, 'the first with this id: give that one back, or this one another id')
  }
  return found
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
      throw otherKey(id, 'that with which stored data are encrypted')
  }
  await findNew(database, keks)
}

/**
 * Takes key-encryption keys into use, once they are checked: of several processes with other keys under one id, the first one starts.
 * @throws {AppError} `value_invalid`
 */
export async function useKeks(database: Database, keks: readonly KeyEncryptionKey[]): Promise<void> {
  const rows = await Promise.all(
    (await findNew(database, keks)).map(async (kek) => {
      const name = proofName(kek)
      return { name, value: encodeBase64(await makeDataKey(kek, name)) }
    }),
  )
  if (rows.length === 0) return
  await database.write((queries) => queries.insert(secrets).values(rows).onConflictDoNothing())
  await findNew(database, keks)
}
