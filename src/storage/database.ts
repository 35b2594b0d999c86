/** The database: concurrent reads, and write transactions one at a time, since the engine has a single writer. */
import type { Client, LibsqlError } from '@libsql/client'
import { sql } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import { AppError } from '../errors.ts'
import { Mutex } from '../queue/mutex.ts'
import { pause } from '../queue/timers.ts'
import { type Ask, openQueries, type Queries, type Together } from './queries.ts'
import { UnknownCountError, writeRemotely, writeTogether } from './remote-write.ts'

export type { Ask, Queries } from './queries.ts'

export interface Database {
  /** Whether the database is a file that only this process uses. */
  isLocal: boolean
  /** @throws {AppError} `database_failed` */
  read<T>(work: (queries: Queries) => Promise<T>): Promise<T>
  /**
   * Runs queries together, in one call to a server and in one transaction: all or none take effect.
   * @param mode `write` if one of them writes
   * @throws {AppError} `database_failed`
   */
  together<const Items extends Together>(
    mode: 'read' | 'write',
    make: (queries: Queries) => Items,
  ): Promise<BatchResponse<Items>>
  /**
   * Runs one write transaction. It takes effect as a whole or not at all. The number of rows that a statement has written
   * is known only from those that it returns.
   * @param work is given a function too that asks several queries of the transaction together
   * @throws {AppError} `database_failed`, and what `work` throws
   */
  write<T>(work: (queries: Queries, ask: Ask) => Promise<T>): Promise<T>
  /** Also removes deleted data from the write-ahead log of a local database. A server does this on its own schedule. */
  scrub(): Promise<void>
}

/** By its name: the class is in a module that loads the client of database servers too. */
const isEngineError = (cause: Error): cause is LibsqlError => /^Libsql(Batch)?Error$/.test(cause.name)

/** The engine's own error behind an error of the query builder. Its text names tables and columns, never values. */
function findEngineError(error: unknown): LibsqlError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isEngineError(cause)) return cause
  }
  return null
}

const duplicate = 'duplicate key'

/** Whether a write failed because a row with the same key exists. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'database_failed' && error.message === duplicate

/** The query builder puts values into its messages, so only the engine's own text is passed on. */
function redactError(error: unknown): unknown {
  if (error instanceof AppError || error instanceof UnknownCountError) return error
  const cause = findEngineError(error)
  const text = cause ? `${cause.code}: ${cause.message}` : 'the database did not answer'
  const isUnique = /UNIQUE|PRIMARYKEY/.test(text) || /UNIQUE|PRIMARYKEY/.test(cause?.extendedCode ?? '')
  return new AppError('database_failed', isUnique ? duplicate : 'a query failed', { cause: new Error(text) })
}

async function redactErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw redactError(error)
  }
}

/** Milliseconds before each retry of a transaction that found the database locked. */
const busyDelaysMs = [100, 400, 1600]

/** Retries while another process writes. A transaction that finds the database locked has changed nothing. */
async function retryOnBusy<T>(work: () => Promise<T>): Promise<T> {
  for (const delayMs of busyDelaysMs) {
    try {
      return await work()
    } catch (error) {
      if (!findEngineError(error)?.code.startsWith('SQLITE_BUSY')) throw error
    }
    await pause(delayMs)
  }
  return work()
}

export interface DatabaseOptions {
  /**
   * Whether writes of this process run one after the other: the embedded engine rejects a second writer at once, a server
   * the 129th. Not where the one who waits may outlive the one who is waited for.
   */
  isOneAtATime?: boolean
}

/** Adapts a client of the embedded engine or of a server to `Database`. */
export function openDatabase(
  client: Client,
  isLocal: boolean,
  { isOneAtATime = true }: DatabaseOptions = {},
): Database {
  const queries = openQueries(client)
  const writeLocally = <T>(work: Work<T>) =>
    queries.transaction(async (inner) => {
      for (const statement of eachTransaction) await inner.run(sql.raw(statement))
      return work(inner, oneByOne)
    })
  const writer = new Mutex()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => (isOneAtATime ? writer.run(work) : work())
  const write = <T>(work: Work<T>) =>
    inTurn(() =>
      redactErrors(() => retryOnBusy(() => (isLocal ? writeLocally(work) : writeRemotely(client, work)))),
    )
  return {
    isLocal,
    read: (work) => redactErrors(() => work(queries)),
    async together(mode, make) {
      if (mode === 'read') return redactErrors(() => queries.batch(make(queries)))
      const first = isLocal ? eachTransaction : []
      return inTurn(() => redactErrors(() => retryOnBusy(() => writeTogether(client, make, first))))
    },
    write,
    async scrub() {
      if (isLocal)
        await writer.run(() => redactErrors(() => queries.run(sql`pragma wal_checkpoint(truncate)`)))
    },
  }
}

/**
 * Without this setting the engine leaves deleted rows in the file. It applies to one connection, and each transaction may get a
 * new one.
 */
const eachTransaction = ['pragma secure_delete = on']

type Work<T> = (queries: Queries, ask: Ask) => Promise<T>

const oneByOne: Ask = async <const Items extends Together>(items: Items) => {
  const answers: unknown[] = []
  for (const item of items) answers.push(await (item as unknown as Promise<unknown>))
  return answers as BatchResponse<Items>
}
