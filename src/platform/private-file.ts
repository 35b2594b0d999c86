/** Files that only the user of the service may read, and folders for them. */
import { lchown, mkdir, open, stat } from 'node:fs/promises'
import path from 'node:path'

export interface Owner {
  uid: number
  gid: number
}

/** The owner of a folder if the super-user, who runs this, is another one. */
export async function otherOwnerOf(folder: string): Promise<Owner | null> {
  if (process.getuid?.() !== 0) return null
  const { uid, gid } = await stat(folder)
  return uid === 0 ? null : { uid, gid }
}

/**
 * Gives files to the owner of a folder, so that the service can use what the super-user made there: a lock, a migrated or a
 * restored database. Others own what they make. A super-user without this right leaves the files as they are. Links are not
 * followed: that owner could have put them there.
 * @param files those in a folder before the folder, whose new owner could replace them
 */
export async function giveToOwnerOf(folder: string, files: Iterable<string>): Promise<void> {
  const owner = await otherOwnerOf(folder)
  if (!owner) return
  for (const file of files) await lchown(file, owner.uid, owner.gid).catch(() => {})
}

/**
 * Makes a folder and those above it that are missing. The `recursive` of Node never ends where a parent is there but answers ENOENT to each
 * new folder, as /proc does. Parents that are there are not looked at: Deno may forbid it.
 */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  const make = () =>
    mkdir(folder, { mode }).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST' || !(await stat(folder)).isDirectory()) throw error
    })
  try {
    await make()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await makeFolder(path.dirname(folder), mode)
    await make()
  }
}

/**
 * Creates an empty file for the owner of its folder alone. An existing file is not even opened: on POSIX, closing it would end
 * all locks that this process has on it.
 */
export async function makePrivateFile(file: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null
    throw error
  })
  if (!handle) return
  try {
    const owner = await otherOwnerOf(path.dirname(file))
    // By its handle: the name may be that of another file meanwhile.
    if (owner) await handle.chown(owner.uid, owner.gid).catch(() => {})
  } finally {
    await handle.close()
  }
}
