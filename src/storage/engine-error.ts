import type { LibsqlError } from '@libsql/client'

/** By its name: the class is in a module that loads the client of database servers too. */
const isEngineError = (cause: Error): cause is LibsqlError => /^Libsql(Batch)?Error$/.test(cause.name)

/** The engine's own error behind an error of the query builder. Its text names tables and columns, never values. */
export function findEngineError(error: unknown): LibsqlError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isEngineError(cause)) return cause
  }
  return null
}

/** Whether another process uses the database, or its connections have just been replaced: the same may succeed later. */
export const isBusy = (error: unknown): boolean =>
  /^(?:SQLITE_BUSY|CLIENT_CLOSED)/.test(findEngineError(error)?.code ?? '')
