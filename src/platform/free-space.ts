import { statfs } from 'node:fs/promises'

import type { FreeSpace } from './platform.ts'

/** An operator should look. */
const enoughBytes = 2 ** 30
/** What a server with callers fills within minutes. The database needs some of it to remove anything. */
const scarceBytes = 128 * 2 ** 20

export const judgeSpace = (bytes: number): FreeSpace => ({
  bytes,
  isLow: bytes < enoughBytes,
  isScarce: bytes < scarceBytes,
})

/** @throws {Error} if the folder does not exist, or the runtime may not tell */
export async function readFreeSpace(folder: string): Promise<FreeSpace> {
  const { bavail, bsize } = await statfs(folder)
  return judgeSpace(bavail * bsize)
}
