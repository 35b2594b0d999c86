import { statfs } from 'node:fs/promises'

import type { FreeSpace } from './platform.ts'

const bytesMin = 2 ** 30

/** @throws {Error} if the folder does not exist, or the runtime may not tell */
export async function readFreeSpace(folder: string): Promise<FreeSpace> {
  const { bavail, bsize } = await statfs(folder)
  const bytes = bavail * bsize
  return { bytes, isLow: bytes < bytesMin }
}
