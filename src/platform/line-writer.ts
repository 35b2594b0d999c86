/** Writes the lines of the log. A disk that is full, or a reader that has stopped or gone, must neither end the server nor hold it. */
import { fstatSync, writeSync } from 'node:fs'

const standardOutput = 1
/** Bytes that may wait for a reader; beyond them lines are lost, or the memory would grow. */
const waitingBytesMax = 2 ** 20

/** Writes bytes from an offset, at once; returns how many, at least one. It throws if nothing can be written. */
type WriteBytes = (bytes: Uint8Array, from: number) => number

/** The part of a stream that is written to. */
interface LineStream {
  readonly writable: boolean
  /** Number of bytes that wait for the reader. */
  readonly writableLength: number
  write(bytes: Uint8Array): unknown
  on(event: 'error', listener: () => void): unknown
}

/** Writes to a stream as long as somebody reads it. */
export function toStream(stream: LineStream): WriteBytes {
  // Unheard, this would end the process. A reader that has gone does not come back.
  stream.on('error', () => {})
  return (bytes, from) => {
    if (!stream.writable || stream.writableLength > waitingBytesMax) throw new Error('nobody reads the log')
    stream.write(bytes.subarray(from))
    return bytes.length - from
  }
}

/**
 * A file is written directly: after its first error, such as that of a full disk, the stream of the runtime writes nothing any
 * more. Anything else has a reader, and writing to it directly would wait for him, as Deno's stream does.
 */
const openStandardOutput = (): WriteBytes =>
  fstatSync(standardOutput).isFile()
    ? (bytes, from) => writeSync(standardOutput, bytes, from)
    : toStream(process.stdout)

/** Writes bytes as far as that is possible. @returns how many */
function writeSome(bytes: Uint8Array, write: WriteBytes): number {
  let at = 0
  try {
    while (at < bytes.length) at += write(bytes, at)
  } catch {
    // Whoever logs cannot help it.
  }
  return at
}

/**
 * Returns a function that writes a line and never throws. Lines that cannot be written are lost; the next one that can be is
 * preceded by their number.
 */
export function lineWriter(nowMs: () => number, write = openStandardOutput()): (line: string) => void {
  const encoder = new TextEncoder()
  let lost = 0
  let isCut = false
  const describeLost = (): string => {
    if (lost === 0) return ''
    const time = new Date(nowMs()).toISOString()
    const note = JSON.stringify({ time, level: 'warn', event: 'log lines lost', count: lost })
    return `${isCut ? '\n' : ''}${note}\n`
  }
  return (line) => {
    const bytes = encoder.encode(`${describeLost()}${line}\n`)
    const written = writeSome(bytes, write)
    if (written === bytes.length) {
      lost = 0
      isCut = false
    } else {
      lost++
      isCut ||= written > 0
    }
  }
}
