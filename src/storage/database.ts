/** The database: reads side by side, write transactions one after the other, since the engine has one writer. */
import { type Client, LibsqlError } from '@libsql/client/web'
import { sql } from 'drizzle-orm'
import type { LibSQLDatabase } from 'drizzle-orm/libsql'
import { drizzle } from 'drizzle-orm/libsql/web'
import { AppError } from '../errors.ts'

/** What queries are written on, inside or outside of a transaction. */
export type Queries = Pick<
  LibSQLDatabase,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | 'all' | 'run' | 'get'
>

export interface Database {
  /** Whether the file is this process's own, so that nobody else can be at work in it. */
  isLocal: boolean
  /** @throws {AppError} `database_failed` */
  read<T>(work: (queries: Queries) => Promise<T>): Promise<T>
  /**
   * Runs one write transaction: all of it or nothing.
   * @throws {AppError} `database_failed`, and what `work` throws
   */
  write<T>(work: (queries: Queries) => Promise<T>): Promise<T>
  /** Takes what was removed out of the files beside the database as well; a server does so in its own time. */
  scrub(): Promise<void>
}

/** The engine's own error behind what the query builder throws; its text names tables and columns, never values. */
function findEngineError(error: unknown): LibsqlError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof LibsqlError) return cause
  }
  return null
}

const duplicate = 'duplicate key'

/** Whether a write failed since a row of its key was there already. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'database_failed' && error.message === duplicate

/** Query builders put values into their messages, so that only the engine's own words may travel on. */
function redactError(error: unknown): unknown {
  if (error instanceof AppError || error instanceof TypeError) return error
  const cause = findEngineError(error)
  const text = cause ? `${cause.code}: ${cause.message}` : 'the database did not answer'
  const isUnique = /UNIQUE|PRIMARYKEY/.test(text) || /UNIQUE|PRIMARYKEY/.test(cause?.extendedCode ?? '')
  return new AppError('database_failed', isUnique ? duplicate : '', { cause: new Error(text) })
}

async function redactErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw redactError(error)
  }
}

/** Runs work one at a time; what fails rejects its own caller and nobody else's. */
function serialize() {
  let tail: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = tail.then(work)
    tail = result.catch(() => {})
    return result
  }
}

/** Milliseconds before each new try at a transaction that others were in the way of. */
const busyDelaysMs = [100, 400, 1600]

/** Tries again where another process was writing: then nothing was done yet. */
async function retryOnBusy<T>(work: () => Promise<T>): Promise<T> {
  for (const delayMs of busyDelaysMs) {
    try {
      return await work()
    } catch (error) {
      if (!findEngineError(error)?.code.startsWith('SQLITE_BUSY')) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, delayMs))
  }
  return work()
}

/** Puts a client of the embedded engine or of a server under the interface. */
export function openDatabase(client: Client, isLocal: boolean): Database {
  const queries = drizzle(client)
  const write = <T>(work: (queries: Queries) => Promise<T>) =>
    redactErrors(() =>
      retryOnBusy(() =>
        queries.transaction(async (inner) => {
          // Without it the engine leaves removed rows in the file. It holds for one connection, and each transaction may
          // get a new one.
          if (isLocal) await inner.run(sql`pragma secure_delete = on`)
          return work(inner)
        }),
      ),
    )
  // The embedded engine answers a second writer with an error at once, a server the 129th.
  const turn = serialize()
  return {
    isLocal,
    read: (work) => redactErrors(() => work(queries)),
    write: (work) => turn(() => write(work)),
    async scrub() {
      if (isLocal) await turn(() => redactErrors(() => queries.run(sql`pragma wal_checkpoint(truncate)`)))
    },
  }
}
