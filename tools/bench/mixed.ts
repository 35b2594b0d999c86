/** Measures the memory of a server under mixed work, and after it. */
import { setTimeout } from 'node:timers/promises'
import { testCodecs } from '../../test/fixtures/codecs.ts'
import { drawDocument } from '../../test/fixtures/document-pictures.ts'
import { passportZone } from '../../test/fixtures/document-readings.ts'
import { startServer } from '../../test/fixtures/server.ts'
import { residentMegabytes } from '../soak/resources.ts'
import { aims } from './aims.ts'
import { benchPhotos } from './photos.ts'
import { quantile } from './quantiles.ts'
import { commonClip } from './video-clips.ts'

const callers = 4
const workers = 2
const restSeconds = 90
const beatMs = 500

interface Work {
  name: string
  medium: File
  type: 'quality' | 'documents'
  /** Whether the server refuses it. */
  isDamaged: boolean
}

export interface MeasuredMixed {
  callers: number
  workers: number
  seconds: number
  restSeconds: number
  /** Answers by kind of work. */
  answers: Record<string, number>
  /** Resident memory of the process, in MB of 2^20 bytes. */
  startMegabytes: number
  medianMegabytes: number
  highestMegabytes: number
  restMegabytes: number
  /** By seconds since the first call. */
  curve: readonly (readonly [seconds: number, megabytes: number])[]
}

/** Photos of 0.8 and 12 megapixels, a clip, a page of a document, and the beginnings of a photo and of a clip. */
async function mixedWork(): Promise<Work[]> {
  const photos = await benchPhotos()
  const small = photos[0]!.bytes
  const large = photos.at(-1)!.bytes
  const clip = (await commonClip()).bytes
  const page = drawDocument({ SURNAME: 'ERIKSSON', 'GIVEN NAMES': 'ANNA MARIA' }, passportZone)
  const document = await testCodecs.encodeJpeg({ image: page, quality: 90 })
  const work = (
    name: string,
    bytes: Uint8Array,
    type: Work['type'] = 'quality',
    isDamaged = false,
  ): Work => ({
    ...{ name, type, isDamaged },
    medium: new File([new Uint8Array(bytes)], name === 'clip' || name === 'cut clip' ? 'a.mp4' : 'a.jpg'),
  })
  return [
    work('photo of 0.8 megapixels', small),
    work('photo of 12 megapixels', large),
    work('clip', clip),
    work('document', document, 'documents'),
    work('cut photo', large.subarray(0, 2000), 'quality', true),
    work('cut clip', clip.subarray(0, clip.length >> 1), 'quality', true),
  ]
}

async function call(url: string, { name, medium, type, isDamaged }: Work): Promise<void> {
  const body = new FormData()
  body.append('medium', medium)
  body.append('payload', JSON.stringify({ analyses: [{ type }] }))
  const response = await fetch(`${url}/api/instant/folders/`, { method: 'POST', body })
  await response.arrayBuffer()
  if (response.ok === isDamaged) throw new Error(`a ${name} was answered ${response.status}`)
}

export async function measureMixed(seconds: number): Promise<MeasuredMixed> {
  const works = await mixedWork()
  const server = await startServer(
    {
      SVC_AUTHORIZE_DISABLED_STATELESS: 'true',
      SVC_APP_COMPONENTS: 'stateless,documents',
      ASSESS_WORKERS: String(workers),
    },
    'node',
  )
  const answers: Record<string, number> = {}
  const curve: [seconds: number, megabytes: number][] = []
  const resident = () => residentMegabytes(server.process.pid!)
  try {
    // The workers warm up in a quiet second.
    await setTimeout(5000)
    const startMegabytes = await resident()
    const start = performance.now()
    const elapsed = () => (performance.now() - start) / 1000
    let next = 0
    const callInTurn = async () => {
      while (elapsed() < seconds) {
        const work = works[next++ % works.length]!
        await call(server.url, work)
        answers[work.name] = (answers[work.name] ?? 0) + 1
      }
    }
    const calls = Promise.all(Array.from({ length: callers }, callInTurn))
    let isWorking = true
    void calls.finally(() => {
      isWorking = false
    })
    let restedS = 0
    for (let endS = 0; isWorking || restedS < restSeconds; restedS = isWorking ? 0 : elapsed() - endS) {
      await setTimeout(beatMs)
      if (isWorking) endS = elapsed()
      curve.push([Math.round(elapsed()), await resident()])
    }
    await calls
    const atWork = curve.filter(([at]) => at < seconds).map(([, megabytes]) => megabytes)
    return {
      ...{ callers, workers, seconds, restSeconds, answers, startMegabytes, curve },
      medianMegabytes: quantile(atWork, 0.5),
      highestMegabytes: Math.max(...atWork),
      restMegabytes: curve.at(-1)![1],
    }
  } finally {
    await server.stop()
  }
}

export function mixedText(measured: MeasuredMixed): string {
  const { startMegabytes, medianMegabytes, highestMegabytes, restMegabytes, answers, curve } = measured
  const megabytes = (value: number) => `${value.toFixed(0)} MB`
  const step = Math.ceil(curve.length / 24)
  return [
    `Mixed work of ${measured.callers} callers, ${measured.workers} workers, ${measured.seconds} s: ${Object.entries(
      answers,
    )
      .map(([name, count]) => `${count} × ${name}`)
      .join(', ')}`,
    `memory: ${megabytes(startMegabytes)} before, ${megabytes(medianMegabytes)} at work, at most ${megabytes(
      highestMegabytes,
    )} (aim: ${aims.mixedMegabytes}), ${megabytes(restMegabytes)} after ${measured.restSeconds} s of rest (aim: ${aims.restMegabytes})`,
    `second: MB: ${curve
      .filter((_, index) => index % step === 0)
      .map(([at, value]) => `${at}: ${value.toFixed(0)}`)
      .join(', ')}`,
  ].join('\n')
}
