/** Measures the throughput of a server with clips, and the memory of each worker. */
import { startServer } from '../../test/fixtures/server.ts'
import { residentMegabytes } from '../soak/resources.ts'
import { quantile } from './quantiles.ts'
import { timeInstant } from './timed-calls.ts'
import { commonClip } from './video-clips.ts'

const clipsTimed = 40
const clipsPerWorker = 20

interface Load {
  times: number[]
  minutes: number
  megabytes: number
}

/** Sends clips to a server with a number of workers, by the same number of callers that wait for each response. */
async function load(bytes: Uint8Array, workers: number, clips: number): Promise<Load> {
  const server = await startServer({
    SVC_AUTHORIZE_DISABLED_STATELESS: 'true',
    ASSESS_WORKERS: String(workers),
  })
  const clip = new File([new Uint8Array(bytes)], 'clip.mp4', { type: 'video/mp4' })
  const callers = (count: number) => timeInstant(server.url, clip, count, workers)
  try {
    await callers(workers)
    const start = performance.now()
    const times = await callers(clips)
    const minutes = (performance.now() - start) / 60_000
    return { times, minutes, megabytes: await residentMegabytes(server.process.pid!) }
  } finally {
    await server.stop()
  }
}

export async function measureClipService() {
  const { bytes } = await commonClip()
  const alone = await load(bytes, 1, clipsPerWorker)
  const both = await load(bytes, 2, clipsTimed)
  return {
    throughput: {
      clips: clipsTimed,
      callers: 2,
      workers: 2,
      clipsPerMinute: clipsTimed / both.minutes,
      p50Ms: quantile(both.times, 0.5),
      p95Ms: quantile(both.times, 0.95),
    },
    memory: {
      clips: clipsPerWorker,
      oneWorkerMb: alone.megabytes,
      twoWorkersMb: both.megabytes,
      perWorkerMb: both.megabytes - alone.megabytes,
    },
  }
}
