/** Files that are there as a whole or not at all, also after a crash. */
import { open, rename, stat, unlink } from 'node:fs/promises'
import path from 'node:path'
import type { Owner } from './private-file.ts'

type Content = Uint8Array | string | Iterable<Uint8Array>

export interface FileRights {
  /** Rights of a new file. */
  mode?: number
  /** Who gets it, where that is allowed; else who writes it. */
  owner?: Owner | null
}

/** Waits until a file, or the names in a folder, would survive a power failure. */
export async function syncToDisk(place: string): Promise<void> {
  // Windows cannot open a folder, and persists names by itself.
  if (process.platform === 'win32' && (await stat(place)).isDirectory()) return
  const handle = await open(place, 'r')
  await handle.sync().finally(() => handle.close())
}

/**
 * Writes a file, and resolves once its bytes would survive a power failure. A failure may leave a part of it.
 * @param flag `wx`: the file must not exist. `w`: it is replaced, and keeps its rights
 */
export async function writeSynced(
  file: string,
  content: Content,
  { mode = 0o666, owner = null, flag = 'wx' }: FileRights & { flag?: 'w' | 'wx' } = {},
): Promise<void> {
  const parts = typeof content === 'string' || content instanceof Uint8Array ? [content] : content
  const handle = await open(file, flag, mode)
  try {
    // By its handle: the name may be that of another file meanwhile.
    if (owner) await handle.chown(owner.uid, owner.gid).catch(() => {})
    for (const part of parts) await handle.writeFile(part)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A name that no other file in a folder has. It starts with a dot. */
export const draftName = (): string => `.${crypto.randomUUID()}.part`
export const isDraftName = (name: string): boolean => name.startsWith('.') && name.endsWith('.part')

/**
 * Writes a file atomically: under another name, which is removed if it fails, and moved to its own when it is complete. Of several
 * writers the last one wins.
 * @param draft the other name, on the same file system; usually one in the same folder
 */
export async function writeWhole(
  file: string,
  content: Content,
  { draft = path.join(path.dirname(file), draftName()), ...rights }: FileRights & { draft?: string } = {},
): Promise<void> {
  try {
    await writeSynced(draft, content, { ...rights, flag: 'w' })
    await rename(draft, file)
  } catch (error) {
    // The first error is the one to report.
    await unlink(draft).catch(() => {})
    throw error
  }
}
