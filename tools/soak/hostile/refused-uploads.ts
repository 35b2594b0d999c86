import { setMaxListeners } from 'node:events'
import net from 'node:net'
import { pause } from '../../../src/queue/timers.ts'
import type { Scenario } from './scenario.ts'

const senders = 40
/** Twice the longest body that is accepted, and what the systems on both sides buffer. */
const sentMax = (3 * 24 + 16) * 2 ** 20
const piece = new Uint8Array(2 ** 16)

/** Sends a body without end on a connection that is to be closed. @returns bytes that were taken */
function sendOn(url: URL, signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    let sent = 0
    const socket = net.connect({ port: Number(url.port), host: url.hostname, allowHalfOpen: true })
    const stop = () => socket.destroy()
    signal.addEventListener('abort', stop, { once: true })
    const send = (): void => {
      while (!socket.destroyed) {
        sent += piece.length
        if (!socket.write(piece)) return
      }
    }
    socket.on('drain', send).on('error', () => {})
    socket.resume().on('close', () => {
      signal.removeEventListener('abort', stop)
      resolve(sent)
    })
    socket.write(
      'POST /nowhere HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\nContent-Length: 99999999999\r\n\r\n',
      send,
    )
  })
}

/** Callers who are refused at once, and go on sending. */
export const refusedUploads: Scenario = async (url, tools) => {
  const [restMegabytes, signal] = [
    await tools.memoryMegabytes(),
    AbortSignal.timeout(tools.isSample ? 4000 : 12_000),
  ]
  // One listener for each connection.
  setMaxListeners(0, signal)
  const taken: number[] = []
  let mostMegabytes = 0
  const honest = await tools.whileHonest(async () => {
    const again = async (): Promise<void> => {
      while (!signal.aborted) taken.push(await sendOn(new URL(url), signal))
    }
    const watch = async (): Promise<void> => {
      for (; !signal.aborted; await pause(200))
        mostMegabytes = Math.max(mostMegabytes, await tools.memoryMegabytes())
    }
    await Promise.all([watch(), ...Array.from({ length: senders }, again)])
  })
  const longest = Math.max(...taken)
  const grownMegabytes = Math.round(mostMegabytes - restMegabytes)
  return {
    name: 'refused callers who go on sending',
    isHeld: honest.refused === 0 && longest <= sentMax && grownMegabytes <= 200,
    isInTime: tools.isServedInTimeBesideCrowd(honest),
    facts: { honest, bodies: taken.length, longestMegabytes: Math.round(longest / 2 ** 20), grownMegabytes },
  }
}
