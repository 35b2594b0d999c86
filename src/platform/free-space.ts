import { statfs } from 'node:fs/promises'
import type { Settings } from '../settings.ts'
import { isFileAddress } from './file-address.ts'
import type { FreeSpace } from './platform.ts'
import { resolveAddress } from './server-database.ts'

/** An operator should look. */
const enoughBytes = 2 ** 30
/** What a server with callers fills within minutes. The database needs some of it to remove anything. */
const scarceBytes = 128 * 2 ** 20
/** Less of a small disk, which might never have as much. */
const scarceShare = 0.05

/** @returns null if the file system tells no size */
export const judgeSpace = (bytes: number, diskBytes: number): FreeSpace | null =>
  diskBytes === 0
    ? null
    : {
        bytes,
        isLow: bytes < enoughBytes,
        isScarce: bytes < Math.min(scarceBytes, scarceShare * diskBytes),
      }

/** @returns null if the folder does not exist, or the runtime or the file system do not tell */
export async function readFreeSpace(folder: string): Promise<FreeSpace | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    return judgeSpace(bavail * bsize, blocks * bsize)
  } catch {
    return null
  }
}

/** Whether a server with these settings keeps its database or media on a disk. */
export const keepsOnDisk = (settings: Settings): boolean =>
  settings.components.stateful && (settings.s3Endpoint === '' || isFileAddress(resolveAddress(settings)))
