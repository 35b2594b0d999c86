/** Bounds the memory of decoders of the HEIF family: the coded data may hold a larger picture than their header says. */
import { HeaderCursor, threadBudget } from '../../header-cursor.ts'
import type { HeifCoding } from './heif-coding.ts'
import { readHeifHeader } from './heif-header.ts'

/** What decoders take for a picture without pixels, several times over. */
const baseBytes = 64 * 2 ** 20
/** Of each pixel: 7 to 15 bytes are measured in 4:2:0, and up to 24 in 4:4:4 of 10 bits. */
const pixelBytes = 28

/** Bytes that a decoder may have for a file. */
export function heifMemoryMax(bytes: Uint8Array, coding: HeifCoding): number {
  const { width, height } = readHeifHeader(new HeaderCursor(bytes, threadBudget()), coding)
  return baseBytes + 2 * bytes.length + pixelBytes * width * height
}
