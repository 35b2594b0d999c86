/** Limits the connections of a Node server, idle ones included, and closes them so that answers arrive. */
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { ConcurrencyLimit } from '../identity/concurrency-limit.ts'
import { addressKey, isAmong } from '../network-address.ts'
import { bodyTimeMaxMs, connectionsPerAddress, restBytesMax, type Settings } from '../settings.ts'

/** Milliseconds until the headers of a request must be complete. */
const headersTimeoutMs = 20_000
const lookEveryMs = 5000

/** Timeouts of the server for connections without headers, and for bodies that no handler reads. */
export const connectionTimeouts = {
  headersTimeout: headersTimeoutMs,
  requestTimeout: headersTimeoutMs + bodyTimeMaxMs,
  connectionsCheckingInterval: lookEveryMs,
}

/**
 * Closes connections beyond the limits at once. Connections of trusted proxies have the total limit alone; their requests are
 * counted by the client address that they report.
 */
export function boundConnections(
  server: { on(event: 'connection', take: (socket: Socket) => void): unknown },
  settings: Settings,
): void {
  const limit = new ConcurrencyLimit(settings.connectionsMax, connectionsPerAddress(settings))
  // Each connection of a proxy counts as an address of its own: only the total limit applies to it.
  let ofProxies = 0
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? ''
    const key = isAmong(address, settings.trustedProxies) ? `proxy ${ofProxies++}` : addressKey(address)
    if (!limit.enter(key)) {
      socket.destroy()
      return
    }
    socket.once('close', () => limit.leave(key))
  })
}

/** Closes the writing side at once, and the connection when the rest of the body has come or a limit is reached. */
function linger(socket: Socket, incoming: IncomingMessage, settings: Settings): void {
  const close = () => socket.destroy()
  let bytes = 0
  const late = setTimeout(close, bodyTimeMaxMs)
  socket.once('close', () => clearTimeout(late))
  socket.setTimeout(settings.bodyPauseMaxS * 1000, close)
  incoming.on('data', ({ length }: Uint8Array) => {
    bytes += length
    if (bytes > restBytesMax(settings)) close()
  })
  incoming.once('end', close)
  socket.end()
}

/**
 * Lets connections linger whose last answer was written before the body had come (RFC 9112, 9.6). Node destroys them at once; what
 * still arrives then makes the system reset the connection, and the caller, or the proxy before the server, loses the answer.
 */
export function lingerBeforeClose(
  server: { on(event: 'request', take: (incoming: IncomingMessage) => void): unknown },
  settings: Settings,
): void {
  server.on('request', (incoming) => {
    const { socket } = incoming
    // Node calls it behind the last answer of a connection, and nothing else does.
    socket.destroySoon = () => {
      if (incoming.complete || socket.destroyed) Socket.prototype.destroySoon.call(socket)
      else linger(socket, incoming, settings)
    }
  })
}
