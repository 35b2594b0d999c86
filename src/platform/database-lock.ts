/** Keeps a second process off a local database file. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import type { Client, Config } from '@libsql/client'
import { AppError } from '../errors.ts'
import { toFileAddress } from './file-address.ts'
import { makePrivateFile } from './private-file.ts'

export interface DatabaseLock {
  release(): void
}

const isBusy = (error: unknown): boolean =>
  String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')

/** Where a file is, or will be: links to it share its lock. */
const followLinks = (file: string): Promise<string> =>
  realpath(file).catch(async () => path.join(await realpath(path.dirname(file)), path.basename(file)))

/**
 * Locks a database file for this process. The lock is an open write transaction on the empty database `FILE.lock`: the
 * operating system releases it when the process ends, however it ends. The database file itself is not touched, so backups
 * and other readers can open it.
 * @param file path of the database, whose folder exists
 * @throws {AppError} `database_failed` if another process holds the lock
 */
export async function lockDatabaseFile(
  file: string,
  createClient: (config: Config) => Client,
): Promise<DatabaseLock> {
  const lockFile = `${await followLinks(file)}.lock`
  await makePrivateFile(lockFile)
  const client = createClient({ url: toFileAddress(lockFile) })
  try {
    const transaction = await client.transaction('write')
    return {
      release() {
        transaction.close()
        client.close()
      },
    }
  } catch (cause) {
    client.close()
    if (!isBusy(cause)) throw cause
    const message = `The database ${path.resolve(file)} is used by another process: stop that one, or set another DATA_DIR (several servers share a libSQL server: set DATABASE_URL)`
    throw new AppError('database_failed', message, { cause })
  }
}
