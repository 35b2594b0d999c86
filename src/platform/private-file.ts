/** Files that only the user of the service may read. */
import { chown, open, stat } from 'node:fs/promises'
import path from 'node:path'

/**
 * Gives files to the owner of a folder, so that the service can use what the super-user made there: a lock, a migrated or a
 * restored database. Others own what they make. A super-user without this right leaves the files as they are.
 */
export async function giveToOwnerOf(folder: string, files: Iterable<string>): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  if (uid === 0) return
  for (const file of files) await chown(file, uid, gid).catch(() => {})
}

/**
 * Creates an empty file for the owner of its folder alone. An existing file is not even opened: on POSIX, closing it would end
 * all locks that this process has on it.
 */
export async function makePrivateFile(file: string): Promise<void> {
  try {
    await (await open(file, 'wx', 0o600)).close()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    throw error
  }
  await giveToOwnerOf(path.dirname(file), [file])
}
