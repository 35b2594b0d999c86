import { closeSync, openSync, writeSync } from 'node:fs'
import { expect, it } from 'vitest'
import { lineWriter } from '../../../src/platform/line-writer.ts'

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

it('writes what a pipe takes in parts, and waits a moment for its reader', () => {
  let written = ''
  let calls = 0
  const write = lineWriter(nowMs, (bytes, from) => {
    if (++calls % 2 === 0) throw failure('EAGAIN')
    const part = bytes.subarray(from, from + 3)
    written += new TextDecoder().decode(part)
    return part.length
  })
  write('a long line')
  expect(written).toBe('a long line\n')
})

it.skipIf(process.platform !== 'linux')('does not throw on a device without space', () => {
  const device = openSync('/dev/full', 'w')
  lineWriter(nowMs, (bytes, from) => writeSync(device, bytes, from))('lost')
  closeSync(device)
})
