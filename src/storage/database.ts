/** The database: reads side by side, write transactions one after the other where the engine has one writer. */
import { type Client, LibsqlError } from '@libsql/client/web'
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
}

/** The engine's own error behind what the query builder throws; its text names tables and columns, never values. */
function engineError(error: unknown): LibsqlError | null {
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
function withoutValues(error: unknown): unknown {
  if (error instanceof AppError || error instanceof TypeError) return error
  const cause = engineError(error)
  const text = cause ? `${cause.code}: ${cause.message}` : 'the database did not answer'
  const isUnique = /UNIQUE|PRIMARYKEY/.test(text) || /UNIQUE|PRIMARYKEY/.test(cause?.extendedCode ?? '')
  return new AppError('database_failed', isUnique ? duplicate : '', { cause: new Error(text) })
}

async function cleaned<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw withoutValues(error)
  }
}

/** Runs work one at a time; what fails rejects its own caller and nobody else's. */
function inTurn() {
  let tail: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = tail.then(work)
    tail = result.catch(() => {})
    return result
  }
}

/** Puts a client of the embedded engine or of a server under the interface. */
export function openDatabase(client: Client, isLocal: boolean): Database {
  const queries = drizzle(client)
  const write = <T>(work: (queries: Queries) => Promise<T>) =>
    cleaned(() => queries.transaction((inner) => work(inner)))
  // The embedded engine answers a second writer with an error at once.
  const turn = inTurn()
  return {
    isLocal,
    read: (work) => cleaned(() => work(queries)),
    write: (work) => (isLocal ? turn(() => write(work)) : write(work)),
  }
}
