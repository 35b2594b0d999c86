import { type Http2Bindings, type HttpBindings, serve } from '@hono/node-server'
import { startServer } from './start-server.ts'

await startServer('node', (fetch, { host, port }) => {
  const answer = (request: Request, { incoming }: HttpBindings | Http2Bindings) =>
    fetch(request, incoming.socket.remoteAddress)
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: answer, hostname: host, port }, (address) =>
      resolve({
        port: address.port,
        stop: () => new Promise((stopped) => server.close(() => stopped())),
      }),
    )
    server.on('error', reject)
  })
})
