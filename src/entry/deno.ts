import { startServer } from './start-server.ts'

declare const Deno: {
  serve(
    options: { hostname: string; port: number; onListen: (address: { port: number }) => void },
    handler: (request: Request, info: { remoteAddr: { hostname?: string } }) => Response | Promise<Response>,
  ): { shutdown(): Promise<void> }
}

await startServer('deno', (fetch, { host, port }) => {
  return new Promise((resolve) => {
    const server = Deno.serve(
      {
        hostname: host,
        port,
        onListen: (address) => resolve({ port: address.port, stop: () => server.shutdown() }),
      },
      (request, { remoteAddr }) => fetch(request, remoteAddr.hostname),
    )
  })
})
