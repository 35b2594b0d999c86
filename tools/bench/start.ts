/** Measures the time from the start command to the first response of a server, and its memory. */
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readSettings } from '../../src/settings.ts'
import { startServer } from '../../test/fixtures/server.ts'
import { peakMegabytes, processorSeconds, residentMegabytes } from '../soak/resources.ts'
import { aims } from './aims.ts'
import { benchPortrait } from './photos.ts'
import { quantile } from './quantiles.ts'
import { timeCheck } from './timed-calls.ts'

export interface MeasuredStart {
  profile: string
  runs: number
  /** With networks already built: median, and the least, which other work on the machine disturbs least. */
  startMs: number
  leastStartMs: number
  /** Processor time of the process until it listens: median and least. */
  startProcessorMs: number
  leastStartProcessorMs: number
  /** Without built networks; `null` if the profile needs files that are unavailable. */
  firstStartMs: number | null
  /** Servers with one worker, and with two. */
  processes: MeasuredProcess[]
}

/** Medians over several processes. */
interface MeasuredProcess {
  workers: number
  processes: number
  /** Until the first answer; `null` where the system does not tell. */
  startPeakMegabytes: number | null
  /** After some photos. */
  megabytes: number
  firstAnswerMs: number
  /** Median of the others. */
  laterAnswerMs: number
}

interface Start {
  ms: number
  /** `NaN` where the system does not tell. */
  processorMs: number
  profile: string
}

async function timeStart(environment: Record<string, string>): Promise<Start> {
  const start = performance.now()
  const server = await startServer(environment, 'node')
  const ms = performance.now() - start
  const processorMs = 1000 * (await processorSeconds(server.process.pid!))
  const line = server.lines().find((candidate) => candidate.includes('"event":"listening"'))!
  await server.stop()
  return { ms, processorMs, profile: (JSON.parse(line) as { profile: string }).profile }
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
/** First answers differ from one process to the next. */
const processesEach = 7
const workerCounts = [1, 2]

/** The first request of a process loads its client: that is no time of the server. */
async function warmUpClient(photo: Uint8Array): Promise<void> {
  const server = createServer((request, response) => request.resume().on('end', () => response.end()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  for (let i = 0; i < answers; i++) await timeCheck(`http://127.0.0.1:${port}`, photo)
  server.closeAllConnections()
  server.close()
}

type OneProcess = Omit<MeasuredProcess, 'workers' | 'processes'>

/** Starts a stateless server with some workers, and checks photos. */
async function measureProcess(profile: string, workers: number, photo: Uint8Array): Promise<OneProcess> {
  const server = await startServer(
    { MODEL_PROFILE: profile, ASSESS_WORKERS: String(workers), SVC_APP_COMPONENTS: 'stateless' },
    'node',
  )
  try {
    // At once: a caller does not wait until the server has warmed up.
    const firstAnswerMs = await timeCheck(server.url, photo)
    const peak = await peakMegabytes(server.process.pid!)
    const later: number[] = []
    while (later.length < answers - 1) later.push(await timeCheck(server.url, photo))
    return {
      startPeakMegabytes: Number.isNaN(peak) ? null : peak,
      megabytes: await residentMegabytes(server.process.pid!),
      firstAnswerMs,
      laterAnswerMs: quantile(later, 0.5),
    }
  } finally {
    await server.stop()
  }
}

async function measureProcesses(
  profile: string,
  workers: number,
  photo: Uint8Array,
): Promise<MeasuredProcess> {
  const measured: OneProcess[] = []
  while (measured.length < processesEach) measured.push(await measureProcess(profile, workers, photo))
  const median = (of: (one: OneProcess) => number) => quantile(measured.map(of), 0.5)
  const isPeakKnown = measured.every(({ startPeakMegabytes }) => startPeakMegabytes !== null)
  return {
    workers,
    processes: processesEach,
    startPeakMegabytes: isPeakKnown ? median((one) => one.startPeakMegabytes!) : null,
    megabytes: median((one) => one.megabytes),
    firstAnswerMs: median((one) => one.firstAnswerMs),
    laterAnswerMs: median((one) => one.laterAnswerMs),
  }
}

/** Times of starts after the first one, which bundles the sources, builds missing networks and creates the database. */
async function timeStarts(runs: number): Promise<{ profile: string; starts: Start[] }> {
  const { modelProfile } = readSettings(process.env)
  const folder = await mkdtemp(path.join(tmpdir(), 'data-'))
  try {
    const { profile } = await timeStart({ MODEL_PROFILE: modelProfile, DATA_DIR: folder })
    const starts: Start[] = []
    for (let run = 0; run < runs; run++) {
      starts.push(await timeStart({ MODEL_PROFILE: profile, DATA_DIR: folder }))
      process.stderr.write(`\r${run + 1} of ${runs} starts `)
    }
    process.stderr.write('\n')
    return { profile, starts }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export async function measureStart(runs: number): Promise<MeasuredStart> {
  const { profile, starts } = await timeStarts(runs)
  const [times, processorTimes] = [starts.map(({ ms }) => ms), starts.map(({ processorMs }) => processorMs)]
  const photo = await benchPortrait()
  await warmUpClient(photo)
  const processes: MeasuredProcess[] = []
  for (const workers of workerCounts) processes.push(await measureProcesses(profile, workers, photo))
  return {
    profile,
    runs,
    startMs: quantile(times, 0.5),
    leastStartMs: Math.min(...times),
    startProcessorMs: quantile(processorTimes, 0.5),
    leastStartProcessorMs: Math.min(...processorTimes),
    firstStartMs: await timeFirstStart(profile),
    processes,
  }
}

const processText = (measured: MeasuredProcess): string => {
  const { workers, processes, startPeakMegabytes, megabytes, firstAnswerMs, laterAnswerMs } = measured
  const peak = startPeakMegabytes === null ? 'not known here' : `${startPeakMegabytes.toFixed(0)} MB`
  return (
    `${workers} workers, medians of ${processes} processes: highest memory at start ${peak} (aim: ${aims.startPeakMegabytes}), after ${answers} photos ` +
    `${megabytes.toFixed(0)} MB${workers === 1 ? ` (aim: ${aims.oneWorkerMegabytes})` : ''}; first answer ${firstAnswerMs.toFixed(0)} ms, ` +
    `${(firstAnswerMs / laterAnswerMs).toFixed(1)} times (aim: ${aims.firstAnswerShare}) a later one of ${laterAnswerMs.toFixed(0)} ms`
  )
}

export function startText(measured: MeasuredStart): string {
  const { profile, runs, startMs, leastStartMs, firstStartMs, processes } = measured
  const { startProcessorMs, leastStartProcessorMs } = measured
  const first = firstStartMs === null ? 'not possible here' : `${firstStartMs.toFixed(0)} ms`
  return [
    `profile ${profile}: listens after ${startMs.toFixed(0)} ms (median of ${runs}, least ${leastStartMs.toFixed(0)}; aim: ${aims.startMs}), ` +
      `processor time ${startProcessorMs.toFixed(0)} ms (least ${leastStartProcessorMs.toFixed(0)}); first start, networks built on the way: ${first}`,
    ...processes.map(processText),
    ...processes.slice(1).map(({ workers, megabytes }, i) => {
      const more = (megabytes - processes[i]!.megabytes) / (workers - processes[i]!.workers)
      return `each more worker ${more.toFixed(0)} MB (aim: ${aims.moreWorkersMegabytes})`
    }),
  ].join('\n')
}
