/** The highest memory of a server on each runtime, by what it is sent. */
import { readSettings } from '../../src/settings.ts'
import { type Runtime, startServer } from '../../test/fixtures/server.ts'
import { peakMegabytes } from '../soak/resources.ts'
import { benchPhotos } from './photos.ts'
import { listInstalled, serving } from './runtimes.ts'
import { timeInstant } from './timed-calls.ts'
import { commonClip } from './video-clips.ts'

/** What a process gives back, and when, differs from one to the next. */
const processesEach = 2
const mediaEach = { photos: 20, largePhotos: 8, clips: 6 } as const
type Kind = keyof typeof mediaEach

interface Peak {
  oneWorkerMb: number
  /** Of a second worker; `null` on Workers, which have none. */
  moreMb: number | null
}

interface RuntimeMemory extends Record<Kind, Peak> {
  runtime: Runtime
}

export interface MeasuredMemory {
  profile: string
  processesEach: number
  media: Record<Kind, number>
  runtimes: RuntimeMemory[]
}

/** Until the end of the media, in MB of 2^20 bytes; each worker gets as many. */
async function measurePeak(runtime: Runtime, workers: number, medium: File, count: number): Promise<number> {
  const server = await startServer(
    {
      ASSESS_WORKERS: String(workers),
      SVC_APP_COMPONENTS: 'stateless',
      SVC_AUTHORIZE_DISABLED_STATELESS: 'true',
      // A busy machine takes longer, and no more memory.
      ASSESS_TIMEOUT: '600',
    },
    runtime,
  )
  try {
    await timeInstant(server.url, medium, count * workers, workers)
    return await peakMegabytes(server.process.pid!, serving[runtime])
  } finally {
    await server.stop()
  }
}

async function measureKind(runtime: Runtime, medium: File, count: number): Promise<Peak> {
  const highest = async (workers: number) => {
    const peaks: number[] = []
    while (peaks.length < processesEach) peaks.push(await measurePeak(runtime, workers, medium, count))
    return Math.max(...peaks)
  }
  const oneWorkerMb = await highest(1)
  if (runtime === 'workers') return { oneWorkerMb, moreMb: null }
  return { oneWorkerMb, moreMb: (await highest(2)) - oneWorkerMb }
}

/** A photo of 1280 pixels, one of 12 megapixels, and a clip of 5 s. */
async function readMedia(): Promise<Record<Kind, File>> {
  const photos = await benchPhotos()
  const photo = (name: string) =>
    new File([new Uint8Array(photos.find((one) => one.name === name)!.bytes)], 'a.jpg', {
      type: 'image/jpeg',
    })
  const { bytes } = await commonClip()
  return {
    photos: photo('portrait 853×1280'),
    largePhotos: photo('portrait 12 megapixels'),
    clips: new File([new Uint8Array(bytes)], 'a.mp4', { type: 'video/mp4' }),
  }
}

/** Measures Node, and of the other runtimes those that are installed. */
export async function measureMemory(): Promise<MeasuredMemory> {
  const media = await readMedia()
  const runtimes: RuntimeMemory[] = []
  for (const runtime of listInstalled()) {
    process.stderr.write(`${runtime}\n`)
    const measure = (kind: Kind) => measureKind(runtime, media[kind], mediaEach[kind])
    runtimes.push({
      runtime,
      photos: await measure('photos'),
      largePhotos: await measure('largePhotos'),
      clips: await measure('clips'),
    })
  }
  return { profile: readSettings(process.env).modelProfile, processesEach, media: mediaEach, runtimes }
}

export function memoryText({ processesEach: each, media, runtimes }: MeasuredMemory): string {
  const cell = ({ oneWorkerMb, moreMb }: Peak) =>
    `${oneWorkerMb.toFixed(0)} MB${moreMb === null ? '' : ` + ${moreMb.toFixed(0)}`}`.padStart(20)
  return [
    `highest memory of ${each} processes with one worker, and how much each more adds: after ${media.photos} photos of 1280 pixels, ${media.largePhotos} of 12 megapixels, ${media.clips} clips`,
    ...runtimes.map(
      ({ runtime, photos, largePhotos, clips }) =>
        runtime.padEnd(9) + [photos, largePhotos, clips].map(cell).join(''),
    ),
  ].join('\n')
}
