/** Writes the lines of the log. A disk that is full, or a reader that has gone, must not end the server. */
import { writeSync } from 'node:fs'

const standardOutput = 1
/** A pipe that is not read for so long loses lines: whoever waits for it keeps all callers waiting. */
const waitMaxMs = 100
const pauseMs = 2

/** Writes bytes from an offset, at once; returns how many. It throws as `writeSync` does. */
export type WriteBytes = (bytes: Uint8Array, from: number) => number

const toStandardOutput: WriteBytes = (bytes, from) => writeSync(standardOutput, bytes, from)

const sleeper = new Int32Array(new SharedArrayBuffer(4))

/** Writes bytes as far as that is possible. @returns how many */
function writeSome(bytes: Uint8Array, write: WriteBytes): number {
  let waitedMs = 0
  let at = 0
  while (at < bytes.length) {
    try {
      at += write(bytes, at)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || waitedMs >= waitMaxMs) return at
      Atomics.wait(sleeper, 0, 0, pauseMs)
      waitedMs += pauseMs
    }
  }
  return at
}

/**
 * Returns a function that writes a line and never throws. Lines that cannot be written are lost; the next one that can be is
 * preceded by their number.
 *
 * The stream of the runtime does not do: after its first error it writes nothing any more, and some runtimes end the process.
 */
export function lineWriter(
  nowMs: () => number,
  write: WriteBytes = toStandardOutput,
): (line: string) => void {
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
