/** A folder whose personal data was removed accepts nothing new. */
import { eq, type SQL } from 'drizzle-orm'
import { AppError } from '../../errors.ts'
import type { Queries } from '../database.ts'
import { folders } from '../schema.ts'

/** Rolls back the transaction it is called in. */
export function refuseCleared(): never {
  throw new AppError('not_allowed', 'Personal data of the folder was removed')
}

/** @throws {AppError} `not_allowed` if personal data of the folder was removed */
export async function requireUncleared(queries: Queries, folderNumber: SQL): Promise<void> {
  const [row] = await queries
    .select({ isCleared: folders.isCleared })
    .from(folders)
    .where(eq(folders.number, folderNumber))
  if (row?.isCleared) refuseCleared()
}
