import { createSocket, type Socket } from 'node:dgram'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openResolver } from '../../../src/platform/server-names.ts'

const headerBytes = 12
const answerTo = 0x8180
const typeA = 1
const servfail = 2
const nxdomain = 3

/** A DNS server with one IPv4 address for all names except those that start with `silent`, `failing` or `missing`. */
function answerOf(question: Buffer): Buffer | null {
  let end = headerBytes
  while (question[end] !== 0) end += question[end]! + 1
  const name = question.toString('latin1', headerBytes + 1)
  if (name.startsWith('silent')) return null
  const rcode = name.startsWith('failing') ? servfail : name.startsWith('missing') ? nxdomain : 0
  const isA = question.readUInt16BE(end + 1) === typeA
  const header = Buffer.from(question.subarray(0, headerBytes))
  header.writeUInt16BE(answerTo | rcode, 2)
  if (rcode > 0) return Buffer.concat([header, question.subarray(headerBytes, end + 5)])
  header.writeUInt16BE(isA ? 1 : 0, 6)
  header.writeUInt32BE(0, 8)
  // The name by its place in the question, type A, class IN, 60 s, four bytes.
  const record = Buffer.of(0xc0, headerBytes, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4, 8, 8, 4, 4)
  return Buffer.concat([header, question.subarray(headerBytes, end + 5), ...(isA ? [record] : [])])
}

describe('names', () => {
  let server: Socket
  let resolve: (name: string) => Promise<string[]>

  beforeAll(async () => {
    server = createSocket('udp4')
    server.on('message', (question, { port, address }) => {
      const answer = answerOf(question)
      if (answer) server.send(answer, port, address)
    })
    await new Promise<void>((bound) => server.bind(0, '127.0.0.1', bound))
    resolve = openResolver([`127.0.0.1:${server.address().port}`])
  })

  afterAll(() => void server.close())

  it('names are resolved, and files read, while a hundred lookups are silent', async () => {
    const silent = Array.from({ length: 100 }, (_, i) => resolve(`silent${i}.example.com`).catch(() => []))
    const start = performance.now()
    expect(await resolve('hooks.example.com')).toEqual(['8.8.4.4'])
    await readFile(import.meta.filename)
    expect(performance.now() - start).toBeLessThan(2000)
    expect((await Promise.all(silent)).flat()).toEqual([])
    expect(performance.now() - start).toBeLessThan(8000)
  })

  it('a name that does not exist has no address; one that DNS does not answer for is a failure', async () => {
    expect(await resolve('missing.example.com')).toEqual([])
    await expect(resolve('failing.example.com')).rejects.toThrow()
    await expect(resolve('silent.example.com')).rejects.toThrow()
  })

  it('names in the hosts file are resolved from it', async () => {
    expect(await resolve('localhost')).toContain('127.0.0.1')
  })
})
