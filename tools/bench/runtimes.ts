/** Start, latency, processor time and memory of the server on each runtime. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { measureCode } from '../../scripts/workers/deploy-command.ts'
import { binary, type Runtime, startServer } from '../../test/fixtures/server.ts'
import { processorSeconds, residentMegabytes } from '../soak/resources.ts'
import { aims } from './aims.ts'
import { benchPortrait } from './photos.ts'
import { quantile } from './quantiles.ts'
import { timeCheck } from './timed-calls.ts'

export interface MeasuredRuntime {
  runtime: Runtime
  /** Until the first answer to a health check, with built networks and programs; median. */
  startMs: number
  firstAnswerMs: number
  /** From the start of the processes that serve to the first answer. */
  firstProcessorMs: number
  laterP50Ms: number
  laterP95Ms: number
  /** Per check, of the processes that serve. */
  processorMs: number
  /** After the checks, of the processes that serve. */
  megabytes: number
  /** Compressed code: on Node the bundles without packages, on Workers all; `null` where the sources are read. */
  codeKibibytes: number | null
}

const warmUpChecks = 5

/** Processes that serve, by a part of their command's name. Wrangler is a tool beside the isolate. */
export const serving: Record<Runtime, string> = { node: '', bun: '', deno: '', workers: 'workerd' }

const installed = (runtime: Runtime): boolean =>
  runtime === 'node' || existsSync(binary(runtime === 'workers' ? 'wrangler' : runtime))

/** Names those that are not. */
export const listInstalled = (): Runtime[] =>
  (['node', 'bun', 'deno', 'workers'] as const).filter((runtime) => {
    const isHere = installed(runtime)
    if (!isHere) process.stderr.write(`${runtime} is not installed: npm run runtimes\n`)
    return isHere
  })

async function measureBundle(runtime: Runtime): Promise<number | null> {
  if (runtime === 'workers') return measureCode('')
  if (runtime !== 'node') return null
  const names = ['server-program', 'assess-worker', 'pdf-worker']
  const files = names.map((name) => readFile(new URL(`../../dist/node/${name}.mjs`, import.meta.url)))
  return (await Promise.all(files)).reduce((sum, bytes) => sum + gzipSync(bytes).length, 0) / 1024
}

async function measureRuntime(
  runtime: Runtime,
  photo: Uint8Array,
  options: { starts: number; checks: number },
): Promise<MeasuredRuntime> {
  const environment = {
    ASSESS_WORKERS: '1',
    SVC_APP_COMPONENTS: 'stateless',
    SVC_LITE_TOKEN_REQUIRED: 'false',
  }
  const startTimes: number[] = []
  // The first start builds what later ones find.
  for (let run = 0; run <= options.starts; run++) {
    const start = performance.now()
    const server = await startServer(environment, runtime)
    if (run > 0) startTimes.push(performance.now() - start)
    if (run < options.starts) {
      await server.stop()
      continue
    }
    try {
      const firstAnswerMs = await timeCheck(server.url, photo)
      const firstProcessorMs = 1000 * (await processorSeconds(server.process.pid!, serving[runtime]))
      for (let i = 0; i < warmUpChecks; i++) await timeCheck(server.url, photo)
      const usedBefore = await processorSeconds(server.process.pid!, serving[runtime])
      const later: number[] = []
      for (let i = 0; i < options.checks; i++) later.push(await timeCheck(server.url, photo))
      const used = (await processorSeconds(server.process.pid!, serving[runtime])) - usedBefore
      return {
        runtime,
        startMs: quantile(startTimes, 0.5),
        firstAnswerMs,
        firstProcessorMs,
        laterP50Ms: quantile(later, 0.5),
        laterP95Ms: quantile(later, 0.95),
        processorMs: (used * 1000) / options.checks,
        megabytes: await residentMegabytes(server.process.pid!, serving[runtime]),
        codeKibibytes: await measureBundle(runtime),
      }
    } finally {
      await server.stop()
    }
  }
  throw new Error('at least one start is needed')
}

/** Measures Node, and of the other runtimes those that are installed. */
export async function measureRuntimes(options: {
  starts: number
  checks: number
}): Promise<MeasuredRuntime[]> {
  const photo = await benchPortrait()
  const measured: MeasuredRuntime[] = []
  for (const runtime of listInstalled()) {
    process.stderr.write(`${runtime}\n`)
    measured.push(await measureRuntime(runtime, photo, options))
  }
  return measured
}

export function runtimesText(measured: readonly MeasuredRuntime[]): string {
  const ms = (value: number) => `${value.toFixed(0)} ms`.padStart(9)
  const lines = measured.map((row) =>
    [
      row.runtime.padEnd(9),
      ms(row.startMs),
      ms(row.firstAnswerMs),
      ms(row.firstProcessorMs),
      ms(row.laterP50Ms),
      ms(row.laterP95Ms),
      ms(row.processorMs),
      `${row.megabytes.toFixed(0)} MB`.padStart(9),
      (row.codeKibibytes === null ? '–' : `${row.codeKibibytes.toFixed(0)} KiB`).padStart(10),
      // Milliseconds of one check are seconds of a thousand.
      `${(row.processorMs / 3600).toFixed(3)} h`.padStart(10),
    ].join(''),
  )
  const head = `${'runtime'.padEnd(9)}${['start', 'first', 'CPU of it', 'p50', 'p95', 'CPU', 'RSS'].map((name) => name.padStart(9)).join('')}${'code'.padStart(10)}  CPU of 1,000`
  const aim = `aim for the first answer of Workers: ${aims.isolateFirstProcessorMs} ms of processor time`
  return [`liveness of a photo of 1280 pixels, one worker; ${aim}`, head, ...lines].join('\n')
}
