/** Hashes of bytes, as lower-case hexadecimal text. */
import { createHash } from 'node:crypto'

export const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex')

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
