/** Limits the connections of a Node server, idle ones included. */
import type { Socket } from 'node:net'
import { Crowd } from '../identity/crowd.ts'
import { addressKey, isAmong } from '../network-address.ts'
import type { Settings } from '../settings.ts'

/** Milliseconds until the headers of a request must be complete. */
const headersTimeoutMs = 20_000
const lookEveryMs = 5000

/** Timeouts of the server for connections without headers, and for bodies that no handler reads. */
export const connectionTimeouts = ({ bodyTimeMaxS }: Settings) => ({
  headersTimeout: headersTimeoutMs,
  requestTimeout: headersTimeoutMs + bodyTimeMaxS * 1000,
  connectionsCheckingInterval: lookEveryMs,
})

/**
 * Closes connections beyond the limits at once. Connections of trusted proxies have the total limit alone; their requests are
 * counted by the client address that they report.
 */
export function boundConnections(
  server: { on(event: 'connection', take: (socket: Socket) => void): unknown },
  { connectionsMax, connectionsPerAddressMax, trustedProxies }: Settings,
): void {
  const crowd = new Crowd(connectionsMax, connectionsPerAddressMax)
  // Each connection of a proxy counts as an address of its own: only the total limit applies to it.
  let ofProxies = 0
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? ''
    const key = isAmong(address, trustedProxies) ? `proxy ${ofProxies++}` : addressKey(address)
    if (!crowd.enter(key)) {
      socket.destroy()
      return
    }
    socket.once('close', () => crowd.leave(key))
  })
}
