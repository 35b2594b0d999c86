/** The database: concurrent reads, and write transactions one at a time, since the engine has a single writer. */
import { type Client, LibsqlError } from '@libsql/client/web'
import { sql } from 'drizzle-orm'
import type { LibSQLDatabase } from 'drizzle-orm/libsql'
import { drizzle } from 'drizzle-orm/libsql/web'
import { AppError } from '../errors.ts'
import { Mutex } from '../queue/mutex.ts'
import { pause } from '../queue/timers.ts'

/** The query builder, inside or outside of a transaction. */
export type Queries = Pick<
  LibSQLDatabase,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | 'all' | 'run' | 'get'
>

export interface Database {
  /** Whether the database is a file that only this process uses. */
  isLocal: boolean
  /** @throws {AppError} `database_failed` */
  read<T>(work: (queries: Queries) => Promise<T>): Promise<T>
  /**
   * Runs one write transaction. It takes effect as a whole or not at all.
   * @throws {AppError} `database_failed`, and what `work` throws
   */
  write<T>(work: (queries: Queries) => Promise<T>): Promise<T>
  /** Also removes deleted data from the write-ahead log of a local database. A server does this on its own schedule. */
  scrub(): Promise<void>
}

/** The engine's own error behind an error of the query builder. Its text names tables and columns, never values. */
function findEngineError(error: unknown): LibsqlError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof LibsqlError) return cause
  }
  return null
}

const duplicate = 'duplicate key'

/** Whether a write failed because a row with the same key exists. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'database_failed' && error.message === duplicate

/** The query builder puts values into its messages, so only the engine's own text is passed on. */
function redactError(error: unknown): unknown {
  if (error instanceof AppError || error instanceof TypeError) return error
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

/** Adapts a client of the embedded engine or of a server to `Database`. */
export function openDatabase(client: Client, isLocal: boolean): Database {
  const queries = drizzle(client)
  const write = <T>(work: (queries: Queries) => Promise<T>) =>
    redactErrors(() =>
      retryOnBusy(() =>
        queries.transaction(async (inner) => {
          // Without this setting the engine leaves deleted rows in the file. It applies to one connection, and each
          // transaction may get a new one.
          if (isLocal) await inner.run(sql`pragma secure_delete = on`)
          return work(inner)
        }),
      ),
    )
  // The embedded engine rejects a second concurrent writer at once; a server rejects the 129th.
  const writer = new Mutex()
  return {
    isLocal,
    read: (work) => redactErrors(() => work(queries)),
    write: (work) => writer.run(() => write(work)),
    async scrub() {
      if (isLocal)
        await writer.run(() => redactErrors(() => queries.run(sql`pragma wal_checkpoint(truncate)`)))
    },
  }
}
