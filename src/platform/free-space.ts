import { statfs } from 'node:fs/promises'

/** Space on the disk of a folder. */
export interface FreeSpace {
  /** What is free for this user. */
  bytes: number
  /** Whether an operator should look. */
  isLow: boolean
}

const bytesMin = 2 ** 30

/** @throws {Error} if the folder does not exist, or the runtime may not tell */
export async function readFreeSpace(folder: string): Promise<FreeSpace> {
  const { bavail, bsize } = await statfs(folder)
  const bytes = bavail * bsize
  return { bytes, isLow: bytes < bytesMin }
}
