/** Measures the time from the start command to the first response of a server, and its memory. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readSettings } from '../../src/settings.ts'
import { startServer } from '../fixtures/server.ts'
import { residentMegabytes } from '../soak/resources.ts'
import { benchPhotos } from './photos.ts'

export interface MeasuredStart {
  profile: string
  runs: number
  /** Median with networks already built. */
  startMs: number
  /** Without built networks; `null` if the profile needs files that are unavailable. */
  firstStartMs: number | null
  /** Servers with one worker, and with two. */
  processes: MeasuredProcess[]
}

export interface MeasuredProcess {
  workers: number
  /** Until the server listens; `null` where the system does not tell. */
  startPeakMegabytes: number | null
  /** After some photos. */
  megabytes: number
  firstAnswerMs: number
  /** Median of the others. */
  laterAnswerMs: number
}

interface Start {
  ms: number
  profile: string
}

async function timeStart(environment: Record<string, string>): Promise<Start> {
  const start = performance.now()
  const server = await startServer(environment, 'node')
  const ms = performance.now() - start
  const line = server.lines().find((candidate) => candidate.includes('"event":"listening"'))!
  await server.stop()
  return { ms, profile: (JSON.parse(line) as { profile: string }).profile }
}

/** Includes downloads if the profile needs them. */
async function timeFirstStart(profile: string): Promise<number | null> {
  const folder = await mkdtemp(path.join(tmpdir(), 'models-'))
  try {
    return (await timeStart({ MODELS_DIR: folder, MODEL_PROFILE: profile })).ms
  } catch (error) {
    process.stderr.write(`no first start: ${error instanceof Error ? error.message : String(error)}\n`)
    return null
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const answers = 20
const workerCounts = [1, 2]

/** Milliseconds of some liveness checks, one after another. */
async function timeAnswers(url: string): Promise<number[]> {
  const [photo] = await benchPhotos()
  const times: number[] = []
  for (let i = 0; i < answers; i++) {
    const start = performance.now()
    const response = await fetch(`${url}/v1/face/liveness/detect`, {
      method: 'POST',
      headers: { 'Content-Type': 'image/jpeg' },
      body: photo!.bytes.slice(),
    })
    if (!response.ok) throw new Error(`a check was answered with ${response.status}`)
    await response.arrayBuffer()
    times.push(performance.now() - start)
  }
  return times
}

/** The highest memory so far, in MB of 2^20 bytes; `null` where the system does not tell. */
async function peakMegabytes(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kilobytes = /VmHWM:\s+(\d+)/.exec(status)?.[1]
  return kilobytes === undefined ? null : Number(kilobytes) / 1024
}

/** Starts a stateless server with some workers, and checks photos. */
async function measureProcess(profile: string, workers: number): Promise<MeasuredProcess> {
  const server = await startServer(
    { MODEL_PROFILE: profile, ASSESS_WORKERS: String(workers), SVC_APP_COMPONENTS: 'stateless' },
    'node',
  )
  try {
    const startPeakMegabytes = await peakMegabytes(server.process.pid!)
    const [firstAnswerMs = Number.NaN, ...later] = await timeAnswers(server.url)
    return {
      workers,
      startPeakMegabytes,
      megabytes: await residentMegabytes(server.process.pid!),
      firstAnswerMs,
      laterAnswerMs: later.sort((a, b) => a - b)[Math.floor(later.length / 2)]!,
    }
  } finally {
    await server.stop()
  }
}

export async function measureStart(runs: number): Promise<MeasuredStart> {
  const { modelProfile } = readSettings(process.env)
  // The first start bundles the sources and builds missing networks.
  const { profile } = await timeStart({ MODEL_PROFILE: modelProfile })
  const times: number[] = []
  for (let run = 0; run < runs; run++) {
    times.push((await timeStart({ MODEL_PROFILE: profile })).ms)
    process.stderr.write(`\r${run + 1} of ${runs} starts `)
  }
  process.stderr.write('\n')
  const startMs = times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
  const processes: MeasuredProcess[] = []
  for (const workers of workerCounts) processes.push(await measureProcess(profile, workers))
  return { profile, runs, startMs, firstStartMs: await timeFirstStart(profile), processes }
}

const processText = (measured: MeasuredProcess): string => {
  const { workers, startPeakMegabytes, megabytes, firstAnswerMs, laterAnswerMs } = measured
  const peak = startPeakMegabytes === null ? 'not known here' : `${startPeakMegabytes.toFixed(0)} MB`
  return (
    `${workers} workers: highest memory at start ${peak}, after ${answers} photos ${megabytes.toFixed(0)} MB; ` +
    `first answer ${firstAnswerMs.toFixed(0)} ms, later ones ${laterAnswerMs.toFixed(0)} ms`
  )
}

export const startText = ({ profile, runs, startMs, firstStartMs, processes }: MeasuredStart): string => {
  const first = firstStartMs === null ? 'not possible here' : `${firstStartMs.toFixed(0)} ms`
  return [
    `profile ${profile}: listens after ${startMs.toFixed(0)} ms (median of ${runs}); first start, networks built on the way: ${first}`,
    ...processes.map(processText),
  ].join('\n')
}
