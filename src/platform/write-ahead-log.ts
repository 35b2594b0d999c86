/** Reads the write-ahead log of a local database. Format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
import { type FileHandle, open, stat } from 'node:fs/promises'
import type { WriteAheadLog } from '../storage/scrubber.ts'

const headerBytes = 32
const frameHeaderBytes = 24
const framesAtOnce = 256

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

async function read(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
  return buffer.subarray(0, bytesRead)
}

/** @param file path of the database */
export function openWriteAheadLog(file: string): WriteAheadLog {
  const name = `${file}-wal`
  /** The salts of the log, which change when it begins anew, and the end of the last transaction that was read. */
  let known = { salts: '', end: headerBytes }

  async function readFrames(log: FileHandle): Promise<number[]> {
    const header = await read(log, 0, headerBytes)
    if (header.length < headerBytes) return []
    const frameBytes = frameHeaderBytes + header.readUInt32BE(8)
    const salts = header.toString('hex', 16, 24)
    if (salts !== known.salts) known = { salts, end: headerBytes }
    const pages: number[] = []
    for (let at = known.end; ; ) {
      const chunk = await read(log, at, framesAtOnce * frameBytes)
      const frames = Math.floor(chunk.length / frameBytes)
      for (let frame = 0; frame < frames; frame++) {
        const start = frame * frameBytes
        // What follows is left of an earlier log.
        if (chunk.toString('hex', start + 8, start + 16) !== salts) return pages
        pages.push(chunk.readUInt32BE(start))
        at += frameBytes
        // Only the last page of a transaction tells the size of the database. What follows the last one may be written over.
        if (chunk.readUInt32BE(start + 4) !== 0) known.end = at
      }
      if (frames < framesAtOnce) return pages
    }
  }

  return {
    async size() {
      try {
        return (await stat(name)).size
      } catch (error) {
        if (isMissing(error)) return 0
        throw error
      }
    },
    async newPages() {
      let log: FileHandle
      try {
        log = await open(name, 'r')
      } catch (error) {
        if (isMissing(error)) return []
        throw error
      }
      try {
        return await readFrames(log)
      } finally {
        await log.close()
      }
    },
  }
}
