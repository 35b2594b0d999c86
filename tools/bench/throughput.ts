import { startServer } from '../../test/fixtures/server.ts'
import { benchPortrait } from './photos.ts'

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
  const call = async (): Promise<number> => {
    const body = new FormData()
    body.append('selfie', new Blob([new Uint8Array(photo)], { type: 'image/jpeg' }), 'selfie.jpg')
    body.append('payload', JSON.stringify({ analyses: [{ type: 'quality' }] }))
    const start = performance.now()
    const response = await fetch(`${server.url}/api/instant/folders/`, { method: 'POST', body })
    const { analyses } = (await response.json()) as { analyses: { state: string }[] }
    if (analyses[0]?.state !== 'FINISHED') throw new Error('a request was not answered as it must be')
    return performance.now() - start
  }
  const run = async (count: number): Promise<number[]> => {
    const times: number[] = []
    let left = count
    await Promise.all(
      Array.from({ length: callers }, async () => {
        while (left-- > 0) times.push(await call())
      }),
    )
    return times
  }
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
