/** The database: concurrent reads, and write transactions one at a time, since the engine has a single writer. */
import type { Client } from '@libsql/client'
import { sql } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import { AppError, invariant } from '../errors.ts'
import { Mutex } from '../queue/mutex.ts'
import { pause } from '../queue/timers.ts'
import { findEngineError, isBusy } from './engine-error.ts'
import { type Ask, openQueries, type Queries, type Together } from './queries.ts'
import { UnknownCountError, writeRemotely, writeTogether } from './remote-write.ts'
import { Scrubber, type WriteAheadLog } from './scrubber.ts'

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
  /**
   * Overwrites what was removed from a local database, in its file and its log. A server does this on its own schedule, if at all.
   * @returns whether that is done; else another process reads the log, and the next call tries again
   * @throws {AppError} `database_failed`
   */
  scrub(): Promise<boolean>
}

const duplicate = 'duplicate key'

/** Whether a write failed because a row with the same key exists. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'database_failed' && error.message === duplicate

/** The query builder puts values into its messages, so only the engine's own text is passed on. */
function redactError(error: unknown): unknown {
  if (error instanceof AppError || error instanceof UnknownCountError) return error
  const cause = findEngineError(error)
  const unknown = error instanceof SyntaxError ? 'a row is damaged' : 'the database did not answer'
  const text = cause ? `${cause.code}: ${cause.message}` : unknown
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

/**
 * Retries while another process writes. A transaction that finds the database locked has changed nothing.
 * @param onBusy called after each attempt that was refused
 */
async function retryOnBusy<T>(work: () => Promise<T>, onBusy: () => void): Promise<T> {
  for (const delayMs of [...busyDelaysMs, null]) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error)) throw error
      onBusy()
      if (delayMs === null) throw error
      await pause(delayMs)
    }
  }
  invariant(false, 'the last attempt answers or throws')
}

export interface DatabaseOptions {
  /**
   * Whether writes of this process run one after the other: the embedded engine rejects a second writer at once, a server
   * the 129th. Not where the one who waits may outlive the one who is waited for.
   */
  isOneAtATime?: boolean
  /** The log of a local database. */
  log?: WriteAheadLog | null
}

/** Adapts a client of the embedded engine or of a server to `Database`. */
export function openDatabase(
  client: Client,
  isLocal: boolean,
  { isOneAtATime = true, log = null }: DatabaseOptions = {},
): Database {
  const queries = openQueries(client)
  const writeLocally = <T>(work: Work<T>) =>
    queries.transaction(async (inner) => {
      for (const statement of eachTransaction) await inner.run(sql.raw(statement))
      return work(inner, oneByOne)
    })
  // The driver keeps the statement that was refused open on its connection, whose later transactions could then not commit.
  const replaceConnections = () => void (isLocal && client.reconnect())
  const retry = <T>(work: () => Promise<T>) => redactErrors(() => retryOnBusy(work, replaceConnections))
  const writer = new Mutex()
  const scrubber = isLocal ? new Scrubber({ queries, writer, log, replaceConnections }) : null
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const attempt = () => retry(work)
    if (!isOneAtATime) return attempt()
    return writer.run(async () => {
      const result = await attempt()
      // What is committed has succeeded, whatever the log does: the clean-up reports it, and the next write tries again.
      await scrubber?.runIfLong().catch(() => {})
      return result
    })
  }
  const write = <T>(work: Work<T>) =>
    inTurn(() => (isLocal ? writeLocally(work) : writeRemotely(client, work)))
  return {
    isLocal,
    read: (work) => retry(() => work(queries)),
    async together(mode, make) {
      if (mode === 'read') return retry(() => queries.batch(make(queries)))
      const first = isLocal ? eachTransaction : []
      return inTurn(() => writeTogether(client, make, first))
    },
    write,
    scrub: () => redactErrors(async () => scrubber?.run() ?? true),
  }
}

/**
 * Without the first setting the engine leaves deleted rows in the file; with its own checkpoints it would write pages back that are not
 * scrubbed. They apply to one connection, and each transaction may get a new one.
 */
const eachTransaction = ['pragma secure_delete = on', 'pragma wal_autocheckpoint = 0']

type Work<T> = (queries: Queries, ask: Ask) => Promise<T>

const oneByOne: Ask = async <const Items extends Together>(items: Items) => {
  const answers: unknown[] = []
  for (const item of items) answers.push(await (item as unknown as Promise<unknown>))
  return answers as BatchResponse<Items>
}
