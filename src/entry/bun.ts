import { startServer } from './start-server.ts'

interface BunServer {
  port: number
  stop(): Promise<void>
}

declare const Bun: {
  serve(options: {
    fetch: (
      request: Request,
      server: { requestIP(request: Request): { address: string } | null },
    ) => Response | Promise<Response>
    hostname: string
    port: number
    maxRequestBodySize: number
    idleTimeout: number
  }): BunServer
}

/** The app enforces the body limits of the settings; this value only has to be larger. */
const maxRequestBodySize = 2 ** 31

await startServer('bun', async (fetch, { host, port }) => {
  const server = Bun.serve({
    fetch: (request, connection) => fetch(request, connection.requestIP(request)?.address),
    hostname: host,
    port,
    maxRequestBodySize,
    idleTimeout: 120,
  })
  return { port: server.port, stop: () => server.stop() }
})
