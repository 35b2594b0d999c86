import net from 'node:net'
import { pause } from '../../../src/queue/timers.ts'
import { portrait } from '../../../test/fixtures/portraits.ts'
import { addressOf, form } from './call.ts'
import type { Scenario } from './scenario.ts'

/** Callers at a time. */
const callers = 40
/** What the server may keep of it afterwards, in MB: after a sample 12 to 53 were measured, after 11,000 callers 80 to 184, and no more after 33,000. */
const keptMaxMegabytes = { sample: 100, all: 230 }
const restMs = 6000

interface Sent {
  head: string
  body: Uint8Array
}

const post = (path: string, type: string, body: Uint8Array, length = body.length, token = ''): Sent => ({
  head: `POST ${path} HTTP/1.1\r\nHost: a.test\r\n${token}Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`,
  body,
})

const get = (path: string): Sent => ({
  head: `GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`,
  body: new Uint8Array(0),
})

/** Requests that are refused before their body is read, after it, and not at all. */
async function requests(): Promise<Sent[]> {
  const photo = await portrait('redhead')
  const { body, headers } = form({ photo }, '{"analyses": [{"type": "quality"}]}')
  const type = headers['Content-Type']!
  const large = new Uint8Array(2 ** 20)
  return [
    post('/api/folders/', type, large),
    // Refused only when the database has answered.
    post('/api/folders/', type, large, large.length, 'X-Forensic-Access-Token: unknown\r\n'),
    post('/api/nothing/', 'application/json', large),
    post('/api/instant/folders/', type, large, 2 ** 32),
    post('/api/instant/folders/', 'text/plain', large),
    post('/api/instant/folders/', type, body),
    post('/api/authorize/auth', 'application/json', new TextEncoder().encode('{"credentials": {}}')),
    post('/v1/face/liveness/detect', 'image/jpeg', photo),
    post('/v1/face/liveness/detect', 'image/jpeg', large, 2 ** 32),
    get('/openapi.json'),
    get('/client/vivace.js'),
  ]
}

/** When a caller leaves: within the head, after it, within the body, after its request, with the first bytes of the answer. */
const moments = ['half head', 'head', 'body', 'request', 'answer'] as const
const answerMaxMs = 5000

/** @param isReset whether the connection ends by RST instead of FIN */
function leave(
  url: URL,
  { head, body }: Sent,
  moment: (typeof moments)[number],
  isReset: boolean,
  from: string,
) {
  return new Promise<void>((resolve) => {
    const socket = net.connect({ port: Number(url.port), host: url.hostname, localAddress: from })
    const go = () => (isReset ? socket.resetAndDestroy() : socket.destroy())
    socket.on('close', () => resolve())
    socket.on('error', () => {})
    socket.setTimeout(answerMaxMs, go)
    if (moment === 'answer') socket.once('data', go)
    socket.once('connect', () => {
      if (moment === 'half head') return socket.write(head.slice(0, head.length >> 1), go)
      if (moment === 'head') return socket.write(head, go)
      socket.write(head)
      if (moment === 'body') return socket.write(body.subarray(0, body.length >> 1), go)
      return socket.write(body, moment === 'request' ? go : undefined)
    })
  })
}

/** Callers that leave at every moment of every kind of request. */
export const disconnects: Scenario = async (address, tools) => {
  const url = new URL(address)
  const sent = await requests()
  const ways = sent.flatMap((request) =>
    moments.flatMap((moment) => [true, false].map((isReset) => ({ request, moment, isReset }))),
  )
  let left = 0
  const leaveAll = (rounds: number) => {
    const caller = async (number: number) => {
      for (let i = number; i < rounds * ways.length; i += callers) {
        const { request, moment, isReset } = ways[i % ways.length]!
        await leave(url, request, moment, isReset, addressOf(number))
        left++
      }
    }
    return Promise.all(Array.from({ length: callers }, (_, number) => caller(number)))
  }
  // What a server takes for its first requests, it takes once.
  await leaveAll(1)
  const before = await tools.memoryMegabytes()
  const honest = await tools.whileHonest(() => leaveAll(tools.isSample ? 3 : 99))
  await pause(restMs)
  const keptMegabytes = Math.round((await tools.memoryMegabytes()) - before)
  const keptMax = tools.isSample ? keptMaxMegabytes.sample : keptMaxMegabytes.all
  const isRunning = tools.service.server.process.exitCode === null
  return {
    name: 'callers that disconnect',
    isHeld: isRunning && honest.refused === 0 && keptMegabytes <= keptMax,
    isInTime: tools.isServedInTimeBesideCrowd(honest),
    facts: { left, honest, keptMegabytes },
  }
}
