/** Limits the connections of a Node server, idle ones included. */
import type { Socket } from 'node:net'
import { Crowd } from '../identity/crowd.ts'
import { addressKey } from '../identity/network-address.ts'
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
 * Closes connections beyond the limits at once. Behind trusted proxies all connections come from the proxies, so only the
 * total limit applies here; requests are counted by the client address that the proxies report.
 */
export function boundConnections(
  server: { on(event: 'connection', take: (socket: Socket) => void): unknown },
  { connectionsMax, connectionsPerAddressMax, trustedProxies }: Settings,
): void {
  const perAddressMax = trustedProxies > 0 ? Number.POSITIVE_INFINITY : connectionsPerAddressMax
  const crowd = new Crowd(connectionsMax, perAddressMax)
  server.on('connection', (socket) => {
    const key = addressKey(socket.remoteAddress ?? '')
    if (!crowd.enter(key)) {
      socket.destroy()
      return
    }
    socket.once('close', () => crowd.leave(key))
  })
}
