import { type Http2Bindings, type HttpBindings, serve } from '@hono/node-server'
import { boundConnections, connectionTimeouts, lingerBeforeClose } from '../platform/server-connections.ts'
import { startServer } from './start-server.ts'

await startServer('node', (fetch, settings) => {
  const answer = (request: Request, { incoming }: HttpBindings | Http2Bindings) =>
    fetch(request, incoming.socket.remoteAddress)
  return new Promise((resolve, reject) => {
    const server = serve(
      {
        fetch: answer,
        hostname: settings.host,
        port: settings.port,
        serverOptions: connectionTimeouts,
        // It would close the connection of a client that still sends half a second after it was refused.
        autoCleanupIncoming: false,
      },
      (address) =>
        resolve({
          port: address.port,
          stop: () => new Promise((stopped) => server.close(() => stopped())),
        }),
    )
    boundConnections(server, settings)
    lingerBeforeClose(server, settings)
    server.on('error', reject)
  })
})
