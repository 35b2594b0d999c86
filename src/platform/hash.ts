/** Hashes of files, as lower-case hexadecimal text. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

export const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex')

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** The hash of a file, which is read in pieces; `null` if it cannot be read. */
export async function sha256OfFile(file: string): Promise<string | null> {
  const hash = createHash('sha256')
  try {
    for await (const piece of createReadStream(file)) hash.update(piece)
  } catch {
    return null
  }
  return hash.digest('hex')
}
