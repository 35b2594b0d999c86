import { serve } from '@hono/node-server'
import { startServer } from './start-server.ts'

await startServer('node', (fetch, { host, port }) => {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, hostname: host, port }, (address) =>
      resolve({
        port: address.port,
        stop: () => new Promise((stopped) => server.close(() => stopped())),
      }),
    )
    server.on('error', reject)
  })
})
