import { startServer } from './start-server.ts'

declare const Deno: {
  serve(
    options: {
      hostname: string
      port: number
      onListen: (address: { hostname?: string; port: number }) => void
    },
    handler: (request: Request, info: { remoteAddr: { hostname?: string } }) => Response | Promise<Response>,
  ): { shutdown(): Promise<void> }
}

await startServer('deno', (fetch, { host, port }) => {
  return new Promise((resolve) => {
    const server = Deno.serve(
      {
        hostname: host,
        port,
        // DENO_SERVE_ADDRESS replaces both.
        onListen: (address) =>
          resolve({ port: address.port, host: address.hostname ?? host, stop: () => server.shutdown() }),
      },
      (request, { remoteAddr }) => fetch(request, remoteAddr.hostname),
    )
  })
})
