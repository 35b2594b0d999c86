import { closeSync, openSync, writeSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { lineWriter, toStream } from '../../../src/platform/line-writer.ts'

const nowMs = () => Date.UTC(2030, 0, 1)
const failure = (code: string) => Object.assign(new Error(code), { code })

it('a full disk costs lines and nothing else, and the log says how many', () => {
  const written: string[] = []
  let fault: Error | null = failure('ENOSPC')
  const write = lineWriter(nowMs, (bytes, from) => {
    if (fault) throw fault
    written.push(new TextDecoder().decode(bytes.subarray(from)))
    return bytes.length - from
  })
  write('one')
  fault = failure('EPIPE')
  write('two')
  fault = null
  write('three')
  write('four')
  const note = { time: '2030-01-01T00:00:00.000Z', level: 'warn', event: 'log lines lost', count: 2 }
  expect(written).toEqual([`${JSON.stringify(note)}\nthree\n`, 'four\n'])
})

it('a line that was cut ends before the next one', () => {
  let written = ''
  let space = 5
  const write = lineWriter(nowMs, (bytes, from) => {
    const part = bytes.subarray(from, from + space)
    if (part.length === 0) throw failure('ENOSPC')
    space -= part.length
    written += new TextDecoder().decode(part)
    return part.length
  })
  write('a long line')
  space = 1000
  write('next')
  const [cut, note, next, end] = written.split('\n')
  expect([cut, JSON.parse(note!).count, next, end]).toEqual(['a lon', 1, 'next', ''])
})

it('a reader that has stopped costs lines, and holds nobody', () => {
  const stream = new PassThrough()
  const write = lineWriter(nowMs, toStream(stream))
  for (let i = 0; i < 3000; i++) write('x'.repeat(1000))
  expect(stream.readableLength + stream.writableLength).toBeLessThan(2 ** 20 + 100_000)
  const seen: string = stream.read().toString()
  expect(seen).not.toContain('lost')
  stream.resume()
  write('next')
  stream.destroy(failure('EPIPE'))
  write('after')
})

it.skipIf(process.platform !== 'linux')('does not throw on a device without space', () => {
  const device = openSync('/dev/full', 'w')
  lineWriter(nowMs, (bytes, from) => writeSync(device, bytes, from))('lost')
  closeSync(device)
})
