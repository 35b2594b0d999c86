import { startServer } from '../../test/fixtures/server.ts'
import { benchPortrait } from './photos.ts'
import { timeInstant } from './timed-calls.ts'

export interface Throughput {
  requests: number
  callers: number
  workers: number
  requestsPerMinute: number
  p50Ms: number
  p95Ms: number
}

const callers = 2
const workers = 2
const warmUpRequests = 20
const requests = 200

/** Liveness requests with one photo to a local server, by callers that wait for each response. */
export async function measureThroughput(): Promise<Throughput> {
  const photo = await benchPortrait()
  const server = await startServer({
    SVC_AUTHORIZE_DISABLED_STATELESS: 'true',
    ASSESS_WORKERS: String(workers),
  })
  const medium = new File([new Uint8Array(photo)], 'selfie.jpg', { type: 'image/jpeg' })
  const run = (count: number) => timeInstant(server.url, medium, count, callers)
  try {
    await run(warmUpRequests)
    const start = performance.now()
    const times = (await run(requests)).sort((a, b) => a - b)
    const minutes = (performance.now() - start) / 60_000
    const quantile = (share: number) => times[Math.floor(times.length * share)]!
    return {
      requests,
      callers,
      workers,
      requestsPerMinute: requests / minutes,
      p50Ms: quantile(0.5),
      p95Ms: quantile(0.95),
    }
  } finally {
    await server.stop()
  }
}
