/** Bounds on the connections of a Node server, whether they carry a call or not. */
import type { Socket } from 'node:net'
import { Crowd } from '../identity/crowd.ts'
import { addressKey } from '../identity/network-address.ts'
import type { Settings } from '../settings.ts'

/** Milliseconds for the headers of a call, the first byte included. */
const headersTimeoutMs = 20_000
const lookEveryMs = 5000

/** Timeouts of the server itself: for what sends no headers, and for bodies that nobody reads. */
export const connectionTimeouts = ({ bodyTimeMaxS }: Settings) => ({
  headersTimeout: headersTimeoutMs,
  requestTimeout: headersTimeoutMs + bodyTimeMaxS * 1000,
  connectionsCheckingInterval: lookEveryMs,
})

/**
 * Closes connections beyond the bounds at once. Behind trusted proxies all come from the addresses of those, so that
 * only the bound in sum holds here; calls are counted by the address that the proxies tell.
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
